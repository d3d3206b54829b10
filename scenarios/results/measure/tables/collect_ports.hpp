#pragma once

#include "scenarios/results/measure/tables/ended_run.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// Needs the begin and the end of what was measured.
void collect_ports(const EndedRun& run, Results& results);

}  // namespace weft::scenarios
