#pragma once

#include <vector>

#include "collectives/algorithms/schedule.hpp"

namespace weft::collectives {

/// Exchanges with partners at distances 1, 2, 4 ... (R. Thakur, R. Rabenseifner, W. Gropp,
/// "Optimization of Collective Communication Operations in MPICH", IJHPCA 19, 2005): recursive
/// doubling of an all-reduce and of an all-gather; recursive halving, then doubling of an
/// all-reduce (Rabenseifner), and halving alone of a reduce-scatter.
///
/// Among n ranks that are no power of two, the first 2 (n - p) of them, p the power below n, pair
/// up: the even one hands its data to the odd one, takes no part, and gets the result at the end.
class RecursiveSchedule final : public Schedule {
 public:
  RecursiveSchedule(SchedulePlan plan, Algorithm algorithm);

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  [[nodiscard]] StepStream doubling(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream halving_and_doubling(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream gather(std::uint32_t rank) const;
  [[nodiscard]] StepStream scatter(std::uint32_t rank) const;

  /// Ranks that take part, and the number of pairs.
  [[nodiscard]] std::uint32_t core() const { return core_; }
  [[nodiscard]] std::uint32_t pairs() const { return plan().ranks() - core_; }
  [[nodiscard]] bool is_idle(std::uint32_t rank) const {
    return rank < 2 * pairs() && rank % 2 == 0;
  }
  [[nodiscard]] bool has_idle_partner(std::uint32_t rank) const {
    return rank < 2 * pairs() && rank % 2 == 1;
  }
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank) const {
    return rank < 2 * pairs() ? rank / 2 : rank - pairs();
  }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t number) const {
    return number < pairs() ? 2 * number + 1 : number + pairs();
  }
  /// The parts of the ranks that numbers [first, end) stand for.
  [[nodiscard]] Range owned(std::uint32_t first, std::uint32_t end) const {
    const auto begin = [this](std::uint32_t number) {
      return number < pairs() ? 2 * number : number + pairs();
    };
    return parts_of(plan().whole(), plan().ranks(), begin(first), begin(end));
  }

  Algorithm algorithm_;
  std::uint32_t core_;
};

}  // namespace weft::collectives
