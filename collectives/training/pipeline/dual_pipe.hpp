#pragma once

#include <cstdint>

#include "collectives/training/pipeline/slot.hpp"

namespace weft::collectives {

/// DualPipe (DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv 2412.19437, section 3.2.1 and
/// figure 5; the order as in its published implementation): half of the micro-batches enter at
/// rank 0 and go up, the others enter at the last rank and go down. A rank holds one stage of each
/// direction, and most of the time it works on a forward of one and a backward of the other
/// together.
[[nodiscard]] SlotStream dual_pipe_slots(std::uint32_t ranks, std::uint32_t micro_batches,
                                         std::uint32_t rank);

}  // namespace weft::collectives
