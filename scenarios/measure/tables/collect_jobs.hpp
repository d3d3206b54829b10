#pragma once

#include <functional>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/ideal/ideal_times.hpp"
#include "scenarios/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// By job. Of a job that runs alone nobody asks for its ideal time, which the run with all jobs has
/// found. `goes_on` as for `IdealTimes::jobs`.
[[nodiscard]] std::vector<IdealTimes::Job> ideal_jobs_of(const Experiment& experiment,
                                                         IdealTimes& ideals,
                                                         const std::function<bool()>& goes_on);

void collect_jobs(const EndedRun& run, Results& results);

/// Who waits for whom.
void explain_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  Results& results);

}  // namespace weft::scenarios
