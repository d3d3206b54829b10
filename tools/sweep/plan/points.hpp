#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/sweep/language/sweep.hpp"

namespace weft::sweep {

/// The runs of a sweep that can be told before any of them has run: all of a grid or of random
/// samples, none of a bisection, whose groups are given instead. A point is made when it is asked
/// for: only the numbers of the combinations are kept, since every process that runs a point is a
/// copy of the one that holds the plan. The sweep has to outlive it.
class Plan {
 public:
  explicit Plan(const Sweep& sweep) : sweep_(&sweep) {}

  /// Bisections only: one point per combination of the axes, its bisected value and seed not set.
  std::vector<Point> groups;
  std::uint64_t dropped = 0;  ///< combinations that broke a constraint

  /// Adds the combination of this number, with all its seeds.
  void add(std::uint64_t combination) { combinations_.push_back(combination); }
  [[nodiscard]] std::size_t configuration_count() const { return combinations_.size(); }
  [[nodiscard]] std::size_t size() const;
  /// The point with this id, below `size()`.
  [[nodiscard]] Point point(std::size_t id) const;
  /// All of them, for lists; a million take some hundred MB.
  [[nodiscard]] std::vector<Point> points() const;

 private:
  const Sweep* sweep_;
  std::vector<std::uint64_t> combinations_;  ///< by configuration
};

/// A given number of points are checked as `weft check` would check the file as a second allows,
/// the first and values of all axes among them; where that is not all, the others are checked when
/// they run. Errors name the places of the values that do not go together.
[[nodiscard]] Result<Plan> make_plan(const Sweep& sweep);

/// What is wrong with the scenario of a point.
[[nodiscard]] Errors check_point(const Sweep& sweep, const Point& point);

/// The value of a parameter or of a path of the scenario at a point, for constraints.
[[nodiscard]] Operand operand_at(const Sweep& sweep, const std::vector<Value>& values,
                                 const std::string& name);

}  // namespace weft::sweep
