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

  /// What is done a second time in the backward pass: nothing, the attention, or all.
  [[nodiscard]] double recomputed(Recomputation recomputation) const;
  [[nodiscard]] double total() const {
    return sharded.total() + replicated.total() + attention.total();
  }
};
/// A causal mask halves attention: s/2 positions on average, the diagonal neglected.
[[nodiscard]] LayerFlops layer_flops(const ModelSpec& model, bool has_experts);

/// The product with the vocabulary.
[[nodiscard]] PassFlops logit_flops(const ModelSpec& model);

/// Of the whole model, without what is recomputed: what MFU counts.
[[nodiscard]] double model_flops(const ModelSpec& model);
/// With it: what HFU counts.
[[nodiscard]] double hardware_flops(const ModelSpec& model, Recomputation recomputation);

}  // namespace weft::collectives
