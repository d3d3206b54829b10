#include "collectives/algorithms/nvls/nvls_tree.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/algorithms/nvls/heads.hpp"
#include "collectives/algorithms/nvls/in_network_cost.hpp"
#include "collectives/algorithms/refusals.hpp"

namespace weft::collectives {

std::uint32_t NvlsTreeSchedule::heads() const { return heads_between(plan().map); }

std::vector<std::uint32_t> NvlsTreeSchedule::send_peers(std::uint32_t rank,
                                                        std::uint32_t lane) const {
  if (plan().map.entry_of(rank) >= heads()) return {};
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
    for (std::uint32_t p = 0; p < map.domain_size(); ++p) domains[d].push_back(map.entry_at(d, p));
  }
  return domains;
}

TreePlace NvlsTreeSchedule::place(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  TreePlace place =
      double_binary_place(map.domain_of(rank), map.domains(), channel_of(lane) % 2 == 1);
  const auto to_rank = [&](std::uint32_t& i) { i = map.entry_at(i, map.entry_of(rank)); };
  if (place.parent != TreePlace::kNone) to_rank(place.parent);
  std::ranges::for_each(place.children, to_rank);
  return place;
}

std::int64_t NvlsTreeSchedule::pieces(std::uint32_t lane) const {
  return piece_count(part_of(plan().whole(), plan().channels, channel_of(lane)).size,
                     plan().chunk * heads());
}

Range NvlsTreeSchedule::piece(std::uint32_t lane, std::int64_t i) const {
  return piece_of(part_of(plan().whole(), plan().channels, channel_of(lane)),
                  plan().chunk * heads(), i);
}

