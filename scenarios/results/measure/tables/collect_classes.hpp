#pragma once

#include "scenarios/results/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// Nothing where the engine knows no packets.
void collect_classes(const EndedRun& run, Results& results);

}  // namespace weft::scenarios
