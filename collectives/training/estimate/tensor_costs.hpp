#pragma once

#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/estimate/links.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What tensor-parallel ranks exchange of a layer in one micro-batch, in seconds.
[[nodiscard]] BothWays tensor_exchange(const TrainingSpec& spec, const ExchangeTimes& times,
                                       bool has_experts);

/// Seconds of one sum over a micro-batch's activations: an all-reduce, or with sequence parallelism
/// a reduce-scatter and the all-gather of what comes next.
[[nodiscard]] double whole_tensor_sum(const TrainingSpec& spec, const ExchangeTimes& times);

/// Seconds of one all-gather of a micro-batch's activations; 0 without sequence parallelism.
[[nodiscard]] double whole_tensor_gather(const TrainingSpec& spec, const ExchangeTimes& times);

}  // namespace weft::collectives