Range NvlsTreeSchedule::slice(std::uint32_t lane, std::int64_t p, std::uint32_t position,
                              std::int64_t i) const {
  if (position >= heads()) return {};
  return part_of(part_of(piece(lane, p), heads(), position), slices(), i);
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
  const std::uint32_t h = heads();
  const std::uint32_t own = map.entry_of(rank);
  const std::int64_t all = pieces(lane);
  for (std::int64_t p = 0; p <= all; ++p) {
    for (std::uint32_t i = 0; i < slices() && p < all; ++i) {
      if (is_bounded(lane, own, p * slices() + i)) co_yield Step::await();
    }
    if (p < all && !piece(lane, p).empty()) co_yield Step::copy(rank, 0, piece(lane, p));
    for (std::uint32_t i = 0; i < h * slices() && p < all; ++i) {
      const std::uint32_t head = (own + i / slices()) % h;
      const Range part = slice(lane, p, head, i % slices());
      if (part.empty()) continue;
      co_yield Step::data(Step::Kind::kContribute, map.entry_at(map.domain_of(rank), head), 0,
                          part);
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
  const std::uint32_t own = plan().map.entry_of(rank);
  const std::int64_t all = pieces(lane) * slices();
  for (std::int64_t i = 0; i < all; ++i) {
    const Range part = slice(lane, i / slices(), own, i % slices());
    if (part.empty()) continue;
    const bool frees = is_bounded(lane, own, i + steps_ahead());
    co_yield Step::await();
    for (std::size_t c = at.children.size(); c-- > 0;) {
      co_yield Step::receive_and_reduce(at.children[c], 0, part);
      if (frees) co_yield Step::control_event(at.children[c]);
    }
    if (at.parent != TreePlace::kNone) {
      if (is_bounded(lane, own, i)) co_yield Step::await_control_events(1);
      co_yield Step::send(at.parent, 0, part);
    } else {
      co_yield Step::notify(lane + 1);
    }
    if (frees) co_yield Step::notify(lane - 1);
  }
}

StepStream NvlsTreeSchedule::down(std::uint32_t rank, std::uint32_t lane) const {
  const TreePlace at = place(rank, lane);
  const std::uint32_t own = plan().map.entry_of(rank);
  const auto children = static_cast<std::int64_t>(at.children.size());
  const std::int64_t all = pieces(lane) * slices();
  for (std::int64_t i = 0; i < all; ++i) {
    const Range part = slice(lane, i / slices(), own, i % slices());
    if (part.empty()) continue;
    if (at.parent != TreePlace::kNone) {
      co_yield Step::receive(at.parent, 0, part);
      if (is_bounded(lane, own, i + steps_ahead())) co_yield Step::control_event(at.parent);
    } else {
      co_yield Step::await();
    }
    if (children > 0 && is_bounded(lane, own, i)) co_yield Step::await_control_events(children);
    for (const std::uint32_t child : at.children) co_yield Step::send(child, 0, part);
    co_yield Step::notify(lane + 1);
  }
}

StepStream NvlsTreeSchedule::spread(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  const std::uint32_t h = heads();
  const std::uint32_t own = map.entry_of(rank);
  const std::int64_t all = pieces(lane);
  for (std::int64_t p = 0; p <= all; ++p) {
    for (std::uint32_t i = 0; i < slices() && p < all; ++i) {
      const Range part = slice(lane, p, own, i);
      if (part.empty()) continue;
      co_yield Step::await();
      co_yield Step::data(Step::Kind::kMulticast, rank, 0, part);
    }
    // The piece before, while this one is on its way.
    for (std::uint32_t i = 0; i < h * slices() && p > 0; ++i) {
      const std::uint32_t head = (own % h + h - i / slices()) % h;
      const Range part = slice(lane, p - 1, head, i % slices());
      if (part.empty()) continue;
      co_yield Step::data(Step::Kind::kReceiveMulticast, map.entry_at(map.domain_of(rank), head), 0,
                          part);
    }
    if (p > 0 && !piece(lane, p - 1).empty()) co_yield Step::copy(rank, 0, piece(lane, p - 1));
  }
}

std::string NvlsTree::refusal(const RankMap& map, bool has_in_network_reduction) {
  if (std::string refused = refuse_uneven_domains(map); !refused.empty()) return refused;
  if (map.domains() == 1) {
    return "needs several scale-up domains; all ranks are in one, where `nvls` does the same";
  }
  return refuse_plain_switches(has_in_network_reduction);
}

std::unique_ptr<const Schedule> NvlsTree::schedule(SchedulePlan plan) {
  return std::make_unique<NvlsTreeSchedule>(std::move(plan));
}

namespace {

/// Channels of an NVLSTree do not go through its stages in step: they take as long as if every
/// piece of theirs were two (8 channels, 32 GPUs of four servers: 10.0, 16.1 and 96.6 us at 256
/// KiB, 1 MiB and 8 MiB).
constexpr double kChannelsThatOverlap = 2;

}  // namespace

/// A piece passes all stages, and each of the others follows at the pace of the slowest one. A NIC
/// carries a part twice each way, as a leaf of one tree and inside the other; once if there are two
/// domains, and a third time where one more channel uses one tree than the other. On a level of a
/// tree half of that is on its way.
double NvlsTree::cost(const CostTerms& t) {
  const double h = heads_between(t.plan.map);
  const double overlap = std::min(t.channels, kChannelsThatOverlap);
  const double count = overlap * t.pieces(t.size, t.chunk * h);
  const double piece = t.size / count;
  const bool is_odd = std::fmod(t.channels, 2) == 1;
  const double times = (t.domains == 2 ? 1 : 2) + (is_odd && t.domains > 2 ? 1 / t.channels : 0);
  const double part = piece / h;
  const double sum = piece * t.switches.per_byte;
  const double messages = h * t.channels / overlap * t.spec.execution.slices * kInNetworkMessage;
  const double inside = t.switches.first_packet(part * overlap / t.channels) + sum + messages;
  const double levels = std::ceil(std::log2(t.domains));
  const double one_way =
      t.net.first_packet(part / t.channels) + part * (times / 2 * t.net.per_byte + t.reduce);
  const double along = times * part * t.net.per_byte + part * (2 * t.reduce + t.copy);
  const double pace = std::max({sum * (1 + 1 / h) + messages, along, piece * t.copy});
  return 2 * (inside + piece * t.copy + levels * one_way) + (count - 1) * pace;
}

/// To the scale-up switches for every head, up, to two children, and to all.
double NvlsTree::max_messages(const BoundTerms& terms) {
  const double heads = std::min<double>(terms.domain_size, kMaxHeads);
  return (heads + 4) * terms.chunks(heads);
}

}  // namespace weft::collectives
