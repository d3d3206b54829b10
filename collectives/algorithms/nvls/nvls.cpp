#include "collectives/algorithms/nvls/nvls.hpp"

#include <numeric>

namespace weft::collectives {

std::vector<RankGroup> NvlsSchedule::groups() const {
  RankGroup all(plan().ranks());
  std::iota(all.begin(), all.end(), 0U);
  return {all};
}

std::int64_t NvlsSchedule::pieces(std::uint32_t channel) const {
  const SchedulePlan& p = plan();
  if (p.operation == Operation::kAllReduce) {
    return piece_count(part_of(p.whole(), p.channels, channel).size, p.chunk * p.ranks());
  }
  return piece_count(p.share(0, channel).size, p.chunk);
}

Range NvlsSchedule::part(std::uint32_t channel, std::int64_t i, std::uint32_t owner) const {
  const SchedulePlan& p = plan();
  if (p.operation == Operation::kAllReduce) {
    const Range share = part_of(p.whole(), p.channels, channel);
    return part_of(piece_of(share, p.chunk * p.ranks(), i), p.ranks(), owner);
  }
  return piece_of(p.share(owner, channel), p.chunk, i);
}

StepStream NvlsSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t n = plan().ranks();
  const bool reduces = plan().operation != Operation::kAllGather;
  const bool repeats = plan().operation != Operation::kReduceScatter;
  const std::int64_t all = pieces(lane);
  for (std::int64_t p = 0; p < all; ++p) {
    for (std::uint32_t i = 0; i < n * slices() && reduces; ++i) {
      const std::uint32_t owner = (rank + i / slices()) % n;
      const Range slice = part_of(part(lane, p, owner), slices(), i % slices());
      if (!slice.empty()) co_yield Step::data(Step::Kind::kContribute, owner, 0, slice);
    }
    for (std::uint32_t i = 0; i < slices(); ++i) {
      const Range slice = part_of(part(lane, p, rank), slices(), i);
      if (slice.empty()) continue;
      if (reduces) co_yield Step::data(Step::Kind::kReceiveReduced, rank, 0, slice);
      if (repeats) co_yield Step::data(Step::Kind::kMulticast, rank, 0, slice);
    }
    for (std::uint32_t i = 0; i < n * slices() && repeats; ++i) {
      const std::uint32_t owner = (rank + n - i / slices()) % n;
      const Range slice = part_of(part(lane, p, owner), slices(), i % slices());
      if (!slice.empty()) co_yield Step::data(Step::Kind::kReceiveMulticast, owner, 0, slice);
    }
  }
}

std::vector<std::uint32_t> NvlsTreeSchedule::send_peers(std::uint32_t rank,
                                                        std::uint32_t lane) const {
  TreePlace at = place(rank, lane);
  switch (stage_of(lane)) {
    case Stage::kUp:
      if (at.parent == TreePlace::kNone) return {};
      return {at.parent};
    case Stage::kDown:
      std::ranges::sort(at.children);
      return at.children;
    default:
      return {};
  }
}

std::vector<RankGroup> NvlsTreeSchedule::groups() const {
  const RankMap& map = plan().map;
  std::vector<RankGroup> domains(map.domains());
  for (std::uint32_t d = 0; d < map.domains(); ++d) {
    for (std::uint32_t p = 0; p < map.domain_size(); ++p) domains[d].push_back(map.rank_at(d, p));
  }
  return domains;
}

TreePlace NvlsTreeSchedule::place(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  TreePlace place =
      double_binary_place(map.domain_of(rank), map.domains(), channel_of(lane) % 2 == 1);
  const auto to_rank = [&](std::uint32_t& i) { i = map.rank_at(i, map.position_of(rank)); };
  if (place.parent != TreePlace::kNone) to_rank(place.parent);
  std::ranges::for_each(place.children, to_rank);
  return place;
}

std::int64_t NvlsTreeSchedule::pieces(std::uint32_t lane) const {
  return piece_count(part_of(plan().whole(), plan().channels, channel_of(lane)).size,
                     plan().chunk * plan().map.domain_size());
}

Range NvlsTreeSchedule::piece(std::uint32_t lane, std::int64_t i) const {
  return piece_of(part_of(plan().whole(), plan().channels, channel_of(lane)),
                  plan().chunk * plan().map.domain_size(), i);
}

Range NvlsTreeSchedule::slice(std::uint32_t lane, std::int64_t p, std::uint32_t position,
                              std::int64_t i) const {
  return part_of(part_of(piece(lane, p), plan().map.domain_size(), position), slices(), i);
}

bool NvlsTreeSchedule::is_bounded(std::uint32_t lane, std::uint32_t position,
                                  std::int64_t i) const {
  return i >= steps_ahead() && i < pieces(lane) * slices() &&
         !slice(lane, i / slices(), position, i % slices()).empty();
}

