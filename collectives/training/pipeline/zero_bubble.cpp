#include "collectives/training/pipeline/zero_bubble.hpp"

#include <algorithm>

namespace weft::collectives {

SlotStream zero_bubble_h1_slots(std::uint32_t ranks, std::uint32_t micro_batches,
                                std::uint32_t rank) {
  const std::uint32_t early = std::min(ranks - 1 - rank, micro_batches);
  const std::uint32_t late = std::min(rank, micro_batches);
  for (std::uint32_t n = 0; n < early; ++n) co_yield Slot{SlotKind::kForward, n, 0};
  for (std::uint32_t n = 0; n < micro_batches; ++n) {
    if (early + n < micro_batches) co_yield Slot{SlotKind::kForward, early + n, 0};
    co_yield Slot{SlotKind::kBackwardInput, n, 0};
    if (n >= late) co_yield Slot{SlotKind::kBackwardWeights, n - late, 0};
  }
  for (std::uint32_t n = micro_batches - late; n < micro_batches; ++n) {
    co_yield Slot{SlotKind::kBackwardWeights, n, 0};
  }
}

}  // namespace weft::collectives
