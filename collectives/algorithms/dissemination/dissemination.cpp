#include "collectives/algorithms/dissemination/dissemination.hpp"

#include <algorithm>

namespace weft::collectives {

std::vector<std::uint32_t> DisseminationSchedule::send_peers(std::uint32_t rank,
                                                             std::uint32_t /*lane*/) const {
  const std::uint32_t n = plan().ranks();
  std::vector<std::uint32_t> peers;
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    peers.push_back((rank + distance) % n);
  }
  std::ranges::sort(peers);
  return peers;
}

StepStream DisseminationSchedule::steps(std::uint32_t rank, std::uint32_t /*lane*/) const {
  const std::uint32_t n = plan().ranks();
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    co_yield Step::send((rank + distance) % n, 0, Range{0, 1});
    co_yield Step::receive_and_reduce((rank + n - distance) % n, 0, Range{0, 1});
  }
}

std::unique_ptr<const Schedule> Dissemination::schedule(SchedulePlan plan) {
  return std::make_unique<DisseminationSchedule>(std::move(plan));
}

double Dissemination::cost(const CostTerms& t) { return rounds_of(t.n) * t.net(1); }

}  // namespace weft::collectives
