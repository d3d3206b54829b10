#include "collectives/training/volumes/activation_volumes.hpp"

#include <algorithm>

#include "collectives/training/compute/work.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {

ActivationTerms::ActivationTerms(const TrainingSpec& training, const RankGrid& ranks,
                                 const VolumeSetting& volume_setting, std::uint32_t rank)
    : spec(training),
      grid(ranks),
      setting(volume_setting),
      pipeline_rank(rank),
      passes(layer_passes(training, rank)),
      has_full_recomputation(training.recomputation == Recomputation::kFull),
      repeats_dense(repeats_second_half(training, false)),
      repeats_experts(repeats_second_half(training, true)),
      sends_tokens(exchanges_tokens(training.parallelism)),
      parts(pass_parts(training.overlap)),
      tokens(std::int64_t{training.batch.micro} * training.model.sequence /
             training.parallelism.context / parts),
      token(token_bytes(training.precision, training.model.hidden)) {}

void ActivationTerms::add(VolumeKind kind, GroupKind group, Operation operation, Bytes size,
                          std::uint64_t count) {
  if (count == 0 || size == Bytes(0) || grid.size_of(group) < 2) return;
  terms.push_back(volume_term(kind, grid, group, operation, size, count));
}

/// A layer is two halves, attention and feed-forward. Each adds up over the tensor-parallel ranks
/// once in the forward pass and once in the backward pass (M. Shoeybi et al., arXiv 1909.08053,
/// section 3): 4 all-reduces of 2 b s h bytes, and one more for each half that is done again.
/// Sequence-parallel, each is a reduce-scatter and an all-gather, and the backward pass gathers the
/// input of each half once more (V. Korthikanti et al., arXiv 2205.05198, section 4.2.2). Experts
/// that tokens are sent to take the place of the second half; shared ones do not.
void ActivationTerms::add_tensor() {
  const bool has_second_half = !sends_tokens || spec.model.shared_experts > 0;
  const std::uint64_t second = has_second_half ? passes.with_experts : 0;
  const std::uint64_t halves = 2 * passes.dense + passes.with_experts + second;
  const std::uint64_t repeated = (has_full_recomputation ? passes.dense + passes.with_experts : 0) +
                                 (repeats_dense ? passes.dense : 0) +
                                 (repeats_experts ? second : 0);
  const std::uint64_t sums = 2 * halves + repeated;
  const GroupKind group = GroupKind::kTensor;
  if (!spec.parallelism.sequence_parallel) {
    add(VolumeKind::kTensor, group, Operation::kAllReduce, tensor_sum(), parts * sums);
    return;
  }
  add(VolumeKind::kTensor, group, Operation::kReduceScatter, tensor_sum(), parts * sums);
  add(VolumeKind::kTensor, group, Operation::kAllGather, gathered(), parts * sums);
  add(VolumeKind::kTensorRegather, group, Operation::kAllGather, gathered(), parts * halves);
}

/// A rank looks up the tokens that are in its part of the vocabulary, and what comes of it is added
/// up; so are, in the backward pass, the output layer's gradients of its input (arXiv 1909.08053,
/// section 3). Sequence-parallel, as in add_tensor: the other half of each sum is in the other
/// pass, and the output layer's input is gathered once more. Neither is recomputed.
/// Layers of multi-token prediction do both in the last stage.
void ActivationTerms::add_vocabulary() {
  const PipelinePlan plan = pipeline_of(spec);
  std::uint64_t firsts = 0;
  std::uint64_t lasts = 0;
  for (std::uint32_t c = 0; c < plan.chunks(); ++c) {
    const std::uint32_t stage = stage_of(plan, {pipeline_rank, c});
    if (stage == 0) firsts += passes_of_chunk(plan);
    if (stage + 1 != plan.stages()) continue;
    firsts += passes_of_chunk(plan) * spec.model.mtp_layers;
    lasts += passes_of_chunk(plan) * (1 + spec.model.mtp_layers);
  }
  const VolumeKind kind = VolumeKind::kVocabulary;
  const GroupKind group = GroupKind::kTensor;
  if (!spec.parallelism.sequence_parallel) {
    add(kind, group, Operation::kAllReduce, tensor_sum(), parts * (firsts + lasts));
    return;
  }
  add(kind, group, Operation::kReduceScatter, tensor_sum(), parts * (firsts + lasts));
  add(kind, group, Operation::kAllGather, gathered(), parts * (firsts + 2 * lasts));
}

