#pragma once

#include "collectives/training/spec/training_spec.hpp"

/// Floating-point operations of a token, a multiplication and an addition counted as two, as in
/// Narayanan et al. (SC'21, appendix). All take a model as `completed` leaves it.
namespace weft::collectives {

/// Of one pass of a token through some part of the model, by direction.
struct PassFlops {
  double forward{};
  double backward_inputs{};
  double backward_weights{};

  [[nodiscard]] double total() const { return forward + backward_inputs + backward_weights; }
};

/// What a layer does with a token. A product with a matrix takes as much in each of the three
/// directions; scores of attention have no weights, and their backward pass takes twice the
/// forward pass.
struct LayerFlops {
  PassFlops sharded;     ///< products that tensor parallelism divides
  PassFlops replicated;  ///< those that every tensor rank makes: router, latent compression
  PassFlops attention;   ///< queries with keys, and their weights with values

  [[nodiscard]] double total() const {
    return sharded.total() + replicated.total() + attention.total();
  }
};
/// A causal mask halves attention: s/2 positions on average, the diagonal neglected.
[[nodiscard]] LayerFlops layer_flops(const ModelSpec& model, bool has_experts);

/// Of the second half of a layer, forward: feed-forward, or router and experts.
struct HalfFlops {
  double sharded{};
  double replicated{};
};
[[nodiscard]] HalfFlops second_half_flops(const ModelSpec& model, bool has_experts);
/// Of attention's products with matrices, the share of the one that comes after scores.
[[nodiscard]] double last_projection_share(const ModelSpec& model);
/// Of latent attention's products from compressed queries, keys and values, forward.
[[nodiscard]] double latent_up_flops(const ModelSpec& model);
/// Of multi-token prediction, in each direction: what puts two vectors of a token together.
[[nodiscard]] double joint_flops(const ModelSpec& model);

/// The product with the vocabulary.
[[nodiscard]] PassFlops logit_flops(const ModelSpec& model);

/// Of the whole model, without what is recomputed: what MFU counts. Layers of multi-token
/// prediction are part of it, each with a product with the vocabulary.
[[nodiscard]] double model_flops(const ModelSpec& model);
/// With it: what HFU counts.
[[nodiscard]] double hardware_flops(const TrainingSpec& spec);

}  // namespace weft::collectives
