#include "simcore/fabric/spray.hpp"

#include <map>
#include <span>

#include "simcore/fabric/path.hpp"

namespace weft {

std::vector<std::vector<PortShare>> sprayed_shares(const Fabric& fabric, const Routes& routes,
                                                   HostId source, HostId destination,
                                                   std::optional<PortId> first) {
  if (source == destination) return {};
  const NodeId goal = fabric.hosts[destination.value()];
  std::vector<std::vector<PortShare>> steps;
  std::map<NodeId, double> at{{fabric.hosts[source.value()], 1.0}};
  if (first) {
    steps.push_back({{*first, 1.0}});
    at = {{fabric.peer_node(*first), 1.0}};
    if (fabric.peer_node(*first) == goal) return steps;
  }
  while (!at.empty()) {
    if (steps.size() == kMaxPathLinks) return {};
    std::vector<PortShare> step;
    std::map<NodeId, double> next;
    for (const auto& [id, share] : at) {
      const Node& node = fabric.node(id);
      const auto next_hops = ports_towards(routes, node, source, destination);
      if (next_hops.empty()) return {};
      const double each = share / static_cast<double>(next_hops.size());
      for (const std::uint16_t local : next_hops) {
        const PortId port(node.first_port.value() + local);
        const NodeId peer = fabric.peer_node(port);
        if (peer != goal) next[peer] += each;
        if (!step.empty() && step.back().port == port) {
          step.back().share += each;  // repeated for its weight
        } else {
          step.push_back({port, each});
        }
      }
    }
    steps.push_back(std::move(step));
    at = std::move(next);
  }
  return steps;
}

}  // namespace weft
