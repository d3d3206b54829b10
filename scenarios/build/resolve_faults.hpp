#pragma once

#include <string>
#include <vector>

#include "protocols/state/fault.hpp"
#include "scenarios/build/fabric_names.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// One end of every cable that a fault means: of a NIC pause, the ports of the NIC. Nothing, and
/// why in `errors`, where there is none; `path` is that of the fault.
[[nodiscard]] std::vector<PortId> fault_ports(const Fabric& fabric, const FabricNames& names,
                                              const FaultSpec& spec, const std::string& path,
                                              Errors& errors);

/// The faults of a scenario on its fabric, by port and time: one per direction of every cable that
/// a fault names. Errors carry key paths.
[[nodiscard]] Result<std::vector<protocols::Fault>> resolve_faults(const Scenario& scenario,
                                                                   const Fabric& fabric);

}  // namespace weft::scenarios