StepStream NvlsTreeSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  switch (stage_of(lane)) {
    case Stage::kSum:
      return sum(rank, lane);
    case Stage::kUp:
      return up(rank, lane);
    case Stage::kDown:
      return down(rank, lane);
    case Stage::kSpread:
      break;
  }
  return spread(rank, lane);
}

StepStream NvlsTreeSchedule::sum(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  const std::uint32_t g = map.domain_size();
  const std::uint32_t own = map.position_of(rank);
  const std::int64_t all = pieces(lane);
  for (std::int64_t p = 0; p <= all; ++p) {
    for (std::uint32_t i = 0; i < slices() && p < all; ++i) {
      if (is_bounded(lane, own, p * slices() + i)) co_yield Step::await();
    }
    if (p < all && !piece(lane, p).empty()) co_yield Step::copy(rank, 0, piece(lane, p));
    for (std::uint32_t i = 0; i < g * slices() && p < all; ++i) {
      const std::uint32_t head = (own + i / slices()) % g;
      const Range part = slice(lane, p, head, i % slices());
      if (part.empty()) continue;
      co_yield Step::data(Step::Kind::kContribute, map.rank_at(map.domain_of(rank), head), 0, part);
    }
    // The sums of the piece before, while this one is on its way.
    for (std::uint32_t i = 0; i < slices() && p > 0; ++i) {
      const Range part = slice(lane, p - 1, own, i);
      if (part.empty()) continue;
      co_yield Step::data(Step::Kind::kReceiveReduced, rank, 0, part);
      co_yield Step::notify(lane + 1);
    }
  }
}

StepStream NvlsTreeSchedule::up(std::uint32_t rank, std::uint32_t lane) const {
  const TreePlace at = place(rank, lane);
  const std::uint32_t own = plan().map.position_of(rank);
  const std::int64_t all = pieces(lane) * slices();
  for (std::int64_t i = 0; i < all; ++i) {
    const Range part = slice(lane, i / slices(), own, i % slices());
    if (part.empty()) continue;
    const bool frees = is_bounded(lane, own, i + steps_ahead());
    co_yield Step::await();
    for (std::size_t c = at.children.size(); c-- > 0;) {
      co_yield Step::receive_and_reduce(at.children[c], 0, part);
      if (frees) co_yield Step::signal(at.children[c]);
    }
    if (at.parent != TreePlace::kNone) {
      if (is_bounded(lane, own, i)) co_yield Step::await_signals(1);
      co_yield Step::send(at.parent, 0, part);
    } else {
      co_yield Step::notify(lane + 1);
    }
    if (frees) co_yield Step::notify(lane - 1);
  }
}

StepStream NvlsTreeSchedule::down(std::uint32_t rank, std::uint32_t lane) const {
  const TreePlace at = place(rank, lane);
  const std::uint32_t own = plan().map.position_of(rank);
  const auto children = static_cast<std::int64_t>(at.children.size());
  const std::int64_t all = pieces(lane) * slices();
  for (std::int64_t i = 0; i < all; ++i) {
    const Range part = slice(lane, i / slices(), own, i % slices());
    if (part.empty()) continue;
    if (at.parent != TreePlace::kNone) {
      co_yield Step::receive(at.parent, 0, part);
      if (is_bounded(lane, own, i + steps_ahead())) co_yield Step::signal(at.parent);
    } else {
      co_yield Step::await();
    }
    if (children > 0 && is_bounded(lane, own, i)) co_yield Step::await_signals(children);
    for (const std::uint32_t child : at.children) co_yield Step::send(child, 0, part);
    co_yield Step::notify(lane + 1);
  }
}

StepStream NvlsTreeSchedule::spread(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  const std::uint32_t g = map.domain_size();
  const std::uint32_t own = map.position_of(rank);
  const std::int64_t all = pieces(lane);
  for (std::int64_t p = 0; p <= all; ++p) {
    for (std::uint32_t i = 0; i < slices() && p < all; ++i) {
      const Range part = slice(lane, p, own, i);
      if (part.empty()) continue;
      co_yield Step::await();
      co_yield Step::data(Step::Kind::kMulticast, rank, 0, part);
    }
    // The piece before, while this one is on its way.
    for (std::uint32_t i = 0; i < g * slices() && p > 0; ++i) {
      const std::uint32_t head = (own + g - i / slices()) % g;
      const Range part = slice(lane, p - 1, head, i % slices());
      if (part.empty()) continue;
      co_yield Step::data(Step::Kind::kReceiveMulticast, map.rank_at(map.domain_of(rank), head), 0,
                          part);
    }
    if (p > 0 && !piece(lane, p - 1).empty()) co_yield Step::copy(rank, 0, piece(lane, p - 1));
  }
}

}  // namespace weft::collectives
