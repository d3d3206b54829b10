#include "collectives/training/pipeline/one_by_one.hpp"

#include <algorithm>

namespace weft::collectives {

namespace {

/// The n-th forward or backward of a rank, which counts micro-batches of all its chunks: p of the
/// first chunk, p of the next, and so on, backwards from the last chunk.
Slot slot_of_turn(const PipelinePlan& plan, SlotKind kind, std::uint32_t n) {
  const std::uint32_t p = plan.ranks;
  const std::uint32_t v = plan.virtual_stages;
  if (v == 1) return {kind, n, 0};
  const std::uint32_t group = n / (p * v);
  const std::uint32_t chunk = n % (p * v) / p;
  return {kind, group * p + n % p, kind == SlotKind::kForward ? chunk : v - 1 - chunk};
}

}  // namespace

SlotStream gpipe_slots(std::uint32_t micro_batches) {
  for (std::uint32_t i = 0; i < micro_batches; ++i) co_yield Slot{SlotKind::kForward, i, 0};
  for (std::uint32_t i = micro_batches; i-- > 0;) co_yield Slot{SlotKind::kBackward, i, 0};
}

std::uint32_t one_by_one_warm_up(const PipelinePlan& plan, std::uint32_t rank) {
  const std::uint32_t all = plan.micro_batches * plan.virtual_stages;
  const std::uint32_t distance = plan.ranks - 1 - rank;
  const std::uint32_t first_pair = plan.has_pairs ? distance + 1 : 0;
  if (plan.virtual_stages == 1) return std::min(distance + first_pair, all);
  const std::uint32_t rounds = (plan.virtual_stages - 1) * plan.ranks;
  return std::min(2 * distance + rounds + (plan.has_pairs ? 1 : 0), all);
}

SlotStream one_by_one_slots(PipelinePlan plan, std::uint32_t rank) {
  const std::uint32_t all = plan.micro_batches * plan.virtual_stages;
  const std::uint32_t early = one_by_one_warm_up(plan, rank);
  for (std::uint32_t n = 0; n < early; ++n) {
    co_yield slot_of_turn(plan, SlotKind::kForward, n);
  }
  if (plan.has_pairs) {
    for (std::uint32_t n = 0; n < all; ++n) {
      const Slot backward = slot_of_turn(plan, SlotKind::kBackward, n);
      if (early + n >= all) {
        co_yield backward;
        continue;
      }
      Slot pair = slot_of_turn(plan, SlotKind::kForward, early + n);
      pair.kind = SlotKind::kPair;
      pair.backward_micro_batch = backward.micro_batch;
      pair.backward_chunk = backward.chunk;
      co_yield pair;
    }
    co_return;
  }
  for (std::uint32_t n = 0; n < all; ++n) {
    if (early + n < all) co_yield slot_of_turn(plan, SlotKind::kForward, early + n);
    co_yield slot_of_turn(plan, SlotKind::kBackward, n);
  }
}

}  // namespace weft::collectives
