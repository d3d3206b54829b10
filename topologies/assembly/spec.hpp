#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "simcore/base/hash.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "topologies/parts/parts.hpp"

namespace weft::topologies {

/// A cable: the same in both directions.
struct LinkSpec {
  BitsPerSecond rate;
  /// Propagation, transceivers and FEC of one direction.
  Picoseconds latency;
};

/// How packets choose among shortest paths.
struct RoutingSpec {
  /// Next hops get shares in proportion to their links' rates; else equal ones.
  bool weighted_ecmp = false;
  PathHash hash{};
};

/// Racks alike, side by side.
struct RackSpec {
  std::uint32_t count = 1;
  std::uint32_t servers = 1;  ///< per rack
  ServerPart server{};
  LinkSpec access{};  ///< from a port of a NIC to its leaf
};

/// A folded Clos of two or three tiers over racks of servers.
///
/// Servers that share leaves are a block: a rack, or under `Attachment::kRail` a group of servers
/// in their order. In every plane a block has `leaves` leaves per rail. Port p of a NIC goes to
/// plane p % planes and there to leaf (p / planes) % leaves of its rail, so that a NIC needs planes
/// x leaves ports, or a multiple for parallel links.
struct ClosSpec {
  enum class Attachment : std::uint8_t {
    kRack,  ///< all NICs of a rack to the rack's leaves
    kRail,  ///< NIC i to the leaf of rail i modulo rails in the server's group
  };
  enum class SuperSpines : std::uint8_t {
    kGroups,  ///< spine j of every pod to the j-th part of them, as in a fat tree
    kAll,     ///< every spine to all of them
  };
  std::vector<RackSpec> racks;
  Attachment attachment = Attachment::kRack;
  std::uint32_t group = 1;   ///< servers per rail group
  std::uint32_t leaves = 1;  ///< 2: dual-ToR
  std::uint32_t planes = 1;  ///< fabrics that share nothing but the NICs

  std::uint32_t spines = 1;  ///< of each plane; of each pod if there are pods
  std::uint32_t links_per_pair = 1;
  std::uint32_t pods = 0;  ///< 0: two tiers. Blocks are split over the pods evenly, in order
  std::uint32_t super_spines = 0;  ///< of each plane
  std::uint32_t super_links_per_pair = 1;
  SuperSpines super_wiring = SuperSpines::kGroups;
  LinkSpec uplink;        ///< leaf to spine
  LinkSpec super_uplink;  ///< spine to super-spine

  SwitchPart leaf;
  SwitchPart spine;
  SwitchPart super_spine;
  /// Named and grouped as in a k-ary fat tree: `pod0-edge0`, `pod0-agg0`, `core0`, hosts by pod.
  bool is_fat_tree = false;
  RoutingSpec routing{};
};

/// Scale-up domains without any scale-out network: servers with `nics: 0`.
struct LoneSpec {
  std::vector<RackSpec> racks;
  RoutingSpec routing{};
};

/// Short form of a ClosSpec of two tiers: racks of plain servers, one leaf per rack.
struct LeafSpineSpec {
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

/// k-ary fat tree of three tiers (M. Al-Fares, A. Loukissas, A. Vahdat, "A Scalable, Commodity Data
/// Center Network Architecture", SIGCOMM 2008, section 3): k pods of k/2 edge and k/2 aggregation
/// switches, (k/2)^2 cores, k/2 ports of NICs per edge switch. Aggregation switch a of every pod
/// hangs on the cores a*k/2 ... a*k/2 + k/2 - 1.
struct FatTreeSpec {
  std::uint32_t k = 4;
  LinkSpec access;
  LinkSpec uplink;
  Picoseconds switch_pipeline;
  Picoseconds nic_pipeline;
  RoutingSpec routing{};
};

/// Nodes and links by name.
struct CustomSpec {
  struct NodeSpec {
    std::string name;
    bool is_switch = false;
    std::uint32_t tier = 1;  ///< switches only
    Picoseconds pipeline{};
    std::int32_t domain = -1;                      ///< hosts and chips that are one scale-up domain
    std::int32_t rail = -1;                        ///< hosts only, for reports
    NetworkKind network = NetworkKind::kScaleOut;  ///< switches only
    Bytes buffer{};  ///< of a switch, as are cells; 0: as the configuration of all switches says
    Bytes cell{};
    BitsPerSecond capacity{};  ///< of a switch; 0: no limit
  };
  struct LinkEntry {
    std::string from;
    std::string to;
    LinkSpec link{};
    std::uint32_t count = 1;
  };
  /// At switch `at`, packets for host `to` leave towards one of `via` only.
  struct NextHopEntry {
    std::string at;
    std::string to;
    std::vector<std::string> via;
  };
  std::vector<NodeSpec> nodes;
  std::vector<LinkEntry> links;
  std::vector<NextHopEntry> next_hops;
  RoutingSpec routing{};
};

using TopologySpec = std::variant<LeafSpineSpec, FatTreeSpec, CustomSpec, ClosSpec, LoneSpec>;

}  // namespace weft::topologies
