#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {

/// A file that names more ports, or has more faults, is refused: no switch's is like that.
inline constexpr std::size_t kMaxPorts = 4096;
inline constexpr std::size_t kMaxFaults = 1000;

/// The parts of a list, in its order; blanks around them do not count.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// `3`, `3-4` or `0,3-4`, each number at most `max`; nothing if it is anything else.
[[nodiscard]] std::optional<std::set<std::uint32_t>> number_set(std::string_view text,
                                                                std::uint32_t max);

/// `0-2, 5`.
[[nodiscard]] std::string set_text(const std::set<std::uint32_t>& numbers);

/// The rate, if ports of data centres have it: 1 Gb/s to 1.6 Tb/s.
[[nodiscard]] std::optional<BitsPerSecond> ethernet_rate(std::uint64_t megabits_per_second);

/// Why a number of Mb/s is no rate, with what may be meant.
[[nodiscard]] std::string no_ethernet_rate(std::uint64_t megabits_per_second);

/// `400Gbps`, `1MiB`.
[[nodiscard]] std::string text_of(BitsPerSecond rate);
[[nodiscard]] std::string text_of(Millimetres length);
/// Whole bytes, in groups of three: `393,192 B`.
[[nodiscard]] std::string text_of(Bytes bytes);

}  // namespace weft::import
