#pragma once

#include <cstdint>

#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/spec/training_spec.hpp"

/// Parameters that one rank computes with. All take a model as `completed` leaves it.
namespace weft::collectives {

/// Those of experts apart, whose gradients other ranks have.
struct RankParameters {
  std::uint64_t dense{};
  std::uint64_t experts{};

  RankParameters& operator+=(const RankParameters& other);
};

/// Of one layer. What tensor parallelism cannot divide evenly is counted for the rank that has
/// most; heads of keys and values that are fewer than the ranks are held several times.
[[nodiscard]] RankParameters layer_rank_parameters(const ModelSpec& model,
                                                   const ParallelismSpec& parallelism,
                                                   bool has_experts);

/// Of all that a rank holds. Where the output layer is the embedding's matrix, the first and the
/// last stage have a copy each, as Megatron-LM has it.
[[nodiscard]] RankParameters rank_parameters(const ModelSpec& model,
                                             const ParallelismSpec& parallelism,
                                             const StageShare& share);

/// Ranks that have the same parameters, and over how many of them ZeRO spreads what it spreads;
/// 1 without it. Context parallelism counts with data parallelism, as gradients do.
struct Replicas {
  double dense = 1;
  double experts = 1;
  double dense_shards = 1;
  double expert_shards = 1;
};
[[nodiscard]] Replicas replicas(const ParallelismSpec& parallelism);

}  // namespace weft::collectives
