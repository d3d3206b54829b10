#pragma once

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/estimate/links.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What tensor-parallel ranks exchange of a layer in one micro-batch, and what of it nothing hides,
/// without what goes beside tokens to experts elsewhere. `whole` is what the layer computes.
[[nodiscard]] Exchange tensor_exchange(const TrainingSpec& spec, const ExchangeTimes& times,
                                       bool has_experts, const PassTimes& whole);

/// What shared experts gather and add up beside tokens, in seconds of a micro-batch: as a whole
/// (Megatron-Core's shared experts turn Transformer Engine's chunks off, `ub_overlap_ag_fprop` and
/// `ub_overlap_rs_fprop`, and gather before the first matrix and scatter after the last).
struct SharedExchange {
  double gather{};
  double sum{};
};
[[nodiscard]] SharedExchange shared_exchange(const TrainingSpec& spec, const ExchangeTimes& times);

/// Seconds of one sum over a micro-batch's activations: an all-reduce, or with sequence parallelism
/// a reduce-scatter and the all-gather of what comes next.
[[nodiscard]] double whole_tensor_sum(const TrainingSpec& spec, const ExchangeTimes& times);

/// Seconds of one all-gather of a micro-batch's activations; 0 without sequence parallelism.
[[nodiscard]] double whole_tensor_gather(const TrainingSpec& spec, const ExchangeTimes& times);

}  // namespace weft::collectives
