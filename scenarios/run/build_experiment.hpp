#pragma once

#include "scenarios/build/experiment.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// Builds fabric, routes and jobs. Errors carry key paths, without file and line.
[[nodiscard]] Result<Experiment> build_experiment(Scenario scenario);

}  // namespace weft::scenarios
