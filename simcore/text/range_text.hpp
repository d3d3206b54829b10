#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace weft {

/// An unsigned number of digits alone; nothing for anything else, and beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// First and last of a number or a range `3-7`; nothing if it is neither.
[[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_range(
    std::string_view text);

}  // namespace weft
