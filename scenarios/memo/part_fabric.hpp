#pragma once

#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// A part of a fabric as one of its own, such as a scale-up domain: GPUs, switches, the links
/// between them, and the same paths. Hosts, switches and ports are in the same order as in the
/// whole.
struct PartFabric {
  Fabric fabric;
  Routes routes;
  std::vector<PortId> ports;  ///< by port here: that of the whole
  std::vector<HostId> hosts;  ///< by host here: that of the whole
};

[[nodiscard]] PartFabric fabric_of_domain(const Fabric& whole, const Routes& routes,
                                          std::int32_t domain);

/// Hosts attached to one switch by one link each, and that switch.
[[nodiscard]] PartFabric fabric_of_rail(const Fabric& whole, const Routes& routes,
                                        const std::vector<HostId>& hosts);

/// Whether two domains are built alike: what happens in one happens in the other.
[[nodiscard]] bool are_domains_alike(const Fabric& fabric, std::int32_t a, std::int32_t b);

/// GPUs of a domain whose links nobody uses but communicators among themselves.
[[nodiscard]] collectives::GpuSets gpu_sets_inside(const Fabric& fabric,
                                                   const collectives::Workload& workload);

}  // namespace weft::scenarios
