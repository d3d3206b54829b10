#pragma once

#include "collectives/training/spec/training_spec.hpp"

/// Bytes that kernels between matrix products read and write in the memory of a GPU, per token.
///
/// A kernel reads each of its inputs and writes each of its outputs once (Ivanov et al., "Data
/// Movement Is All You Need", arXiv 2007.00072, section 4: element-wise operators and
/// normalisations are bound by memory). What is one kernel is what Megatron-Core fuses: bias and
/// activation function; bias, dropout and residual addition; norm; rotation; scale, mask and
/// softmax (megatron/core/fusions). Numbers have the format of activations, masks of dropout a byte
/// (Korthikanti et al., arXiv 2205.05198, section 4.1), router's scores and the loss 32 bits.
///
/// With one efficiency for all kernels (`kernels: constant`) these are norms, sums, rotations,
/// activation functions, permutations of tokens by expert, scores that leave the chip, and a loss
/// in one pass. By shapes of kernels there are besides, forward and then backward:
///
/// - dropout before a sum, fused with it: a mask is written; it is read, a gradient read and
/// written
/// - gradients of biases: nothing; gradients of results are read once more
/// - dropout of scores that leave the chip: they are read and written, and a mask; the same
/// - norms of latent queries, keys and values: read, written; two read, one written
/// - keys and values of latent attention, put together with rotated parts: read, written; the same
///   (Megatron-Core, fused_mla_yarn_rope_apply.py)
/// - router, its softmax and choice of experts: scores read and written, a byte each; two read, one
///   written
/// - what router and experts read: nothing; two gradients read, one written
/// - shared experts: their result is added to the others', two read, one written; the same of
///   gradients
/// - permutation by rank, before an all-to-all of copies and after it: as that by expert; the same
/// - dropout after the embedding, and its sum with positions: as above
/// - a loss in separate kernels (`loss_traffic`)
///
/// Products of scores are no kernels between products: they take the longer of operations and bytes
/// (`attention_time`).
namespace weft::collectives {

struct Traffic {
  double forward{};
  double backward{};

  Traffic& operator+=(const Traffic& other);
  [[nodiscard]] Traffic operator*(double factor) const;
};

/// Of one layer. What is whole every tensor-parallel rank has of all tokens, unless sequences are
/// divided among these ranks (`sequence_parallel`). Everything else is divided in any case.
struct LayerTraffic {
  Traffic between;       ///< whole: norms and sums of both halves of the layer
  Traffic latent;        ///< whole: norms of latent attention
  Traffic routing;       ///< whole: the router, and sums with what experts give
  Traffic attention;     ///< divided
  Traffic feed_forward;  ///< divided
};
[[nodiscard]] LayerTraffic layer_traffic(const TrainingSpec& spec, bool has_experts);

/// Of looking tokens up, besides gradients of parameters.
[[nodiscard]] Traffic embedding_traffic(const TrainingSpec& spec);
/// Of the last norm; whole.
[[nodiscard]] Traffic last_norm_traffic(const TrainingSpec& spec);
/// Of the loss; divided. Fused: logits are read and probabilities written in 32 bits; backward
/// these are read, and gradients written. Else each step is a kernel, of numbers in 32 bits:
/// conversion, maximum, difference, exponential, sum and quotient; backward a product with the
/// gradient of the loss, and a conversion (megatron/core/tensor_parallel/cross_entropy.py).
[[nodiscard]] Traffic loss_traffic(const TrainingSpec& spec);

/// What attention's scores of a token take, where they leave the chip.
[[nodiscard]] double score_bytes(const TrainingSpec& spec);
/// Of these, how often products of scores read or write them.
inline constexpr double kScorePassesForward = 2;
inline constexpr double kScorePassesBackward = 4;
/// Of attention's bytes, those of scores that leave the chip: read and written by the softmax, and
/// backward read with a gradient, for which another is written; with dropout as above. Divided.
[[nodiscard]] Traffic score_traffic(const TrainingSpec& spec);
/// What recomputing scores moves besides products: softmax, and dropout.
[[nodiscard]] double repeated_score_bytes(const TrainingSpec& spec);

/// Bytes of a token that modules move which run again: two norms (whole), up-projections of latent
/// attention and the activation function of experts (divided).
struct RepeatedTraffic {
  double norms{};
  double latent_up{};
  double expert_activation{};
};
[[nodiscard]] RepeatedTraffic repeated_traffic(const TrainingSpec& spec);

/// Of multi-token prediction: norms of the two vectors that are put together, and the norm before
/// the output layer, are whole.
[[nodiscard]] Traffic joint_traffic(const TrainingSpec& spec);

/// Kernels that are no products, of which each takes a launch. Forward and backward alike.
[[nodiscard]] double attention_kernels(const TrainingSpec& spec);
[[nodiscard]] double feed_forward_kernels(const TrainingSpec& spec, bool has_experts);
[[nodiscard]] double shared_expert_kernels(const TrainingSpec& spec, bool has_experts);
[[nodiscard]] double latent_up_kernels(const TrainingSpec& spec);
[[nodiscard]] double output_kernels(const TrainingSpec& spec);

}  // namespace weft::collectives
