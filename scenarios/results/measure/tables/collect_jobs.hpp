#pragma once

#include <functional>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {

/// By job. Of a job that runs alone nobody asks for its ideal time, which the run with all jobs has
/// found. `continues` as for `ZeroLoadTimes::jobs`.
[[nodiscard]] std::vector<ZeroLoadTimes::Job> ideal_jobs_of(const Experiment& experiment,
                                                            ZeroLoadTimes& ideals,
                                                            const std::function<bool()>& continues);

void collect_jobs(const EndedRun& run, Results& results);

/// Who waits for whom.
void explain_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  Results& results);

}  // namespace weft::scenarios