/// The ring of H. Liu et al., arXiv 2310.01889: a rank hands on keys and values c - 1 times in each
/// pass. In the backward pass their gradients follow; each starts at the rank after the one that
/// it is for, which adds its own part at the end, so that these too take c - 1 steps. With latent
/// attention keys and values are sent as they enter attention.
void ActivationTerms::add_context() {
  const ModelSpec& model = spec.model;
  const std::int64_t heads = model.kv_heads == 0 ? model.heads : model.kv_heads;
  const std::int64_t head =
      model.head_size == 0 ? model.hidden / model.heads : std::int64_t{model.head_size};
  const std::int64_t value = model.value_head_size == 0 ? head : model.value_head_size;
  const std::int64_t own = std::max<std::int64_t>(heads / spec.parallelism.tensor, 1);
  const Bytes size =
      sent_bytes(static_cast<std::uint64_t>(tokens),
                 static_cast<std::uint64_t>(own * (head + model.rope_head_size + value)),
                 spec.precision.exchange.context, activation_format(spec.precision.compute));
  const std::uint64_t steps = parts * passes.all() * (spec.parallelism.context - 1);
  add(VolumeKind::kContext, GroupKind::kContext, Operation::kSendReceive, size,
      steps * (repeats_keys(spec) ? 3 : 2));
  add(VolumeKind::kContextGradient, GroupKind::kContext, Operation::kSendReceive, size, steps);
}

/// Tokens go to experts and come back, and so do gradients: four all-to-alls per layer (D. Lepikhin
/// et al., arXiv 2006.16668, section 3.2), and two more where the forward pass is done again. A
/// rank has top_k copies of its tokens to send, but for those that are dropped; where experts are
/// not loaded alike, terms are those of the mean rank. Where an expert is shared, each of its ranks
/// gets the others' tokens before, and hands out parts of sums after. Of a high-throughput exchange
/// a copy per domain goes along rails, and inside a domain what came for it and what is its own.
void ActivationTerms::add_experts() {
  if (!sends_tokens || spec.model.experts == 0) return;
  const std::uint64_t times = parts * passes.with_experts * (repeats_experts ? 3 : 2);
  if (spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput) {
    const TokenRoutes routes = token_routes(spec, setting.expert_domain);
    add_copies(GroupKind::kExpertRail, routes.between_domains(), times);
    add_copies(GroupKind::kExpertDomain, routes.in_domain(setting.expert_domain), times);
  } else {
    add_copies(GroupKind::kExpert, expert_loads(spec).sent() / parts, times);
  }
  const std::int64_t copies =
      expert_loads(spec).sent() / parts * expert_tensor_of(spec.parallelism);
  const GroupKind group = GroupKind::kExpertTensor;
  add(VolumeKind::kExpertTensor, group, Operation::kAllGather, token.dispatch * copies, times);
  add(VolumeKind::kExpertTensor, group, Operation::kReduceScatter, token.combine * copies, times);
}

void ActivationTerms::add_copies(GroupKind group, std::int64_t copies, std::uint64_t times) {
  const Bytes out = token.dispatch * copies;
  const Bytes back = token.combine * copies;
  const bool is_same = out == back;
  add(VolumeKind::kExpert, group, Operation::kAllToAll, out, is_same ? 2 * times : times);
  if (!is_same) add(VolumeKind::kExpert, group, Operation::kAllToAll, back, times);
}

/// Every chunk sends each micro-batch on, 2 b s h bytes, and as much back. Sequence-parallel ranks
/// send their part only.
void ActivationTerms::add_pipeline() {
  const ParallelismSpec& parallelism = spec.parallelism;
  const PipelinePlan plan = pipeline_of(spec);
  std::uint64_t chunks_on = 0;
  std::uint64_t chunks_back = 0;
  for (std::uint32_t c = 0; c < plan.chunks(); ++c) {
    if (forward_target(plan, {pipeline_rank, c})) ++chunks_on;
    if (backward_target(plan, {pipeline_rank, c})) ++chunks_back;
  }
  const Bytes whole = token.pipeline * (tokens * parts);
  const Bytes size = parallelism.sequence_parallel ? whole / parallelism.tensor : whole;
  const std::uint64_t each = passes_of_chunk(plan);
  add(VolumeKind::kPipelineForward, GroupKind::kPipeline, Operation::kSendReceive, size,
      chunks_on * each);
  add(VolumeKind::kPipelineBackward, GroupKind::kPipeline, Operation::kSendReceive, size,
      chunks_back * each);
}

}  // namespace weft::collectives
