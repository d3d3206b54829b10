#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/schema/schema.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {

struct ClosSpec;

/// Racks on leaves, every leaf on every spine: what a scenario says of it.
struct LeafSpine {
  static constexpr const char* kName = "leaf-spine";
  static constexpr LinkRoles kRoles = LinkRoles::kTwoTiers;

  std::uint32_t leaves = 1;  ///< of each rack, or rail of a group; 2: dual-ToR
  /// What of a server is in several planes.
  enum class PlaneOf : std::uint8_t {
    kPort,  ///< every NIC: port p is in plane p modulo planes
    kNic,   ///< NIC i is in plane i modulo planes, with all of its ports
  };
  std::uint32_t planes = 1;  ///< fabrics that share nothing but the servers
  PlaneOf plane_of = PlaneOf::kPort;
  std::uint32_t spines = 1;  ///< of each plane; of each pod if there are pods
  std::uint32_t links_per_pair = 1;
  std::optional<SwitchPart> leaf_switch;
  std::optional<SwitchPart> spine_switch;

  [[nodiscard]] static schema::Object<LeafSpine> schema();
  [[nodiscard]] std::vector<SwitchUse> switch_uses() const;
  [[nodiscard]] ClosSpec specification(const FabricParts& parts) const;
};

/// The same with NIC i of every server of a group on leaf i of the group.
struct RailOptimised : LeafSpine {
  static constexpr const char* kName = "rail-optimised";
  static constexpr const char* kAlias = "rail-optimized";

  std::uint32_t group = 1;  ///< servers per rail group

  [[nodiscard]] static schema::Object<RailOptimised> schema();
  [[nodiscard]] ClosSpec specification(const FabricParts& parts) const;
};

/// Three tiers.
struct Clos : LeafSpine {
  enum class Attachment : std::uint8_t {
    kRack,  ///< all NICs of a rack to the rack's leaves
    kRail,  ///< NIC i to the leaf of rail i modulo rails in the server's group
  };
  enum class SuperSpines : std::uint8_t {
    kGroups,  ///< spine j of every pod to the j-th part of them, as in a fat tree
    kAll,     ///< every spine to all of them
  };
  static constexpr const char* kName = "clos";
  static constexpr LinkRoles kRoles = LinkRoles::kThreeTiers;

  Attachment attachment = Attachment::kRack;
  std::uint32_t group = 1;  ///< servers per rail group
  std::uint32_t pods = 0;   ///< 0: two tiers. Blocks are split over the pods evenly, in order
  std::uint32_t super_spines = 0;  ///< of each plane
  std::uint32_t super_links_per_pair = 1;
  SuperSpines super_wiring = SuperSpines::kGroups;
  std::optional<SwitchPart> super_spine_switch;

  [[nodiscard]] static schema::Object<Clos> schema();
  [[nodiscard]] std::vector<SwitchUse> switch_uses() const;
  [[nodiscard]] ClosSpec specification(const FabricParts& parts) const;
};

/// A folded Clos of two or three tiers over racks of servers.
///
/// Servers that share leaves are a block: a rack, or under `Attachment::kRail` a group of servers
/// in their order. In every plane a block has `leaves` leaves per rail. Port p of a NIC goes to
/// plane p % planes and there to leaf (p / planes) % leaves of its rail, so that a NIC needs planes
/// x leaves ports, or a multiple for parallel links. Under `PlaneOf::kNic` all ports of NIC i go to
/// plane i % planes, port p to leaf p % leaves.
struct ClosSpec : Clos {
  static constexpr RoutingRule kRoutingRule = RoutingRule::kUpDown;

  ClosSpec() = default;
  /// Of these keys and parts; two tiers if there are no pods.
  ClosSpec(const Clos& keys, const FabricParts& parts);

  std::vector<RackSpec> racks;
  LinkSpec uplink;        ///< leaf to spine
  LinkSpec super_uplink;  ///< spine to super-spine
  SwitchPart leaf;
  SwitchPart spine;
  SwitchPart super_spine;
  /// Named and grouped as in a k-ary fat tree: `pod0-edge0`, `pod0-agg0`, `core0`, hosts by pod.
  bool is_fat_tree = false;
  RoutingSpec routing{};

  [[nodiscard]] std::vector<std::optional<ScaleUpPart>> scale_up_parts() const {
    return scale_up_parts_of(racks);
  }
};

/// Short form of a ClosSpec of two tiers: racks of plain servers, one leaf per rack.
struct LeafSpineSpec {
  static constexpr RoutingRule kRoutingRule = RoutingRule::kUpDown;

  std::uint32_t racks = 1;
  std::uint32_t servers_per_rack = 1;
  std::uint32_t nics_per_server = 1;  ///< each NIC is a host of the fabric
  std::uint32_t spines = 1;
  std::uint32_t links_per_pair = 1;  ///< parallel links between a leaf and a spine
  LinkSpec access;
  LinkSpec uplink;
  Picoseconds switch_pipeline;
  Picoseconds nic_pipeline;
  RoutingSpec routing{};
};

}  // namespace weft::topologies
