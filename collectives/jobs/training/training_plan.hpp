#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/jobs/training/training_groups.hpp"
#include "collectives/jobs/training/training_stage.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What all ranks of a training job go by.
struct TrainingPlan {
  /// The specification has no problems, and its model is as `completed` leaves it.
  /// `expert_domain`: ranks of an expert group that share a scale-up domain.
  explicit TrainingPlan(TrainingSpec training, std::uint32_t expert_domain = 1);

  TrainingSpec spec;
  PipelinePlan pipeline;
  RankGrid grid;
  TrainingGroups groups;
  std::vector<TrainingStage> stages;  ///< by pipeline rank
  std::uint32_t expert_domain;
  std::uint32_t parts;  ///< that a micro-batch goes through layers in
  // What is sent of such a part, as collectives have it; 0 where nothing of the kind is.
  Bytes activations;      ///< between parts of layers, as sums
  Bytes gathered_inputs;  ///< the same, as sequence-parallel ranks gather them
  Bytes keys_and_values;  ///< of a context-parallel rank
  Bytes routed_tokens;    ///< from a rank to each other one of an expert group, either way
  /// Among the ranks that share an expert: copies out, and results back; by place in the expert
  /// group where experts do not get equally many, else one of each.
  std::vector<Bytes> shared_out;
  std::vector<Bytes> shared_back;
  /// Chunks that tokens are exchanged in by calls of their own (TrainingGroups::exchange); 0: as
  /// `routed_tokens` says.
  std::uint32_t token_chunks = 0;
  Bytes passed_on;        ///< from a stage to the next one, of a whole micro-batch
  bool exchanges_tokens;  ///< experts are not just tensor-parallel layers

  /// Among the ranks that share the expert of a rank.
  [[nodiscard]] Bytes shared_tokens_with(std::uint32_t rank, TrainingGroups::TokenWay way) const;
  /// Part `i` of what is sent between parts of layers, where products are done in chunks.
  [[nodiscard]] Bytes activation_chunk(std::uint32_t i) const;
  [[nodiscard]] Bytes gathered_chunk(std::uint32_t i) const;
  /// Tokens go along rails, and from there inside domains.
  [[nodiscard]] bool goes_by_levels() const {
    return spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput;
  }
  [[nodiscard]] std::uint32_t tensor_chunks() const;
  /// Ranks of an expert group compute and send differently much, by their places in it.
  [[nodiscard]] bool has_uneven_experts() const {
    return shared_out.size() > 1 || spec.routing.skew != 0 || spec.routing.capacity != 0;
  }

 private:
  void find_sizes();
  void find_tokens();
  void add_token_calls(std::uint32_t rank);
  void add_level_calls(std::uint32_t rank);
  [[nodiscard]] std::vector<TrainingGroups::TokenSizes> token_sizes(
      std::span<const std::int64_t> copies, std::uint32_t chunks) const;

  TokenRoutes routes_;  ///< of a copy per expert, `to_rank` alone
  void add_calls();
  void add_tensor_calls(std::uint32_t rank);
  void add_state_calls(std::uint32_t rank, const TrainingStage& stage);
  void add_held_calls(std::uint32_t rank, bool of_experts, Bytes parameters, Bytes gradients);
};

/// The share of the reduced gradients that one of `ranks` keeps after a reduce-scatter.
[[nodiscard]] Bytes shard_of(Bytes gradients, std::uint32_t ranks);

}  // namespace weft::collectives
