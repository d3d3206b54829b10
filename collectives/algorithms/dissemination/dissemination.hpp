#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

/// Barrier (D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP
/// 17, 1988): in round i, a rank tells the one 2^i behind it, and hears from the one 2^i before it.
class DisseminationSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;
};

struct Dissemination {
  static constexpr Algorithm kAlgorithm = Algorithm::kDissemination;
  static constexpr const char* kName = "dissemination";
  static constexpr const char* kDoc = "of a barrier: at distances 1, 2, 4 ..";
  static constexpr OperationSet kOperations{Operation::kBarrier};
  static constexpr OperationSet kDefaultFor = kOperations;
  static constexpr OperationSet kUndivided{Operation::kBarrier};

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return n * static_cast<std::uint64_t>(std::bit_width(n));
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms) { return terms.rounds(); }
};

}  // namespace weft::collectives
