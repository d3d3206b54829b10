#pragma once

#include <memory>
#include <string>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

/// HierarchicalSchedule of vectors, TwoLevelAllToAllSchedule of blocks.
struct Hierarchical {
  static constexpr Algorithm kAlgorithm = Algorithm::kHierarchical;
  static constexpr const char* kName = "hierarchical";
  static constexpr const char* kDoc =
      "inside scale-up domains and along rails: reduce-scatter, all-reduce, all-gather; or an "
      "all-to-all through the rank on the receiver's rail";
  static constexpr OperationSet kOperations{Operation::kAllReduce, Operation::kAllGather,
                                            Operation::kReduceScatter, Operation::kAllToAll,
                                            Operation::kAllToAllV};

  [[nodiscard]] static std::string refusal(const RankMap& map, bool has_in_network_reduction);
  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return 3 * n;  // of an all-to-all in large domains more
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
