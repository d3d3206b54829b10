#pragma once

#include "collectives/memo/gpu_sets.hpp"

namespace weft::collectives {

/// GPUs attached to one switch between servers, and the communicators all of whose messages cross
/// that switch: nobody else sends through it. Those of a kind are attached to switches that are
/// alike, by links that are all alike. Domains are -1.
[[nodiscard]] GpuSets find_rails(const Workload& workload, const Fabric& fabric);

/// By which a host is on its rail, both directions.
struct RailLink {
  PortId out;  ///< of the host
  PortId in;   ///< of the switch
};
/// Of a host with one link out of its domain.
[[nodiscard]] RailLink rail_link(const Fabric& fabric, HostId host);

}  // namespace weft::collectives
