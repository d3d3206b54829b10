#include "collectives/training/volumes/activation_volumes.hpp"

#include <algorithm>

#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/plan_check.hpp"

namespace weft::collectives {

ActivationTerms::ActivationTerms(const TrainingSpec& training, const RankGrid& ranks,
                                 const VolumeSetting& volume_setting, std::uint32_t rank)
    : spec(training),
      grid(ranks),
      setting(volume_setting),
      pipeline_rank(rank),
      passes(layer_passes(training, rank)),
      has_full_recomputation(training.recomputation == Recomputation::kFull),
      sends_tokens(exchanges_tokens(training.parallelism)),
      tokens(std::int64_t{training.batch.micro} * training.model.sequence /
             training.parallelism.context),
      activations(Bytes(tokens * training.model.hidden) * volume_setting.activation_size) {}

void ActivationTerms::add(VolumeKind kind, GroupKind group, Operation operation, Bytes size,
                          std::uint64_t count) {
  if (count == 0 || size == Bytes(0) || grid.size_of(group) < 2) return;
  terms.push_back(volume_term(kind, grid, group, operation, size, count));
}

/// A layer is two halves, attention and feed-forward. Each adds up over the tensor-parallel ranks
/// once in the forward pass and once in the backward pass (M. Shoeybi et al., arXiv 1909.08053,
/// section 3): 4 all-reduces of 2 b s h bytes, and 2 more where the forward pass is done again.
/// Sequence-parallel, each is a reduce-scatter and an all-gather, and the backward pass gathers the
/// input of each half once more (V. Korthikanti et al., arXiv 2205.05198, section 4.2.2). Experts
/// that tokens are sent to take the place of the second half; shared ones do not.
void ActivationTerms::add_tensor() {
  const bool has_second_half = !sends_tokens || spec.model.shared_experts > 0;
  const std::uint64_t halves = 2 * passes.dense + (has_second_half ? 2 : 1) * passes.with_experts;
  const std::uint64_t sums = halves * (has_full_recomputation ? 3 : 2);
  const GroupKind group = GroupKind::kTensor;
  if (!spec.parallelism.sequence_parallel) {
    add(VolumeKind::kTensor, group, Operation::kAllReduce, activations, sums);
    return;
  }
  add(VolumeKind::kTensor, group, Operation::kReduceScatter, activations, sums);
  add(VolumeKind::kTensor, group, Operation::kAllGather, activations, sums);
  add(VolumeKind::kTensorRegather, group, Operation::kAllGather, activations, halves);
}

/// A rank looks up the tokens that are in its part of the vocabulary, and what comes of it is added
/// up; so are, in the backward pass, the output layer's gradients of its input (arXiv 1909.08053,
/// section 3). Sequence-parallel, as in add_tensor: the other half of each sum is in the other
/// pass, and the output layer's input is gathered once more. Neither is recomputed.
void ActivationTerms::add_vocabulary() {
  const PipelinePlan plan = pipeline_of(spec);
  std::uint64_t firsts = 0;
  std::uint64_t lasts = 0;
  for (std::uint32_t c = 0; c < plan.chunks(); ++c) {
    const std::uint32_t stage = stage_of(plan, {pipeline_rank, c});
    if (stage == 0) firsts += passes_of_chunk(plan);
    if (stage + 1 == plan.stages()) lasts += passes_of_chunk(plan);
  }
  const VolumeKind kind = VolumeKind::kVocabulary;
  const GroupKind group = GroupKind::kTensor;
  if (!spec.parallelism.sequence_parallel) {
    add(kind, group, Operation::kAllReduce, activations, firsts + lasts);
    return;
  }
  add(kind, group, Operation::kReduceScatter, activations, firsts + lasts);
  add(kind, group, Operation::kAllGather, activations, firsts + 2 * lasts);
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
      Bytes(tokens * own * (head + model.rope_head_size + value)) * setting.activation_size;
  const std::uint64_t steps = passes.all() * (spec.parallelism.context - 1);
  add(VolumeKind::kContext, GroupKind::kContext, Operation::kSendReceive, size,
      steps * (has_full_recomputation ? 3 : 2));
  add(VolumeKind::kContextGradient, GroupKind::kContext, Operation::kSendReceive, size, steps);
}

/// Tokens go to experts and come back, and so do gradients: four all-to-alls per layer (D. Lepikhin
/// et al., arXiv 2006.16668, section 3.2), and two more where the forward pass is done again. A
/// rank has top_k copies of its tokens to send, but for those that are dropped; where experts are
/// not loaded alike, terms are those of the mean rank. Where an expert is shared, each of its ranks
/// gets the others' tokens before, and hands out parts of sums after.
void ActivationTerms::add_experts() {
  if (!sends_tokens || spec.model.experts == 0) return;
  const std::int64_t copies = expert_loads(spec).sent();
  const Bytes size = Bytes(copies * spec.model.hidden) * setting.activation_size;
  const std::uint64_t times = passes.with_experts * (has_full_recomputation ? 3 : 2);
  add(VolumeKind::kExpert, GroupKind::kExpert, Operation::kAllToAll, size, 2 * times);
  const Bytes shared = size * expert_tensor_of(spec.parallelism);
  const GroupKind group = GroupKind::kExpertTensor;
  add(VolumeKind::kExpertTensor, group, Operation::kAllGather, shared, times);
  add(VolumeKind::kExpertTensor, group, Operation::kReduceScatter, shared, times);
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
  const Bytes size = parallelism.sequence_parallel ? activations / parallelism.tensor : activations;
  const std::uint64_t each = passes_of_chunk(plan);
  add(VolumeKind::kPipelineForward, GroupKind::kPipeline, Operation::kSendReceive, size,
      chunks_on * each);
  add(VolumeKind::kPipelineBackward, GroupKind::kPipeline, Operation::kSendReceive, size,
      chunks_back * each);
}

}  // namespace weft::collectives
