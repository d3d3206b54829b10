#include "scenarios/results/tables/paths/path_changes_table.hpp"

#include "scenarios/results/results.hpp"
#include "scenarios/results/tables/paths/path_columns.hpp"

namespace weft::scenarios {

const Table<PathChangeResult>& PathChangesTable::declaration() {
  using Row = PathChangeResult;
  static const Table<Row> table{
      "path_changes.csv",
      "an interval in which states of a plane's paths changed, all hosts together",
      {plane_column<Row>(),
       {"begin_s", "all intervals of a run have one width", [](const Row& r) { return r.begin; },
        "begin_seconds"},
       {"end_s", "the first moment after it", [](const Row& r) { return r.end; }, "end_seconds"},
       passes_column<Row>(),
       failures_column<Row>(),
       recoveries_column<Row>(),
       {"assumed_bad", "values in this state at the end of the interval",
        [](const Row& r) { return r.assumed_bad; }, "assumed_bad"}},
      [](const Results& r, const auto& visit) {
        for (const PathChangeResult& one : r.path_changes) visit(one);
      },
      [](const Results& r) { return !r.path_changes.empty(); },
      false,
      false};  // as PathStatesTable
  return table;
}

}  // namespace weft::scenarios
