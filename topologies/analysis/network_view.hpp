#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::topologies {

/// One of a fabric's two networks as analyses see it: its switches, parallel links taken together,
/// and its hosts by what they are attached to. Hosts end paths and never forward.
///
/// Most fabrics have few sites (hosts with the same links to the same switches), so what is asked
/// of pairs of hosts is answered for pairs of sites.
class NetworkView {
 public:
  /// All links between two nodes.
  struct Bundle {
    std::uint32_t to = 0;  ///< SwitchId
    std::uint32_t links = 0;
    /// Of all of them together, per direction; of links that are shared an even part.
    BitsPerSecond rate{};
    bool operator==(const Bundle&) const = default;
  };
  struct Site {
    std::vector<Bundle> uplinks;  ///< of each of its hosts, by switch; empty: not on this network
    std::vector<HostId> hosts;    ///< ascending
    [[nodiscard]] BitsPerSecond host_rate() const;
  };

  NetworkView(const Fabric& fabric, NetworkKind network);

  [[nodiscard]] NetworkKind network() const { return network_; }
  [[nodiscard]] std::size_t switch_count() const { return first_.size() - 1; }
  /// To other switches, ascending; nothing for a switch of the other network.
  [[nodiscard]] std::span<const Bundle> bundles_of(SwitchId at) const {
    return {bundles_.data() + first_[at.value()], bundles_.data() + first_[at.value() + 1]};
  }
  /// A NIC node forwards to and from its own hosts only.
  [[nodiscard]] bool is_nic(SwitchId at) const { return is_nic_[at.value()]; }
  [[nodiscard]] std::size_t bundle_count() const { return bundles_.size(); }
  /// By their first host.
  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] std::uint32_t site_of(HostId host) const { return site_of_[host.value()]; }

 private:
  [[nodiscard]] std::vector<Bundle> bundles_from(const Fabric& fabric, NodeId node) const;

  NetworkKind network_;
  std::vector<std::uint32_t> sharers_;  ///< by Port::shared_link
  std::vector<std::size_t> first_;      ///< by SwitchId, and the end
  std::vector<Bundle> bundles_;
  std::vector<bool> is_nic_;  ///< by SwitchId
  std::vector<Site> sites_;
  std::vector<std::uint32_t> site_of_;
};

}  // namespace weft::topologies
