#pragma once

#include "collectives/runtime/executor.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

void collect_jobs(const EndedRun& run, Results& results);

/// Who waits for whom.
void explain_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  Results& results);

}  // namespace weft::scenarios
