#include "collectives/training/memory/activations.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/work.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {
namespace {

/// Bytes per token, by what tensor parallelism alone divides.
struct KeptBytes {
  double whole{};  ///< divided by sequence parallelism only
  double sharded{};
};

/// What the blocks begin and end with: inputs of both norms and of what follows each, unless norms
/// run again, and masks of what each block adds.
KeptBytes between_blocks(const ModelSpec& model, double number, bool repeats_norms) {
  const double masks = model.dropout ? 2 : 0;
  return {.whole = model.hidden * ((repeats_norms ? 2 : 4) * number + masks), .sharded = 0};
}

/// Queries, keys and values, unless they run again, and what they become.
KeptBytes kept_by_attention(const ModelSpec& model, double number, bool repeats_up) {
  const double heads = model.heads;
  const double kv_heads = model.kv_heads;
  const double key = 1.0 * model.head_size + model.rope_head_size;
  const double projected = heads * key + kv_heads * (key + model.value_head_size);
  KeptBytes kept;
  kept.sharded = number * ((repeats_up ? 0 : projected) + heads * model.value_head_size);
  if (model.head_norms) kept.sharded += number * (heads + kv_heads) * model.head_size;
  if (model.kv_rank != 0) {
    // Before and after their norms.
    kept.whole = 2 * number * (1.0 * model.query_rank + model.kv_rank + model.rope_head_size);
  }
  return kept;
}

/// Scores after the softmax, and with dropout their mask and what it leaves; fused attention keeps
/// a sum per query, of 32 bits, instead.
double kept_scores(const TrainingSpec& spec, double number) {
  const ModelSpec& model = spec.model;
  if (spec.compute.fused_attention) return 4.0 * model.heads;
  const double each = number + (model.dropout ? 1 + number : 0);
  return each * model.heads * model.sequence;
}

/// Inputs of the activation function and of the matrix after it; of experts also their inputs in
/// the order of experts, and their outputs, which the router's weights multiply. Of the rank whose
/// experts get most tokens.
double kept_by_feed_forward(const TrainingSpec& spec, bool has_experts, double number,
                            const RecomputedModules& modules) {
  if (modules.second_half(has_experts)) return 0;
  const ModelSpec& model = spec.model;
  const double inner = model.gated_ffn ? 3 : 2;
  if (!has_experts) return number * inner * model.ffn;
  const double routed = model.top_k * expert_loads(spec).max();
  const double given_up = modules.expert_activation ? routed : 0;
  return number * ((inner * (routed + model.shared_experts) - given_up) * model.expert_ffn +
                   2.0 * routed * model.hidden);
}

Bytes whole_bytes(double bytes) {
  constexpr double kMax = 4e18;
  return Bytes(std::llround(std::min(bytes, kMax)));
}

double sequence_parts(const ParallelismSpec& parallelism) {
  return parallelism.sequence_parallel ? parallelism.tensor : 1.0;
}

/// Of the half that runs again before its backward pass, one layer's is there.
double repeated_half(const TrainingSpec& spec, const StageShare& share) {
  const RecomputedModules modules = recomputed_modules(spec);
  double max = 0;
  for (const bool has_experts : {false, true}) {
    const std::uint32_t layers = has_experts ? share.expert_layers : share.dense_layers;
    if (layers == 0 || !modules.second_half(has_experts)) continue;
    max = std::max(
        max, kept_by_feed_forward(spec, has_experts, activation_bytes(spec.precision.compute), {}));
  }
  return max * rank_tokens(spec) / spec.parallelism.tensor;
}

}  // namespace

Bytes layer_activations(const TrainingSpec& spec, bool has_experts, Recomputation recomputation) {
  const double number = activation_bytes(spec.precision.compute);
  const double tokens = rank_tokens(spec);
  const double parts = sequence_parts(spec.parallelism);
  if (recomputation == Recomputation::kFull) {
    return whole_bytes(tokens / parts * number * spec.model.hidden);
  }
  TrainingSpec as_given = spec;
  as_given.recomputation = recomputation;
  const RecomputedModules modules = recomputed_modules(as_given);
  const KeptBytes between = between_blocks(spec.model, number, modules.norms);
  const KeptBytes attention = kept_by_attention(spec.model, number, modules.latent_up);
  double sharded = attention.sharded + kept_by_feed_forward(spec, has_experts, number, modules);
  if (!modules.core_attention) sharded += kept_scores(spec, number);
  return whole_bytes(tokens / parts * (between.whole + attention.whole) +
                     tokens / spec.parallelism.tensor * sharded);
}

Bytes rank_activations(const TrainingSpec& spec, const StageShare& share,
                       double micro_batches_in_flight) {
  const auto kept = [&](bool has_experts, Recomputation recomputation) {
    return static_cast<double>(layer_activations(spec, has_experts, recomputation).count());
  };
  const double tokens = rank_tokens(spec) / sequence_parts(spec.parallelism);
  double each = 0;
  if (share.dense_layers != 0) each += share.dense_layers * kept(false, spec.recomputation);
  if (share.expert_layers != 0) each += share.expert_layers * kept(true, spec.recomputation);
  if (share.has_embedding && spec.model.dropout) each += tokens * spec.model.hidden;
  const double number = activation_bytes(spec.precision.compute);
  // Inputs and results of the two norms of multi-token prediction.
  each += share.mtp_layers * tokens * 4 * spec.model.hidden * number;
  double sum = each * micro_batches_in_flight;
  if (spec.recomputation == Recomputation::kFull && share.layers() != 0) {
    sum += kept(share.expert_layers != 0, Recomputation::kNone);
  }
  sum += repeated_half(spec, share);
  if (share.has_output) {
    // Inputs of the last norm and of the output layer; logits in 32 bits.
    sum += (1.0 + share.mtp_layers) * (tokens * 2 * spec.model.hidden * number +
                                       rank_tokens(spec) / spec.parallelism.tensor *
                                           spec.model.vocabulary * bytes_of(NumberFormat::kFp32));
  }
  return whole_bytes(sum);
}

}  // namespace weft::collectives
