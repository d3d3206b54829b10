#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// A part of a chunk that is computed as a whole: a layer, or what comes before or after them.
struct TrainingUnit {
  enum class Kind : std::uint8_t { kEmbedding, kLayer, kExpertLayer, kOutput };
  Kind kind = Kind::kLayer;
  PassTimes times;  ///< of one micro-batch, where experts are loaded alike
  /// Of one micro-batch, by place in the expert group; empty: all take `times`.
  std::vector<PassTimes> loaded;
  /// Of `times`, what attention and shared experts take; absent: attention takes half.
  std::optional<LayerParts> shares;
  Bytes parameters;  ///< of what is no expert, as they are gathered and kept
  Bytes gradients;   ///< of the same, as they are exchanged
  Bytes expert_parameters;
  Bytes expert_gradients;

  [[nodiscard]] bool is_layer() const { return kind == Kind::kLayer || kind == Kind::kExpertLayer; }
};

/// Units whose gradients are exchanged together, once the backward pass is through the first one.
struct GradientBucket {
  std::uint32_t first = 0;  ///< unit, of the chunk
  std::uint32_t last = 0;   ///< likewise
  Bytes parameters;
  Bytes gradients;
  Bytes expert_parameters;
  Bytes expert_gradients;
};

/// What a rank of a pipeline holds of one stage.
struct TrainingChunk {
  std::uint32_t stage = 0;
  std::vector<TrainingUnit> units;      ///< in the order of the forward pass
  std::vector<GradientBucket> buckets;  ///< in the order of the backward pass
};

/// What the ranks of one place in the pipeline do, whatever their other places.
struct TrainingStage {
  std::vector<TrainingChunk> chunks;
  Picoseconds optimizer;     ///< a step of it, on the share of a rank
  Bytes tied_gradients;      ///< of an embedding that another stage has too
  Bytes mirrored_gradients;  ///< DualPipe: what another rank of the pipeline has sums of, too

  [[nodiscard]] static TrainingStage of(const TrainingSpec& spec, const PipelinePlan& plan,
                                        std::uint32_t pipeline_rank);
};

}  // namespace weft::collectives
