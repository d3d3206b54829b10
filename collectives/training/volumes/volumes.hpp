#pragma once

#include <cstdint>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"
#include "collectives/training/volumes/volume_term.hpp"

/// How many bytes a rank sends in an iteration, in closed form. Left out is what is small: what a
/// loss and the norm of gradients add up, and how many tokens an expert gets.
namespace weft::collectives {

/// One whole copy of what a rank exchanges with those that hold the same parameters: that is before
/// ZeRO divides it. With DualPipe of both stages.
struct StateBytes {
  Bytes parameters;
  Bytes gradients;
  Bytes expert_parameters;  ///< not among `parameters`
  Bytes expert_gradients;
  Bytes embedding_gradients;  ///< of a tied embedding, among `gradients`
};

struct VolumeSetting {
  std::uint32_t expert_domain = 1;  ///< ranks of an expert group in a scale-up domain (RankGrid)
};

/// How often a layer has a micro-batch, on one rank in one iteration.
struct LayerPasses {
  std::uint64_t dense = 0;
  std::uint64_t with_experts = 0;

  [[nodiscard]] std::uint64_t all() const { return dense + with_experts; }
};
[[nodiscard]] LayerPasses layer_passes(const TrainingSpec& spec, std::uint32_t pipeline_rank);

/// Everything that a rank of this place in the pipeline sends; groups of one rank have no term.
/// Requires a plan that check_plan has nothing against.
[[nodiscard]] std::vector<VolumeTerm> volumes_of(const TrainingSpec& spec, const StateBytes& states,
                                                 std::uint32_t pipeline_rank,
                                                 const VolumeSetting& setting = {});

}  // namespace weft::collectives
