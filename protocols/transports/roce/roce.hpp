#pragma once

#include <cassert>
#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/packet/ack.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/answer.hpp"
#include "protocols/transports/roce/selective_repeat.hpp"
#include "protocols/transports/sender.hpp"

namespace weft::protocols {

/// A RoCEv2-like reliable connection: cumulative ACKs; go-back-N on NACK and time-out, or a
/// receiver that takes packets in any order; or selective repeat. `Host` is the host that the ends
/// live on: it sends what they have (`respond`, `activate`) and calls the processes.
template <class Host>
class Roce {
 public:
  Roce(NetworkState& state, Host& host)
      : s_(state), host_(host), sender_(state), selective_(state) {}

  // The sender.

  /// The transmission of a packet begins that was not sent before.
  void on_first_sent(const Here& here, SenderState& s, QueuePairId qp) {
    if (s.repair != kNoIndex) [[unlikely]]
      return selective_.on_first_sent(here, s, qp);
    if (s.has_outstanding()) return;
    arm_timer(here, s, qp);
    host_.watch_paths(here, s, qp);
  }

  void on_sent(const Here&, SenderState& s, bool) {
    if (s.repair != kNoIndex) [[unlikely]]
      selective_.on_sent(s);
  }

  void receive_response(const Here& here, const Packet& packet, PortState& port) {
    if (kind_of(packet) == PacketKind::kCnp) {
      receive_cnp(queue_pair_of_response(packet), here.now);
    } else {
      receive_ack(here, packet, port);
    }
  }

  /// The timer of a queue pair expires: nothing may have been acknowledged for too long.
  void expire_timer(const Here& here, QueuePairId qp);

  // The receiver.

  void receive_data(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    ReceiverState& r = s_.receivers[id];
    const TransportConstants& t = host_.transport(r.transport);
    s_.nics[port.index].recent_receiver = id;
    if (t.control.needs.echo_time) {
      r.sent = send_time(here.now - s_.old_packets.elapsed(packet, here.now));
    }
    if (has(packet, kMarked) && !t.control.is_none()) {
      response_mark(here, id, r, port);
    }
    if constexpr (Host::kHasEntropies) {
      if (!t.entropy.is_fixed()) note_path(r, packet);
    }
    const std::uint32_t ahead = packet.sequence - r.expected;
    if (ahead == 0 && r.early.empty()) [[likely]] {
      accept(here, id, r, has(packet, kLast), port);
    } else if (static_cast<std::int32_t>(ahead) < 0) {
      send_ack(here, id, r, PacketKind::kAck, port);  // a duplicate
    } else if (t.any_order) {
      accept_any_order(here, packet, id, r, port);
    } else if (!r.nack_sent || may_nack_again(id, t, here.now)) {
      r.nack_sent = true;
      if (t.nack_interval > Picoseconds()) {
        s_.next_nack[id] = here.now + t.nack_interval;
      }
      send_ack(here, id, r, PacketKind::kNack, port);
    }
  }

  /// A switch had no room for the packet: under selective repeat its sender hears of it at once.
  void receive_trimmed(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    ReceiverState& r = s_.receivers[id];
    const TransportConstants& t = host_.transport(r.transport);
    if (has(packet, kMarked) && !t.control.is_none()) response_mark(here, id, r, port);
    const std::uint32_t ahead = packet.sequence - r.expected;
    const bool is_here =
        static_cast<std::int32_t>(ahead) < 0 ||
        (ahead > 0 && !r.early.empty() && r.early.has(r.expected, packet.sequence));
    send_ack(here, id, r, is_here ? PacketKind::kAck : PacketKind::kNack, port,
             is_here ? 0 : ahead);
  }

 private:
  void receive_ack(const Here& here, const Packet& packet, PortState& port) {
    const QueuePairId qp = queue_pair_of_response(packet);
    SenderState& s = s_.senders.whole(qp);
    if (s.schedule == SenderState::Schedule::kFailed) return;
    const TransportConstants& t = host_.transport(s.transport);
    const AckFields ack = read_ack(packet, t.ack_layout(), s.unacked);
    if (t.is_selective) [[unlikely]] {
      receive_selective(here, packet, ack, s, port);
      return;
    }
    const bool moves = static_cast<std::int32_t>(ack.expected - s.unacked) > 0;
    const std::uint32_t before = s.received;
    const bool counts = static_cast<std::int32_t>(ack.received - before) > 0;
    if (counts) s.received = ack.received;
    if (!t.control.is_none() && (has(packet, kEchoesMark) || t.control.needs.acks)) {
      notify_control(s, t, packet, ack, s.received - before, here.now);
    }
    if constexpr (Host::kHasEntropies) {
      if (!t.entropy.is_fixed()) notify_path_selection(here, s, packet);
    }
    if (moves) sender_.advance(s, ack.expected);
    if (moves || counts) {
      s.retries = 0;
      s.deadline = here.now + t.retransmit_timeout;
    }
    if (kind_of(packet) == PacketKind::kNack && s.next > s.unacked) {
      sender_.lose(s, t, congestion::LossSignal::kNack, here.now);
      host_.lose_path(here, s, congestion::LossSignal::kNack);
      sender_.go_back(s);
    }
    if (moves && !s.has_outstanding()) --here.lp.live_events;
    if (moves) sender_.complete_messages(here, host_, qp, port);
    host_.activate(here, qp);
  }

