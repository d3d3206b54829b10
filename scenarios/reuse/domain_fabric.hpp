#pragma once

#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// A scale-up domain as a fabric of its own: its GPUs, its chips, the links between them, and the
/// same ways. Hosts, switches and ports are in the same order as in the whole.
struct DomainFabric {
  Fabric fabric;
  Routes routes;
  std::vector<PortId> ports;  ///< by port here: that of the whole
  std::vector<HostId> hosts;  ///< by host here: that of the whole
};

[[nodiscard]] DomainFabric fabric_of_domain(const Fabric& whole, const Routes& routes,
                                            std::int32_t domain);

/// Whether two domains are built alike: what happens in one happens in the other.
[[nodiscard]] bool are_domains_alike(const Fabric& fabric, std::int32_t a, std::int32_t b);

}  // namespace weft::scenarios
