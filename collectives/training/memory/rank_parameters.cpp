#include "collectives/training/memory/rank_parameters.hpp"

#include <algorithm>

#include "collectives/training/model/parameters.hpp"
#include "collectives/training/plan/rank_grid.hpp"

namespace weft::collectives {
namespace {

using RankCount = std::uint64_t;

RankCount share_of(RankCount count, RankCount ranks) { return (count + ranks - 1) / ranks; }

RankCount attention_parameters(const ModelSpec& model, std::uint32_t tensor) {
  const RankCount hidden = model.hidden;
  const LayerMatrices matrices = layer_matrices(model, false);
  if (model.kv_rank != 0) return share_of(matrices.attention, tensor) + matrices.compression;
  const RankCount heads = share_of(model.heads, tensor);
  const RankCount kv_heads = share_of(model.kv_heads, tensor);
  const RankCount projected =
      heads * model.head_size + kv_heads * (RankCount{model.head_size} + model.value_head_size);
  RankCount parameters = projected * hidden + heads * model.value_head_size * hidden;
  if (model.biases || model.qkv_biases) parameters += projected;
  if (model.biases) parameters += hidden;
  return parameters;
}

RankCount feed_forward_share(const ModelSpec& model, RankCount inner, std::uint32_t tensor) {
  const RankCount columns = share_of(inner, tensor);
  const RankCount first = model.gated_ffn ? 2 : 1;
  RankCount parameters = (first + 1) * columns * model.hidden;
  if (model.biases) parameters += first * columns + model.hidden;
  return parameters;
}

}  // namespace

RankParameters& RankParameters::operator+=(const RankParameters& other) {
  dense += other.dense;
  experts += other.experts;
  return *this;
}

RankParameters layer_rank_parameters(const ModelSpec& model, const ParallelismSpec& parallelism,
                                     bool has_experts) {
  const std::uint32_t tensor = parallelism.tensor;
  RankParameters p;
  p.dense = attention_parameters(model, tensor) + layer_parameters(model, has_experts).norms;
  if (!has_experts) {
    p.dense += feed_forward_share(model, model.ffn, tensor);
    return p;
  }
  p.dense += layer_matrices(model, true).router +
             model.shared_experts * feed_forward_share(model, model.expert_ffn, tensor);
  p.experts = share_of(model.experts, parallelism.expert) *
              feed_forward_share(model, model.expert_ffn, expert_tensor_of(parallelism));
  return p;
}

RankParameters rank_parameters(const ModelSpec& model, const ParallelismSpec& parallelism,
                               const StageShare& share) {
  const auto times = [](RankParameters layer, RankCount count) {
    return RankParameters{.dense = layer.dense * count, .experts = layer.experts * count};
  };
  RankParameters p;
  if (share.dense_layers != 0) {
    p += times(layer_rank_parameters(model, parallelism, false), share.dense_layers);
  }
  if (share.expert_layers != 0) {
    p += times(layer_rank_parameters(model, parallelism, true), share.expert_layers);
  }
  const ModelParameters whole = model_parameters(model);
  const RankCount vocabulary = share_of(model.vocabulary, parallelism.tensor) * model.hidden;
  if (share.has_embedding) p.dense += vocabulary + whole.positions;
  if (share.mtp_layers != 0) {
    p.dense +=
        share.mtp_layers * (share_of(joint_matrix(model), parallelism.tensor) + joint_norms(model));
    // Megatron-Core: the last stage has a copy of the embedding, whose gradients are added up.
    const bool is_tied_here = model.tied_embeddings && share.has_output;
    if (!share.has_embedding && !is_tied_here) p.dense += vocabulary;
  }
  const bool is_kept_already = model.tied_embeddings && share.has_embedding;
  if (share.has_output) p.dense += whole.final_norm + (is_kept_already ? 0 : vocabulary);
  return p;
}

Replicas replicas(const ParallelismSpec& parallelism) {
  const double data = parallelism.data;
  const double context = parallelism.context;
  Replicas r;
  r.dense = data * context;
  r.experts = std::max(
      1.0, r.dense * parallelism.tensor / parallelism.expert / expert_tensor_of(parallelism));
  if (parallelism.zero == 0) return r;
  const double kept = parallelism.shard_ranks;
  r.dense_shards = kept == 0 ? r.dense : std::min(kept, r.dense);
  r.expert_shards = std::max(1.0, r.dense_shards * r.experts / r.dense);
  return r;
}

}  // namespace weft::collectives
