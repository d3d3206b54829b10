#pragma once

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// From the iterations of the results.
void collect_training(const Experiment& experiment, Results& results);

}  // namespace weft::scenarios
