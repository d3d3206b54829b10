#pragma once

#include <string_view>

/// What a sweep asks about, apart from what it chooses between.
namespace weft::sweep {

/// Whether a path of the scenario is an input of the question: how much is sent, what fails, and
/// when. Nobody chooses a small size because it takes less time, so that points of different sizes
/// are not ranked against each other.
[[nodiscard]] bool is_condition(std::string_view path);

}  // namespace weft::sweep
