#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocols/analysis/pause_analysis.hpp"
#include "simcore/base/ids.hpp"

namespace weft::protocols {

struct Period {
  Picoseconds start{};
  Picoseconds end{};
};

/// A flow as far as pauses can hurt it.
struct FlowActivity {
  std::vector<PortId> path;  ///< ports whose pauses hold it up, its NIC's first
  /// More ports that its packets may cross, where they are sprayed: a root among them is a
  /// bottleneck of its own. Which of them a packet takes is not known, so their pauses do not
  /// count.
  std::span<const PortId> spread;
  ClassId traffic_class{};
  std::vector<Period> active;  ///< when it had something to send: ascending, disjoint
  Picoseconds before{};        ///< for how long before that, when nothing was paused
};

/// Time that a flow lost to one storm.
struct VictimLoss {
  std::uint32_t storm = 0;
  Picoseconds lost{};
};

/// A flow that was paused though the root lies off its path.
struct VictimFlow {
  std::uint32_t flow = 0;  ///< index among the given flows
  Picoseconds active{};
  Picoseconds lost{};                ///< to all storms: time that two of them hold is counted once
  std::vector<VictimLoss> losses{};  ///< by falling time
};

/// The flows that lost time: while they were active, a port on their path was paused in their class
/// by a storm whose root is not on their path. A cyclic storm has all its ports as roots. By
/// falling time.
///
/// Takes time for every pause that falls into the life of a flow on its path, not for every pair.
[[nodiscard]] std::vector<VictimFlow> find_victims(const Fabric& fabric,
                                                   std::span<const PauseInterval> pauses,
                                                   const PauseAnalysis& analysis,
                                                   std::span<const FlowActivity> flows);

}  // namespace weft::protocols
