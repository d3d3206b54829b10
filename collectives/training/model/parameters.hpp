#pragma once

#include <cstdint>

#include "collectives/training/spec/training_spec.hpp"

/// What a model consists of, counted. All take a model as `completed` leaves it, without
/// contradictions.
namespace weft::collectives {

/// Entries of the matrices of a layer, by what happens to them under tensor parallelism.
struct LayerMatrices {
  std::uint64_t attention{};  ///< sharded by heads
  std::uint64_t
      compression{};  ///< of latent attention, down to its ranks: every rank has all of it
  std::uint64_t feed_forward{};    ///< of a dense layer
  std::uint64_t expert{};          ///< of one of them
  std::uint64_t shared_experts{};  ///< all of them
  std::uint64_t router{};          ///< every rank has all of it
};
[[nodiscard]] LayerMatrices layer_matrices(const ModelSpec& model, bool has_experts);

/// Parameters of a layer: matrices with their biases, and norms.
struct LayerParameters {
  std::uint64_t attention{};
  std::uint64_t feed_forward{};
  std::uint64_t experts{};  ///< all of them; shared ones apart
  std::uint64_t shared_experts{};
  std::uint64_t router{};
  std::uint64_t norms{};

  [[nodiscard]] std::uint64_t total() const {
    return attention + feed_forward + experts + shared_experts + router + norms;
  }
};
[[nodiscard]] LayerParameters layer_parameters(const ModelSpec& model, bool has_experts);

/// How many layers have no experts, and how many have some.
struct LayerCounts {
  std::uint32_t dense{};
  std::uint32_t with_experts{};
};
[[nodiscard]] LayerCounts layer_counts(const ModelSpec& model);
/// With those of multi-token prediction, which are as the last layer is.
[[nodiscard]] LayerCounts all_layer_counts(const ModelSpec& model);

/// Entries of the matrix by which a layer of multi-token prediction puts a token's vector and what
/// the layer before gave together.
[[nodiscard]] std::uint64_t joint_matrix(const ModelSpec& model);
/// Norms of both, and the one before the output layer.
[[nodiscard]] std::uint64_t joint_norms(const ModelSpec& model);

/// Whether the last stage looks tokens up in, or multiplies with, the first stage's matrix.
[[nodiscard]] inline bool shares_embedding(const ModelSpec& model) {
  return model.tied_embeddings || model.mtp_layers > 0;
}

struct ModelParameters {
  std::uint64_t embedding{};
  std::uint64_t positions{};
  std::uint64_t layers{};
  std::uint64_t mtp{};  ///< of multi-token prediction, but for the embedding and the output layer
  std::uint64_t final_norm{};
  std::uint64_t output{};  ///< 0 where it is the embedding
  std::uint64_t idle{};    ///< of experts that a token does not go to

  [[nodiscard]] std::uint64_t total() const {
    return embedding + positions + layers + mtp + final_norm + output;
  }
  /// What a token meets. The whole embedding counts, as model cards have it.
  [[nodiscard]] std::uint64_t active() const { return total() - idle; }
};
/// Left out: the biases by which DeepSeek-V3's router balances, and the gate of the shared expert
/// in Qwen2's mixtures: `experts` and `hidden` per layer.
[[nodiscard]] ModelParameters model_parameters(const ModelSpec& model);

}  // namespace weft::collectives
