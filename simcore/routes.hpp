#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simcore/fabric.hpp"
#include "simcore/ids.hpp"

namespace weft {

/// Next hops of every switch: immutable flat tables that topologies fill and every engine reads.
///
/// Destinations are grouped by the switch they hang on, so the tables grow with
/// switches x edge switches, not with switches x hosts.
class Routes {
 public:
  /// A set of equal-cost egress ports, as numbers local to the switch, ascending.
  struct NextHops {
    std::uint32_t first = 0;  ///< index into `local_ports`
    std::uint32_t count = 0;  ///< 0: the destination cannot be reached from here
  };

  std::uint32_t group_count = 0;
  std::vector<std::uint32_t> group_of_host;  ///< by HostId: index of its edge switch among groups
  std::vector<SwitchId> edge_of_group;       ///< by group
  std::vector<std::uint16_t> host_port;      ///< by HostId: port of its edge switch towards it
  /// [switch * group_count + group]: index into `sets`.
  std::vector<std::uint32_t> table;
  std::vector<NextHops> sets;
  std::vector<std::uint16_t> local_ports;

  /// Candidates at a host, as numbers local to it.
  [[nodiscard]] std::span<const std::uint16_t> host_ports(HostId /*from*/, HostId /*to*/) const {
    static constexpr std::uint16_t kOnly[1] = {0};
    return kOnly;
  }
  /// Candidates at switch `at` for a packet to `destination`. One port where the destination hangs
  /// on this very switch.
  [[nodiscard]] std::span<const std::uint16_t> next_hops(SwitchId at, HostId destination) const {
    const std::uint32_t group = group_of_host[destination.value()];
    if (edge_of_group[group] == at) return {&host_port[destination.value()], 1};
    const NextHops& set = sets[table[std::size_t{at.value()} * group_count + group]];
    return {local_ports.data() + set.first, set.count};
  }
};

}  // namespace weft
