#pragma once

#include <cstddef>
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

/// What link directions carry on average if every node spreads what comes to it evenly over its
/// next hops: the expectation of ECMP, spraying and their like. No packet is followed. Traffic
/// between hosts of one scale-up domain is left out.
class SpreadTraffic {
 public:
  /// Both must outlive it.
  SpreadTraffic(const Fabric& fabric, const Routes& routes)
      : fabric_(fabric), routes_(routes), by_port_(fabric.ports.size()) {}

  /// `rate` in any unit.
  void add(HostId from, HostId to, double rate);
  /// By PortId, in the unit of what was added. Time linear in destinations times the switches
  /// between.
  [[nodiscard]] const std::vector<double>& by_port();

  /// An upper bound on the steps of `by_port` for `destinations` destinations.
  [[nodiscard]] static double steps(const Fabric& fabric, std::size_t destinations);

 private:
  using Inflow = std::unordered_map<std::uint32_t, double>;  ///< by switch node
  void forward(HostId to, Inflow& inflow);
  [[nodiscard]] std::vector<NodeId> in_order(HostId to, const Inflow& inflow) const;
  [[nodiscard]] std::vector<PortId> next_ports(NodeId at, HostId to) const;

  const Fabric& fabric_;
  const Routes& routes_;
  std::vector<double> by_port_;
  std::unordered_map<std::uint32_t, Inflow> towards_;  ///< by destination
};

}  // namespace weft::scenarios
