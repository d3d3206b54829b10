#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simcore/fabric/fabric.hpp"

namespace weft {

/// How a fabric is cut into logical processes: sets of nodes that are simulated as one unit of
/// locality and order. Between logical processes nothing travels faster than the lookahead, so each
/// logical process can run a window of that length alone. The cut follows from the fabric only;
/// results do not depend on it.
struct LpPlan {
  enum class Cut : std::uint8_t {
    kAuto,    ///< the longest window that still leaves enough logical processes
    kOne,     ///< the whole fabric is one logical process
    kFinest,  ///< every link with a positive latency is cut
  };

  std::uint32_t lp_count = 0;
  std::vector<std::uint32_t> lp_of_node;         ///< by NodeId
  std::vector<std::vector<PortId>> ports_of_lp;  ///< ascending
  Picoseconds lookahead;
  /// The cut link direction with the least latency; none if `control_latency` or nothing sets the
  /// lookahead.
  PortId limiting_port;
};

/// `crossing` gives, by PortId, the least time in which anything that leaves the port reaches the
/// other end: data through the receiver's pipeline, pauses past it. `control_latency` bounds the
/// lookahead because job control crosses logical processes too. Where no latency is positive the
/// fabric is one logical process.
[[nodiscard]] LpPlan plan_lps(const Fabric& fabric, std::span<const Picoseconds> crossing,
                              Picoseconds control_latency, LpPlan::Cut cut);

}  // namespace weft
