#pragma once

#include <span>

#include "simcore/base/ids.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "topologies/list.hpp"

namespace weft::topologies {

/// The fabric of any topology. Errors carry key paths such as `fabric.links[3].to`, without file
/// and line.
[[nodiscard]] Result<Fabric> build_fabric(const TopologySpec& spec);

/// Equal-cost shortest paths (fewest links) within each network of the fabric, with the static next
/// hops of `spec` where it has any. Hosts never forward. Scale-out routes follow the `kRoutingRule`
/// of the specification, whatever has failed.
///
/// Cables with an end among `failed` are left out; what cannot be reached without them has no next
/// hops. Static next hops may form loops on purpose: packets then die by their TTL.
[[nodiscard]] Result<Routes> build_routes(const Fabric& fabric, const TopologySpec& spec,
                                          std::span<const PortId> failed = {});

}  // namespace weft::topologies
