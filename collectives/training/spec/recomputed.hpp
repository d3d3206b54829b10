#pragma once

#include <vector>

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// What of a layer the backward pass does again, module by module (Megatron-Core,
/// transformer_config.py, recompute_modules).
///
/// `core_attn`, `mlp` and `moe` are checkpoints: their inputs are kept, and they run again as they
/// ran before. So they repeat what is exchanged within: keys and values that go round a context
/// group (Megatron-Core, transformer/attention.py, _checkpointed_attention_forward, has the ring of
/// Transformer Engine in it), sums of tensor-parallel ranks, and tokens on their way to experts and
/// back. `layernorm`, `moe_act` and `mla_up_proj` give up their outputs, and exchange nothing.
struct RecomputedModules {
  bool everything = false;         ///< whole layers, from their inputs
  bool core_attention = false;     ///< scores, and their products with values
  bool norms = false;              ///< before attention and before the feed-forward
  bool latent_up = false;          ///< latent attention's queries, keys and values, and rotations
  bool expert_activation = false;  ///< the activation function of experts that tokens choose
  bool dense_half = false;         ///< the feed-forward of layers without experts
  bool expert_half = false;        ///< router, exchanges and experts, shared ones too

  /// Whether the second half of a layer runs again as a pass of its own.
  [[nodiscard]] bool second_half(bool has_experts) const {
    return has_experts ? expert_half : dense_half;
  }
  bool operator==(const RecomputedModules&) const = default;
};

/// Selective recomputation without a list is that of `core_attn`, as Megatron-Core has it.
[[nodiscard]] RecomputedModules recomputed_modules(const TrainingSpec& spec);

/// Whether the second half of a layer runs again, alone or with the first half: so do its
/// exchanges.
[[nodiscard]] bool repeats_second_half(const TrainingSpec& spec, bool has_experts);

/// Whether keys and values go round a context group once more before the backward pass: with the
/// whole layer, or within the backward pass of attention.
[[nodiscard]] bool repeats_keys(const TrainingSpec& spec);

/// Names that are unknown.
[[nodiscard]] std::vector<schema::Problem> recomputation_problems(const TrainingSpec& spec);
/// Modules that the model does not have, or that do not go with what overlaps.
[[nodiscard]] std::vector<schema::Problem> module_problems(const TrainingSpec& spec);

}  // namespace weft::collectives
