#pragma once

#include <cstdint>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// NCCL's protocols (`src/device/prims_ll*.h`, `src/graph/tuning.cc` of 2.30.7). LL stores 4 bytes
/// of flag beside 4 of data, LL128 8 beside 120; Simple sends data alone and orders it by fences.
struct ProtocolCost {
  std::int64_t data = 1;  ///< of every `wire` bytes
  std::int64_t wire = 1;
  /// What a step takes longer than one of LL, whose latency is that of the wire: from the NVLink
  /// row of the tuning table for rings (0.6, 1.9 and 3.4 us).
  Picoseconds step_latency;
};
[[nodiscard]] ProtocolCost protocol_cost(Protocol protocol);

}  // namespace weft::collectives
