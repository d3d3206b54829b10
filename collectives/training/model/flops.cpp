#include "collectives/training/model/flops.hpp"

#include "collectives/training/model/parameters.hpp"

namespace weft::collectives {
namespace {

/// A product with matrices that have `entries` entries in all.
PassFlops product_flops(std::uint64_t entries) {
  const double each = 2 * static_cast<double>(entries);
  return {.forward = each, .backward_inputs = each, .backward_weights = each};
}

template <class PerLayer>
double over_layers(const ModelSpec& model, PerLayer per_layer) {
  const LayerCounts counts = layer_counts(model);
  double sum = 0;
  if (counts.dense != 0) sum += counts.dense * per_layer(layer_flops(model, false));
  if (counts.with_experts != 0) sum += counts.with_experts * per_layer(layer_flops(model, true));
  return sum;
}

}  // namespace

double LayerFlops::recomputed(Recomputation recomputation) const {
  switch (recomputation) {
    case Recomputation::kNone:
      return 0;
    case Recomputation::kSelective:
      return attention.forward;
    case Recomputation::kFull:
      break;
  }
  return sharded.forward + replicated.forward + attention.forward;
}

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
  return over_layers(model, [](const LayerFlops& layer) { return layer.total(); }) +
         logit_flops(model).total();
}

double hardware_flops(const ModelSpec& model, Recomputation recomputation) {
  return model_flops(model) + over_layers(model, [&](const LayerFlops& layer) {
           return layer.recomputed(recomputation);
         });
}

}  // namespace weft::collectives
