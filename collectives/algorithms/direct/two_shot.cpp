#include "collectives/algorithms/direct/two_shot.hpp"

#include "collectives/algorithms/direct/direct_schedule.hpp"
#include "collectives/algorithms/direct/exchange_cost.hpp"

namespace weft::collectives {

std::unique_ptr<const Schedule> TwoShot::schedule(SchedulePlan plan) {
  return std::make_unique<DirectSchedule>(std::move(plan), DirectSchedule::Shots::kTwo);
}

double TwoShot::cost(const CostTerms& t) {
  return 2 * direct_exchange_cost(t, t.size / t.n, t.pieces(t.size, t.chunk * t.n)) +
         (t.n - 1) * t.size / t.n * (t.reduce + t.copy);
}

}  // namespace weft::collectives
