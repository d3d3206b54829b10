#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Words that people have for cables in tables of their own.
namespace weft::import {

/// What a column holds, by its title.
struct CableTitle {
  /// `from`, `from_port`, `to`, `to_port`, `rate`, `length` or `medium`; empty: none of them.
  std::string_view column;
  std::string unit;       ///< of a rate or a length: `m` of `Length (m)`; empty: it has none
  bool is_loose = false;  ///< a medium that may say something else, such as `Type`
};

/// An end has a side (`Source`, `From`, `A`) and what it names (`Device`, `Port`, `Interface`), in
/// either order; the device may go without saying.
[[nodiscard]] CableTitle cable_title(std::string_view title);

/// `copper` or `fibre`: of `DAC, passive`, `SMF`, `OM4`, `400G-DR4`; nothing: it says none, or
/// both.
[[nodiscard]] std::optional<std::string> medium_of(std::string_view words);

}  // namespace weft::import
