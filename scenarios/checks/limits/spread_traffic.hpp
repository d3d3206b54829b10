#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// Of all of a host's NIC ports; of its links into its domain if it has no NIC. By HostId.
[[nodiscard]] std::vector<BitsPerSecond> access_rates(const Fabric& fabric);

/// The egress ports of a switch towards `to`; of any other node none.
[[nodiscard]] std::vector<PortId> next_ports(const Fabric& fabric, const Routes& routes, NodeId at,
                                             HostId to);

/// The switches on all routes to `to` from these (by NodeId, in any order), each before those that
/// it forwards to; of static next hops that form a loop, once each.
[[nodiscard]] std::vector<NodeId> switches_towards(const Fabric& fabric, const Routes& routes,
                                                   HostId to, std::vector<std::uint32_t> starts);

/// More of them than a check may take.
inline constexpr double kMaxSpreadSteps = 50e6;
/// An upper bound on the steps of `Spread::by_port` for `destinations` destinations.
[[nodiscard]] double spread_steps(const Fabric& fabric, std::size_t destinations);

/// Of a load that is a number in any unit: what one of `n` equal next hops gets, and what of it
/// leaves a port.
inline double share_of(double load, std::size_t n) { return load / static_cast<double>(n); }
inline double passed_by(const Port& /*port*/, double load) { return load; }

/// What link directions carry on average if every node spreads what comes to it evenly over its
/// next hops: the expectation of ECMP, spraying and their like. No packet is followed. Traffic
/// between hosts of one scale-up domain is left out. Loads are summed by `+=`, and have
/// `share_of` and `passed_by`.
template <class Load>
class Spread {
 public:
  /// Both must outlive it.
  Spread(const Fabric& fabric, const Routes& routes)
      : fabric_(fabric), routes_(routes), by_port_(fabric.ports.size()) {}

  void add(HostId from, HostId to, const Load& load) {
    if (from == to || fabric_.network_between(from, to) == NetworkKind::kScaleUp) return;
    const std::span<const std::uint16_t> first = routes_.host_ports(from, to);
    for (const std::uint16_t local : first) {
      const PortId port(fabric_.host(from).first_port.value() + local);
      const Load share = share_of(load, first.size());
      by_port_[port.value()] += share;
      const NodeId next = fabric_.peer_node(port);
      if (fabric_.node(next).kind != NodeKind::kSwitch) continue;
      towards_[to.value()][next.value()] += passed_by(fabric_.port(port), share);
    }
  }

  /// By PortId. Time linear in destinations times the switches between.
  [[nodiscard]] const std::vector<Load>& by_port() {
    std::vector<std::uint32_t> destinations;
    for (const auto& [to, inflow] : towards_) destinations.push_back(to);
    std::ranges::sort(destinations);  // sums of doubles depend on their order
    for (const std::uint32_t to : destinations) forward(HostId(to), towards_[to]);
    towards_.clear();
    return by_port_;
  }

 private:
  using Inflow = std::unordered_map<std::uint32_t, Load>;  ///< by switch node

  void forward(HostId to, Inflow& inflow) {
    std::vector<std::uint32_t> starts;
    for (const auto& [node, load] : inflow) starts.push_back(node);
    for (const NodeId node : switches_towards(fabric_, routes_, to, std::move(starts))) {
      const Load load = inflow[node.value()];
      const std::vector<PortId> ports = next_ports(fabric_, routes_, node, to);
      for (const PortId port : ports) {
        const Load share = share_of(load, ports.size());
        by_port_[port.value()] += share;
        inflow[fabric_.peer_node(port).value()] += passed_by(fabric_.port(port), share);
      }
    }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  std::vector<Load> by_port_;
  std::unordered_map<std::uint32_t, Inflow> towards_;  ///< by destination
};

using SpreadTraffic = Spread<double>;

}  // namespace weft::scenarios
