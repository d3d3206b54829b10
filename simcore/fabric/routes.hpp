#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simcore/base/hash.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft {

/// Next hops of every host and switch: immutable flat tables that topologies fill and every engine
/// reads.
///
/// Destinations attached to the same switches are one group, in each of the two networks. A row
/// has an entry per group; switches and hosts that forward alike share one, which in a Clos nearly
/// all leaves do. What is attached to a switch it finds in a range of its own. So the tables grow
/// with ports, not with switches x hosts.
class Routes {
 public:
  /// A set of equal-cost egress ports, as numbers local to the node, ascending; under weighted ECMP
  /// a port is repeated in proportion to its rate. Equal sets have equal places.
  struct NextHops {
    std::uint32_t first = 0;  ///< index into `local_ports`
    std::uint32_t count = 0;  ///< 0: the destination cannot be reached from here
    bool operator==(const NextHops&) const = default;
  };
  struct SwitchEntry {
    std::uint32_t row = 0;         ///< index into `rows` of the entry of group 0
    std::uint32_t first_host = 0;  ///< what hangs here is among the hosts from this one on
    std::uint32_t host_count = 0;
    std::uint32_t direct = 0;  ///< index into `direct` of the entry of `first_host`
    NetworkKind network = NetworkKind::kScaleOut;
  };
  struct HostEntry {
    std::array<std::uint32_t, 2> row{};  ///< by network: index into `rows`
    std::int32_t domain = -1;
  };

  std::vector<SwitchEntry> switches;  ///< by SwitchId
  std::vector<HostEntry> hosts;       ///< by HostId
  /// The destination group of each host, by network and HostId; 0 means that it is attached to
  /// nothing there. They lie apart from the other fields of hosts because every packet asks for
  /// one.
  std::array<std::vector<std::uint32_t>, 2> groups;
  std::vector<NextHops> rows;
  std::vector<NextHops> direct;
  std::vector<std::uint16_t> local_ports;
  PathHash hash;  ///< how one of several next hops is chosen

  [[nodiscard]] NetworkKind network_between(HostId from, HostId to) const {
    const std::int32_t domain = hosts[from.value()].domain;
    return domain >= 0 && domain == hosts[to.value()].domain ? NetworkKind::kScaleUp
                                                             : NetworkKind::kScaleOut;
  }

  /// Candidates at switch `at` for a packet to `destination`, which is in the domain of `at` if
  /// that is a scale-up switch. Where the destination is attached to this very switch: its links.
  [[nodiscard]] std::span<const std::uint16_t> next_hops(SwitchId at, HostId destination) const {
    return ports_of(set_at(at, destination));
  }
  /// Where the set of next hops lies, by which equal sets are known.
  [[nodiscard]] NextHops set_at(SwitchId at, HostId destination) const {
    const SwitchEntry& entry = switches[at.value()];
    const std::uint32_t offset = destination.value() - entry.first_host;
    if (offset < entry.host_count) {
      const NextHops& links = direct[entry.direct + offset];
      if (links.count > 0) return links;
    }
    const auto network = static_cast<std::size_t>(entry.network);
    return rows[entry.row + groups[network][destination.value()]];
  }

  /// The ports by which host `from` sends to host `to`, as numbers local to it: of its links into
  /// the network that joins the two, those on shortest paths. If no path is known, all that are up,
  /// or all; empty only if it has no link into that network.
  /// Two hosts on one cable need no tables.
  [[nodiscard]] std::span<const std::uint16_t> host_ports(HostId from, HostId to) const {
    static constexpr std::uint16_t kOnlyPort[] = {0};
    if (hosts.empty()) return kOnlyPort;
    const auto network = static_cast<std::size_t>(network_between(from, to));
    return ports_of(rows[hosts[from.value()].row[network] + groups[network][to.value()]]);
  }

  [[nodiscard]] std::span<const std::uint16_t> ports_of(NextHops set) const {
    return {local_ports.data() + set.first, set.count};
  }
};

}  // namespace weft
