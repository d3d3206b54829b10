#include "protocols/network/network_share.hpp"

#include <algorithm>
#include <utility>

#include "protocols/network/packet_engine.hpp"
#include "protocols/network/packet_network.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

NetworkShare PacketNetwork::share() const {
  const NetworkState& s = *state_;
  NetworkShare share;
  for (const PortState& port : s.ports) {
    const ClassRange classes = s.classes_of(port);
    for (const ClassId c : classes) {
      const ClassQueue& q = s.queue(port, c);
      // What a port was sending when the measurement began is its peak, whatever class that is of.
      const bool has_peak =
          q.peak_bytes > Bytes() || (c == *classes.begin() && port.peak_backlog > Bytes());
      const bool has_waited = has_peak || (port.starved & class_bit(c)) != 0;
      if (q.started == q.counted_from && !has_waited) continue;
      const WideUnsigned waiting = static_cast<WideUnsigned>(q.packets.bytes().count()) *
                                   static_cast<std::uint64_t>((now_ - q.changed_at).count());
      share.queues.push_back({.port = port.id,
                              .traffic_class = c,
                              .bytes = q.bytes,
                              .packets = q.started - q.counted_from,
                              .marked = q.marked,
                              .integral = q.integral + waiting,
                              .peak_bytes = q.peak_bytes,
                              .peak_backlog = port.peak_backlog,
                              .stalls = q.stalls,
                              .stall_time = class_counters(port.id, c).credit_stall_time});
    }
  }
  share.sums = engine_->sums();
  share.sums.add(engine_->measured_from, ~std::uint64_t{0});
  for (const LatencyBySize& group : packet_latencies()) merge(share.packet_latency, group);
  return share;
}

void PacketNetwork::add(const QueueShare& share, std::uint64_t times) {
  PortState& port = state_->ports[share.port.value()];
  ClassQueue& q = state_->queue(port, share.traffic_class);
  const auto count = static_cast<std::int64_t>(times);
  q.bytes += count * share.bytes;
  q.started += count * share.packets;
  q.marked += count * share.marked;
  q.integral += times * share.integral;
  q.peak_bytes = std::max(q.peak_bytes, share.peak_bytes);
  port.peak_backlog = std::max(port.peak_backlog, share.peak_backlog);
  q.stalls += static_cast<std::uint32_t>(times * share.stalls);
  q.stall_time += count * share.stall_time;
}

void PacketNetwork::add(const Worker::Sums& sums, std::uint8_t latency_group,
                        const LatencyBySize& packet_latency, std::uint64_t times) {
  if (latency_group >= state_->latency_groups) latency_group = 0;
  engine_->add(sums, latency_group, packet_latency, times);
  note_change();
}

void PacketNetwork::add_before(const Worker::Sums& sums, std::uint64_t times) {
  engine_->add(sums, 0, {}, times);
  engine_->measured_from.add(sums, times);
}

void PacketNetwork::set_external_deliveries(Elsewhere was_delivered) {
  engine_->was_delivered_elsewhere = std::move(was_delivered);
}

}  // namespace weft::protocols
