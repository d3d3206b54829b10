#include "scenarios/checks/limits/spread_traffic.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
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

void SpreadTraffic::add(HostId from, HostId to, double rate) {
  if (from == to || fabric_.network_between(from, to) == NetworkKind::kScaleUp) return;
  const std::span<const std::uint16_t> first = routes_.host_ports(from, to);
  for (const std::uint16_t local : first) {
    const PortId port(fabric_.host(from).first_port.value() + local);
    const double share = rate / static_cast<double>(first.size());
    by_port_[port.value()] += share;
    const NodeId next = fabric_.peer_node(port);
    if (fabric_.node(next).kind != NodeKind::kSwitch) continue;
    towards_[to.value()][next.value()] += share;
  }
}

std::vector<PortId> SpreadTraffic::next_ports(NodeId at, HostId to) const {
  const Node& node = fabric_.node(at);
  std::vector<PortId> ports;
  if (node.kind != NodeKind::kSwitch) return ports;
  for (const std::uint16_t local : routes_.next_hops(SwitchId(node.index), to)) {
    ports.emplace_back(node.first_port.value() + local);
  }
  return ports;
}

/// Each node before those that it forwards to; of static next hops that form a loop, once each.
std::vector<NodeId> SpreadTraffic::in_order(HostId to, const Inflow& inflow) const {
  struct Visit {
    NodeId node;
    std::vector<PortId> ports;
    std::size_t next = 0;
  };
  std::vector<std::uint32_t> starts;
  for (const auto& [node, rate] : inflow) starts.push_back(node);
  std::ranges::sort(starts);
  std::unordered_set<std::uint32_t> seen;
  std::vector<NodeId> order;
  std::vector<Visit> open;
  const auto visit = [&](NodeId node) {
    if (fabric_.node(node).kind != NodeKind::kSwitch || !seen.insert(node.value()).second) return;
    open.push_back({node, next_ports(node, to)});
  };
  for (const std::uint32_t start : starts) {
    visit(NodeId(start));
    while (!open.empty()) {
      Visit& last = open.back();
      if (last.next < last.ports.size()) {
        visit(fabric_.peer_node(last.ports[last.next++]));
        continue;
      }
      order.push_back(last.node);
      open.pop_back();
    }
  }
  std::ranges::reverse(order);
  return order;
}

void SpreadTraffic::forward(HostId to, Inflow& inflow) {
  for (const NodeId node : in_order(to, inflow)) {
    const double rate = inflow[node.value()];
    const std::vector<PortId> ports = next_ports(node, to);
    for (const PortId port : ports) {
      const double share = rate / static_cast<double>(ports.size());
      by_port_[port.value()] += share;
      inflow[fabric_.peer_node(port).value()] += share;
    }
  }
}

const std::vector<double>& SpreadTraffic::by_port() {
  std::vector<std::uint32_t> destinations;
  for (const auto& [to, inflow] : towards_) destinations.push_back(to);
  std::ranges::sort(destinations);  // sums of doubles depend on their order
  for (const std::uint32_t to : destinations) forward(HostId(to), towards_[to]);
  towards_.clear();
  return by_port_;
}

double SpreadTraffic::steps(const Fabric& fabric, std::size_t destinations) {
  double ports = 0;
  for (const NodeId id : fabric.switches) ports += fabric.node(id).port_count;
  return ports * static_cast<double>(destinations);
}

}  // namespace weft::scenarios
