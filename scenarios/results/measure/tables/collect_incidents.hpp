#pragma once

#include "scenarios/results/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// Needs the ends of the run and of its iterations.
void collect_incidents(const EndedRun& run, Results& results);

}  // namespace weft::scenarios
