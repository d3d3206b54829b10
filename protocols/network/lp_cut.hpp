#pragma once

#include "protocols/config/switch_config.hpp"
#include "simcore/base/units.hpp"
#include "simcore/engine/lp_plan.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::protocols {

/// From the start of a pause frame at a port until the peer's port stops sending.
[[nodiscard]] Picoseconds pause_latency(const PauseConfig& pause, const Port& port);

/// How the packet engine cuts a fabric whose switches are such: by the least time in which data,
/// pauses or credits cross each link. Scale-up domains may be kept whole.
[[nodiscard]] LpPlan cut_fabric(const Fabric& fabric, const SwitchConfig& switches,
                                Picoseconds control_latency, LpPlan::Cut cut,
                                bool keeps_domains_whole = false);

}  // namespace weft::protocols
