#pragma once

#include <cstdint>

#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// What a rank needs of its GPU's memory. Left out: what libraries and fragmentation take.
struct MemoryUse {
  Bytes parameters;
  Bytes gradients;
  Bytes optimizer;  ///< its copy of parameters, and moments
  Bytes gathered;   ///< parameters of other ranks, layer by layer, under ZeRO-3
  Bytes activations;

  [[nodiscard]] Bytes total() const {
    return parameters + gradients + optimizer + gathered + activations;
  }
};

/// Parameters, gradients and optimiser state (Rajbhandari et al., "ZeRO", arXiv 1910.02054, section
/// 5): stage 1 spreads the optimiser's state, 2 also gradients, 3 also parameters.
[[nodiscard]] MemoryUse state_memory(const TrainingSpec& spec, const RankParameters& parameters);

/// All memory of a rank that holds `share`, with `micro_batches_in_flight` micro-batches in each
/// layer.
[[nodiscard]] MemoryUse memory_use(const TrainingSpec& spec, const StageShare& share,
                                   double micro_batches_in_flight);

/// What the rank of a pipeline needs that needs most.
struct FullestRank {
  MemoryUse use;
  std::uint32_t pipeline_rank = 0;
};
/// Of a job without problems, whose model is as `completed` leaves it.
[[nodiscard]] FullestRank fullest_rank(const TrainingSpec& spec);

}  // namespace weft::collectives