  [[gnu::noinline]] void receive_selective(const Here& here, const Packet& packet,
                                           const AckFields& ack, SenderState& s,
                                           const PortState& port) {
    const TransportConstants& t = host_.transport(s.transport);
    const std::uint32_t unacked = s.unacked;
    const std::uint32_t received = s.received;
    const bool is_nack = kind_of(packet) == PacketKind::kNack;
    assert(is_nack || ack.ahead == 0 || kind_of(packet) == PacketKind::kSack);
    selective_.note(s, is_nack ? AckFields{.expected = ack.expected} : ack);
    const std::uint32_t fresh = s.received - received;
    if (!t.control.is_none() && (has(packet, kEchoesMark) || t.control.needs.acks)) {
      notify_control(s, t, packet, ack, fresh, here.now);
    }
    const bool moves = s.unacked != unacked;
    const QueuePairId qp = queue_pair_of_response(packet);
    if (is_nack) selective_.lose_trimmed(here, s, ack.expected + ack.ahead);
    selective_.repair(here, s, qp, moves, fresh > 0);
    if (moves && !s.has_outstanding()) --here.lp.live_events;
    if (moves) sender_.complete_messages(here, host_, qp, port);
    host_.activate(here, qp);
  }

  /// What answers a packet carries its entropy, and says whether it was marked.
  static void note_path(ReceiverState& r, const Packet& packet) {
    r.ack_entropy = packet.entropy;
    r.path_is_marked = has(packet, kMarked);
  }
  [[gnu::noinline]] void notify_path_selection(const Here& here, const SenderState& s,
                                               const Packet& packet) {
    host_.notice_path(s, queue_pair_of_response(packet),
                      {.value = path_selection::value_in(packet.entropy),
                       .is_marked = has(packet, kPathIsMarked),
                       .arrived = s.received,
                       .sent = s.sent_end},
                      here.now);
  }
  void receive_cnp(QueuePairId qp, Picoseconds now) {
    SenderState& s = s_.senders.whole(qp);
    sender_.notify(s, host_.transport(s.transport), now);
  }

  /// Of an ACK with a mark, or of any where the control hears of all. `fresh`: packets that it is
  /// the first to say have arrived.
  void notify_control(SenderState& s, const TransportConstants& t, const Packet& packet,
                      const AckFields& fields, std::uint32_t fresh, Picoseconds now) {
    const bool is_marked = has(packet, kEchoesMark);
    congestion::Acknowledgement ack{.packets = fresh,
                                    .arrived = s.received,
                                    .sent = s.sent_end,
                                    .is_marked = is_marked,
                                    .delay = Picoseconds(delay_of(fields, t.ack_layout(), now))};
    if constexpr (Host::kHasTelemetry) {
      if (t.control.needs.telemetry) {
        ack.hops = s_.telemetry[static_cast<std::uint32_t>(packet.stamp)].reports();
      }
    }
    sender_.acknowledge(s, t, ack, now);
  }

  void arm_timer(const Here& here, SenderState& s, QueuePairId qp);

  /// The expected packet came and no later one waits.
  void accept(const Here& here, ReceiverId id, ReceiverState& r, bool is_last, PortState& port) {
    ++r.expected;
    ++r.received;
    ++r.since_ack;
    r.nack_sent = false;
    const TransportConstants& t = host_.transport(r.transport);
    if (is_last || r.since_ack >= t.ack_every) {
      send_ack(here, id, r, PacketKind::kAck, port);
    }
    if (!is_last) return;
    if (t.is_per_message) forget(id, r, port);
    host_.record_delivery(here, id, r.expected - 1, port);
    host_.notify_delivered(here, id);
  }

  void accept_any_order(const Here& here, const Packet& packet, ReceiverId id, ReceiverState& r,
                        PortState& port) {
    const bool is_last = has(packet, kLast);
    const TransportConstants& t = host_.transport(r.transport);
    const std::uint32_t ack_every = t.ack_every;
    if (packet.sequence != r.expected) {
      if (r.early.insert(r.expected, packet.sequence, is_last)) {
        ++r.received;
        ++r.since_ack;
      }
      if (t.is_selective) {
        send_ack(here, id, r, PacketKind::kSack, port, packet.sequence - r.expected);
      } else if (r.since_ack >= ack_every) {
        send_ack(here, id, r, PacketKind::kAck, port);
      }
      return;
    }
    ++r.received;
    ++r.since_ack;
    std::uint32_t messages = r.early.close_gap(r.expected, is_last, [&](std::uint32_t last) {
      host_.record_delivery(here, id, last, port);
    });
    // A gap that is closed is news for a sender that repairs it.
    if (messages > 0 || t.is_selective || r.since_ack >= ack_every) {
      send_ack(here, id, r, PacketKind::kAck, port);
    }
    if (messages > 0 && t.is_per_message) forget(id, r, port);
    for (; messages > 0; --messages) host_.notify_delivered(here, id);
  }

