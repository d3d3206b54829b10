#pragma once

#include <cstdint>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/units.hpp"

/// How many of its channels NCCL gives a call.
namespace weft::collectives {

/// What NCCL prints of a call as `channel{Lo..Hi}` (2.27 and later). Small calls have fewer
/// channels than the communicator: none carries less than 32 KiB of traffic
/// (`scheduleCollTasksToPlan` of src/enqueue.cc), and of rings and trees none has less than its
/// threads take at once
/// (`topoGetAlgoInfo`). `bytes`: of the buffer that NCCL counts, which of an all-gather or
/// reduce-scatter is that of one rank. For what NCCL does not tune, `channels`.
[[nodiscard]] std::uint32_t nccl_channels_of_call(Operation operation, Algorithm algorithm,
                                                  Protocol protocol, Bytes bytes,
                                                  std::uint32_t ranks, std::uint32_t channels);

}  // namespace weft::collectives
