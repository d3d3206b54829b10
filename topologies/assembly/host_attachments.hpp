#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::topologies {

/// Which switches hosts are attached to, by cables that are up, and so which destinations are one
/// group.
///
/// A host behind NIC nodes is attached to the switches behind those too: there it has its ToR set.
/// All other switches need to know only the path to the ToR set.
class HostAttachments {
 public:
  /// A link of a host or a NIC node into a network.
  struct HostLink {
    std::uint16_t local_port = 0;
    std::uint32_t tor_set = 0;  ///< list of the switches that it leads to
    std::uint32_t further = 0;  ///< links before those: 1 behind a NIC node
    BitsPerSecond rate{};
    auto operator<=>(const HostLink&) const = default;
  };
  /// `local_port` of switch `at` leads to `host`, with nothing but a NIC node between.
  struct Direct {
    std::uint32_t at = 0;
    std::uint32_t host = 0;
    std::uint16_t local_port = 0;
    auto operator<=>(const Direct&) const = default;
  };
  /// Hosts with the same ToR set in one network. Group 0 of every subnet is those without any.
  struct Group {
    std::uint32_t tor_set = 0;
  };
  /// The scale-out network, or the scale-up network of one domain.
  struct Subnet {
    std::vector<std::uint32_t> switches;  ///< ascending; NIC nodes are not among them
    std::vector<Group> groups;
  };

  /// `is_alone` by HostId: hosts that are groups of their own.
  HostAttachments(const Fabric& fabric, const std::vector<bool>& is_down,
                  const std::vector<bool>& is_alone);

  [[nodiscard]] const std::vector<Direct>& direct() const { return direct_; }  ///< ascending
  [[nodiscard]] const std::vector<Subnet>& subnets() const { return subnets_; }
  [[nodiscard]] std::span<const std::uint32_t> tor_set(std::uint32_t list) const {
    return tor_sets_[list];
  }
  /// Of a host in a network, or of a NIC node: its subnet (0: scale-out).
  [[nodiscard]] std::uint32_t subnet_of(const Node& node, NetworkKind network) const {
    return network == NetworkKind::kScaleOut || node.domain < 0 ? 0
                                                                : subnet_of_domain_.at(node.domain);
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t host, NetworkKind network) const {
    return group_of_[host][static_cast<std::size_t>(network)];
  }
  /// The links by which a host sends into a network, or a NIC node away from its hosts: those that
  /// are up, or all if none is.
  [[nodiscard]] std::vector<HostLink> host_links(const Node& node, NetworkKind network);

 private:
  void find_subnets();
  void attach(std::uint32_t host, bool is_alone);
  [[nodiscard]] std::uint32_t list_of(std::vector<std::uint32_t> tor_set);
  /// A link of a NIC node to a switch, which is up.
  struct Uplink {
    std::uint32_t at = 0;  ///< the switch
    PortId port;           ///< of it
  };
  /// All of a NIC node, in the order of its ports. Looked up once: thousands of hosts may share
  /// one, which has a port for each.
  [[nodiscard]] const std::vector<Uplink>& uplinks_of_nic(const Node& nic, NetworkKind network);
  template <class Visit>
  void for_each_uplink(const Node& node, NetworkKind network, bool is_up, Visit visit) const;

  const Fabric& fabric_;
  const std::vector<bool>& is_down_;
  std::vector<Direct> direct_;
  std::map<std::pair<std::uint32_t, NetworkKind>, std::vector<Uplink>> uplinks_of_nic_;
  std::vector<Subnet> subnets_;
  std::map<std::int32_t, std::uint32_t> subnet_of_domain_;
  std::vector<std::array<std::uint32_t, 2>> group_of_;  ///< by HostId
  std::vector<std::vector<std::uint32_t>> tor_sets_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> index_of_tor_set_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> group_of_list_;
};

}  // namespace weft::topologies
