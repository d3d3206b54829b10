#include "collectives/algorithms/tree/tree_schedule.hpp"

#include <algorithm>

namespace weft::collectives {

TreeSchedule::TreeSchedule(SchedulePlan p, Shape shape) : Schedule(std::move(p)), shape_(shape) {}

namespace {

bool goes_both_ways(Operation operation) {
  return operation == Operation::kAllReduce || operation == Operation::kBarrier;
}

}  // namespace

std::uint32_t TreeSchedule::lanes_per_channel() const {
  return trees_per_channel() * (goes_both_ways(plan().operation) ? 2 : 1);
}

bool TreeSchedule::is_of_second(std::uint32_t lane) const {
  if (trees_per_channel() == 1) return channel_of(lane) >= plan().channels / 2;
  return lane / 2 % 2 == 1;
}

std::uint32_t TreeSchedule::channel_in_tree(std::uint32_t lane) const {
  const std::uint32_t channel = channel_of(lane);
  return trees_per_channel() == 1 ? channel % (plan().channels / 2) : channel;
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
  const bool is_second = is_of_second(lane);
  const std::uint32_t size = has_chains ? map.domain_size() : 1;
  // Chains begin where their channel comes into the domain.
  const auto first_of = [&](std::uint32_t domain) {
    return map.position_of(map.entry_at(domain, channel_in_tree(lane) % size));
  };
  const auto in_domain = [&](std::uint32_t domain, std::uint32_t number) {
    return map.rank_at(domain, (number + first_of(domain)) % size);
  };
  const std::uint32_t number =
      has_chains ? (map.position_of(rank) + size - first_of(map.domain_of(rank))) % size : 0;
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
  if (trees_per_channel() == 1) return channel;
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

}  // namespace weft::collectives
