#include "collectives/jobs/training/training_plan.hpp"

#include <utility>

#include "collectives/steps/step.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/volumes/volumes.hpp"

namespace weft::collectives {

Bytes shard_of(Bytes gradients, std::uint32_t ranks) {
  return Bytes((gradients.count() + ranks - 1) / ranks);
}

TrainingPlan::TrainingPlan(TrainingSpec training)
    : spec(std::move(training)),
      pipeline(pipeline_of(spec)),
      grid(spec.parallelism),
      groups(spec, grid, pipeline),
      exchanges_tokens(collectives::exchanges_tokens(spec.parallelism)) {
  for (std::uint32_t rank = 0; rank < spec.parallelism.pipeline; ++rank) {
    stages.push_back(TrainingStage::of(spec, pipeline, rank));
  }
  find_sizes();
  add_calls();
}

void TrainingPlan::find_sizes() {
  const double activation = activation_bytes(spec.precision.compute);
  const VolumeSetting setting{.activation_size = static_cast<std::uint32_t>(activation)};
  find_loads(activation);
  for (std::uint32_t rank = 0; rank < spec.parallelism.pipeline; ++rank) {
    for (const VolumeTerm& term : volumes_of(spec, {}, rank, setting)) {
      switch (term.kind) {
        case VolumeKind::kTensor:
        case VolumeKind::kVocabulary:
          activations = term.size;
          break;
        case VolumeKind::kContext:
          keys_and_values = term.size;
          break;
        case VolumeKind::kExpert:
          routed_tokens = shard_of(term.size, grid.size_of(GroupKind::kExpert));
          break;
        case VolumeKind::kExpertTensor:
          shared_tokens = term.size;
          break;
        case VolumeKind::kPipelineForward:
        case VolumeKind::kPipelineBackward:
          passed_on = term.size;
          break;
        default:
          break;
      }
    }
  }
}

void TrainingPlan::find_loads(double activation) {
  if (!exchanges_tokens || spec.model.experts == 0) return;
  const ExpertLoads loads = expert_loads(spec);
  if (loads.is_balanced()) return;
  const auto copy = static_cast<std::int64_t>(activation) * spec.model.hidden;
  for (const std::int64_t copies : loads.from_each) {
    routed_tokens_of.emplace_back(copies * copy);
    shared_tokens_of.emplace_back(copies * copy * grid.size_of(GroupKind::kExpert) *
                                  grid.size_of(GroupKind::kExpertTensor));
  }
}

Bytes TrainingPlan::shared_tokens_with(std::uint32_t rank) const {
  return shared_tokens_of.empty() ? shared_tokens : shared_tokens_of[grid.place_of(rank).expert];
}

std::uint32_t TrainingPlan::tensor_chunks() const {
  return spec.overlap.tensor ? spec.overlap.tensor_chunks : 1;
}

Bytes TrainingPlan::activation_chunk(std::uint32_t i) const {
  return Bytes(part_of({0, activations.count()}, tensor_chunks(), i).size);
}

void TrainingPlan::add_calls() {
  using Direction = TrainingGroups::Direction;
  for (std::uint32_t rank = 0; rank < grid.ranks(); ++rank) {
    add_tensor_calls(rank);
    if (const auto context = groups.of(GroupKind::kContext, rank)) {
      groups.add_call(*context, Operation::kSendReceive, keys_and_values);
    }
    if (const auto expert = groups.of(GroupKind::kExpert, rank)) {
      if (routed_tokens_of.empty()) {
        groups.add_call(*expert, Operation::kAllToAll, routed_tokens);
      } else {
        groups.add_exchanges(*expert, routed_tokens_of);
      }
    }
    if (const auto shared = groups.of(GroupKind::kExpertTensor, rank)) {
      groups.add_call(*shared, Operation::kAllGather, shared_tokens_with(rank));
      groups.add_call(*shared, Operation::kReduceScatter, shared_tokens_with(rank));
    }
    for (std::uint32_t chunk = 0; chunk < pipeline.chunks(); ++chunk) {
      for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
        if (const auto link = groups.sends(rank, chunk, direction)) {
          groups.add_call(*link, Operation::kAllToAllV, passed_on);
        }
      }
    }
    add_state_calls(rank, stages[grid.place_of(rank).pipeline]);
  }
}

void TrainingPlan::add_tensor_calls(std::uint32_t rank) {
  const auto tensor = groups.of(GroupKind::kTensor, rank);
  if (!tensor) return;
  for (std::uint32_t i = 0; i < tensor_chunks(); ++i) {
    const Bytes size = activation_chunk(i);
    if (spec.parallelism.sequence_parallel) {
      groups.add_call(*tensor, Operation::kAllGather, size);
      groups.add_call(*tensor, Operation::kReduceScatter, size);
    } else {
      groups.add_call(*tensor, Operation::kAllReduce, size);
    }
  }
  // Embedding, output and shared experts are not cut into chunks.
  if (spec.parallelism.sequence_parallel) {
    groups.add_call(*tensor, Operation::kAllGather, activations);
    groups.add_call(*tensor, Operation::kReduceScatter, activations);
  } else {
    groups.add_call(*tensor, Operation::kAllReduce, activations);
  }
}

void TrainingPlan::add_held_calls(std::uint32_t rank, bool of_experts, Bytes parameters,
                                  Bytes gradients) {
  if (const auto all =
          groups.of(of_experts ? GroupKind::kExpertData : GroupKind::kGradient, rank)) {
    groups.add_call(*all, Operation::kAllReduce, gradients);
  }
  const GroupKind shard_kind = of_experts ? GroupKind::kExpertShard : GroupKind::kShard;
  if (const auto shard = groups.of(shard_kind, rank)) {
    groups.add_call(*shard, Operation::kReduceScatter, gradients);
    groups.add_call(*shard, Operation::kAllGather, parameters);
  }
  if (const auto copies =
          groups.of(of_experts ? GroupKind::kExpertReplicate : GroupKind::kReplicate, rank)) {
    groups.add_call(*copies, Operation::kAllReduce, shard_of(gradients, grid.size_of(shard_kind)));
  }
}

void TrainingPlan::add_state_calls(std::uint32_t rank, const TrainingStage& stage) {
  for (const TrainingChunk& chunk : stage.chunks) {
    if (spec.parallelism.zero == 3) {
      for (const TrainingUnit& unit : chunk.units) {
        add_held_calls(rank, false, unit.parameters, unit.gradients);
        add_held_calls(rank, true, unit.expert_parameters, unit.expert_gradients);
      }
    }
    for (const GradientBucket& bucket : chunk.buckets) {
      add_held_calls(rank, false, bucket.parameters, bucket.gradients);
      add_held_calls(rank, true, bucket.expert_parameters, bucket.expert_gradients);
    }
  }
  if (const auto ends = groups.of(GroupKind::kEmbedding, rank)) {
    groups.add_call(*ends, Operation::kAllReduce, stage.tied_gradients);
  }
  if (const auto mirror = groups.of(GroupKind::kMirror, rank)) {
    groups.add_call(*mirror, Operation::kAllReduce, stage.mirrored_gradients);
  }
}

}  // namespace weft::collectives
