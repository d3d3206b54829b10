#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::topologies {

/// How packets between two hosts can end, the worst last.
enum class RouteEnd : std::uint8_t {
  kDelivered,
  kLoop,       ///< they go round, or cross more links than their TTL allows
  kNoNextHop,  ///< a node on the way has no next hop for the destination
  kWrongHost,  ///< a node on the way sends them to another host
};

/// Which hosts can send to which, over the next hops of the routes instead of over links: every
/// packet, by whatever next hop a hash or spraying chooses, must get to its destination.
///
/// Hosts with the same links and the same next hops are one site, so that the work grows with sites
/// and links, not with pairs of hosts. Large tables without an empty set of next hops are not
/// followed: `build_routes` only makes such sets where there is no path.
class Reachability {
 public:
  /// Follows all routes up to `work_limit` steps (sites times links).
  Reachability(const Fabric& fabric, const Routes& routes, std::uint64_t work_limit = 200'000'000);

  /// What can happen to packets from one host to another.
  [[nodiscard]] RouteEnd end_of(HostId from, HostId to);
  /// What can happen to responses to data of `from`, which leave `to` by the links that the data
  /// came in by.
  [[nodiscard]] RouteEnd end_of_responses(HostId from, HostId to);
  /// A clause that says why packets do not get there, such as `s1 has no next hop for c`.
  [[nodiscard]] std::string reason(HostId from, HostId to);

  /// Pairs of hosts, without regard to direction, of which one cannot send to the other.
  struct Pairs {
    std::uint64_t count = 0;
    HostId from;  ///< an example: `from` cannot send to `to`
    HostId to;
    bool is_complete =
        true;  ///< false: too many routes to follow all; there are at least that many
  };
  [[nodiscard]] const Pairs& unreachable() const { return pairs_; }

 private:
  /// Hosts with the same links into a network and the same next hops there.
  struct Site {
    std::vector<HostId> hosts;
  };
  /// The scale-out network, or that of one scale-up domain.
  struct Part {
    NetworkKind network = NetworkKind::kScaleOut;
    std::vector<Site> sites;
    std::uint64_t links = 0;
    bool is_followed = false;
    bool is_everywhere = false;         ///< every switch with hosts delivers to every site
    std::vector<bool> is_reached = {};  ///< by source and destination site, if it is followed
  };
  /// What can happen to packets at a switch.
  struct Fate {
    RouteEnd end = RouteEnd::kDelivered;
    std::uint8_t links = 0;  ///< to the destination at most
    NodeId cause;            ///< where they end otherwise
  };
  void find_parts();
  void add_host(std::uint32_t part, HostId host);
  [[nodiscard]] bool is_known_at(PortId link, HostId host) const;
  [[nodiscard]] bool has_empty_set(const Part& part) const;
  void follow_all(Part& part);
  [[nodiscard]] bool is_reached_from_all(const Part& part, HostId to);
  [[nodiscard]] bool is_pair_reached(const Part& part, std::size_t i, std::size_t j) const;
  void count_pairs();
  [[nodiscard]] std::uint64_t pairs_within_domains(const Part& scale_out) const;
  void note_example(const Part& part, std::size_t i, std::size_t j);

  [[nodiscard]] std::uint32_t part_of(HostId from, HostId to) const;
  [[nodiscard]] std::span<const std::uint16_t> ports_of_host(NetworkKind network, HostId from,
                                                             HostId to) const;
  /// The worst fate of packets for `to` that leave a node by these of its ports.
  [[nodiscard]] Fate fate_by(const Node& node, std::span<const std::uint16_t> ports, HostId to);
  /// Of packets for `to` at a switch; what is known holds until `forget`.
  [[nodiscard]] Fate fate_at(SwitchId at, HostId to);
  void forget();
  [[nodiscard]] Fate fate_of_data(NetworkKind network, HostId from, HostId to);
  [[nodiscard]] Fate fate_of_responses(HostId from, HostId to);
  template <class Follow>
  RouteEnd kept(HostId from, HostId to, bool is_response, Follow follow);

  const Fabric& fabric_;
  const Routes& routes_;
  std::vector<Part> parts_;                            ///< scale-out, then by domain
  std::array<std::vector<std::uint32_t>, 2> site_of_;  ///< by network and HostId
  std::map<std::vector<std::uint64_t>, std::uint32_t> site_of_key_;
  std::vector<Fate> fates_;           ///< by SwitchId
  std::vector<std::uint8_t> state_;   ///< by SwitchId: of the walk
  std::vector<std::uint32_t> known_;  ///< switches whose state is not 0
  /// By part, data or responses, and sites.
  std::map<std::pair<std::uint32_t, std::uint64_t>, RouteEnd> ends_;
  Pairs pairs_;
};

}  // namespace weft::topologies
