#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/recursive/recursive_schedule.hpp"

namespace weft::collectives {

/// Recursive doubling of an all-reduce and of an all-gather.
class RecursiveDoublingSchedule final : public RecursiveSchedule {
 public:
  using RecursiveSchedule::RecursiveSchedule;

  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  [[nodiscard]] StepStream all_reduce(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream gather(std::uint32_t rank) const;
};

struct RecursiveDoubling {
  static constexpr Algorithm kAlgorithm = Algorithm::kRecursiveDoubling;
  static constexpr const char* kName = "recursive-doubling";
  static constexpr const char* kDoc = "exchanges at distances 1 .. n/2";
  static constexpr OperationSet kOperations{Operation::kAllReduce, Operation::kAllGather};
  static constexpr OperationSet kUndivided{Operation::kAllGather};

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return n * static_cast<std::uint64_t>(std::bit_width(n));
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
