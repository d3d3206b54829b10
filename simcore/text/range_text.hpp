#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/// An unsigned number of digits alone; nothing for anything else, and beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// First and last of a number or a range `3-7`; nothing if it is neither.
[[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_range(
    std::string_view text);

/// Whether some number or range has `number` in it.
[[nodiscard]] bool is_in_ranges(std::uint64_t number, std::span<const std::string> ranges);

}  // namespace weft
