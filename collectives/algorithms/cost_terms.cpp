#include "collectives/algorithms/cost_terms.hpp"

#include <cmath>

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

}  // namespace

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
  channels = execution.channels;
}

double CostTerms::pieces(double share, double unit) const {
  return chunk == 0 ? 1 : std::max(1.0, std::ceil(share / channels / unit));
}

}  // namespace weft::collectives
