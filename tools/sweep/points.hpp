#pragma once

#include <cstdint>
#include <vector>

#include "simcore/result.hpp"
#include "tools/sweep/sweep.hpp"

namespace weft::sweep {

/// The runs of a sweep that can be told before any of them has run: all of a grid or of random
/// samples, none of a bisection, whose groups are given instead.
struct Plan {
  std::vector<Point> points;
  /// Bisections only: one point per combination of the axes, its bisected value and seed not set.
  std::vector<Point> groups;
  std::uint64_t dropped = 0;  ///< combinations that broke a constraint
};

/// Every point is checked as `weft check` would check the file, so that nothing starts that cannot
/// work. Errors name the places of the values that do not go together.
[[nodiscard]] Result<Plan> make_plan(const Sweep& sweep);

/// What is wrong with the scenario of a point.
[[nodiscard]] Errors check_point(const Sweep& sweep, const Point& point);

/// The value of a parameter or of a path of the scenario at a point, for constraints.
[[nodiscard]] Operand operand_at(const Sweep& sweep, const std::vector<Value>& values,
                                 const std::string& name);

}  // namespace weft::sweep
