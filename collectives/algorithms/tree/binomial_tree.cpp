#include "collectives/algorithms/tree/binomial_tree.hpp"

#include <algorithm>

#include "collectives/algorithms/tree/tree_place.hpp"

namespace weft::collectives {

std::vector<Range> TreeGatherSchedule::subtree(std::uint32_t number) const {
  const std::uint32_t n = plan().ranks();
  const std::uint32_t span = number == 0 ? n : number & (~number + 1);
  const std::uint32_t end = std::min(number + span, n);
  const std::uint32_t first = rank_of(number);
  const std::uint32_t count = end - number;
  std::vector<Range> ranges;
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    const Range range = parts_of(plan().whole(), n, from, to);
    if (!range.empty()) ranges.push_back(range);
  };
  add(first, std::min(first + count, n));
  if (first + count > n) add(0, first + count - n);
  return ranges;
}

std::vector<std::uint32_t> TreeGatherSchedule::send_peers(std::uint32_t rank,
                                                          std::uint32_t /*lane*/) const {
  TreePlace at = binomial_place(number_of(rank), plan().ranks());
  if (plan().operation == Operation::kGather) {
    if (at.parent == TreePlace::kNone) return {};
    return {rank_of(at.parent)};
  }
  for (std::uint32_t& child : at.children) child = rank_of(child);
  std::ranges::sort(at.children);
  return at.children;
}

StepStream TreeGatherSchedule::steps(std::uint32_t rank, std::uint32_t /*lane*/) const {
  const std::uint32_t number = number_of(rank);
  const TreePlace at = binomial_place(number, plan().ranks());
  const bool is_gather = plan().operation == Operation::kGather;
  if (!is_gather && at.parent != TreePlace::kNone) {
    const std::vector<Range> ranges = subtree(number);
    for (const Range range : ranges) {
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (!slice.empty()) co_yield Step::receive(rank_of(at.parent), 0, slice);
      }
    }
  }
  for (std::size_t c = 0; c < at.children.size(); ++c) {
    const std::uint32_t child =
        is_gather ? at.children[at.children.size() - 1 - c] : at.children[c];
    const std::vector<Range> ranges = subtree(child);
    for (const Range range : ranges) {
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (is_gather) {
          co_yield Step::receive(rank_of(child), 0, slice);
        } else {
          co_yield Step::send(rank_of(child), 0, slice);
        }
      }
    }
  }
  if (is_gather && at.parent != TreePlace::kNone) {
    const std::vector<Range> ranges = subtree(number);
    for (const Range range : ranges) {
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (!slice.empty()) co_yield Step::send(rank_of(at.parent), 0, slice);
      }
    }
  }
}

std::unique_ptr<const Schedule> BinomialTree::schedule(SchedulePlan plan) {
  if (plan.operation == Operation::kGather || plan.operation == Operation::kScatter) {
    return std::make_unique<TreeGatherSchedule>(std::move(plan));
  }
  return std::make_unique<TreeSchedule>(std::move(plan), TreeSchedule::Shape::kBinomial);
}

double BinomialTree::cost(const CostTerms& t) {
  const double count = t.pieces(t.size, t.chunk);
  const double piece = t.size / count;
  const double rounds = rounds_of(t.n);
  double once = 0;
  for (double distance = 1; distance < t.n; distance *= 2) once += t.at_distance(distance)(piece);
  const double again = (count - 1) * rounds * piece * t.net.per_byte;
  switch (t.spec.operation) {
    case Operation::kAllReduce:
    case Operation::kBarrier:
      return 2 * once + again + rounds * t.size * (t.reduce + t.copy);
    case Operation::kReduce:
      return once + again + rounds * t.size * t.reduce;
    case Operation::kGather:
    case Operation::kScatter: {
      double time = 0;
      for (double distance = 1; distance < t.n; distance *= 2) {
        time += t.at_distance(distance)(t.size * std::min(distance, t.n - distance) / t.n);
      }
      return time;
    }
    default:
      return once + again + rounds * t.size * t.copy;
  }
}

/// All but the root send up, all but the root are sent to.
double BinomialTree::max_messages(const BoundTerms& terms) {
  switch (terms.operation) {
    case Operation::kGather:
    case Operation::kScatter:
      return 2;  // ranges of the parts of a subtree
    case Operation::kBarrier:
      return 2;  // up and down
    case Operation::kAllReduce:
      return 2 * terms.chunks();
    default:
      return terms.chunks();
  }
}

}  // namespace weft::collectives
