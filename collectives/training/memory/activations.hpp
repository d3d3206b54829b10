#pragma once

#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/units.hpp"

/// What a rank keeps of a forward pass until its backward pass (Korthikanti et al., arXiv
/// 2205.05198, section 4): inputs of matrix products, norms and activation functions, scores of
/// attention where they leave the chip, masks of dropout. All take a specification whose model is
/// as `completed` leaves it.
namespace weft::collectives {

/// Of one layer and micro-batch: of the paper's transformer s*b*h*(34 + 5as/h) bytes, divided by t
/// with sequence parallelism; without it s*b*h*(10 + 24/t + 5as/(ht)).
[[nodiscard]] Bytes layer_activations(const TrainingSpec& spec, bool has_experts,
                                      Recomputation recomputation);

/// Of what a rank holds, with `micro_batches_in_flight` micro-batches in each layer (half of
/// DualPipe's are in flight in each of a rank's two stages; interleaved stages may differ, and
/// their mean counts): full recomputation needs one layer's besides, that of `mlp` or `moe` the
/// half of one, and logits are there for one micro-batch at a time.
[[nodiscard]] Bytes rank_activations(const TrainingSpec& spec, const StageShare& share,
                                     double micro_batches_in_flight);

}  // namespace weft::collectives
