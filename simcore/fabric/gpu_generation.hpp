#pragma once

#include <cstdint>

namespace weft {

/// GPUs that have constants of their own in NCCL's tuning model (src/graph/tuning.cc of NCCL 2.30),
/// the oldest first.
enum class GpuGeneration : std::uint8_t { kVolta, kAmpere, kHopper, kBlackwell };

}  // namespace weft
