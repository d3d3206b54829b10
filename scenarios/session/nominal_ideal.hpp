#pragma once

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// Gives jobs the zero-load time that they would have if all links ran at their nominal rates,
/// where some are slower and it is shorter: the zero-load time of a job has slow links in it, and
/// does not show what they cost.
void add_nominal_ideals(const LoadedScenario& scenario, Results& results);

}  // namespace weft::scenarios
