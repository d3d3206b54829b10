#include "collectives/training/model/parameters.hpp"

namespace weft::collectives {
namespace {

using ParameterCount = std::uint64_t;

/// Entries of a feed-forward's matrices.
ParameterCount feed_forward_matrices(const ModelSpec& model, ParameterCount inner) {
  return (model.gated_ffn ? 3 : 2) * inner * model.hidden;
}

ParameterCount feed_forward_parameters(const ModelSpec& model, ParameterCount inner) {
  const ParameterCount biases = model.biases ? (model.gated_ffn ? 2 : 1) * inner + model.hidden : 0;
  return feed_forward_matrices(model, inner) + biases;
}

/// What queries, keys and values have together, per token.
ParameterCount projected_size(const ModelSpec& model) {
  return ParameterCount{model.heads} * model.head_size +
         ParameterCount{model.kv_heads} * (ParameterCount{model.head_size} + model.value_head_size);
}

ParameterCount norm_parameters(const ModelSpec& model) {
  const ParameterCount each = (model.biases ? 2 : 1) * ParameterCount{model.hidden};
  const ParameterCount heads = model.head_norms ? 2 * ParameterCount{model.head_size} : 0;
  const ParameterCount latent =
      model.kv_rank != 0 ? ParameterCount{model.kv_rank} + model.query_rank : 0;
  return 2 * each + heads + latent;
}

}  // namespace

LayerMatrices layer_matrices(const ModelSpec& model, bool has_experts) {
  const ParameterCount hidden = model.hidden;
  const ParameterCount heads = model.heads;
  LayerMatrices m;
  const ParameterCount output = heads * model.value_head_size * hidden;
  if (model.kv_rank == 0) {
    m.attention = projected_size(model) * hidden + output;
  } else {
    const ParameterCount query = ParameterCount{model.head_size} + model.rope_head_size;
    const ParameterCount from = model.query_rank != 0 ? ParameterCount{model.query_rank} : hidden;
    const ParameterCount kv = heads * (ParameterCount{model.head_size} + model.value_head_size);
    m.attention = from * heads * query + model.kv_rank * kv + output;
    m.compression =
        hidden * (ParameterCount{model.query_rank} + model.kv_rank + model.rope_head_size);
  }
  if (has_experts) {
    m.expert = feed_forward_matrices(model, model.expert_ffn);
    m.shared_experts = model.shared_experts * m.expert;
    m.router = hidden * model.experts;
  } else {
    m.feed_forward = feed_forward_matrices(model, model.ffn);
  }
  return m;
}

LayerParameters layer_parameters(const ModelSpec& model, bool has_experts) {
  const LayerMatrices matrices = layer_matrices(model, has_experts);
  LayerParameters p;
  p.attention = matrices.attention + matrices.compression;
  if (model.biases || model.qkv_biases) p.attention += projected_size(model);
  if (model.biases) p.attention += model.hidden;
  if (has_experts) {
    const ParameterCount expert = feed_forward_parameters(model, model.expert_ffn);
    p.experts = model.experts * expert;
    p.shared_experts = model.shared_experts * expert;
    p.router = matrices.router;
  } else {
    p.feed_forward = feed_forward_parameters(model, model.ffn);
  }
  p.norms = norm_parameters(model);
  return p;
}

LayerCounts layer_counts(const ModelSpec& model) {
  const std::uint32_t dense = model.experts != 0 ? model.dense_layers : model.layers;
  return {.dense = dense, .with_experts = model.layers - dense};
}

LayerCounts all_layer_counts(const ModelSpec& model) {
  LayerCounts counts = layer_counts(model);
  (model.experts != 0 ? counts.with_experts : counts.dense) += model.mtp_layers;
  return counts;
}

ParameterCount joint_matrix(const ModelSpec& model) {
  return 2 * ParameterCount{model.hidden} * model.hidden;
}

ParameterCount joint_norms(const ModelSpec& model) {
  return 3 * (model.biases ? 2 : 1) * ParameterCount{model.hidden};
}

ModelParameters model_parameters(const ModelSpec& model) {
  const LayerCounts counts = layer_counts(model);
  ModelParameters p;
  p.embedding = ParameterCount{model.vocabulary} * model.hidden;
  p.positions = model.learned_positions ? ParameterCount{model.sequence} * model.hidden : 0;
  p.layers = counts.dense * layer_parameters(model, false).total();
  if (counts.with_experts != 0) {
    const LayerParameters layer = layer_parameters(model, true);
    p.layers += counts.with_experts * layer.total();
    const ParameterCount all = ParameterCount{counts.with_experts} + model.mtp_layers;
    p.idle = all * (layer.experts / model.experts) * (model.experts - model.top_k);
  }
  p.mtp = model.mtp_layers * (layer_parameters(model, model.experts != 0).total() +
                              joint_matrix(model) + joint_norms(model));
  p.final_norm = (model.biases ? 2 : 1) * ParameterCount{model.hidden};
  p.output = model.tied_embeddings ? 0 : p.embedding;
  return p;
}

}  // namespace weft::collectives
