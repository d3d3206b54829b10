#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simcore/base/hash.hpp"
#include "simcore/base/units.hpp"
#include "topologies/parts/parts.hpp"

/// What the specifications of all topologies are made of.
namespace weft::topologies {

/// A cable: the same in both directions.
struct LinkSpec {
  BitsPerSecond rate;
  /// Propagation, transceivers and FEC of one direction.
  Picoseconds latency;
  LinkErrors errors{};
};

/// A cable of which everything is said: its rate, and a latency or a length of some cable.
[[nodiscard]] inline LinkSpec link_spec(const LinkPart& link) {
  return {*link.rate, *link.wire_latency(), link.errors.given().value_or(LinkErrors())};
}

/// Which paths the scale-out routes of a topology may take. Each specification names its own as
/// `kRoutingRule`; there is no default, as the wrong rule leaves hosts without a route.
enum class RoutingRule : std::uint8_t {
  kUpDown,    ///< up through the tiers, then down: for Clos networks, and free of deadlock
  kShortest,  ///< fewest links, in any direction: for every other graph
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

/// What the scale-up domains of every group of racks are, where there are some.
[[nodiscard]] inline std::vector<std::optional<ScaleUpPart>> scale_up_parts_of(
    const std::vector<RackSpec>& racks) {
  std::vector<std::optional<ScaleUpPart>> parts;
  parts.reserve(racks.size());
  for (const RackSpec& rack : racks) parts.push_back(rack.server.scale_up);
  return parts;
}

/// What a fabric is made of besides the keys of its topology.
struct FabricParts {
  std::vector<RackSpec> racks;
  LinkSpec uplink;        ///< leaf to spine
  LinkSpec super_uplink;  ///< spine to super-spine
  /// A switch of which the topology says nothing. Its buffer and cell are 0 if they are as the
  /// configuration of all switches says.
  SwitchPart switches;
  RoutingSpec routing;
};

}  // namespace weft::topologies
