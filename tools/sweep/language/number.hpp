#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simcore/text/quantity_text.hpp"

/// Numbers as they stand in scenarios and sweeps: plain ones and quantities with a unit.
namespace weft::sweep {

struct Number {
  double value = 0;                      ///< in SI units: seconds, bytes, bits per second, metres
  const Dimension* dimension = nullptr;  ///< null: a plain number
  std::int64_t count = 0;                ///< of base units, if there is a dimension

  /// `s`, `B`, `bit/s`, `m` or nothing.
  [[nodiscard]] std::string unit() const;
};

/// Nothing if `text` is not a number; `true` and names are not.
[[nodiscard]] std::optional<Number> parse_number(std::string_view text);

/// The shortest text that reads back as `value`.
[[nodiscard]] std::string number_text(double value);

/// `value` rounded to that many significant digits.
[[nodiscard]] double round_to(double value, int digits);

/// SI value of `count` base units.
[[nodiscard]] double to_si(std::int64_t count, const Dimension& dimension);

}  // namespace weft::sweep
