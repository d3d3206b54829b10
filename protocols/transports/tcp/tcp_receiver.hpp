#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/packet/ack.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/answer.hpp"

namespace weft::protocols {

/// The receiving end of TCP. It delays an ACK until `ack_every` segments have arrived, or
/// by `ack_delay`. It acknowledges segments that are out of order, duplicate, or fill a gap at once
/// (RFC 5681, 4.2).
template <class Host>
class TcpReceiverEnd {
 public:
  TcpReceiverEnd(NetworkState& state, Host& host) : s_(state), host_(host) {}

  void receive_data(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    ReceiverState& r = s_.receivers[id];
    TcpReceiver& tcp = s_.tcp.receiver(id);
    s_.nics[port.index].recent_receiver = id;
    tcp.port = port.index;
    on_mark(here, packet, id, r, tcp, port);
    const bool is_last = has(packet, kLast);
    const std::uint32_t ahead = packet.sequence - r.expected;
    if (ahead == 0 && r.early.empty()) [[likely]] {
      accept(here, id, r, is_last, port);
    } else if (ahead == 0) {
      fill_gap(here, id, r, is_last, port);
    } else {
      if (static_cast<std::int32_t>(ahead) > 0) {
        if (r.early.insert(r.expected, packet.sequence, is_last)) ++r.received;
        tcp.latest = packet.sequence;
      }
      send_ack(here, id, r, tcp, port);
    }
  }

  /// False: the ACK had gone earlier.
  bool expire_ack_timer(const Here& here, ReceiverId id) {
    ReceiverState& r = s_.receivers[id];
    TcpReceiver& tcp = s_.tcp.receiver(id);
    tcp.timer_is_set = false;
    if (r.since_ack == 0) return false;
    if (tcp.ack_due > here.now) {
      set_timer(here, id, tcp);
      return false;
    }
    here.lp.last_event_time = here.now;
    send_ack(here, id, r, tcp, s_.ports[tcp.port]);
    return true;
  }

 private:
  [[nodiscard]] const TransportConstants& constants(const ReceiverState& r) const {
    return host_.transport(r.transport);
  }

  /// What ACKs echo from this packet on: until the sender says that it has reduced its window (RFC
  /// 3168, 6.1.3), or with an ACK of its own for those before that differ (RFC 8257, 3.2).
  void on_mark(const Here& here, const Packet& packet, ReceiverId id, ReceiverState& r,
               TcpReceiver& tcp, PortState& port) {
    if (has(packet, kWindowReduced)) tcp.echoes = false;
    const TransportConstants& t = constants(r);
    const bool is_marked = has(packet, kMarked) && !t.control.is_none();
    if (!is_marked && !tcp.was_marked) [[likely]]
      return;
    congestion::MarkResponse answer = congestion::MarkResponse::kNothing;
    if (is_marked) answer = s_.controls.on_marked(t.control, r.control_slot, here.now);
    if (answer == congestion::MarkResponse::kEchoUntilReduced) tcp.echoes = true;
    const bool echoes_this = answer == congestion::MarkResponse::kEcho;
    if (echoes_this == tcp.was_marked) return;
    if (r.since_ack > 0) send_ack(here, id, r, tcp, port);
    tcp.was_marked = echoes_this;
  }

  /// The expected segment came and no later one waits.
  void accept(const Here& here, ReceiverId id, ReceiverState& r, bool is_last, PortState& port) {
    const TransportConstants& t = constants(r);
    TcpReceiver& tcp = s_.tcp.receiver(id);
    ++r.expected;
    ++r.received;
    ++r.since_ack;
    if (r.since_ack >= t.ack_every || (is_last && t.acks_last)) {
      send_ack(here, id, r, tcp, port);
    } else if (r.since_ack == 1) {
      tcp.ack_due = here.now + t.ack_delay;
      if (!tcp.timer_is_set) set_timer(here, id, tcp);
    }
    if (!is_last) return;
    host_.record_delivery(here, id, r.expected - 1, port);
    host_.notify_delivered(here, id);
  }

  void fill_gap(const Here& here, ReceiverId id, ReceiverState& r, bool is_last, PortState& port) {
    ++r.received;
    std::uint32_t messages = r.early.close_gap(r.expected, is_last, [&](std::uint32_t last) {
      host_.record_delivery(here, id, last, port);
    });
    send_ack(here, id, r, s_.tcp.receiver(id), port);
    for (; messages > 0; --messages) host_.notify_delivered(here, id);
  }

  /// One calendar entry per connection: one that comes too early files itself again.
  void set_timer(const Here& here, ReceiverId id, TcpReceiver& tcp) {
    tcp.timer_is_set = true;
    const auto type = static_cast<std::uint32_t>(EventType::kDelayedAck);
    schedule(here.lp,
             {.time = tcp.ack_due,
              .order = CalendarEvent::make_order(EventPriority::kTimer, type, id.value(), 0),
              .type = type,
              .target = id.value()});
  }

  void send_ack(const Here& here, ReceiverId id, ReceiverState& r, const TcpReceiver& tcp,
                PortState& port) {
    const TransportConstants& t = constants(r);
    r.since_ack = 0;
    Packet packet = answer_of(id, r, t, PacketKind::kAck);
    packet.sequence = r.expected;
    if (tcp.echoes || tcp.was_marked) set(packet, kEchoesMark);
    if (t.sacks && r.early.holds(tcp.latest) && tcp.latest - r.expected < kHalfOfAll) {
      const auto [first, length] = r.early.run_around(tcp.latest);
      write_sack(packet, {.first = first, .length = length});
    }
    host_.respond(here, packet, port);
  }

  /// What is less ahead than this is ahead, and not behind.
  static constexpr std::uint32_t kHalfOfAll = 1U << 31U;

  NetworkState& s_;
  Host& host_;
};

}  // namespace weft::protocols
