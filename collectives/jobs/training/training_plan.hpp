#pragma once

#include <cstdint>
#include <vector>

#include "collectives/jobs/training/training_groups.hpp"
#include "collectives/jobs/training/training_stage.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What all ranks of a training job go by.
struct TrainingPlan {
  /// The specification has no problems, and its model is as `completed` leaves it.
  explicit TrainingPlan(TrainingSpec training);

  TrainingSpec spec;
  PipelinePlan pipeline;
  RankGrid grid;
  TrainingGroups groups;
  std::vector<TrainingStage> stages;  ///< by pipeline rank
  // What is sent, as collectives have it; 0 where nothing of the kind is.
  Bytes activations;      ///< of a micro-batch, between parts of layers
  Bytes keys_and_values;  ///< of a context-parallel rank
  Bytes routed_tokens;    ///< from a rank to each other one of an expert group
  Bytes shared_tokens;    ///< among the ranks that share an expert
  /// Where experts do not get equally many tokens, in place of the two above: by place in the
  /// expert group. Else empty.
  std::vector<Bytes> routed_tokens_of;
  std::vector<Bytes> shared_tokens_of;
  Bytes passed_on;        ///< from a stage to the next one
  bool exchanges_tokens;  ///< experts are not just tensor-parallel layers

  /// Among the ranks that share the expert of a rank.
  [[nodiscard]] Bytes shared_tokens_with(std::uint32_t rank) const;
  /// Part `i` of what is sent between parts of layers, where products are done in chunks.
  [[nodiscard]] Bytes activation_chunk(std::uint32_t i) const;
  [[nodiscard]] std::uint32_t tensor_chunks() const;

 private:
  void find_sizes();
  void find_loads(double activation);
  void add_calls();
  void add_tensor_calls(std::uint32_t rank);
  void add_state_calls(std::uint32_t rank, const TrainingStage& stage);
  void add_held_calls(std::uint32_t rank, bool of_experts, Bytes parameters, Bytes gradients);
};

/// The share of the reduced gradients that one of `ranks` keeps after a reduce-scatter.
[[nodiscard]] Bytes shard_of(Bytes gradients, std::uint32_t ranks);

}  // namespace weft::collectives
