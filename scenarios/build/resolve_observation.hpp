#pragma once

#include "collectives/runtime/workload.hpp"
#include "protocols/observation/observation.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// What `observe` asks for, as ports of the fabric and connections of the jobs, each once and in
/// ascending order. Errors carry key paths; what would make more rows than any disk should hold is
/// one.
[[nodiscard]] Result<protocols::ObservationConfig> resolve_observation(
    const Scenario& scenario, const Fabric& fabric, const collectives::Workload& workload);

}  // namespace weft::scenarios
