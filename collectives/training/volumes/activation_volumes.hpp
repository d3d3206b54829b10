#pragma once

#include <cstdint>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/volumes/volumes.hpp"

/// What ranks exchange as micro-batches go through layers: parts of volumes_of.
namespace weft::collectives {

/// What the formulas share. b, s, h, t and c are micro-batch, sequence, hidden size, and tensor-
/// and context-parallel ranks.
struct ActivationTerms {
  ActivationTerms(const TrainingSpec& training, const RankGrid& ranks,
                  const VolumeSetting& volume_setting, std::uint32_t pipeline_rank);

  const TrainingSpec& spec;
  const RankGrid& grid;
  const VolumeSetting& setting;
  std::uint32_t pipeline_rank;
  LayerPasses passes;
  bool has_full_recomputation;
  bool repeats_dense;    ///< second halves of layers without experts are done again
  bool repeats_experts;  ///< and of those with experts, tokens' ways there and back included
  bool sends_tokens;     ///< experts are not just tensor-parallel layers
  std::uint32_t parts;   ///< that a micro-batch goes through layers in (pass_parts)
  std::int64_t tokens;   ///< of a part of it, on a context-parallel rank: b s / c of a whole one
  TokenBytes token;      ///< between layers, by what it is sent for
  std::vector<VolumeTerm> terms;

  void add(VolumeKind kind, GroupKind group, Operation operation, Bytes size, std::uint64_t count);
  void add_tensor();
  void add_vocabulary();
  void add_context();
  void add_experts();
  void add_pipeline();

  [[nodiscard]] Bytes tensor_sum() const { return token.tensor * tokens; }
  [[nodiscard]] Bytes gathered() const { return token.tensor_gather * tokens; }

 private:
  /// Copies of tokens that are sent to experts, and back.
  void add_copies(GroupKind group, std::int64_t copies, std::uint64_t times);
};

}  // namespace weft::collectives
