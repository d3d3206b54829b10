#include "simcore/engine/lp_plan.hpp"

#include <algorithm>
#include <numeric>

namespace weft {
namespace {

/// Plans that are compared: a fabric of cables of any length has as many as cables.
constexpr std::size_t kMaxPlans = 32;
/// A finer plan has to cost this many times the best so far, or less: its windows are shorter, and
/// what a window costs is the least certain of all that is predicted.
constexpr double kWorthwhile = 0.97;
/// Upper bound of a window: arrivals are sorted by 32-bit offsets from its start.
constexpr Picoseconds kLongestWindow = 1_ms;

/// The least time in which anything crosses a cable, in either direction.
Picoseconds cable_latency(const Fabric& fabric, std::span<const Picoseconds> crossing,
                          PortId port) {
  return std::min(crossing[port.value()], crossing[fabric.port(port).peer.value()]);
}

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Nodes whose ports share a link take turns on it, without any latency between them: they are in
/// one logical process, and so are the ends of that link.
void join_sharers(const Fabric& fabric, DisjointSets& sets) {
  const std::vector<PortId> owners = fabric.link_owners();
  for (std::size_t p = 0; p < owners.size(); ++p) {
    const PortId port{p};
    if (fabric.port(port).shared_link == 0) continue;
    const std::uint32_t node = fabric.port(port).node.value();
    sets.join(node, fabric.peer_node(port).value());
    sets.join(node, fabric.port(owners[p]).node.value());
  }
}

/// Logical processes when every cable of at least `threshold` is cut.
LpPlan cut_at(const Fabric& fabric, std::span<const Picoseconds> crossing, Picoseconds threshold) {
  DisjointSets sets(fabric.nodes.size());
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    const PortId port{p};
    if (cable_latency(fabric, crossing, port) < threshold) {
      sets.join(fabric.port(port).node.value(), fabric.peer_node(port).value());
    }
  }
  if (fabric.has_shared_links()) join_sharers(fabric, sets);
  LpPlan plan;
  plan.lp_of_node.resize(fabric.nodes.size());
  std::vector<std::uint32_t> lp_of_root(fabric.nodes.size());
  for (std::uint32_t n = 0; n < fabric.nodes.size(); ++n) {
    const std::uint32_t root = sets.find(n);  // the least node of its set, so seen first
    if (root == n) {
      lp_of_root[n] = plan.lp_count++;
      plan.ports_of_lp.emplace_back();
    }
    plan.lp_of_node[n] = lp_of_root[root];
  }
  plan.lookahead = Picoseconds::max();
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    const PortId port{p};
    const std::uint32_t lp = plan.lp_of_node[fabric.port(port).node.value()];
    plan.ports_of_lp[lp].push_back(port);
    if (lp == plan.lp_of_node[fabric.peer_node(port).value()]) continue;
    const Picoseconds latency = cable_latency(fabric, crossing, port);
    if (latency < plan.lookahead) {
      plan.lookahead = latency;
      plan.limiting_port = port;
    }
  }
  return plan;
}

/// No window is longer than job control takes, which crosses logical processes too.
void bound_lookahead(LpPlan& plan, Picoseconds control_latency) {
  const Picoseconds bound =
      control_latency > Picoseconds(0) ? std::min(kLongestWindow, control_latency) : kLongestWindow;
  if (plan.lookahead <= bound) return;
  plan.lookahead = bound;
  plan.limiting_port = PortId::none();
}

/// Latencies from which on links may be cut, ascending.
std::vector<Picoseconds> thresholds_of(const Fabric& fabric, std::span<const Picoseconds> crossing,
                                       Picoseconds control_latency) {
  std::vector<Picoseconds> thresholds;
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    const Picoseconds latency = cable_latency(fabric, crossing, PortId{p});
    if (latency > Picoseconds(0)) thresholds.push_back(std::min(latency, control_latency));
  }
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  return thresholds;
}

}  // namespace

LpPlan plan_lps(const Fabric& fabric, std::span<const Picoseconds> crossing,
                Picoseconds control_latency, LpPlan::Cut cut, const LpCost& cost) {
  const auto cut_from = [&](Picoseconds threshold) {
    LpPlan plan = cut_at(fabric, crossing, threshold);
    bound_lookahead(plan, control_latency);
    return plan;
  };
  LpPlan best = cut_from(Picoseconds::max());  // the whole fabric
  if (cut == LpPlan::Cut::kOne || control_latency == Picoseconds(0)) return best;
  const std::vector<Picoseconds> thresholds = thresholds_of(fabric, crossing, control_latency);
  if (thresholds.empty()) return best;
  if (cut != LpPlan::Cut::kAuto) return cut_from(thresholds.front());

  double min = cost(best);
  const std::size_t step = (thresholds.size() + kMaxPlans - 1) / kMaxPlans;
  for (std::size_t i = 0; i < thresholds.size(); i += step) {
    LpPlan plan = cut_from(thresholds[thresholds.size() - 1 - i]);
    const double price = cost(plan);
    if (price >= kWorthwhile * min) continue;
    min = price;
    best = std::move(plan);
  }
  return best;
}

}  // namespace weft
