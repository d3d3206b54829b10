#include "scenarios/checks/limits/spread_traffic.hpp"

#include <unordered_set>

namespace weft::scenarios {

std::vector<BitsPerSecond> access_rates(const Fabric& fabric) {
  std::vector<BitsPerSecond> rates;
  rates.reserve(fabric.hosts.size());
  for (const NodeId host : fabric.hosts) {
    BitsPerSecond scale_out;
    BitsPerSecond scale_up;
    for (const Port& port : fabric.ports_of(host)) {
      const bool is_nic = fabric.network_of(fabric.port(port.peer).peer) == NetworkKind::kScaleOut;
      (is_nic ? scale_out : scale_up) += port.rate;
    }
    rates.push_back(scale_out > BitsPerSecond(0) ? scale_out : scale_up);
  }
  return rates;
}

std::vector<PortId> next_ports(const Fabric& fabric, const Routes& routes, NodeId at, HostId to) {
  const Node& node = fabric.node(at);
  std::vector<PortId> ports;
  if (node.kind != NodeKind::kSwitch) return ports;
  for (const std::uint16_t local : routes.next_hops(SwitchId(node.index), to)) {
    ports.emplace_back(node.first_port.value() + local);
  }
  return ports;
}

std::vector<NodeId> switches_towards(const Fabric& fabric, const Routes& routes, HostId to,
                                     std::vector<std::uint32_t> starts) {
  struct Visit {
    NodeId node;
    std::vector<PortId> ports;
    std::size_t next = 0;
  };
  std::ranges::sort(starts);
  std::unordered_set<std::uint32_t> seen;
  std::vector<NodeId> order;
  std::vector<Visit> open;
  const auto visit = [&](NodeId node) {
    if (fabric.node(node).kind != NodeKind::kSwitch || !seen.insert(node.value()).second) return;
    open.push_back({node, next_ports(fabric, routes, node, to)});
  };
  for (const std::uint32_t start : starts) {
    visit(NodeId(start));
    while (!open.empty()) {
      Visit& last = open.back();
      if (last.next < last.ports.size()) {
        visit(fabric.peer_node(last.ports[last.next++]));
        continue;
      }
      order.push_back(last.node);
      open.pop_back();
    }
  }
  std::ranges::reverse(order);
  return order;
}

double spread_steps(const Fabric& fabric, std::size_t destinations) {
  double ports = 0;
  for (const NodeId id : fabric.switches) ports += fabric.node(id).port_count;
  return ports * static_cast<double>(destinations);
}

}  // namespace weft::scenarios
