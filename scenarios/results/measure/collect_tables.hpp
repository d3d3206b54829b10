#pragma once

#include "scenarios/results/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// From a run that is over to the tables that nobody recorded while it continued. Needs the begin
/// and the end of what was measured, and what recorders found; those need the jobs
/// (`collect_jobs`).
void collect_tables(const EndedRun& run, Results& results);

}  // namespace weft::scenarios
