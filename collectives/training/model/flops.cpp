#include "collectives/training/model/flops.hpp"

#include <cstdint>

#include "collectives/training/model/parameters.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {
namespace {

/// A product with matrices that have `entries` entries in all.
PassFlops product_flops(std::uint64_t entries) {
  const double each = 2 * static_cast<double>(entries);
  return {.forward = each, .backward_inputs = each, .backward_weights = each};
}

/// Entries of the matrix that comes after the scores of attention.
std::uint64_t last_projection(const ModelSpec& model) {
  return std::uint64_t{model.heads} * model.value_head_size * model.hidden;
}

template <class PerLayer>
double over_layers(const ModelSpec& model, PerLayer per_layer) {
  const LayerCounts counts = all_layer_counts(model);
  double sum = 0;
  if (counts.dense != 0) sum += counts.dense * per_layer(layer_flops(model, false), false);
  if (counts.with_experts != 0) {
    sum += counts.with_experts * per_layer(layer_flops(model, true), true);
  }
  return sum;
}

}  // namespace

HalfFlops second_half_flops(const ModelSpec& model, bool has_experts) {
  const LayerMatrices m = layer_matrices(model, has_experts);
  const std::uint64_t chosen = has_experts ? model.top_k * m.expert : 0;
  return {.sharded = product_flops(m.feed_forward + m.shared_experts + chosen).forward,
          .replicated = product_flops(m.router).forward};
}

double last_projection_share(const ModelSpec& model) {
  const LayerMatrices m = layer_matrices(model, false);
  return static_cast<double>(last_projection(model)) /
         static_cast<double>(m.attention + m.compression);
}

double latent_up_flops(const ModelSpec& model) {
  if (model.kv_rank == 0) return 0;
  return product_flops(layer_matrices(model, false).attention - last_projection(model)).forward;
}

double joint_flops(const ModelSpec& model) { return product_flops(joint_matrix(model)).forward; }

LayerFlops layer_flops(const ModelSpec& model, bool has_experts) {
  const LayerMatrices m = layer_matrices(model, has_experts);
  LayerFlops flops;
  flops.sharded = product_flops(m.attention + m.feed_forward + m.shared_experts +
                                (has_experts ? model.top_k * m.expert : 0));
  flops.replicated = product_flops(m.compression + m.router);
  const double positions = model.sequence * (model.causal_attention ? 0.5 : 1.0);
  const double size = 1.0 * model.head_size + model.rope_head_size + model.value_head_size;
  const double scores = 2 * positions * model.heads * size;
  flops.attention = {.forward = scores, .backward_inputs = 2 * scores, .backward_weights = 0};
  return flops;
}

PassFlops logit_flops(const ModelSpec& model) {
  return product_flops(std::uint64_t{model.hidden} * model.vocabulary);
}

double model_flops(const ModelSpec& model) {
  return over_layers(model, [](const LayerFlops& layer, bool) { return layer.total(); }) +
         (1.0 + model.mtp_layers) * logit_flops(model).total() +
         3.0 * model.mtp_layers * joint_flops(model);
}

double hardware_flops(const TrainingSpec& spec) {
  const RecomputedModules modules = recomputed_modules(spec);
  const ModelSpec& model = spec.model;
  return model_flops(model) + over_layers(model, [&](const LayerFlops& layer, bool has_experts) {
           if (modules.everything) {
             return layer.sharded.forward + layer.replicated.forward + layer.attention.forward;
           }
           double sum = modules.core_attention ? layer.attention.forward : 0.0;
           if (modules.latent_up) sum += latent_up_flops(model);
           if (modules.second_half(has_experts)) {
             const HalfFlops half = second_half_flops(model, has_experts);
             sum += half.sharded + half.replicated;
           }
           return sum;
         });
}

}  // namespace weft::collectives
