#pragma once

#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/ideal/ideal_times.hpp"
#include "scenarios/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// By job. Of a job that runs alone nobody asks for its ideal time, which the run with all jobs has
/// found.
[[nodiscard]] std::vector<IdealTimes::Job> ideal_jobs_of(const Experiment& experiment,
                                                         IdealTimes& ideals);

void collect_jobs(const EndedRun& run, Results& results);

/// Who waits for whom.
void explain_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  Results& results);

}  // namespace weft::scenarios
