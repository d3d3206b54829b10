#pragma once

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// As build_experiment of its scenario, with warnings of what is odd about how that was written:
/// keys that nothing depends on, and what is hardly meant.
[[nodiscard]] Result<Experiment> build_loaded(const LoadedScenario& loaded);

}  // namespace weft::scenarios
