#pragma once

#include <optional>
#include <string_view>

namespace weft::evidence {

/// GB/s (10^9 bytes per second) in one of a unit: `Gb/s`, `Gbps`, `GB/s`, `MiB/s` ... Letters
/// count: b is a bit, B a byte. Nothing: it is none.
[[nodiscard]] std::optional<double> rate_unit(std::string_view unit);

/// The only unit of rates that stands in a text as a word, or behind the last `_` of one, such as
/// `busbw_GBs`; nothing: there is none, or there are several.
[[nodiscard]] std::optional<double> rate_unit_in(std::string_view text);

/// What a message says of the units that are read.
inline constexpr const char* kRateUnits = "Gb/s, MiB/s, GB/s";

}  // namespace weft::evidence
