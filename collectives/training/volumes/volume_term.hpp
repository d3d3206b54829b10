#pragma once

#include <cstdint>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// What for.
enum class VolumeKind : std::uint8_t {
  kTensor,           ///< results of tensor-parallel layers
  kTensorRegather,   ///< sequence-parallel inputs, gathered again to get gradients of weights
  kVocabulary,       ///< tensor-parallel embeddings, and gradients of the output layer's input
  kContext,          ///< keys and values on their way round
  kContextGradient,  ///< their gradients
  kExpert,           ///< tokens to experts and back, in both passes
  kExpertTensor,     ///< tokens among the ranks that share an expert
  kPipelineForward,
  kPipelineBackward,
  kGradient,         ///< of parameters
  kParameter,        ///< that other ranks hold, or have updated
  kReplica,          ///< gradients among copies of the shards
  kExpertGradient,   ///< as kGradient, of experts
  kExpertParameter,  ///< as kParameter, of experts
  kExpertReplica,    ///< as kReplica, of experts
  kEmbedding,        ///< gradients of a tied embedding
  kMirror,           ///< DualPipe: gradients of a stage that two ranks of a pipeline hold
};

/// One kind of operation that a rank takes part in, over and over in an iteration.
struct VolumeTerm {
  VolumeKind kind = VolumeKind::kTensor;
  GroupKind group = GroupKind::kTensor;
  Operation operation = Operation::kAllReduce;
  Bytes size;               ///< of the whole vector; of what a rank has for all, in an all-to-all
  Bytes per_rank;           ///< that a rank sends in one operation
  std::uint64_t count = 0;  ///< in an iteration

  [[nodiscard]] Bytes sent() const { return per_rank * static_cast<std::int64_t>(count); }
  bool operator==(const VolumeTerm&) const = default;
};

/// What a rank sends of a vector over n ranks, whatever bandwidth-optimal algorithm: 2 (n-1)/n of
/// it in an all-reduce; (n-1)/n in a reduce-scatter, an all-gather or an all-to-all; all of it to
/// one other. Rounded up at every pass, so that it is what the rank with the most sends where n
/// does not divide.
[[nodiscard]] Bytes sent_by_rank(Operation operation, Bytes size, std::uint32_t ranks);

/// A term with what follows from its size.
[[nodiscard]] VolumeTerm volume_term(VolumeKind kind, const RankGrid& grid, GroupKind group,
                                     Operation operation, Bytes size, std::uint64_t count);

/// What all terms of a kind come to.
[[nodiscard]] Bytes sent_for(const std::vector<VolumeTerm>& terms, VolumeKind kind);

}  // namespace weft::collectives
