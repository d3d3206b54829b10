#include "collectives/training/plan/expert_domains.hpp"

#include <optional>
#include <set>
#include <vector>

#include "collectives/training/plan/rank_grid.hpp"

namespace weft::collectives {
namespace {

/// Ranks of each run of a group's members in one domain; nothing where a domain has several runs.
std::optional<std::vector<std::uint32_t>> runs_of(const PlanGroup& group,
                                                  const std::vector<std::uint32_t>& domain) {
  std::vector<std::uint32_t> runs;
  std::set<std::uint32_t> seen;
  std::optional<std::uint32_t> at;
  for (std::uint32_t i = 0; i < group.size; ++i) {
    const std::uint32_t here = domain[group.rank_at(i)];
    if (at != here) {
      if (!seen.insert(here).second) return std::nullopt;
      runs.push_back(0);
      at = here;
    }
    ++runs.back();
  }
  return runs;
}

}  // namespace

std::variant<std::uint32_t, std::string> expert_domain_of(const TrainingSpec& spec,
                                                          const RankLayout& layout) {
  if (spec.experts.exchange != ExpertSpec::Exchange::kHighThroughput) return 1U;
  if (layout.domain.empty() || spec.model.experts == 0) return 1U;
  const RankGrid grid(spec.parallelism);
  std::optional<std::uint32_t> all;
  for (const PlanGroup& group : grid.groups(GroupKind::kExpert)) {
    const auto runs = runs_of(group, layout.domain);
    const std::string name = "the expert group of rank " + std::to_string(group.first);
    if (!runs) return name + " comes back to a scale-up domain that it has left";
    for (const std::uint32_t ranks : *runs) {
      if (!all) all = ranks;
      if (ranks == *all) continue;
      return name + " has " + std::to_string(ranks) +
             " ranks in one scale-up domain and groups have " + std::to_string(*all) +
             " in another";
    }
  }
  return all.value_or(1);
}

}  // namespace weft::collectives
