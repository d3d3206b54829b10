#include "collectives/training/memory/memory_use.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/memory/activations.hpp"
#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/plan/plan_check.hpp"

namespace weft::collectives {
namespace {

Bytes stored_bytes(double parameters, double bytes_each) {
  constexpr double kMax = 1e18;
  return Bytes(std::llround(std::min(parameters * bytes_each, kMax)));
}

/// Parameters of the largest layer that a rank gathers.
double largest_layer(const TrainingSpec& spec, const StageShare& share) {
  const auto of = [&](bool has_experts) {
    const RankParameters p = layer_rank_parameters(spec.model, spec.parallelism, has_experts);
    return static_cast<double>(p.dense) + static_cast<double>(p.experts);
  };
  double max = 0;
  if (share.dense_layers != 0) max = of(false);
  if (share.expert_layers != 0) max = std::max(max, of(true));
  return max;
}

}  // namespace

MemoryUse state_memory(const TrainingSpec& spec, const RankParameters& parameters) {
  const Replicas ranks = replicas(spec.parallelism);
  const auto dense = static_cast<double>(parameters.dense);
  const auto experts = static_cast<double>(parameters.experts);
  const double whole = dense + experts;
  const double shard = dense / ranks.dense_shards + experts / ranks.expert_shards;
  const PrecisionSpec& precision = spec.precision;
  const double copy = precision.master != precision.parameters ? bytes_of(precision.master) : 0.0;
  const std::uint32_t stage = spec.parallelism.zero;
  MemoryUse use;
  use.parameters = stored_bytes(stage >= 3 ? shard : whole, bytes_of(precision.parameters));
  // What is reduced once per step is added up whole until then, if the scenario says so.
  const bool keeps_sums = spec.parallelism.gradient_sync == GradientSync::kStep;
  use.gradients =
      stored_bytes(stage >= 2 && !keeps_sums ? shard : whole, bytes_of(precision.gradients));
  use.optimizer = stored_bytes(stage >= 1 ? shard : whole, copy + 2 * bytes_of(precision.moments));
  return use;
}

MemoryUse memory_use(const TrainingSpec& spec, const StageShare& share,
                     double micro_batches_in_flight) {
  MemoryUse use = state_memory(spec, rank_parameters(spec.model, spec.parallelism, share));
  const Replicas ranks = replicas(spec.parallelism);
  if (spec.parallelism.zero >= 3 && ranks.dense_shards * ranks.expert_shards > 1) {
    const PrecisionSpec& precision = spec.precision;
    const double each = bytes_of(precision.exchange.parameters.value_or(precision.parameters));
    const RankParameters held = rank_parameters(spec.model, spec.parallelism, share);
    const double layers = std::min(spec.overlap.prefetch ? 2U : 1U, share.layers());
    const double kept = spec.parallelism.reshard_after_forward
                            ? layers * largest_layer(spec, share)
                            : static_cast<double>(held.dense) + static_cast<double>(held.experts);
    use.gathered = stored_bytes(kept, each);
  }
  use.activations = rank_activations(spec, share, micro_batches_in_flight);
  return use;
}

FullestRank fullest_rank(const TrainingSpec& spec) {
  const PipelinePlan plan = pipeline_of(spec);
  const std::vector<StageShare> stages = stage_shares(spec.model, spec.parallelism);
  FullestRank fullest;
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const double in_flight = static_cast<double>(peak_activations(plan, rank)) / plan.chunks();
    const MemoryUse use = memory_use(spec, rank_share(stages, spec.parallelism, rank), in_flight);
    if (rank == 0 || use.total() > fullest.use.total()) fullest = {use, rank};
  }
  return fullest;
}

}  // namespace weft::collectives
