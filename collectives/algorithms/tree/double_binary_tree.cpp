#include "collectives/algorithms/tree/double_binary_tree.hpp"

#include "collectives/algorithms/tree/tree_schedule.hpp"

namespace weft::collectives {

namespace {

/// Copies of a chunk that a rank of two binary trees sends in the time of one: it is a leaf of one
/// and inside the other. Without a window a quarter more: leaves post their whole half first, and
/// inner ranks' chunks wait behind it (tests/collectives/collective_time_test.cpp).
constexpr double kTreeCopies = 4;
constexpr double kFlood = 1.25;
constexpr double kMaxInFlight = 8;

}  // namespace

std::unique_ptr<const Schedule> DoubleBinaryTree::schedule(SchedulePlan plan) {
  return std::make_unique<TreeSchedule>(std::move(plan), TreeSchedule::Shape::kDoubleBinary);
}

/// Trees of the halves. A chunk takes a level after its last sibling came; behind the first chunk,
/// others follow at the pace of the busiest rank, which sends four of them per pair of trees.
double DoubleBinaryTree::cost(const CostTerms& t) {
  const double count = t.pieces(t.size / 2, t.chunk);
  const double piece = t.size / 2 / count;
  const bool has_chains = t.plan.map.is_even() && t.domains > 1 && t.domain_size > 1;
  const double nodes = has_chains ? t.domains : t.n;
  const Hop& tree = has_chains ? t.net : t.at_distance(t.n / 2);
  double once = 2 * rounds_of(nodes) * tree(2 * piece);
  if (has_chains) once += 2 * (t.domain_size - 1) * t.local(piece);
  const double window = t.spec.execution.in_flight;
  const double copies = window > 0 && window <= kMaxInFlight ? kTreeCopies : kTreeCopies * kFlood;
  return once + (count - 1) * copies * piece * tree.per_byte + t.size * (t.reduce + t.copy);
}

}  // namespace weft::collectives
