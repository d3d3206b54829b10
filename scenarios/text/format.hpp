#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"

/// Quantities and tables for people.
namespace weft::scenarios {

/// `12.34 us`: four significant digits in the unit that suits, hours at most.
[[nodiscard]] std::string format_time(double seconds);
[[nodiscard]] inline std::string format_time(Picoseconds t) { return format_time(to_seconds(t)); }
/// `1.5 MiB`.
[[nodiscard]] std::string format_bytes(double bytes);
/// `398.2 Gbps`.
[[nodiscard]] std::string format_rate(double bits_per_second);
/// `74.6 k tokens/s`.
[[nodiscard]] std::string format_tokens(double per_second);
/// `$0.1234`: four digits.
[[nodiscard]] std::string format_dollars(double dollars);
/// `92.8 %`; below 1 % with two digits, `0.95 %`, and below 0.1 % a bound, `< 0.1 %`.
[[nodiscard]] std::string format_share(double share);
/// `1,234,567`.
[[nodiscard]] std::string format_count(std::int64_t count);

/// A table with a header row. The first column is aligned left, the others right. Control
/// characters are escaped.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { add(std::move(header)); }
  void add(std::vector<std::string> row);
  [[nodiscard]] std::string to_string(const std::string& indent) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weft::scenarios