  /// Whether a gap that was reported may be reported again.
  [[nodiscard]] bool may_nack_again(ReceiverId id, const TransportConstants& t,
                                    Picoseconds now) const {
    return t.nack_interval > Picoseconds() && now >= s_.next_nack[id];
  }

  /// A message is whole that had a queue pair of its own: the next one comes on a fresh one.
  [[gnu::noinline]] void forget(ReceiverId id, ReceiverState& r, const PortState& port) {
    const TransportConstants& t = host_.transport(r.transport);
    r.ack_entropy = message_response_entropy(r.host, port.host(), queue_pair_of(id), r.expected);
    if (!t.control.is_none()) s_.controls.restart_receiver(t.control, r.control_slot);
  }

  /// A marked packet came: the control's part at the receiver says what becomes of it.
  void response_mark(const Here& here, ReceiverId id, ReceiverState& r, PortState& port) {
    const congestion::ControlRef control = host_.transport(r.transport).control;
    switch (s_.controls.on_marked(control, r.control_slot, here.now)) {
      case congestion::MarkResponse::kNothing:
        break;
      case congestion::MarkResponse::kEcho:
      case congestion::MarkResponse::kEchoUntilReduced:  // packets have no room to say so
        r.echo_pending = true;
        break;
      case congestion::MarkResponse::kNotify:
        host_.respond(here, response(id, r, PacketKind::kCnp), port);
        break;
    }
  }

  /// `ahead`: how far the packet that it answers is ahead of the expected one.
  void send_ack(const Here& here, ReceiverId id, ReceiverState& r, PacketKind kind, PortState& port,
                std::uint32_t ahead = 0) {
    // What scale-up switches work on is taken in any order, too, but never acknowledged.
    if (Host::kTakesSums && !host_.transport(r.transport).reliable) return;
    Packet packet = response(id, r, kind, ahead);
    if (r.echo_pending) set(packet, kEchoesMark);
    if (Host::kHasEntropies && r.path_is_marked) set(packet, kPathIsMarked);
    r.echo_pending = false;
    r.since_ack = 0;
    if constexpr (Host::kHasTelemetry) {
      if (s_.telemetry.is_of(id)) {
        packet.word = s_.telemetry.answer(here.worker.number, id, packet.word);
      }
    }
    host_.respond(here, packet, port);
  }

  [[nodiscard]] Packet response(ReceiverId id, const ReceiverState& r, PacketKind kind,
                                std::uint32_t ahead = 0) const {
    const TransportConstants& t = host_.transport(r.transport);
    Packet packet = answer_of(id, r, t, kind);
    write_ack(packet, t.ack_layout(),
              {.expected = r.expected, .received = r.received, .sent = r.sent, .ahead = ahead});
    return packet;
  }

  NetworkState& s_;
  Host& host_;
  Sender sender_;
  SelectiveSender selective_;
};

template <class Host>
void Roce<Host>::arm_timer(const Here& here, SenderState& s, QueuePairId qp) {
  s.deadline = here.now + host_.transport(s.transport).retransmit_timeout;
  ++here.lp.live_events;
  if (s.timer_is_set) return;
  s.timer_is_set = true;
  push_retransmit_timer(here.lp, qp, s.deadline);
}

template <class Host>
void Roce<Host>::expire_timer(const Here& here, QueuePairId qp) {
  SenderState& s = s_.senders.whole(qp);
  if (s.repair != kNoIndex) {
    const std::uint64_t before = here.worker.sums.timeouts;
    const auto expiry = selective_.expire(here, s, qp);
    if (expiry == SelectiveSender::Expiry::kGivesUp) host_.fail(s);
    if (here.worker.sums.timeouts != before) {
      host_.note_plane_loss(here, s, host_.plane_of(s));
      host_.leave_lost_plane(here, s);
    }
    if (expiry == SelectiveSender::Expiry::kRepeats) host_.activate(here, qp);
    return;
  }
  s.timer_is_set = false;
  if (!s.has_outstanding() || s.schedule == SenderState::Schedule::kFailed) return;
  here.lp.last_event_time = here.now;
  if (s.deadline > here.now) {
    s.timer_is_set = true;
    push_retransmit_timer(here.lp, qp, s.deadline);
    return;
  }
  const TransportConstants& t = host_.transport(s.transport);
  if (++s.retries > t.retry_limit) {
    host_.fail(s);
    --here.lp.live_events;
    return;
  }
  s.deadline = here.now + t.retransmit_timeout;
  s.timer_is_set = true;
  push_retransmit_timer(here.lp, qp, s.deadline);
  ++here.worker.sums.timeouts;
  sender_.lose(s, t, congestion::LossSignal::kTimeout, here.now);
  host_.lose_path(here, s, congestion::LossSignal::kTimeout);
  sender_.go_back(s);
  host_.note_plane_loss(here, s, host_.plane_of(s));
  host_.leave_lost_plane(here, s);
  host_.activate(here, qp);
}

}  // namespace weft::protocols
