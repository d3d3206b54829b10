#include "collectives/jobs/training/training_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "collectives/steps/step.hpp"
#include "collectives/training/compute/formats.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "collectives/training/volumes/activation_volumes.hpp"
#include "collectives/training/volumes/volumes.hpp"

namespace weft::collectives {

Bytes shard_of(Bytes gradients, std::uint32_t ranks) {
  return Bytes((gradients.count() + ranks - 1) / ranks);
}

TrainingPlan::TrainingPlan(TrainingSpec training, std::uint32_t domain)
    : spec(std::move(training)),
      pipeline(pipeline_of(spec)),
      grid(spec.parallelism, domain),
      groups(spec, grid, pipeline),
      expert_domain(domain),
      parts(pass_parts(spec.overlap)),
      exchanges_tokens(collectives::exchanges_tokens(spec.parallelism)) {
  for (std::uint32_t rank = 0; rank < spec.parallelism.pipeline; ++rank) {
    stages.push_back(TrainingStage::of(spec, pipeline, rank));
  }
  find_sizes();
  find_tokens();
  add_calls();
}

void TrainingPlan::find_sizes() {
  const ActivationTerms terms(spec, grid, {expert_domain}, 0);
  activations = terms.tensor_sum();
  gathered_inputs = terms.gathered();
  for (std::uint32_t rank = 0; rank < spec.parallelism.pipeline; ++rank) {
    for (const VolumeTerm& term : volumes_of(spec, {}, rank, {expert_domain})) {
      if (term.kind == VolumeKind::kContext) keys_and_values = term.size;
      const bool is_passed_on =
          term.kind == VolumeKind::kPipelineForward || term.kind == VolumeKind::kPipelineBackward;
      if (is_passed_on) passed_on = term.size;
    }
  }
}

/// Copies of all ranks of an expert group come to an expert's ranks, which share it.
void TrainingPlan::find_tokens() {
  shared_out = shared_back = {Bytes(0)};
  if (!exchanges_tokens || spec.model.experts == 0) return;
  const TokenBytes token = token_bytes(spec.precision, spec.model.hidden);
  const ExpertLoads loads = expert_loads(spec);
  const std::int64_t sharers = grid.size_of(GroupKind::kExpertTensor);
  if (loads.is_balanced()) {
    const std::int64_t copies = loads.sent() / parts;
    shared_out = {token.dispatch * (copies * sharers)};
    shared_back = {token.combine * (copies * sharers)};
  } else {
    shared_out.clear();
    shared_back.clear();
    for (const std::int64_t copies : loads.from_each) {
      const std::int64_t all = copies / parts * sharers * grid.size_of(GroupKind::kExpert);
      shared_out.push_back(token.dispatch * all);
      shared_back.push_back(token.combine * all);
    }
  }
  if (goes_by_levels()) {
    routes_ = token_routes(spec, expert_domain);
    const std::int64_t fewest = std::min(*std::ranges::min_element(routes_.to_domain),
                                         *std::ranges::min_element(routes_.to_rank));
    token_chunks = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(fewest, 1, std::int64_t{spec.experts.chunks}));
    return;
  }
  const bool is_plain = spec.experts.exchange == ExpertSpec::Exchange::kAllToAll;
  if (is_plain && loads.is_balanced() && token.dispatch == token.combine) {
    const Bytes all = token.dispatch * (loads.sent() / parts);
    routed_tokens = shard_of(all, grid.size_of(GroupKind::kExpert));
  } else {
    token_chunks = 1;
    routes_.to_rank = loads.from_each;
    for (std::int64_t& copies : routes_.to_rank) copies /= parts;
  }
}

Bytes TrainingPlan::shared_tokens_with(std::uint32_t rank, TrainingGroups::TokenWay way) const {
  const std::vector<Bytes>& sizes =
      way == TrainingGroups::TokenWay::kOut ? shared_out : shared_back;
  return sizes.size() == 1 ? sizes.front() : sizes[grid.place_of(rank).expert];
}

std::uint32_t TrainingPlan::tensor_chunks() const {
  return spec.overlap.tensor ? spec.overlap.tensor_chunks : 1;
}

Bytes TrainingPlan::activation_chunk(std::uint32_t i) const {
  return Bytes(part_of({0, activations.count()}, tensor_chunks(), i).size);
}

Bytes TrainingPlan::gathered_chunk(std::uint32_t i) const {
  return Bytes(part_of({0, gathered_inputs.count()}, tensor_chunks(), i).size);
}

/// Of a group whose ranks get that many copies each, by place, in `chunks` chunks.
std::vector<TrainingGroups::TokenSizes> TrainingPlan::token_sizes(
    std::span<const std::int64_t> copies, std::uint32_t chunks) const {
  const TokenBytes token = token_bytes(spec.precision, spec.model.hidden);
  std::vector<TrainingGroups::TokenSizes> sizes(chunks);
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    for (const std::int64_t all : copies) {
      const std::int64_t own = part_of({0, all}, chunks, chunk).size;
      sizes[chunk].out.push_back(token.dispatch * own);
      sizes[chunk].back.push_back(token.combine * own);
    }
  }
  return sizes;
}

void TrainingPlan::add_token_calls(std::uint32_t rank) {
  if (goes_by_levels()) {
    add_level_calls(rank);
    return;
  }
  const auto expert = groups.of(GroupKind::kExpert, rank);
  if (!expert) return;
  if (token_chunks == 0) {
    groups.add_call(*expert, Operation::kAllToAll, routed_tokens);
    return;
  }
  groups.add_exchanges(*expert, token_sizes(routes_.to_rank, 1), token_algorithm(spec.experts));
}

void TrainingPlan::add_level_calls(std::uint32_t rank) {
  const auto rail = groups.of(GroupKind::kExpertRail, rank);
  const auto domain = groups.of(GroupKind::kExpertDomain, rank);
  if (rail) groups.add_exchanges(*rail, token_sizes(routes_.to_domain, token_chunks), {});
  if (!domain) return;
  const std::uint32_t first = grid.place_of(rank).expert / expert_domain * expert_domain;
  const std::span<const std::int64_t> all = routes_.to_rank;
  groups.add_exchanges(*domain, token_sizes(all.subspan(first, expert_domain), token_chunks), {});
}

void TrainingPlan::add_calls() {
  using Direction = TrainingGroups::Direction;
  for (std::uint32_t rank = 0; rank < grid.ranks(); ++rank) {
    add_tensor_calls(rank);
    if (const auto context = groups.of(GroupKind::kContext, rank)) {
      groups.add_call(*context, Operation::kSendReceive, keys_and_values);
    }
    add_token_calls(rank);
    if (const auto shared = groups.of(GroupKind::kExpertTensor, rank)) {
      using Way = TrainingGroups::TokenWay;
      groups.add_call(*shared, Operation::kAllGather, shared_tokens_with(rank, Way::kOut));
      groups.add_call(*shared, Operation::kReduceScatter, shared_tokens_with(rank, Way::kBack));
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
      groups.add_call(*tensor, Operation::kAllGather, gathered_chunk(i));
      groups.add_call(*tensor, Operation::kReduceScatter, size);
    } else {
      groups.add_call(*tensor, Operation::kAllReduce, size);
    }
  }
  // Embedding, output and shared experts are not cut into chunks.
  if (spec.parallelism.sequence_parallel) {
    groups.add_call(*tensor, Operation::kAllGather, gathered_inputs);
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
