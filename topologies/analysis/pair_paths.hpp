#pragma once

#include <cstdint>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::topologies {

/// The paths from one host to another that its traffic may take.
struct PairPaths {
  NetworkKind network = NetworkKind::kScaleOut;
  std::uint32_t links = 0;    ///< on the shortest of them; 0: there is no path
  std::uint64_t paths = 0;    ///< saturates at the largest value
  std::vector<PortId> ports;  ///< the link directions on some path, ascending
};

/// All paths by the routes from `from` to `to`: on the scale-up network within a domain, else
/// scale-out. Next hops that form a loop are followed for as long as a packet lives. Requires two
/// different hosts.
[[nodiscard]] PairPaths pair_paths(const Fabric& fabric, const Routes& routes, HostId from,
                                   HostId to);

}  // namespace weft::topologies
