#pragma once

#include "scenarios/results/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// States of paths, and how they changed. To be called while queue pairs have their state.
void collect_paths(const EndedRun& run, Results& results);

}  // namespace weft::scenarios
