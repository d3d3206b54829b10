#include "collectives/algorithms/tree/double_binary_tree.hpp"

#include <algorithm>

#include "collectives/algorithms/tree/tree_schedule.hpp"

namespace weft::collectives {

namespace {

/// Copies of a chunk that a rank of two binary trees sends in the time of one: it is a leaf of one
/// and inside the other. Without a window a quarter more: leaves post their whole half first, and
/// inner ranks' chunks wait behind it (tests/collectives/collective_time_test.cpp).
constexpr double kTreeCopies = 4;
constexpr double kFlood = 1.25;
constexpr double kMaxInFlight = 8;

/// What paced channels take for their parts of a chunk, in seconds, inside domains and between
/// them.
struct Paces {
  Paces(const CostTerms& t, double piece, bool leaves) {
    const Execution& e = t.spec.execution;
    are_set = e.transfer == Execution::Transfer::kPaced &&
              std::max(e.channel_rate, e.network_channel_rate) > BitsPerSecond(0);
    if (!are_set) return;
    const double bits = 8 * piece / t.channels * (t.plan.has_a_tree_per_channel ? 2 : 1);
    const bool has_own = leaves && e.network_channel_rate > BitsPerSecond(0);
    const BitsPerSecond far = has_own ? e.network_channel_rate : e.channel_rate;
    const auto time_at = [&](BitsPerSecond rate) {
      return rate > BitsPerSecond(0) ? bits / static_cast<double>(rate.count()) : 0;
    };
    inside = time_at(e.channel_rate);
    between = time_at(far);
  }
  bool are_set = false;
  double inside = 0;
  double between = 0;
};

}  // namespace

std::unique_ptr<const Schedule> DoubleBinaryTree::schedule(SchedulePlan plan) {
  return std::make_unique<TreeSchedule>(std::move(plan), TreeSchedule::Shape::kDoubleBinary);
}

/// Trees of the halves. A chunk takes a level after its last sibling came; behind the first chunk,
/// others follow at the pace of the busiest rank, which sends four of them per pair of trees.
double DoubleBinaryTree::cost(const CostTerms& t) {
  const double trees = t.plan.has_a_tree_per_channel ? 1 : 2;  // per channel
  const double count = t.pieces(t.size / trees, t.chunk);
  const double piece = t.size / 2 / count;
  const bool has_chains = t.plan.map.is_even() && t.domains > 1 && t.domain_size > 1;
  const double nodes = has_chains ? t.domains : t.n;
  const Hop& tree = has_chains ? t.net : t.at_distance(t.n / 2);
  const Paces paces(t, piece, has_chains || t.domains == t.n);
  double once = 2 * rounds_of(nodes) * std::max(tree(2 * piece), tree.latency + paces.between);
  if (has_chains) {
    once += 2 * (t.domain_size - 1) * std::max(t.local(piece), t.local.latency + paces.inside);
  }
  const double window = t.spec.execution.in_flight;
  const double copies = window > 0 && window <= kMaxInFlight ? kTreeCopies : kTreeCopies * kFlood;
  const double each = std::max({copies * piece * tree.per_byte, paces.inside, paces.between});
  const double handling = paces.are_set ? 0 : t.size * (t.reduce + t.copy);
  return once + (count - 1) * each + handling;
}

/// Half of the share up and down each tree.
double DoubleBinaryTree::max_messages(const BoundTerms& terms) { return 2 * 2 * terms.chunks(2); }

}  // namespace weft::collectives
