#pragma once

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// Builds fabric, routes and jobs. Errors carry key paths, without file and line.
[[nodiscard]] Result<Experiment> build_experiment(Scenario scenario);

/// As build_experiment of its scenario, with warnings of what is odd about how that was written:
/// keys that nothing depends on, and what is hardly meant.
[[nodiscard]] Result<Experiment> build_experiment(const LoadedScenario& loaded);

}  // namespace weft::scenarios
