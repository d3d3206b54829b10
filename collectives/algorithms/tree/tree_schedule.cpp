#include "collectives/algorithms/tree/tree_schedule.hpp"

#include <bit>

namespace weft::collectives {

TreePlace binomial_place(std::uint32_t i, std::uint32_t n) {
  TreePlace place;
  std::uint32_t below = std::bit_ceil(n);
  if (i > 0) {
    place.parent = i & (i - 1);
    below = i & (~i + 1);
  }
  for (std::uint32_t bit = below >> 1U; bit > 0; bit >>= 1U) {
    if (i + bit < n) place.children.push_back(i + bit);
  }
  return place;
}

TreePlace binary_place(std::uint32_t i, std::uint32_t n) {
  TreePlace place;
  if (i == 0) {
    if (n > 1) place.children.push_back(std::bit_floor(n - 1));
    return place;
  }
  const std::uint32_t bit = i & (~i + 1);  // the height of the node
  const std::uint32_t above = (i ^ bit) | (bit << 1U);
  place.parent = above < n ? above : i ^ bit;
  if (bit == 1) return place;
  place.children.push_back(i - bit / 2);
  // To the right there may be less than a full subtree.
  std::uint32_t step = bit / 2;
  while (step > 0 && i + step >= n) step /= 2;
  if (step > 0) place.children.push_back(i + step);
  return place;
}

TreePlace double_binary_place(std::uint32_t i, std::uint32_t n, bool is_second) {
  if (!is_second) return binary_place(i, n);
  const bool is_mirrored = n % 2 == 0;
  TreePlace place = binary_place(is_mirrored ? n - 1 - i : (i + n - 1) % n, n);
  const auto back = [&](std::uint32_t& number) {
    number = is_mirrored ? n - 1 - number : (number + 1) % n;
  };
  if (place.parent != TreePlace::kNone) back(place.parent);
  std::ranges::for_each(place.children, back);
  return place;
}

TreeSchedule::TreeSchedule(SchedulePlan p, Shape shape) : Schedule(std::move(p)), shape_(shape) {}

namespace {

bool goes_both_ways(Operation operation) {
  return operation == Operation::kAllReduce || operation == Operation::kBarrier;
}

}  // namespace

std::uint32_t TreeSchedule::lanes_per_channel() const {
  return (shape_ == Shape::kDoubleBinary ? 2 : 1) * (goes_both_ways(plan().operation) ? 2 : 1);
}

bool TreeSchedule::is_up(std::uint32_t lane) const {
  if (goes_both_ways(plan().operation)) return lane % 2 == 0;
  return plan().operation == Operation::kReduce;
}

TreePlace TreeSchedule::place(std::uint32_t rank, std::uint32_t lane) const {
  if (shape_ == Shape::kDoubleBinary) return binary_place_of(rank, lane);
  const std::uint32_t n = plan().ranks();
  TreePlace place = binomial_place((rank + n - plan().root) % n, n);
  const auto to_rank = [this, n](std::uint32_t& number) { number = (number + plan().root) % n; };
  if (place.parent != TreePlace::kNone) to_rank(place.parent);
  std::ranges::for_each(place.children, to_rank);
  return place;
}

TreePlace TreeSchedule::binary_place_of(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  const bool has_chains = map.is_even() && map.domains() > 1 && map.domain_size() > 1;
  const std::uint32_t n = has_chains ? map.domains() : map.ranks();
  const bool is_second = lane / 2 % 2 == 1;
  const std::uint32_t channel = channel_of(lane);
  const std::uint32_t size = has_chains ? map.domain_size() : 1;
  const auto in_domain = [&](std::uint32_t domain, std::uint32_t number) {
    return map.rank_at(domain, (number + channel) % size);
  };
  const std::uint32_t number =
      has_chains ? (map.position_of(rank) + size - channel % size) % size : 0;
  const std::uint32_t node = has_chains ? map.domain_of(rank) : rank;
  TreePlace place;
  if (number > 0) {
    place.parent = in_domain(node, number - 1);
  } else {
    place = double_binary_place(node, n, is_second);
    if (has_chains) {
      const auto to_rank = [&](std::uint32_t& i) { i = in_domain(i, 0); };
      if (place.parent != TreePlace::kNone) to_rank(place.parent);
      std::ranges::for_each(place.children, to_rank);
    }
  }
  if (number + 1 < size) place.children.push_back(in_domain(node, number + 1));
  return place;
}

Range TreeSchedule::share(std::uint32_t lane) const {
  const Range channel = part_of(plan().whole(), plan().channels, channel_of(lane));
  if (shape_ == Shape::kBinomial) return channel;
  return part_of(channel, 2, lane / 2 % 2);
}

std::vector<std::uint32_t> TreeSchedule::send_peers(std::uint32_t rank, std::uint32_t lane) const {
  TreePlace at = place(rank, lane);
  if (is_up(lane)) {
    if (at.parent == TreePlace::kNone) return {};
    return {at.parent};
  }
  std::ranges::sort(at.children);
  return at.children;
}

StepStream TreeSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  return is_up(lane) ? up(rank, lane) : down(rank, lane);
}

StepStream TreeSchedule::up(std::uint32_t rank, std::uint32_t lane) const {
  const TreePlace at = place(rank, lane);
  const Range all = share(lane);
  const std::int64_t pieces = piece_count(all.size, plan().chunk);
  for (std::int64_t i = 0; i < pieces * slices(); ++i) {
    const Range slice = part_of(piece_of(all, plan().chunk, i / slices()), slices(), i % slices());
    if (slice.empty()) continue;
    for (std::size_t c = at.children.size(); c-- > 0;) {
      co_yield Step::receive_and_reduce(at.children[c], 0, slice);
    }
    if (at.parent != TreePlace::kNone) {
      co_yield Step::send(at.parent, 0, slice);
    } else if (goes_both_ways(plan().operation)) {
      co_yield Step::notify(lane + 1);
    }
  }
}

StepStream TreeSchedule::down(std::uint32_t rank, std::uint32_t lane) const {
  const TreePlace at = place(rank, lane);
  const Range all = share(lane);
  const std::int64_t pieces = piece_count(all.size, plan().chunk);
  for (std::int64_t i = 0; i < pieces * slices(); ++i) {
    const Range slice = part_of(piece_of(all, plan().chunk, i / slices()), slices(), i % slices());
    if (slice.empty()) continue;
    if (at.parent != TreePlace::kNone) {
      co_yield Step::receive(at.parent, 0, slice);
    } else if (goes_both_ways(plan().operation)) {
      co_yield Step::await();
    }
    for (const std::uint32_t child : at.children) co_yield Step::send(child, 0, slice);
  }
}

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

}  // namespace weft::collectives
