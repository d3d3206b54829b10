#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/sweep/language/sweep.hpp"
#include "tools/sweep/plan/bisection_search.hpp"
#include "tools/sweep/plan/points.hpp"
#include "tools/sweep/run/task_runner.hpp"
#include "tools/sweep/store/report.hpp"
#include "tools/sweep/store/store.hpp"

namespace weft::sweep {

/// A point that has just ended.
struct Ended {
  Point point;
  Report report;
};

/// Where a sweep stands.
struct Progress {
  std::size_t total = 0;     ///< known points; a bisection, or a choice, finds more as it goes
  std::size_t recorded = 0;  ///< with and without results, now and earlier
  std::size_t failed = 0;    ///< recorded as failed, now and earlier
  std::size_t ran = 0;       ///< recorded by this call
  std::size_t running = 0;
  std::vector<Ended> fresh;  ///< since the step before
};

/// Called after each step; returning false ends the sweep, whose running points are given up.
using SweepObserver = std::function<bool(const Progress&)>;

/// Hands the points that have no result to a runner and records what comes back. Where points are
/// chosen, it has all of them estimated first, and then the best of them simulated.
class Coordinator {
 public:
  Coordinator(const Sweep& sweep, const Plan& plan, Store& store, TaskRunner& runner);

  /// To the end, or until the observer stops it, or until results cannot be written.
  [[nodiscard]] Errors run(const SweepObserver& observer);
  [[nodiscard]] const Progress& progress() const { return progress_; }
  [[nodiscard]] bool is_complete() const {
    return next_planned_ == plan_.size() && searches_.size() == plan_.groups.size() &&
           has_chosen_ && queue_.empty() && running_.empty();
  }

 private:
  [[nodiscard]] Errors prepare();
  [[nodiscard]] Errors follow(std::size_t search);
  [[nodiscard]] Errors look_ahead();
  [[nodiscard]] std::optional<Point> next_point();
  void start_points();
  void choose();
  [[nodiscard]] Errors take(std::vector<Report> reports);
  [[nodiscard]] std::optional<bool> answer_of(const Report& report) const;

  const Sweep& sweep_;
  const Plan& plan_;
  Store& store_;
  TaskRunner& runner_;
  PointRunner point_runner_;
  std::size_t stored_ = 0;        ///< points of the plan that the database has
  std::size_t next_planned_ = 0;  ///< the first point of the plan that was not looked at
  std::deque<Point> queue_;       ///< what searches want to know, and what runs again
  std::map<std::int64_t, Point> running_;
  std::set<std::int64_t> queued_;  ///< ever, so that no point is queued twice
  std::set<std::int64_t> retried_;
  bool has_chosen_;  ///< what to simulate; until then points are estimated
  std::vector<BisectionSearch> searches_;
  Progress progress_;
};

}  // namespace weft::sweep
