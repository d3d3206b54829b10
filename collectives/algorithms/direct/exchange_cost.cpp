#include "collectives/algorithms/direct/exchange_cost.hpp"

#include <algorithm>

namespace weft::collectives {

namespace {

/// Of a message besides its bytes, at the port of its sender: headers, and the acknowledgement of
/// one that comes the other way. A RoCE frame's 82 + 86 bytes at 400 Gbps; measured as much in an
/// NVLink domain (one-shot all-reduce of 4 KiB in 8 channels, NVL72).
constexpr double kMessage = 3e-9;

/// Seconds per byte of what all paced channels of a rank move together.
double pace(const CostTerms& t) {
  const Execution& e = t.spec.execution;
  if (e.transfer != Execution::Transfer::kPaced || e.channel_rate == BitsPerSecond(0)) return 0;
  return 8 / (t.channels * static_cast<double>(e.channel_rate.count()));
}

}  // namespace

double direct_exchange_cost(const CostTerms& t, double each, double count) {
  const double outside = t.n - t.domain_size;
  const double inside = t.domain_size - 1;
  const double messages = kMessage * t.channels * count * t.spec.execution.slices;
  if (t.domains == 1) {
    const double factor = t.domain_size > 1 ? kNoCollisions : t.collisions;
    const double per_byte = std::max(factor * t.local.per_byte, pace(t));
    return t.local.first_packet(each / t.channels) + (t.n - 1) * each * per_byte +
           (t.n - 1) * messages;
  }
  const double first = t.farthest - t.net.latency + t.net.first_packet(each / t.channels);
  const double per_byte = t.net_per_byte(outside * t.channels);
  const double net = first + outside * (each * t.collisions * per_byte + messages);
  if (t.domain_size == 1) return net;
  return std::max(
      net, t.local.first_packet(each / t.channels) + inside * (each * t.local.per_byte + messages));
}

}  // namespace weft::collectives
