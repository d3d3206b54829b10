#pragma once

#include <cstddef>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::topologies {

/// Link directions between switches that wait for each other in a circle: packets that came over
/// `ports[i]` leave by `ports[i + 1]` if they are for `destinations[i]`, and those that came over
/// the last leave by the first. In a lossless network the buffers behind them can fill until none
/// can send: a deadlock (Dally and Seitz 1987; for PFC: Hu et al., HotNets 2016).
struct BufferCycle {
  std::vector<PortId> ports;
  std::vector<HostId> destinations;
  std::size_t entangled = 0;  ///< link directions that are on some circle with these
};

struct BufferDependencies {
  std::vector<BufferCycle> cycles;  ///< a shortest one of each entangled set, by first port
  bool is_complete = true;          ///< false: the routes were too many to follow all of them
};

/// Circles of buffer dependencies on the routes, for traffic from any host to any other. Routes
/// that never go up again after going down have none, which is seen without building the graph.
[[nodiscard]] BufferDependencies find_buffer_cycles(const Fabric& fabric, const Routes& routes);

}  // namespace weft::topologies
