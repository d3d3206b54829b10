#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tools/sweep/language/sweep.hpp"

namespace weft::sweep {

/// The bisection of one combination of the axes. What it asks next follows from the answers alone,
/// so that a resumed sweep asks the same again, with the same point ids.
class BisectionSearch {
 public:
  /// `group` has the values of the axes; see Plan::groups.
  BisectionSearch(const Sweep& sweep, const Point& group);

  /// Points whose answers are needed now; none at the end.
  [[nodiscard]] std::vector<Point> open_points() const;
  /// Whether the condition holds at a point; nothing if its run failed, which ends the search.
  void note(const Point& point, std::optional<bool> holds);
  [[nodiscard]] bool is_finished() const { return steps_.empty(); }
  /// Runs that such a search takes at most.
  [[nodiscard]] std::size_t longest() const { return max_steps_ * seed_count(); }

 private:
  /// A value under test.
  struct Step {
    std::size_t index = 0;
    double value = 0;  ///< in base units
    std::size_t waiting = 0;
    bool holds = true;
  };

  [[nodiscard]] std::size_t seed_count() const;
  [[nodiscard]] Value value_of(double count) const;
  void open(double value);
  void advance(const Step& step);

  const Sweep& sweep_;
  const Bisection& bisection_;
  Point group_;
  double low_ = 0;  ///< in base units: the condition fails here
  double high_ = 0;
  double tolerance_ = 0;
  bool is_whole_ = false;
  std::size_t max_steps_ = 0;
  std::size_t next_step_ = 0;
  std::map<std::size_t, Step> steps_;  ///< open ones
};

}  // namespace weft::sweep
