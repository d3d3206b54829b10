#include "collectives/algorithms/cost_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "collectives/spec/protocol_cost.hpp"

namespace weft::collectives {

namespace {

/// How much longer exchanges of all with all take than their bytes where flows collide on paths:
/// 1.34 (two-shot all-reduce of 8 MiB, 16 servers on four spines by ECMP), 1.19 (64 servers on
/// eight, 64 MiB). Elsewhere senders meet at receivers only.
constexpr double kCollisions = 1.3;
/// The same between domains where packets are spread over all paths: from 1.01 (two-shot all-reduce
/// of 8 MiB, 32 GPUs of four servers on rails, sprayed) to 1.21 (256 KiB).
constexpr double kSpread = 1.1;
/// The same of exchanges in pairs, step by step: every step waits for the path with the most flows,
/// 2.1 on average of four flows on four paths.
constexpr double kPairCollisions = 2;
/// A packet crosses a scale-up domain by one of a GPU's links, twice, to the scale-up switch and
/// from it; and a third time's worth goes by where it meets others on that one while the rest are
/// idle (measured). NVLink 4 and 5 have 18.
constexpr double kCrossings = 3;
/// What scale-up switches work on goes by links in an order in which it does not meet others, and
/// it is on its second link while it is still on its first (measured: all-gather of 32 KiB, 8 GPUs,
/// by nvls).
constexpr double kSwitchCrossings = 1.3;
constexpr double kDomainLinks = 18;

double per_byte(BitsPerSecond rate) {
  return rate == BitsPerSecond(0) ? 0 : 8.0 / static_cast<double>(rate.count());
}

/// More flows than that are counted as normal variables.
constexpr double kCountedFlows = 64;

/// That no plane has more than `max` of `flows` flows. Each plane in turn takes some of those that
/// are left: binomial numbers.
double chance_of_at_most(std::uint32_t max, std::uint32_t flows, std::uint32_t planes) {
  std::vector<double> left(flows + 1);  // by flows that are left, that no plane so far has more
  left[flows] = 1;
  for (std::uint32_t plane = planes; plane > 0; --plane) {
    const double share = 1.0 / plane;
    std::vector<double> next(flows + 1);
    for (std::uint32_t n = 0; n <= flows; ++n) {
      if (left[n] == 0) continue;
      if (plane == 1) {
        if (n <= max) next[0] += left[n];
        continue;
      }
      double chance = std::pow(1 - share, n);  // of k of n
      for (std::uint32_t k = 0; k <= std::min(n, max); ++k) {
        next[n - k] += left[n] * chance;
        chance *= (n - k) / (k + 1.0) * share / (1 - share);
      }
    }
    left = std::move(next);
  }
  return left[0];
}

}  // namespace

double fullest_plane(double flows, std::uint32_t planes, double ranks) {
  const double mean = flows / planes;
  if (flows > kCountedFlows) {
    const double spread = std::sqrt(mean * (1 - 1.0 / planes));
    return std::min(flows, mean + spread * std::sqrt(2 * std::log(planes * ranks)));
  }
  const auto count = static_cast<std::uint32_t>(std::lround(flows));
  double sum = 0;
  for (std::uint32_t max = 0; max < count; ++max) {
    sum += 1 - std::pow(chance_of_at_most(max, count, planes), ranks);
  }
  return sum;
}

CostTerms::CostTerms(const CollectiveSpec& collective, std::uint32_t ranks,
                     const RankLayout& layout)
    : spec(collective), plan(plan_of(collective, ranks, layout)) {
  n = ranks;
  domains = plan.map.domains();
  domain_size = plan.map.is_even() ? plan.map.domain_size() : 1;
  const Execution& execution = spec.execution;
  const ProtocolCost protocol = protocol_cost(execution.protocol);
  const double overhead = static_cast<double>(protocol.wire) / static_cast<double>(protocol.data);
  const Picoseconds step = execution.step_latency.value_or(protocol.step_latency);
  const Picoseconds net_step = execution.network_step_latency.value_or(step);
  const auto hop = [&](Picoseconds latency, BitsPerSecond rate) {
    return Hop{to_seconds(latency), 8 * overhead / static_cast<double>(rate.count()), 0};
  };
  net = hop(layout.network_latency + net_step, layout.network_rate);
  planes = layout.planes;
  channels = execution.channels;
  if (planes.are_several()) {
    // A packet crosses links of one plane one after the other, a message all planes side by side:
    // its packets are as many in each, or one more in some.
    const double longest_share = planes.is_by_flow ? 0 : (1 - 1.0 / planes.count) / 2;
    net.packet = static_cast<double>(planes.packet.count());
    net.per_byte_of_packet = (planes.stores + longest_share) * overhead * per_byte(planes.rate);
    if (planes.is_by_flow) net.per_byte = net_per_byte(channels) * overhead;
  }
  local = domain_size > 1 ? hop(layout.domain_latency + step, layout.domain_rate) : net;
  if (domain_size > 1 && layout.domain_rate > layout.network_rate) {
    local.per_byte_of_link = kDomainLinks * local.per_byte;
    local.per_byte_of_packet = kCrossings * local.per_byte_of_link;
  }
  switches = local;
  if (layout.reduction_rate > BitsPerSecond(0)) {
    switches = hop(layout.domain_latency + step, layout.reduction_rate);
  }
  switches.per_byte_of_packet = kSwitchCrossings / kCrossings * local.per_byte_of_packet;
  farthest = std::max(net.latency, to_seconds(layout.farthest_latency + net_step));
  if (layout.has_collisions && domains > 1) pair_collisions = kPairCollisions;
  collisions = kNoCollisions;
  if (domains > 1 && domain_size > 1) collisions = kSpread;
  if (layout.has_collisions) collisions = kCollisions;
  if (domains == 1) net = local;
  reduce = per_byte(execution.reduce_rate);
  copy = per_byte(execution.copy_rate);
  size = static_cast<double>(plan.size);
  chunk = static_cast<double>(execution.chunk.count());
}

double CostTerms::net_per_byte(double flows) const {
  if (!planes.are_several() || !planes.is_by_flow) return net.per_byte;
  return fullest_plane(flows, planes.count, n) / flows * per_byte(planes.rate);
}

double CostTerms::pieces(double share, double unit) const {
  return chunk == 0 ? 1 : std::max(1.0, std::ceil(share / channels / unit));
}

}  // namespace weft::collectives
