#include "collectives/algorithms/hierarchical/two_level.hpp"

#include <algorithm>

namespace weft::collectives {

namespace {

/// Rounds that leave inside a domain before the first of them is taken: blocks of a few bytes would
/// wait a latency for each, and with a window, sends hold up what is to be passed on.
constexpr std::uint32_t kRoundsAhead = 8;

}  // namespace

std::vector<std::uint32_t> TwoLevelAllToAllSchedule::send_peers(std::uint32_t rank,
                                                                std::uint32_t lane) const {
  const RankMap& map = plan().map;
  const bool is_inside = lane % 2 == 0;
  std::vector<std::uint32_t> peers;
  for (std::uint32_t i = 0; i < (is_inside ? map.domain_size() : map.domains()); ++i) {
    const std::uint32_t peer =
        is_inside ? map.rank_at(map.domain_of(rank), i) : map.rank_at(i, map.position_of(rank));
    if (peer != rank) peers.push_back(peer);
  }
  std::ranges::sort(peers);
  return peers;
}

StepStream TwoLevelAllToAllSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  return lane % 2 == 0 ? inside(rank, lane) : along_rail(rank, lane);
}

std::vector<Range> TwoLevelAllToAllSchedule::messages(std::uint32_t from, std::uint32_t to,
                                                      std::uint32_t lane) const {
  const Range share = part_of({0, plan().block_size(from, to)}, plan().channels, channel_of(lane));
  std::vector<Range> slices_of_share;
  for (std::int64_t i = 0; i < piece_count(share.size, plan().chunk) * slices(); ++i) {
    const Range slice =
        part_of(piece_of(share, plan().chunk, i / slices()), slices(), i % slices());
    if (!slice.empty()) slices_of_share.push_back(slice);
  }
  return slices_of_share;
}

StepStream TwoLevelAllToAllSchedule::inside(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  const std::uint32_t g = map.domain_size();
  const std::uint32_t k = map.domains();
  const std::uint32_t domain = map.domain_of(rank);
  const std::uint32_t position = map.position_of(rank);
  // Rounds 1 .. k-1 continue along rails, round k stays.
  for (std::uint32_t round = 1; round <= k + kRoundsAhead; ++round) {
    for (std::uint32_t s = 1; s < g && round <= k; ++s) {
      const std::uint32_t at = (position + s) % g;
      const std::uint32_t to = map.rank_at((domain + round) % k, at);
      for (const Range range : messages(rank, to, lane)) {
        co_yield Step::send(map.rank_at(domain, at), plan().block_of(rank, to), range);
      }
    }
    if (round <= kRoundsAhead) continue;
    for (std::uint32_t s = 1; s < g; ++s) {
      const std::uint32_t from = map.rank_at(domain, (position + g - s) % g);
      const std::uint32_t to = map.rank_at((domain + round - kRoundsAhead) % k, position);
      for (const Range range : messages(from, to, lane)) {
        co_yield Step::receive(from, plan().block_of(from, to), range);
        if (to != rank) co_yield Step::notify(lane + 1);
      }
    }
  }
}

StepStream TwoLevelAllToAllSchedule::along_rail(std::uint32_t rank, std::uint32_t lane) const {
  const RankMap& map = plan().map;
  const std::uint32_t g = map.domain_size();
  const std::uint32_t k = map.domains();
  const std::uint32_t domain = map.domain_of(rank);
  const std::uint32_t position = map.position_of(rank);
  for (std::uint32_t round = 1; round < k; ++round) {
    const std::uint32_t to = map.rank_at((domain + round) % k, position);
    for (std::uint32_t s = 0; s < g; ++s) {
      const std::uint32_t from = map.rank_at(domain, (position + g - s) % g);
      for (const Range range : messages(from, to, lane)) {
        if (from != rank) co_yield Step::await();
        co_yield Step::send(to, plan().block_of(from, to), range);
      }
    }
  }
  for (std::uint32_t round = 1; round < k; ++round) {
    const std::uint32_t other = (domain + k - round) % k;
    for (std::uint32_t s = 0; s < g; ++s) {
      const std::uint32_t from = map.rank_at(other, (position + g - s) % g);
      for (const Range range : messages(from, rank, lane)) {
        co_yield Step::receive(map.rank_at(other, position), plan().block_of(from, rank), range);
      }
    }
  }
}

}  // namespace weft::collectives
