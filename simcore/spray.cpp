#include "simcore/spray.hpp"

#include <map>
#include <span>

#include "simcore/path.hpp"

namespace weft {

std::vector<std::vector<PortShare>> sprayed_shares(const Fabric& fabric, const Routes& routes,
                                                   HostId source, HostId destination) {
  if (source == destination) return {};
  const NodeId goal = fabric.hosts[destination.value()];
  const PortId first = fabric.host(source).first_port;
  std::vector<std::vector<PortShare>> steps{{{first, 1.0}}};
  std::map<NodeId, double> at{{fabric.peer_node(first), 1.0}};
  at.erase(goal);
  while (!at.empty()) {
    if (steps.size() == kMaxPathLinks) return {};
    std::vector<PortShare> step;
    std::map<NodeId, double> next;
    for (const auto& [id, share] : at) {
      const Node& node = fabric.node(id);
      const auto next_hops = node.kind == NodeKind::kHost
                                 ? std::span<const std::uint16_t>{}
                                 : routes.next_hops(SwitchId(node.index), destination);
      if (next_hops.empty()) return {};
      for (const std::uint16_t local : next_hops) {
        const PortId port(node.first_port.value() + local);
        step.push_back({port, share / static_cast<double>(next_hops.size())});
        const NodeId peer = fabric.peer_node(port);
        if (peer != goal) next[peer] += step.back().share;
      }
    }
    steps.push_back(std::move(step));
    at = std::move(next);
  }
  return steps;
}

}  // namespace weft
