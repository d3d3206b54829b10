#pragma once

#include <memory>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

/// DirectSchedule of two shots.
struct TwoShot {
  static constexpr Algorithm kAlgorithm = Algorithm::kTwoShot;
  static constexpr const char* kName = "two-shot";
  static constexpr const char* kDoc = "a part to its owner at once, and the sum from there";
  static constexpr OperationSet kOperations{Operation::kAllReduce};

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return n * (n - 1);
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms) {
    return 2 * terms.n * terms.chunks(terms.n);
  }
};

}  // namespace weft::collectives
