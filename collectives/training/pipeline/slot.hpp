#pragma once

#include <cstdint>

#include "collectives/steps/generator.hpp"

namespace weft::collectives {

/// What a rank of a pipeline computes at one time.
enum class SlotKind : std::uint8_t {
  kForward,
  kBackward,         ///< gradients of inputs and of weights together
  kBackwardInput,    ///< what the stage before waits for
  kBackwardWeights,  ///< what nobody waits for
  kPair,             ///< a forward and a whole backward of another micro-batch, interwoven
};

/// One entry of a rank's order: a micro-batch in one of the rank's chunks. A rank begins a slot as
/// soon as the one before is over and what it computes from has come.
struct Slot {
  SlotKind kind = SlotKind::kForward;
  std::uint32_t micro_batch = 0;
  std::uint32_t chunk = 0;
  std::uint32_t backward_micro_batch = 0;  ///< of a pair; the two above are of its forward
  std::uint32_t backward_chunk = 0;        ///< likewise
};

using SlotStream = Generator<Slot>;

}  // namespace weft::collectives
