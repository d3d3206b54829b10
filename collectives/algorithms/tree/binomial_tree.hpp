#pragma once

#include <memory>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/tree/tree_schedule.hpp"

namespace weft::collectives {

/// Gather and scatter along a binomial tree: every rank handles the parts of its whole subtree.
class TreeGatherSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  /// Numbers count from the root.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank) const {
    return (rank + plan().ranks() - plan().root) % plan().ranks();
  }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t number) const {
    return (number + plan().root) % plan().ranks();
  }
  /// The parts of the subtree of a number: at most two ranges, as ranks wrap around.
  [[nodiscard]] std::vector<Range> subtree(std::uint32_t number) const;
};

/// TreeSchedule of a binomial tree; gather and scatter by TreeGatherSchedule.
struct BinomialTree {
  static constexpr Algorithm kAlgorithm = Algorithm::kBinomialTree;
  static constexpr const char* kName = "binomial-tree";
  static constexpr const char* kDoc = "up and down a binomial tree";
  static constexpr OperationSet kOperations{Operation::kAllReduce, Operation::kBroadcast,
                                            Operation::kReduce,    Operation::kGather,
                                            Operation::kScatter,   Operation::kBarrier};
  static constexpr OperationSet kUndivided{Operation::kGather, Operation::kScatter,
                                           Operation::kBarrier};

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return 2 * n;  // up and down
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
