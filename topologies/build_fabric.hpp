#pragma once

#include "simcore/fabric.hpp"
#include "simcore/result.hpp"
#include "simcore/routes.hpp"
#include "topologies/spec.hpp"

namespace weft::topologies {

/// The fabric of any topology. Errors carry key paths such as `fabric.links[3].to`, without file
/// and line.
[[nodiscard]] Result<Fabric> build_fabric(const TopologySpec& spec);

/// Equal-cost shortest paths (fewest links) over that fabric, with the static next hops of `spec`
/// where it has any. Hosts never forward.
///
/// Hosts of one edge switch share a destination group; a host with static next hops is a group of
/// its own. Static next hops may form loops on purpose: packets then die by their TTL.
[[nodiscard]] Result<Routes> build_routes(const Fabric& fabric, const TopologySpec& spec);

}  // namespace weft::topologies
