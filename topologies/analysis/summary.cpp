#include "topologies/analysis/summary.hpp"

#include <algorithm>

namespace weft::topologies {

TopologySummary summarize(const Fabric& fabric) {
  TopologySummary summary;
  summary.hosts = static_cast<std::uint32_t>(fabric.hosts.size());
  summary.switches = static_cast<std::uint32_t>(fabric.switches.size());
  summary.cables = static_cast<std::uint32_t>(fabric.ports.size() / 2);
  for (const NodeId id : fabric.switches) {  // ordered by tier
    const Node& node = fabric.node(id);
    if (summary.tiers.empty() || summary.tiers.back().tier != node.tier) {
      summary.tiers.push_back({.tier = node.tier, .fewest_ports = node.port_count});
    }
    TierSummary& tier = summary.tiers.back();
    ++tier.switches;
    tier.fewest_ports = std::min(tier.fewest_ports, node.port_count);
    tier.max_ports = std::max(tier.max_ports, node.port_count);
    BitsPerSecond down;
    BitsPerSecond up;
    for (const Port& port : fabric.ports_of(id)) {
      const std::uint32_t peer_tier = fabric.node(fabric.port(port.peer).node).tier;
      if (peer_tier < node.tier) down += port.rate;
      if (peer_tier > node.tier) up += port.rate;
    }
    tier.down += down;
    tier.up += up;
    if (up.count() > 0) {
      tier.oversubscription = std::max(tier.oversubscription, static_cast<double>(down.count()) /
                                                                  static_cast<double>(up.count()));
    }
  }
  return summary;
}

}  // namespace weft::topologies
