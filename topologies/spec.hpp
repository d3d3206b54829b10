#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "simcore/hash.hpp"
#include "simcore/units.hpp"

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

/// Racks of servers, one leaf per rack, every leaf joined to every spine.
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

/// k-ary fat tree of three tiers (Al-Fares et al., SIGCOMM 2008): k pods, k^3/4 hosts.
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

using TopologySpec = std::variant<LeafSpineSpec, FatTreeSpec, CustomSpec>;

}  // namespace weft::topologies
