#pragma once

#include <vector>

#include "protocols/fault.hpp"
#include "scenarios/scenario.hpp"
#include "simcore/fabric.hpp"
#include "simcore/result.hpp"

namespace weft::scenarios {

/// The faults of a scenario on its fabric, by port and time: one per direction of every cable that
/// a fault names. Errors carry key paths.
[[nodiscard]] Result<std::vector<protocols::Fault>> resolve_faults(const Scenario& scenario,
                                                                   const Fabric& fabric);

}  // namespace weft::scenarios
