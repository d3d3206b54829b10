#include "scenarios/results/measure/tables/collect_paths.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace weft::scenarios {
namespace {

using protocols::HostPaths;
using protocols::path_selection::PathChangeCounts;
using protocols::path_selection::PathHistory;

/// All hosts of a plane together.
struct PlanePaths {
  PathHistory history;
  std::uint64_t assumed_bad = 0;  ///< at the end
};

void add_changes(const PathHistory& history, std::uint32_t plane, std::uint64_t assumed_bad,
                 std::vector<PathChangeResult>& rows) {
  // From the end on, where it is known how many are bad.
  std::vector<PathChangeResult> latest_first;
  const std::vector<PathChangeCounts>& intervals = history.intervals();
  for (std::size_t i = intervals.size(); i-- > 0;) {
    const PathChangeCounts& changes = intervals[i];
    if (changes == PathChangeCounts()) continue;
    const auto at = static_cast<std::int64_t>(i);
    latest_first.push_back({.plane = plane,
                            .begin = at * history.width(),
                            .end = (at + 1) * history.width(),
                            .changes = changes,
                            .assumed_bad = assumed_bad});
    assumed_bad = assumed_bad + changes.recoveries - changes.failures;
  }
  rows.insert(rows.end(), latest_first.rbegin(), latest_first.rend());
}

}  // namespace

void collect_paths(const EndedRun& run, Results& results) {
  if (run.network == nullptr) return;
  std::map<std::uint32_t, PlanePaths> planes;
  PathHistory widest;
  for (const HostPaths& paths : run.network->host_paths()) {
    const NodeId node = run.experiment.fabric.hosts[paths.host.value()];
    PathStateResult row;
    row.host = run.experiment.fabric.node(node).name;
    row.plane = paths.plane;
    row.queue_pairs = paths.queue_pairs;
    row.states = paths.states;
    row.changes = paths.history.sum();
    row.first_failure = paths.history.first_failure();
    row.last_failure = paths.history.last_failure();
    results.path_states.push_back(std::move(row));
    PlanePaths& plane = planes[paths.plane];
    plane.history += paths.history;
    plane.assumed_bad += paths.states.assumed_bad;
    widest += paths.history;
  }
  for (auto& [number, plane] : planes) {
    plane.history.widen_to(widest.width());  // as those of all planes
    add_changes(plane.history, number, plane.assumed_bad, results.path_changes);
  }
}

}  // namespace weft::scenarios
