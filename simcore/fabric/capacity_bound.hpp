#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

/// How long a set of transfers takes at least because of what links carry: for every cut, the wire
/// bytes that must cross it over its rate. Latencies come on top and are left out.
namespace weft {

/// `count` transfers alike from one host to another. Directions are separate: acknowledgements that
/// are to be counted are demands of their own.
struct Demand {
  HostId source;
  HostId destination;
  Bytes wire_bytes;  ///< of one transfer, with the headers of its packets
  std::int64_t count = 1;
  std::uint32_t entropy = 0;  ///< `link_bound` only: what the switches' hashes see
};

/// The tightest cut. Time 0 and no name if nothing crosses any.
struct CapacityBound {
  Picoseconds time;
  std::string cut;  ///< for reports, such as `NIC ingress of h7`
};

/// Holds whatever the load balancing does. Traffic inside a scale-up domain and all other are
/// bounded by the cuts of their own network. Cuts are, each way: all links of a host; everything
/// that joins hosts and switches below a tier to what is above (a leaf's uplinks, a pod's); and
/// where a host is attached to one switch only, at that of the source the equal-cost group towards
/// the destination's, and all links by which routes enter that of a destination; and links that
/// ports of hosts share. Time and memory
/// are linear in fabric and demands.
///
/// `receive_rate`: what a scale-out port of a host takes in at most, if that is less than its link
/// brings.
[[nodiscard]] CapacityBound capacity_bound(const Fabric& fabric, const Routes& routes,
                                           std::span<const Demand> demands,
                                           BitsPerSecond receive_rate = BitsPerSecond::max());

/// The busiest link under ECMP by flow, on the very paths that the hashes choose under this seed.
/// Never below what `capacity_bound` finds at NICs; the excess over `capacity_bound` is what
/// collisions cost.
[[nodiscard]] CapacityBound link_bound(const Fabric& fabric, const Routes& routes,
                                       std::uint64_t run_seed, std::span<const Demand> demands);

}  // namespace weft
