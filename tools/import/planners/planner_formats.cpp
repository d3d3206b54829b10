#include "tools/import/planners/planner_formats.hpp"

namespace weft::import {

std::span<const Format> planner_formats() { return {}; }

}  // namespace weft::import
