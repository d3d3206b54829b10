#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "collectives/algorithms/cost_terms.hpp"
#include "collectives/algorithms/schedule.hpp"

namespace weft::collectives {

/// Exchanges with partners at distances 1, 2, 4 ... (R. Thakur, R. Rabenseifner, W. Gropp,
/// "Optimization of Collective Communication Operations in MPICH", IJHPCA 19, 2005).
///
/// Among n ranks that are no power of two, the first 2 (n - p) of them, p the power below n, pair
/// up: the even one hands its data to the odd one, takes no part, and gets the result at the end.
class RecursiveSchedule : public Schedule {
 public:
  explicit RecursiveSchedule(SchedulePlan plan)
      : Schedule(std::move(plan)), core_(std::bit_floor(this->plan().ranks())) {}

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const final;

 protected:
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

 private:
  std::uint32_t core_;
};

/// How much longer exchanges of pairs take than their bytes: flows of one pair each meet on paths
/// of the fabric. Between 1 (one switch) and 2.8 (halving-doubling there, 8 uplinks by ECMP); a
/// third more already prefers algorithms that spread their bytes and are as good on one switch.
inline constexpr double kMeetings = 1.3;

/// What ranks that pair up add because their number is no power of two.
[[nodiscard]] inline double folding_cost(const CostTerms& t) {
  return std::has_single_bit(static_cast<std::uint32_t>(t.n)) ? 0 : t.local(t.size);
}

}  // namespace weft::collectives
