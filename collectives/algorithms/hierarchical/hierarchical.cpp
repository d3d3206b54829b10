#include "collectives/algorithms/hierarchical/hierarchical.hpp"

#include <algorithm>
#include <vector>

#include "collectives/algorithms/direct/one_shot.hpp"
#include "collectives/algorithms/hierarchical/hierarchical_schedule.hpp"
#include "collectives/algorithms/hierarchical/two_level.hpp"
#include "collectives/algorithms/refusals.hpp"

namespace weft::collectives {

std::string Hierarchical::refusal(const RankMap& map, bool /*has_in_network_reduction*/) {
  return refuse_uneven_domains(map);
}

std::unique_ptr<const Schedule> Hierarchical::schedule(SchedulePlan plan) {
  if (plan.is_by_blocks()) return std::make_unique<TwoLevelAllToAllSchedule>(std::move(plan));
  return std::make_unique<HierarchicalSchedule>(std::move(plan));
}

namespace {

/// Of vectors.
double hierarchical_cost(const CostTerms& t) {
  const double g = t.domain_size;
  const double k = t.domains;
  const bool is_all_reduce = t.spec.operation == Operation::kAllReduce;
  const double count =
      is_all_reduce ? t.pieces(t.size, t.chunk * g) : t.pieces(t.size / t.n, t.chunk);
  const double piece = t.size / count;
  const bool reduces = t.spec.operation != Operation::kAllGather;
  const double handling = reduces ? t.reduce : t.copy;
  // One ring of the domain for everything of a rail, or (gather, scatter) for every domain's
  // share.
  const double laps = is_all_reduce ? 1 : k;
  const double step = piece / laps / g;
  // Nobody else sends to the neighbour in a ring.
  const double inside =
      laps * (g - 1) *
      (t.local.uncontended_packet(step / t.channels, step) + step * (t.local.per_byte + handling));
  const double along = (is_all_reduce ? 2 : 1) * (k - 1) *
                       (t.net.first_packet(piece / g / k / t.channels) +
                        piece / g / k * (t.net.per_byte + handling));
  // Of an all-gather or reduce-scatter, the ring of a domain works on one domain's share while
  // the rail brings the next.
  const double first = is_all_reduce ? 2 * inside + along : std::max(inside, along + inside / laps);
  // Behind the first piece the stages work side by side; those inside share the links.
  const double bytes_inside = (is_all_reduce ? 2 : 1) * (g - 1) / g * piece * t.local.per_byte;
  return first + (count - 1) * std::max({bytes_inside, along, inside});
}

/// Of blocks, in several domains. Both levels work side by side; before the rail has anything to
/// pass on, a round inside.
double two_level_all_to_all_cost(const CostTerms& t) {
  const auto n = static_cast<std::size_t>(t.n);
  std::vector<double> inside(2 * n);
  std::vector<double> along(2 * n);
  std::vector<double> handled(n);
  const RankMap& map = t.plan.map;
  for (std::uint32_t from = 0; from < n; ++from) {
    for (std::uint32_t to = 0; to < n; ++to) {
      if (from == to) continue;
      const auto bytes = static_cast<double>(t.plan.block_size(from, to));
      const std::uint32_t relay = map.rank_at(map.domain_of(from), map.position_of(to));
      if (relay != from) {
        inside[from] += bytes;
        inside[n + relay] += bytes;
        handled[relay] += bytes;
      }
      if (relay == to) continue;
      along[relay] += bytes;
      along[n + to] += bytes;
      handled[to] += bytes;
    }
  }
  const double max_inside = *std::ranges::max_element(inside);
  const double max_along = *std::ranges::max_element(along);
  const double copying = *std::ranges::max_element(handled) * t.copy;
  return t.net.first_packet(max_along / t.domains) + t.local(max_inside / t.domains) +
         std::max(max_along * t.net.per_byte, max_inside * t.local.per_byte) + copying;
}

}  // namespace

double Hierarchical::cost(const CostTerms& t) {
  if (!t.plan.is_by_blocks()) return hierarchical_cost(t);
  // In one domain there is no second level.
  return t.domains == 1 ? OneShot::cost(t) : two_level_all_to_all_cost(t);
}

double Hierarchical::max_messages(const BoundTerms& terms) {
  const double g = terms.domain_size;
  switch (terms.operation) {
    case Operation::kAllReduce:  // rings inside and along rails
      return (2 * g + 2 * terms.n / g) * terms.chunks(g);
    case Operation::kAllGather:
    case Operation::kReduceScatter:
      return (terms.n + terms.n / g) * terms.chunks(terms.n);
    default:  // blocks inside and along rails
      return 2 * terms.n * terms.chunks();
  }
}

}  // namespace weft::collectives
