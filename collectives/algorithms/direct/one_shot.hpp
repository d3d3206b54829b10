#pragma once

#include <memory>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

/// DirectSchedule of one shot.
struct OneShot {
  static constexpr Algorithm kAlgorithm = Algorithm::kOneShot;
  static constexpr const char* kName = "one-shot";
  static constexpr const char* kDoc = "everything to everybody at once";
  static constexpr OperationSet kOperations{Operation::kAllReduce,     Operation::kAllGather,
                                            Operation::kReduceScatter, Operation::kAllToAll,
                                            Operation::kAllToAllV,     Operation::kBroadcast,
                                            Operation::kReduce,        Operation::kGather,
                                            Operation::kScatter,       Operation::kSendReceive};
  static constexpr OperationSet kDefaultFor{Operation::kGather, Operation::kScatter,
                                            Operation::kSendReceive};

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation operation, std::uint64_t n);
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
