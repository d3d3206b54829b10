#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "simcore/base/units.hpp"

/// Quantities as people write them: `1.5us`, `400 Gbps`, `64KiB`. Exact in both directions: no
/// value passes through a floating-point number.
namespace weft {

struct Unit {
  std::string_view name;
  std::int64_t factor;  ///< base units in one of it
};

/// One kind of quantity and the units it is written in.
struct Dimension {
  std::string_view name;  ///< with its article: `a time`
  std::string_view base;  ///< the unit that is counted
  std::string_view example;
  std::span<const Unit> units;     ///< ascending; units.front() is the base unit
  std::span<const Unit> synonyms;  ///< read but never written
  bool plain_zero = false;         ///< `0` needs no unit

  /// `ps, ns, us, ms, s`
  [[nodiscard]] std::string unit_names() const;
};

/// The dimension of a quantity type.
template <class Quantity>
const Dimension& dimension_of();
template <>
const Dimension& dimension_of<Picoseconds>();
template <>
const Dimension& dimension_of<Bytes>();
template <>
const Dimension& dimension_of<BitsPerSecond>();
template <>
const Dimension& dimension_of<Millimetres>();

/// The count of base units, or a sentence that says what is wrong with `text`.
[[nodiscard]] std::variant<std::int64_t, std::string> parse_quantity(std::string_view text,
                                                                     const Dimension& dimension);

/// The shortest whole number with a unit that is exactly `count`, such as `1500ns`; of equally
/// short ones that with the smaller unit.
[[nodiscard]] std::string quantity_text(std::int64_t count, const Dimension& dimension);

}  // namespace weft
