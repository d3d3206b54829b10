#pragma once

#include <span>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// The formats of this folder, in the order in which they are tried.
[[nodiscard]] std::span<const Format> planner_formats();

}  // namespace weft::import
