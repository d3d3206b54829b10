#pragma once

#include <cstdint>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// Where the tokens of a micro-batch go, of the ranks that exchange them: copies of a token count
/// once per expert that it is routed to. All ranks bring alike tokens, and all layers route alike.
///
/// The i-th most popular expert has weight i^-skew (Zipf), no token chooses an expert twice, and
/// popular experts are dealt out one by one to the ranks of a group. An expert takes no more copies
/// from a rank than its capacity: that times what it would get if all were chosen equally often (D.
/// Lepikhin et al., arXiv 2006.16668, section 2.2; megatron/core/transformer/moe, get_capacity).
/// What is beyond is dropped: it is neither sent nor computed.
struct ExpertLoads {
  std::int64_t brought = 0;  ///< copies that every rank has, those that are dropped included
  /// Copies that a rank gets from each rank of its group, itself included; by its place in it.
  std::vector<std::int64_t> from_each;
  /// By expert, the most popular first: how often the tokens of a rank choose it, and how often it
  /// has capacity for them.
  std::vector<double> choices;
  std::vector<double> kept;

  /// Copies that a rank sends, those that stay included.
  [[nodiscard]] std::int64_t sent() const;
  [[nodiscard]] bool is_balanced() const;
  /// Copies that a rank computes for each one that it brings: 1 where experts get equally many.
  [[nodiscard]] double load(std::uint32_t place) const;
  /// Of the rank with most.
  [[nodiscard]] double max() const;
};

/// Of a model that has experts, and a plan that check_plan has nothing against.
[[nodiscard]] ExpertLoads expert_loads(const TrainingSpec& spec);

}  // namespace weft::collectives
