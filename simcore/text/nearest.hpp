#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Help for misspelt names.
namespace weft {

/// Finding the nearest name takes as long as there are names: of more unknown ones than these in a
/// file the rest is named without.
inline constexpr std::uint32_t kMaxSuggestions = 16;

/// The candidate that takes the fewest edits (Levenshtein's distance, upper and lower case counted
/// as half a difference); where that is more than one, rather a candidate of which `name` is a
/// word. Null where none is near enough to be meant.
[[nodiscard]] const std::string* nearest(std::string_view name,
                                         std::span<const std::string> candidates);

/// `; did you mean `x`?`, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

/// `a, b, c`; a long list ends in `...`.
[[nodiscard]] std::string listing(std::span<const std::string> names);

}  // namespace weft
