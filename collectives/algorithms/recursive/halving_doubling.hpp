#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/recursive/recursive_schedule.hpp"

namespace weft::collectives {

/// Recursive halving, then doubling of an all-reduce (Rabenseifner); halving alone of a
/// reduce-scatter.
class HalvingDoublingSchedule final : public RecursiveSchedule {
 public:
  using RecursiveSchedule::RecursiveSchedule;

  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  /// What a rank hands another in a round, and what it gets from there.
  struct Exchange {
    std::uint32_t partner = 0;
    Range out;
    Range in;
    bool reduces = false;
  };
  [[nodiscard]] std::uint32_t halvings() const {
    return static_cast<std::uint32_t>(std::countr_zero(core()));
  }
  /// Between ranks that pair up, before the first round or after the last one.
  [[nodiscard]] Exchange fold(std::uint32_t rank, Range piece, bool is_first) const;
  /// Rounds 1 .. log n halve, those behind them double.
  [[nodiscard]] Exchange exchange(std::uint32_t rank, Range piece, std::uint32_t round) const;
};

struct HalvingDoubling {
  static constexpr Algorithm kAlgorithm = Algorithm::kHalvingDoubling;
  static constexpr const char* kName = "halving-doubling";
  static constexpr const char* kDoc = "exchanges at distances n/2 .. 1 (Rabenseifner)";
  static constexpr OperationSet kOperations{Operation::kAllReduce, Operation::kReduceScatter};
  static constexpr OperationSet kUndivided{Operation::kReduceScatter};

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return n * static_cast<std::uint64_t>(std::bit_width(n));
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
