#include "collectives/routing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace weft::collectives {

namespace {

/// Cumulative weights in whole units, so that the last bits of std::pow do not matter.
std::vector<std::uint64_t> cumulative_popularity(std::uint32_t experts, double skew,
                                                 const RandomStream& random) {
  std::vector<std::uint32_t> order(experts);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = experts; i-- > 1;) {
    std::swap(order[i], order[random.below(i, std::uint64_t{i} + 1)]);
  }
  constexpr double kUnits = 1 << 24;
  std::vector<std::uint64_t> weights(experts);
  for (std::uint32_t i = 0; i < experts; ++i) {
    const double weight = std::round(kUnits * std::pow(i + 1.0, -skew));
    weights[order[i]] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight));
  }
  std::partial_sum(weights.begin(), weights.end(), weights.begin());
  return weights;
}

}  // namespace

std::vector<std::int64_t> routed_matrix(const Routing& routing, std::uint32_t ranks,
                                        std::uint64_t seed, std::uint32_t job) {
  const std::uint32_t experts = ranks * routing.experts_per_rank;
  const std::uint64_t entity = std::uint64_t{job} << 32U;
  const std::vector<std::uint64_t> popularity = cumulative_popularity(
      experts, routing.skew, RandomStream(seed, Purpose::kRouting, entity | 0xffffffffU));
  std::vector<std::int64_t> matrix(std::size_t{ranks} * ranks);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const RandomStream random(seed, Purpose::kRouting, entity | rank);
    std::uint64_t draws = 0;
    for (std::uint32_t token = 0; token < routing.tokens; ++token) {
      chosen.clear();
      while (chosen.size() < std::min(routing.top_k, experts)) {
        const std::uint64_t at = random.below(draws++, popularity.back());
        const auto expert = static_cast<std::uint32_t>(std::ranges::upper_bound(popularity, at) -
                                                       popularity.begin());
        if (std::ranges::find(chosen, expert) != chosen.end()) continue;
        chosen.push_back(expert);
        matrix[std::size_t{rank} * ranks + expert / routing.experts_per_rank] +=
            routing.token_size.count();
      }
    }
  }
  return matrix;
}

}  // namespace weft::collectives
