#pragma once

#include <memory>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

/// TreeSchedule of two binary trees.
struct DoubleBinaryTree {
  static constexpr Algorithm kAlgorithm = Algorithm::kDoubleBinaryTree;
  static constexpr const char* kName = "double-binary-tree";
  static constexpr const char* kDoc = "two binary trees with half of the data each, NCCL's Tree";
  static constexpr OperationSet kOperations{Operation::kAllReduce};

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return 4 * n;  // up and down two trees
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
