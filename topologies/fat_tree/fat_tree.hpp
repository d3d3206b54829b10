#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simcore/base/result.hpp"
#include "simcore/schema/schema.hpp"
#include "topologies/clos/clos_spec.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {

/// k-ary fat tree of three tiers (M. Al-Fares, A. Loukissas, A. Vahdat, "A Scalable, Commodity Data
/// Center Network Architecture", SIGCOMM 2008, section 3): k pods of k/2 edge and k/2 aggregation
/// switches, (k/2)^2 cores, k/2 ports of NICs per edge switch. Aggregation switch a of every pod
/// is attached to the cores a*k/2 ... a*k/2 + k/2 - 1.
struct FatTree {
  static constexpr const char* kName = "fat-tree";
  static constexpr LinkRoles kRoles = LinkRoles::kThreeTiers;
  static constexpr const char* kWhyNoRacks =
      "whose k gives the number of hosts; its servers are fabric.server";

  std::uint32_t k = 4;
  std::uint32_t planes = 1;  ///< trees that share nothing but the NICs, a port of each in every one
  ServerPart server;
  std::optional<SwitchPart> edge_switch;
  std::optional<SwitchPart> aggregation_switch;
  std::optional<SwitchPart> core_switch;

  [[nodiscard]] static schema::Object<FatTree> schema();
  [[nodiscard]] std::vector<SwitchUse> switch_uses() const;
  /// The racks that it makes, of servers alike, links to the leaves left open.
  [[nodiscard]] std::vector<RackSpec> own_racks() const;
  /// `parts.racks` are its own, with their links.
  [[nodiscard]] ClosSpec specification(const FabricParts& parts) const;
};

/// Short form of a fat tree: plain servers, one NIC each.
struct FatTreeSpec {
  static constexpr RoutingRule kRoutingRule = RoutingRule::kUpDown;

  std::uint32_t k = 4;
  LinkSpec access;
  LinkSpec uplink;
  Picoseconds switch_pipeline;
  Picoseconds nic_pipeline;
  RoutingSpec routing{};
};

/// What is wrong with the given number of fat trees of such servers, at keys of the topology.
[[nodiscard]] Errors check_fat_tree(std::uint32_t k, const ServerPart& server,
                                    std::uint32_t planes = 1);

/// The fabric of the short form in full. Error: k is odd, below 2 or more ports than any switch
/// has.
[[nodiscard]] Result<ClosSpec> clos_of(const FatTreeSpec& spec);

}  // namespace weft::topologies
