#include "scenarios/results/tables/jobs_table.hpp"

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

const Table<JobResult>& JobsTable::declaration() {
  static const Table<JobResult> table{"jobs.csv", "a job", job_columns::all(),
                                      [](const Results& r, const auto& visit) {
                                        for (const JobResult& job : r.jobs) visit(job);
                                      }};
  return table;
}

}  // namespace weft::scenarios
