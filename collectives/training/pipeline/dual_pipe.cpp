#include "collectives/training/pipeline/dual_pipe.hpp"

#include <array>
#include <cstddef>
#include <deque>

namespace weft::collectives {

/// Where a rank is in both directions. `near` is the direction whose micro-batches enter at the
/// end that is nearer to the rank, `far` the other. (It has a name outside, as frames of coroutines
/// have: it is part of one.)
class DualPipeTurns {
 public:
  DualPipeTurns(std::uint32_t micro_batches, bool is_upper_half)
      : half_(micro_batches / 2), near_(is_upper_half ? 1 : 0) {}

  [[nodiscard]] std::uint32_t near() const { return near_; }
  [[nodiscard]] std::uint32_t far() const { return 1 - near_; }

  Slot forward(std::uint32_t chunk) {
    return {SlotKind::kForward, chunk * half_ + forwards_[chunk]++, chunk};
  }
  Slot backward(std::uint32_t chunk) {
    return {SlotKind::kBackward, chunk * half_ + backwards_[chunk]++, chunk};
  }
  /// A backward whose weights come later.
  Slot backward_input(std::uint32_t chunk) {
    Slot slot = backward(chunk);
    slot.kind = SlotKind::kBackwardInput;
    delayed_.push_back(slot);
    return slot;
  }
  /// The weights that have waited longest.
  Slot weights() {
    Slot slot = delayed_.front();
    slot.kind = SlotKind::kBackwardWeights;
    delayed_.pop_front();
    return slot;
  }
  Slot pair(std::uint32_t forward_chunk) {
    Slot slot = forward(forward_chunk);
    const Slot other = backward(1 - forward_chunk);
    slot.kind = SlotKind::kPair;
    slot.backward_micro_batch = other.micro_batch;
    slot.backward_chunk = other.chunk;
    return slot;
  }

 private:
  std::uint32_t half_;
  std::uint32_t near_;
  std::array<std::uint32_t, 2> forwards_{};
  std::array<std::uint32_t, 2> backwards_{};
  std::deque<Slot> delayed_;  ///< at most half as many as there are ranks
};

SlotStream dual_pipe_slots(std::uint32_t ranks, std::uint32_t micro_batches, std::uint32_t rank) {
  const std::uint32_t half = ranks / 2;
  const bool is_upper_half = rank >= half;
  const std::uint32_t edge = is_upper_half ? ranks - 1 - rank : rank;  // ranks to the nearer end
  const std::uint32_t inner = half - 1 - edge;                         // ranks to the middle
  DualPipeTurns turns(micro_batches, is_upper_half);
  const std::uint32_t near = turns.near();
  const std::uint32_t far = turns.far();

  for (std::uint32_t i = 0; i < 2 * inner; ++i) co_yield turns.forward(near);
  for (std::uint32_t i = 0; i < edge + 1; ++i) {
    co_yield turns.forward(near);
    co_yield turns.forward(far);
  }
  for (std::uint32_t i = 0; i < inner; ++i) {
    co_yield turns.backward_input(far);
    co_yield turns.weights();
    co_yield turns.forward(far);
  }
  const std::uint32_t rounds = micro_batches / 2 - ranks + edge + 1;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    if (i == 0 && inner == 0) {  // the middle ranks send their first forward as early as they can
      co_yield turns.forward(near);
      co_yield turns.backward(far);
    } else {
      co_yield turns.pair(near);
    }
    co_yield turns.pair(far);
  }
  for (std::uint32_t i = 0; i < inner; ++i) {
    co_yield turns.backward(far);
    co_yield turns.pair(far);
  }
  for (std::uint32_t i = 0; i < 2 * (edge + 1); ++i) {
    const std::uint32_t chunk = i % 2 == 0 ? far : near;
    if (i <= edge) {
      co_yield turns.backward(chunk);
    } else {
      co_yield turns.backward_input(chunk);
    }
  }
  for (std::uint32_t i = 0; i < inner; ++i) {
    co_yield turns.weights();
    co_yield turns.backward_input(near);
  }
  for (std::uint32_t i = 0; i < edge + 1; ++i) co_yield turns.weights();
}

}  // namespace weft::collectives
