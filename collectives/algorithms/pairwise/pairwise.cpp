#include "collectives/algorithms/pairwise/pairwise.hpp"

#include <algorithm>

namespace weft::collectives {

std::vector<std::uint32_t> PairwiseSchedule::send_peers(std::uint32_t rank,
                                                        std::uint32_t /*lane*/) const {
  return plan().block_peers(rank);
}

StepStream PairwiseSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t n = plan().ranks();
  for (std::uint32_t distance = 1; distance < n; ++distance) {
    const std::uint32_t to = (rank + distance) % n;
    const std::uint32_t from = (rank + n - distance) % n;
    const Range out = part_of({0, plan().block_size(rank, to)}, plan().channels, lane);
    const Range in = part_of({0, plan().block_size(from, rank)}, plan().channels, lane);
    for (std::int64_t i = 0; i < piece_count(out.size, plan().chunk) * slices(); ++i) {
      const Range slice =
          part_of(piece_of(out, plan().chunk, i / slices()), slices(), i % slices());
      if (!slice.empty()) co_yield Step::send(to, plan().block_of(rank, to), slice);
    }
    for (std::int64_t i = 0; i < piece_count(in.size, plan().chunk) * slices(); ++i) {
      const Range slice = part_of(piece_of(in, plan().chunk, i / slices()), slices(), i % slices());
      if (!slice.empty()) co_yield Step::receive(from, plan().block_of(from, rank), slice);
    }
  }
}

std::unique_ptr<const Schedule> Pairwise::schedule(SchedulePlan plan) {
  return std::make_unique<PairwiseSchedule>(std::move(plan));
}

double Pairwise::cost(const CostTerms& t) {
  double time = 0;
  if (t.spec.operation == Operation::kAllToAll) {
    for (double distance = 1; distance < t.n; ++distance) {
      // Some rank's partner is outside its domain unless there is one domain, as `t.net` is then.
      time += t.net(t.size * t.pair_collisions);
    }
    return time + (t.n - 1) * t.size * t.copy;
  }
  // Step by step, everybody waits for the largest block of its diagonal.
  const auto n = static_cast<std::size_t>(t.n);
  for (std::size_t distance = 1; distance < n; ++distance) {
    double largest = 0;
    for (std::size_t r = 0; r < n; ++r) {
      largest = std::max(largest, static_cast<double>(t.plan.matrix[r * n + (r + distance) % n]));
    }
    time += t.net(largest * t.pair_collisions) + largest * t.copy;
  }
  return time;
}

}  // namespace weft::collectives
