#include "collectives/costs/domain_costs.hpp"

#include <cmath>
#include <vector>

namespace weft::collectives {

namespace {

/// What a message that chips add up, or repeat, takes at the port of its sender besides its bytes
/// (NVL72, 4 KiB in 8 channels).
constexpr double kInNetworkMessage = 3.75e-9;
/// In-network reductions and multicasts run at this part of the rate of plain messages while all
/// ranks do the same (16 MiB: 1.2 on 8 GPUs, 1.4 on 72). With a few pieces per channel, both go on
/// at once.
constexpr double kInNetworkSlowness = 1.3;
constexpr double kPiecesThatOverlap = 4;
/// Channels of an NVLSTree do not go through its stages in step: they take as long as if every
/// piece of theirs were two (8 channels, 32 GPUs of four servers: 10.0, 16.1 and 96.6 us at 256
/// KiB, 1 MiB and 8 MiB).
constexpr double kChannelsThatOverlap = 2;

}  // namespace

double hierarchical_cost(const CostTerms& t) {
  const double g = t.domain_size;
  const double k = t.domains;
  const bool is_all_reduce = t.spec.operation == Operation::kAllReduce;
  const double count =
      is_all_reduce ? t.pieces(t.size, t.chunk * g) : t.pieces(t.size / t.n, t.chunk);
  const double piece = t.size / count;
  const bool reduces = t.spec.operation != Operation::kAllGather;
  const double handling = reduces ? t.reduce : t.copy;
  // One ring of the domain for everything of a rail, or (gather, scatter) for every domain's
  // share.
  const double laps = is_all_reduce ? 1 : k;
  const double inside = laps * (g - 1) *
                        (t.local.first_packet(piece / laps / g / t.channels) +
                         piece / laps / g * (t.local.per_byte + handling));
  const double along = (is_all_reduce ? 2 : 1) * (k - 1) *
                       (t.net.latency + piece / g / k * (t.net.per_byte + handling));
  // Of an all-gather or reduce-scatter, the ring of a domain works on one domain's share while
  // the rail brings the next.
  const double first = is_all_reduce ? 2 * inside + along : std::max(inside, along + inside / laps);
  // Behind the first piece the stages work side by side; those inside share the links.
  const double bytes_inside = (is_all_reduce ? 2 : 1) * (g - 1) / g * piece * t.local.per_byte;
  return first + (count - 1) * std::max({bytes_inside, along, inside});
}

/// Both levels work side by side; before the rail has anything to pass on, a round inside.
double two_level_all_to_all_cost(const CostTerms& t) {
  const auto n = static_cast<std::size_t>(t.n);
  std::vector<double> inside(2 * n);
  std::vector<double> along(2 * n);
  std::vector<double> handled(n);
  const RankMap& map = t.plan.map;
  for (std::uint32_t from = 0; from < n; ++from) {
    for (std::uint32_t to = 0; to < n; ++to) {
      if (from == to) continue;
      const auto bytes = static_cast<double>(t.plan.block_size(from, to));
      const std::uint32_t relay = map.rank_at(map.domain_of(from), map.position_of(to));
      if (relay != from) {
        inside[from] += bytes;
        inside[n + relay] += bytes;
        handled[relay] += bytes;
      }
      if (relay == to) continue;
      along[relay] += bytes;
      along[n + to] += bytes;
      handled[to] += bytes;
    }
  }
  const double most_inside = *std::ranges::max_element(inside);
  const double most_along = *std::ranges::max_element(along);
  const double copying = *std::ranges::max_element(handled) * t.copy;
  return t.net.latency + t.local(most_inside / t.domains) +
         std::max(most_along * t.net.per_byte, most_inside * t.local.per_byte) + copying;
}

/// Up to the chips for the sums, and down from them for the copies.
double in_network_cost(const CostTerms& t) {
  const bool is_all_reduce = t.spec.operation == Operation::kAllReduce;
  const double count =
      is_all_reduce ? t.pieces(t.size, t.chunk * t.n) : t.pieces(t.size / t.n, t.chunk);
  const double phases = is_all_reduce ? 2 : 1;
  const double messages =
      phases * t.n * t.channels * count * t.spec.execution.slices * kInNetworkMessage;
  const double alone = std::min(1.0, kPiecesThatOverlap / count);
  const double bytes = 1 + 1.0 / t.n + (phases - 1) * alone;
  return phases * t.local.first_packet(t.size / t.n / t.channels) + messages +
         t.size * bytes * kInNetworkSlowness * t.local.per_byte;
}

/// A piece passes all stages, and each of the others follows at the pace of the slowest one. A NIC
/// carries a part twice each way, as a leaf of one tree and inside the other; once if there are two
/// domains, and a third time where one more channel uses one tree than the other. On a level of a
/// tree half of that is on its way.
double nvls_tree_cost(const CostTerms& t) {
  const double g = t.domain_size;
  const double overlap = std::min(t.channels, kChannelsThatOverlap);
  const double count = overlap * t.pieces(t.size, t.chunk * g);
  const double piece = t.size / count;
  const bool is_odd = std::fmod(t.channels, 2) == 1;
  const double times = (t.domains == 2 ? 1 : 2) + (is_odd && t.domains > 2 ? 1 / t.channels : 0);
  const double part = piece / g;
  const double sum = piece * kInNetworkSlowness * t.local.per_byte;
  const double messages = g * t.channels / overlap * t.spec.execution.slices * kInNetworkMessage;
  const double inside = t.local.first_packet(part * overlap / t.channels) + sum + messages;
  const double levels = std::ceil(std::log2(t.domains));
  const double one_way = t.net.latency + part * (times / 2 * t.net.per_byte + t.reduce);
  const double along = times * part * t.net.per_byte + part * (2 * t.reduce + t.copy);
  const double pace = std::max({sum * (1 + 1 / g) + messages, along, piece * t.copy});
  return 2 * (inside + piece * t.copy + levels * one_way) + (count - 1) * pace;
}

}  // namespace weft::collectives
