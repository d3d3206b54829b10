#include "collectives/costs/cost_model.hpp"

#include <algorithm>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/algorithms/list.hpp"

namespace weft::collectives {

std::optional<double> estimate(const CollectiveSpec& spec, Algorithm algorithm, std::uint32_t ranks,
                               const RankLayout& layout) {
  const SchedulePlan plan = plan_of(spec, ranks, layout);
  if (!refusal(plan, algorithm, works_in_network(spec, layout)).empty()) return {};
  const bool has_net = plan.map.domains() == 1 || layout.network_rate > BitsPerSecond(0);
  const bool has_local = plan.map.domain_size() == 1 || layout.domain_rate > BitsPerSecond(0);
  if (!has_net || !has_local) return {};
  const CostTerms terms(spec, ranks, layout);
  return to_seconds(spec.execution.launch.value_or(Picoseconds(0))) +
         Algorithms::visit(algorithm, [&terms]<class A> { return A::cost(terms); });
}

std::vector<Estimate> estimates(const CollectiveSpec& spec, std::uint32_t ranks,
                                const RankLayout& layout) {
  if (layout.planes.are_several()) {
    // Compared as if planes were one link. So how packets select planes changes no choice, and a
    // comparison of runs compares planes alone.
    RankLayout together = layout;
    together.planes = {};
    return estimates(spec, ranks, together);
  }
  std::vector<Estimate> all;
  for (const Algorithm algorithm : algorithms_for(spec.operation)) {
    if (const auto seconds = estimate(spec, algorithm, ranks, layout)) {
      all.push_back({algorithm, *seconds});
    }
  }
  std::ranges::stable_sort(all, {}, &Estimate::seconds);
  return all;
}

}  // namespace weft::collectives
