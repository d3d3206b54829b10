#pragma once

#include <span>
#include <string>
#include <string_view>

/// Help for misspelt names.
namespace weft {

/// The candidate that takes the fewest edits (Levenshtein's distance, upper and lower case counted
/// as half a difference), or null where none is near enough to be meant.
[[nodiscard]] const std::string* nearest(std::string_view name,
                                         std::span<const std::string> candidates);

/// `; did you mean `x`?`, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

/// `a, b, c`; a long list ends in `...`.
[[nodiscard]] std::string listing(std::span<const std::string> names);

}  // namespace weft
