#pragma once

#include <optional>

#include "collectives/runtime/workload.hpp"
#include "scenarios/build/experiment.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// What `observe: {timeline: ...}` asks for, as processes of the jobs; nothing if it does not.
/// Errors carry key paths.
[[nodiscard]] Result<std::optional<TimelinePlan>> resolve_timeline(
    const Scenario& scenario, const collectives::Workload& workload);

}  // namespace weft::scenarios
