#include "scenarios/results/tables/paths/path_states_table.hpp"

#include <algorithm>

#include "scenarios/results/results.hpp"
#include "scenarios/results/tables/paths/path_columns.hpp"

namespace weft::scenarios {

PathStateResult& PathStateResult::operator+=(const PathStateResult& other) {
  hosts += other.hosts;
  queue_pairs += other.queue_pairs;
  states += other.states;
  changes += other.changes;
  if (other.first_failure) {
    first_failure = std::min(first_failure.value_or(*other.first_failure), *other.first_failure);
    last_failure = std::max(last_failure.value_or(*other.last_failure), *other.last_failure);
  }
  return *this;
}

std::vector<PathStateResult> sums_by_plane(const std::vector<PathStateResult>& hosts) {
  std::vector<PathStateResult> planes;
  for (const PathStateResult& one : hosts) {
    const auto found = std::ranges::find(planes, one.plane, &PathStateResult::plane);
    if (found != planes.end()) {
      *found += one;
      continue;
    }
    planes.push_back(one);
    planes.back().host.clear();
  }
  std::ranges::sort(planes, {}, &PathStateResult::plane);
  return planes;
}

const Table<PathStateResult>& PathStatesTable::declaration() {
  using Row = PathStateResult;
  static const Table<Row> table{
      "path_states.csv",
      "a host's entropy values that lead by one plane",
      {{"host", "that sends by them", [](const Row& r) { return r.host; }, "host"},
       plane_column<Row>(),
       {"queue_pairs", "whose path selection keeps states",
        [](const Row& r) { return r.queue_pairs; }, "queue_pairs"},
       {"good", "values in use at the end (GOOD)", [](const Row& r) { return r.states.good; },
        "good"},
       {"skipped", "values that are passed over once, at the end (SKIP)",
        [](const Row& r) { return r.states.passed_over; }, "skipped"},
       {"assumed_bad", "values that lost a packet and are probed, at the end (ASSUMED_BAD)",
        [](const Row& r) { return r.states.assumed_bad; }, "assumed_bad"},
       {"reserve", "values that are good and not in use, at the end",
        [](const Row& r) { return r.states.reserve; }, "reserve"},
       {"denied", "values that are never used (DENIED)",
        [](const Row& r) { return r.states.denied; }, "denied"},
       passes_column<Row>(),
       failures_column<Row>(),
       recoveries_column<Row>(),
       {"first_failure_s", "empty: there was none", [](const Row& r) { return r.first_failure; },
        "first_failure_seconds"},
       {"last_failure_s", "empty: there was none", [](const Row& r) { return r.last_failure; },
        "last_failure_seconds"}},
      [](const Results& r, const auto& visit) {
        for (const PathStateResult& one : r.path_states) visit(one);
      },
      [](const Results& r) { return !r.path_states.empty(); },
      false,
      false};  // digests of runs stay, whatever is told of their paths
  return table;
}

}  // namespace weft::scenarios
