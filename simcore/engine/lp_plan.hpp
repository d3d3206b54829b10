#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simcore/fabric/fabric.hpp"

namespace weft {

/// How a fabric is cut into logical processes: sets of nodes that are simulated as one unit of
/// locality and order. Between logical processes nothing travels faster than the lookahead, so each
/// logical process can run a window of that length alone. Results depend neither on the cut nor on
/// the numbers of logical processes, which are in the order of their least nodes (lp_order.hpp has
/// another).
struct LpPlan {
  enum class Cut : std::uint8_t {
    kAuto,     ///< the one that costs least; a finer one is chosen for some percent only
    kOne,      ///< the whole fabric is one logical process
    kUplinks,  ///< links between switches of the scale-out network are cut
    kAccess,   ///< all links of the scale-out network are cut; scale-up domains stay whole
    kFinest,   ///< every link with a positive latency is cut
  };

  std::uint32_t lp_count = 0;
  std::vector<std::uint32_t> lp_of_node;         ///< by NodeId
  std::vector<std::vector<PortId>> ports_of_lp;  ///< ascending
  Picoseconds lookahead;
  /// The cut link direction with the least latency; none if `control_latency` or nothing sets the
  /// lookahead.
  PortId limiting_port;
};

/// What a run is expected to cost with a plan, in any unit.
using LpCost = std::function<double(const LpPlan&)>;

/// `crossing` gives, by PortId, the least time in which anything that leaves the port reaches the
/// other end: data through the receiver's pipeline, pauses past it. `control_latency` bounds the
/// lookahead because job control crosses logical processes too. Where no latency is positive the
/// fabric is one logical process. `cost` is asked for `kAuto` alone: the plans are those that cut
/// every link of a latency or longer, for at most 32 latencies; of equal ones the longest window.
[[nodiscard]] LpPlan plan_lps(const Fabric& fabric, std::span<const Picoseconds> crossing,
                              Picoseconds control_latency, LpPlan::Cut cut, const LpCost& cost);

}  // namespace weft
