#pragma once

#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/ideal/ideal_times.hpp"
#include "scenarios/results/results.hpp"

/// From what happened to tables: what is the same whichever engine ran.
namespace weft::scenarios {

/// `ideal`: by job.
void collect_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  const std::vector<IdealTimes::Job>& ideal, Results& results);

/// Who waits for whom.
void explain_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  Results& results);

}  // namespace weft::scenarios
