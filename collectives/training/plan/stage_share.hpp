#pragma once

#include <cstdint>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What of a model one stage of a pipeline holds, or several that lie on the same rank.
struct StageShare {
  std::uint32_t dense_layers{};
  std::uint32_t expert_layers{};
  bool has_embedding{};
  bool has_output{};
  /// Of the layers, those of multi-token prediction; they are in the last stage.
  std::uint32_t mtp_layers{};

  [[nodiscard]] std::uint32_t layers() const { return dense_layers + expert_layers; }
  StageShare& operator+=(const StageShare& other);
};

/// The stages in the model's order, those of all virtual stages: stage i is on rank i modulo
/// `pipeline`. `stage_layers` lists layers by pipeline rank, then virtual stage; where it is empty
/// they go over stages evenly, and where they do not come out even, the first stages get one more:
/// the last one has the output layer and the loss besides.
[[nodiscard]] std::vector<StageShare> stage_shares(const ModelSpec& model,
                                                   const ParallelismSpec& parallelism);

/// All that a pipeline rank holds; with DualPipe also the stage at the other end.
[[nodiscard]] StageShare rank_share(const std::vector<StageShare>& stages,
                                    const ParallelismSpec& parallelism, std::uint32_t rank);

}  // namespace weft::collectives
