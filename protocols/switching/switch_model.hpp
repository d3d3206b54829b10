#pragma once

#include <cstdint>

#include "protocols/egress.hpp"
#include "protocols/network_state.hpp"
#include "simcore/hash.hpp"

namespace weft::protocols {

/// An output-queued switch with a shared buffer: strict priority of the control class over the data
/// class, PFC by ingress port on the data class, RED marking of data packets, ECMP by flow or by
/// packet. Every packet counts against the shared buffer; a full buffer drops.
class SwitchModel {
 public:
  explicit SwitchModel(NetworkState& state) : s_(state) {}

  void arrive(Cell& cell, Worker& worker, Packet& packet, PortState& in, std::int64_t now) {
    SwitchState& sw = s_.switches[in.owner];
    const NetworkConstants& k = s_.constants;
    if (--packet.ttl == 0) [[unlikely]] {
      ++in.counters.ttl_drops;
      ++worker.sums.packets_dropped;
      return;
    }
    if (sw.buffer_used + packet.size > k.buffer) [[unlikely]] {
      ++in.counters.buffer_drops;
      ++worker.sums.packets_dropped;
      return;
    }
    PortState& out = s_.ports[sw.first_port + choose_egress(sw, SwitchId(in.owner), packet)];
    sw.buffer_used += packet.size;
    if (sw.buffer_used > sw.buffer_peak) sw.buffer_peak = sw.buffer_used;
    const bool is_control = is_control_class(packet);
    if (k.pfc && !is_control) {
      in.ingress_bytes += packet.size;
      if (in.ingress_bytes > k.xoff && !in.has_paused_peer) [[unlikely]] {
        in.has_paused_peer = true;
        send_pause(in, 1, now, cell, worker);
      }
    }
    packet.stamp = in.number;
    if (is_control) {
      out.control.push(packet, worker.pool);
    } else {
      if (k.ecn && !k.mark_at_dequeue) mark(out, packet);
      out.account_queue(now);
      out.data.push(packet, worker.pool);
    }
    out.note_backlog();
    if (!out.is_transmitting) start(cell, worker, out, sw, now);
  }

  /// The transmission under way at `port` ends.
  void depart(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    SwitchState& sw = s_.switches[port.owner];
    port.is_transmitting = false;
    if (port.service_bytes != 0) {
      if (!s_.constants.release_at_start) release(cell, worker, port, sw, now);
      port.service_bytes = 0;
    }
    start(cell, worker, port, sw, now);
  }

  /// The peer lifted or imposed a pause; a port that idles may have work now.
  void resume(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    if (!port.is_transmitting) start(cell, worker, port, s_.switches[port.owner], now);
  }

  /// The pause that holds the peer of `port` is about to run out.
  void refresh_pause(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    send_pause(port, 1, now, cell, worker);
  }

  [[nodiscard]] static std::int64_t pause_duration(const PortState& port) {
    return port.transmission(kMaximumQuanta * kQuantumBytes);
  }

 private:
  static constexpr std::int64_t kMaximumQuanta = 65'535;  // IEEE 802.3 31B.2: 16-bit pause_time
  static constexpr std::int64_t kQuantumBytes = 64;       // one quantum is 512 bit times

  [[nodiscard]] std::uint32_t choose_egress(const SwitchState& sw, SwitchId at,
                                            const Packet& packet) const {
    const auto hops = s_.routes.next_hops(at, HostId(packet.destination));
    const auto n = static_cast<std::uint32_t>(hops.size());
    if (n == 1) return hops[0];
    return hops[s_.constants.spray ? choose_by_packet(sw.hash_seed, packet.entropy, packet.sequence,
                                                      packet.word, n)
                                   : choose_by_flow(sw.hash_seed, packet.entropy, n)];
  }

  void start(Cell& cell, Worker& worker, PortState& port, SwitchState& sw, std::int64_t now) {
    const NetworkConstants& k = s_.constants;
    if (port.pending_pause != 0) [[unlikely]] {
      transmit_pause(port, k, now, cell, worker);
      return;
    }
    Packet packet;
    bool counts_for_pfc = false;
    if (!port.control.empty()) {
      packet = port.control.pop(worker.pool);
    } else if (!port.data.empty() && !port.is_paused) {
      port.account_queue(now);
      packet = port.data.pop(worker.pool);
      if (k.ecn && k.mark_at_dequeue) mark(port, packet);
      counts_for_pfc = k.pfc;
    } else {
      cell.next.remove(port.local);
      return;
    }
    port.service_bytes = packet.size;
    port.service_ingress = static_cast<std::uint16_t>(packet.stamp);
    port.service_counts_for_pfc = counts_for_pfc;
    transmit(port, packet, now, cell, worker);
    if (k.release_at_start) release(cell, worker, port, sw, now);
  }

  /// The packet in service at `port` leaves the buffer accounts.
  void release(Cell& cell, Worker& worker, PortState& port, SwitchState& sw, std::int64_t now) {
    sw.buffer_used -= port.service_bytes;
    if (!port.service_counts_for_pfc) return;
    PortState& in = s_.ports[sw.first_port + port.service_ingress];
    in.ingress_bytes -= port.service_bytes;
    if (in.has_paused_peer && in.ingress_bytes < s_.constants.xon) [[unlikely]] {
      in.has_paused_peer = false;
      send_pause(in, 2, now, cell, worker);
    }
  }

  /// RED (Floyd and Jacobson 1993, on the instantaneous queue as DCQCN asks): no marks up to Kmin,
  /// linear to Pmax at Kmax, every packet above it.
  void mark(PortState& port, Packet& packet) {
    const NetworkConstants& k = s_.constants;
    const std::int64_t waiting = port.data.bytes();
    if (waiting <= k.kmin || kind_of(packet) != PacketKind::kData) return;
    if (waiting <= k.kmax) {
      const auto probability = static_cast<std::uint64_t>(
          static_cast<WideUnsigned>(k.pmax) * static_cast<std::uint64_t>(waiting - k.kmin) /
          static_cast<std::uint64_t>(k.kmax - k.kmin));
      const RandomStream random(k.seed, Purpose::kEcnMark, port.id.value());
      if (random.bits32(static_cast<std::uint64_t>(port.counters.packets)) >= probability) return;
    }
    packet.flags |= kCongested;
    ++port.counters.ecn_marked;
  }

  void send_pause(PortState& port, std::uint8_t value, std::int64_t now, Cell& cell,
                  Worker& worker) {
    const NetworkConstants& k = s_.constants;
    if (value == 1) {
      ++port.counters.pauses_sent;
      if (!k.pause_until_resume) schedule_refresh(cell, port, now);
    }
    if (k.pause_frame == 0) {
      deliver_pause(port, value, now, cell, worker);
      return;
    }
    port.pending_pause = value;
    if (!port.is_transmitting) transmit_pause(port, k, now, cell, worker);
  }

  static void schedule_refresh(Cell& cell, PortState& port, std::int64_t now) {
    // Half the pause leaves time for the frame to wait behind a packet and to travel.
    schedule(cell, {.time = now + pause_duration(port) / 2,
                    .order = AgendaEvent::make_order(
                        EventRank::kTimer, static_cast<std::uint32_t>(EventType::kPauseRefresh),
                        port.id.value(), ++port.refresh_sequence),
                    .type = static_cast<std::uint32_t>(EventType::kPauseRefresh),
                    .target = port.id.value(),
                    .value = port.refresh_sequence});
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
