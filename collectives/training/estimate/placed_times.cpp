#include "collectives/training/estimate/placed_times.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "collectives/costs/choose.hpp"
#include "collectives/costs/cost_model.hpp"

namespace weft::collectives {
namespace {

constexpr double kMaxBytes = 1e15;

/// How many of what there is leave a domain.
class HopShare {
 public:
  void add(double all, double leaving) {
    all_ += all;
    leaving_ += leaving;
  }
  [[nodiscard]] double share() const { return all_ > 0 ? leaving_ / all_ : 0; }

 private:
  double all_ = 0;
  double leaving_ = 0;
};

/// Where these ranks cannot run the algorithm, by the best one.
double seconds_on(const CollectiveSpec& asked, std::uint32_t ranks, const RankLayout& layout) {
  CollectiveSpec spec = asked;
  if (!resolve_algorithm(spec, ranks, layout)) {
    spec = asked;
    spec.algorithm = Algorithm::kBest;
    if (!resolve_algorithm(spec, ranks, layout)) return 0;  // no rates are known
  }
  return estimate(spec, spec.algorithm, ranks, layout).value_or(0);
}

}  // namespace

PlacedTimes::PlacedTimes(const ParallelismSpec& plan, const RankLayout& layout,
                         const CollectiveSpec& how, std::uint32_t expert_domain,
                         std::optional<Algorithm> tokens)
    : grid_(plan, expert_domain), layout_(layout), how_(how), tokens_(tokens) {}

const PlacedTimes::Placement& PlacedTimes::placement_of(GroupKind kind) const {
  const auto [found, is_new] = placements_.try_emplace(kind);
  Placement& placement = found->second;
  if (!is_new) return placement;
  std::map<Pattern, double> groups;
  for (const PlanGroup& group : grid_.groups(kind)) {
    if (group.size > 1) groups[pattern_of(group)] += 1;
  }
  HopShare ring;
  HopShare chain;
  HopShare pairs;
  for (const auto& [pattern, count] : groups) {
    std::unordered_map<std::uint32_t, double> in_domain;
    const std::vector<std::uint32_t>& domain_of = pattern.domain;
    for (std::size_t i = 0; i < domain_of.size(); ++i) {
      const bool is_last = i + 1 == domain_of.size();
      const bool leaves = domain_of[i] != domain_of[is_last ? 0 : i + 1];
      ring.add(count, leaves ? count : 0);
      if (!is_last) chain.add(count, leaves ? count : 0);
      in_domain[domain_of[i]] += 1;
    }
    const auto n = static_cast<double>(domain_of.size());
    double inside = 0;
    for (const auto& [domain, ranks] : in_domain) inside += ranks * (ranks - 1);
    pairs.add(count * n * (n - 1), count * (n * (n - 1) - inside));
    placement.patterns.insert(pattern);
  }
  placement.of_ring = ring.share();
  placement.of_chain = chain.share();
  placement.of_pairs = pairs.share();
  return placement;
}

PlacedTimes::Pattern PlacedTimes::pattern_of(const PlanGroup& group) const {
  Pattern pattern;
  std::unordered_map<std::uint32_t, std::uint32_t> domains;
  std::unordered_map<std::uint32_t, std::uint32_t> nics;
  const auto add = [](std::uint32_t id, auto& numbers, std::vector<std::uint32_t>& to) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    to.push_back(numbers.try_emplace(id, next).first->second);
  };
  for (std::uint32_t i = 0; i < group.size; ++i) {
    const std::uint32_t rank = group.rank_at(i);
    add(layout_.domain.empty() ? rank : layout_.domain[rank], domains, pattern.domain);
    if (!layout_.nic.empty()) add(layout_.nic[rank], nics, pattern.nic);
  }
  return pattern;
}

double PlacedTimes::slowest(GroupKind kind, Operation operation, double bytes) const {
  CollectiveSpec spec = how_;
  const double ranks = grid_.size_of(kind);
  // The size of an all-to-all is what a rank has for one other.
  const double size = operation == Operation::kAllToAll ? bytes / ranks : bytes;
  spec.operation = operation;
  spec.algorithm = algorithm_for(operation, how_.algorithm);
  if (kind == GroupKind::kExpert && tokens_) spec.algorithm = *tokens_;
  spec.size = Bytes(std::llround(std::ceil(std::min(size, kMaxBytes))));
  double max = 0;
  for (const Pattern& pattern : placement_of(kind).patterns) {
    RankLayout layout = layout_;
    const auto size_of_group = static_cast<std::uint32_t>(pattern.domain.size());
    if (!layout_.domain.empty()) layout.domain = pattern.domain;
    layout.nic = pattern.nic;
    max = std::max(max, seconds_on(spec, size_of_group, layout));
  }
  return max;
}

double PlacedTimes::collective(GroupKind kind, Operation operation, double bytes) const {
  if (grid_.size_of(kind) < 2 || bytes <= 0) return 0;
  const auto [found, is_new] = times_.try_emplace({kind, operation, bytes});
  if (is_new) found->second = slowest(kind, operation, bytes);
  return found->second;
}

double PlacedTimes::send(GroupKind kind, double bytes) const {
  if (grid_.size_of(kind) < 2) return 0;
  return message(placement_of(kind).of_chain > 0, bytes);
}

double PlacedTimes::hop(std::uint32_t from, std::uint32_t to, double bytes) const {
  if (from == to) return 0;
  const bool leaves =
      std::ranges::any_of(placement_of(GroupKind::kPipeline).patterns,
                          [&](const Pattern& p) { return p.domain[from] != p.domain[to]; });
  return message(leaves, bytes);
}

double PlacedTimes::message(bool leaves_domain, double bytes) const {
  if (!leaves_domain) return GroupLink{layout_.domain_rate, layout_.domain_latency}.send(bytes);
  const NicPlanes& planes = layout_.planes;
  if (!planes.are_several()) {
    return GroupLink{layout_.network_rate, layout_.network_latency}.send(bytes);
  }
  // Its first packet is stored and forwarded in one of the planes.
  const double first = std::min(bytes, static_cast<double>(planes.packet.count()));
  const BitsPerSecond rate = planes.flow_rate(layout_.network_rate);
  return GroupLink{rate, layout_.network_latency}.send(bytes) +
         planes.stores * GroupLink{planes.rate, {}}.send(first);
}

double PlacedTimes::share_between_domains(GroupKind kind, Operation operation) const {
  const Placement& placement = placement_of(kind);
  if (operation == Operation::kAllToAll) return placement.of_pairs;
  return kind == GroupKind::kPipeline ? placement.of_chain : placement.of_ring;
}

}  // namespace weft::collectives
