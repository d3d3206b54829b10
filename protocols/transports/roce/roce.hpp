#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/packet/ack.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/sender.hpp"

namespace weft::protocols {

/// A RoCEv2-like reliable connection: cumulative ACKs; go-back-N on NACK and time-out, or a
/// receiver that takes packets in any order. `Host` is the host that the ends live on: it sends
/// what they have (`respond`, `activate`) and calls the processes.
template <class Host>
class Roce {
 public:
  Roce(NetworkState& state, Host& host) : s_(state), host_(host), sender_(state) {}

  // The sender.

  /// The transmission of a packet begins that was not sent before.
  void on_first_sent(Cell& cell, SenderState& s, std::uint32_t qp, std::int64_t now) {
    if (!s.has_outstanding()) arm_timer(cell, s, qp, now);
  }

  void receive_ack(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
                   std::int64_t now) {
    const std::uint32_t qp = packet.flow;
    SenderState& s = s_.senders[qp];
    if (s.schedule == SenderState::Schedule::kFailed) return;
    const TransportConstants& t = host_.transport(s.transport);
    const AckFields ack = read_ack(packet, t.ack_layout(), s.unacked);
    const bool moves = static_cast<std::int32_t>(ack.expected - s.unacked) > 0;
    const std::uint32_t before = s.received;
    const bool counts = static_cast<std::int32_t>(ack.received - before) > 0;
    if (counts) s.received = ack.received;
    if (!t.control.is_none()) tell_control(s, t, packet, ack, s.received - before, now);
    if (moves) sender_.advance(s, ack.expected);
    if (moves || counts) {
      s.retries = 0;
      s.deadline = now + t.retransmit_timeout;
    }
    if (kind_of(packet) == PacketKind::kNack && s.next > s.unacked) {
      sender_.lose(s, t, congestion::Loss::kNack, Picoseconds(now));
      sender_.go_back(s);
    }
    if (moves && !s.has_outstanding()) --cell.live_events;
    if (moves) complete_messages(cell, worker, qp, port, now);
    host_.activate(cell, worker, qp, now);
  }

  void receive_cnp(std::uint32_t qp, std::int64_t now) {
    SenderState& s = s_.senders[qp];
    sender_.notify(s, host_.transport(s.transport), Picoseconds(now));
  }

  /// The timer of a queue pair expires: nothing may have been acknowledged for too long.
  void expire_timer(Cell& cell, Worker& worker, std::uint32_t qp, std::int64_t now);

  // The receiver.

  void receive_data(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
                    std::int64_t now) {
    ReceiverState& r = s_.receivers[packet.flow];
    const TransportConstants& t = host_.transport(r.transport);
    s_.nics[port.index].recent_receiver = packet.flow;
    r.sent = packet.word;
    if ((packet.flags & kCongested) != 0 && !t.control.is_none()) {
      answer_mark(cell, worker, packet.flow, r, port, now);
    }
    const std::uint32_t ahead = packet.sequence - r.expected;
    if (ahead == 0 && r.early.empty()) [[likely]] {
      accept(cell, worker, packet.flow, r, (packet.flags & kLast) != 0, port, now);
    } else if (static_cast<std::int32_t>(ahead) < 0) {
      send_ack(cell, worker, packet.flow, r, PacketKind::kAck, port, now);  // a duplicate
    } else if (t.any_order) {
      accept_any_order(cell, worker, packet, r, port, now);
    } else if (!r.nack_sent) {
      r.nack_sent = true;
      send_ack(cell, worker, packet.flow, r, PacketKind::kNack, port, now);
    }
  }

 private:
  /// `fresh`: packets that this ACK is the first to say have arrived.
  void tell_control(SenderState& s, const TransportConstants& t, const Packet& packet,
                    const AckFields& fields, std::uint32_t fresh, std::int64_t now) {
    const bool is_marked = (packet.flags & kCongested) != 0;
    if (!is_marked && !t.control.needs().acks) return;
    const congestion::Acknowledgement ack{
        .packets = fresh,
        .is_marked = is_marked,
        .delay = Picoseconds(delay_of(fields, t.ack_layout(), now))};
    sender_.acknowledge(s, t, ack, Picoseconds(now));
  }

  void complete_messages(Cell& cell, Worker& worker, std::uint32_t qp, const PortState& port,
                         std::int64_t now);
  void arm_timer(Cell& cell, SenderState& s, std::uint32_t qp, std::int64_t now);
  static void push_timer(Cell& cell, std::uint32_t qp, std::int64_t time);

  /// The expected packet came and no later one waits.
  void accept(Cell& cell, Worker& worker, std::uint32_t qp, ReceiverState& r, bool is_last,
              PortState& port, std::int64_t now) {
    ++r.expected;
    ++r.received;
    ++r.since_ack;
    r.nack_sent = false;
    if (is_last || r.since_ack >= host_.transport(r.transport).ack_every) {
      send_ack(cell, worker, qp, r, PacketKind::kAck, port, now);
    }
    if (!is_last) return;
    host_.record_delivery(qp, r.expected - 1, port, now);
    host_.notify_delivered(cell, worker, qp, now);
  }

  void accept_any_order(Cell& cell, Worker& worker, const Packet& packet, ReceiverState& r,
                        PortState& port, std::int64_t now) {
    const bool is_last = (packet.flags & kLast) != 0;
    const std::uint32_t ack_every = host_.transport(r.transport).ack_every;
    if (packet.sequence != r.expected) {
      if (r.early.insert(r.expected, packet.sequence, is_last)) {
        ++r.received;
        ++r.since_ack;
      }
      if (r.since_ack >= ack_every) {
        send_ack(cell, worker, packet.flow, r, PacketKind::kAck, port, now);
      }
      return;
    }
    // The gap closes: everything up to the next gap is in order now.
    std::uint32_t messages = 0;
    ++r.received;
    ++r.since_ack;
    bool ends_message = is_last;
    for (;;) {
      ++r.expected;
      if (ends_message) {
        host_.record_delivery(packet.flow, r.expected - 1, port, now);
        ++messages;
      }
      if (!r.early.holds(r.expected)) break;
      ends_message = r.early.remove(r.expected);
    }
    if (messages > 0 || r.since_ack >= ack_every) {
      send_ack(cell, worker, packet.flow, r, PacketKind::kAck, port, now);
    }
    for (; messages > 0; --messages) host_.notify_delivered(cell, worker, packet.flow, now);
  }

  /// A marked packet came: the control's part at the receiver says what becomes of it.
  void answer_mark(Cell& cell, Worker& worker, std::uint32_t qp, ReceiverState& r, PortState& port,
                   std::int64_t now) {
    const congestion::ControlRef control = host_.transport(r.transport).control;
    switch (s_.controls.on_marked(control, r.control_slot, Picoseconds(now))) {
      case congestion::Answer::kNothing:
        break;
      case congestion::Answer::kEcho:
        r.echo_pending = true;
        break;
      case congestion::Answer::kNotify:
        host_.respond(cell, worker, response(qp, r, PacketKind::kCnp), port, now);
        break;
    }
  }

  void send_ack(Cell& cell, Worker& worker, std::uint32_t qp, ReceiverState& r, PacketKind kind,
                PortState& port, std::int64_t now) {
    // What chips work on is taken in any order, too, but never acknowledged.
    if (Host::kIsGeneral && !host_.transport(r.transport).reliable) return;
    Packet packet = response(qp, r, kind);
    if (r.echo_pending) packet.flags |= kCongested;
    r.echo_pending = false;
    r.since_ack = 0;
    host_.respond(cell, worker, packet, port, now);
  }

  [[nodiscard]] Packet response(std::uint32_t qp, const ReceiverState& r, PacketKind kind) const {
    const TransportConstants& t = host_.transport(r.transport);
    Packet packet;
    packet.flow = qp;
    write_ack(packet, t.ack_layout(),
              {.expected = r.expected, .received = r.received, .sent = r.sent});
    packet.destination = r.host;
    packet.entropy = r.ack_entropy;
    packet.size = t.ack_size;
    packet.ttl = t.ttl;
    const std::uint8_t fixed = kind == PacketKind::kCnp ? t.cnp_class : t.ack_class;
    const std::uint8_t c = fixed == TransportConstants::kSame ? r.traffic_class : fixed;
    packet.flags = static_cast<std::uint8_t>(static_cast<unsigned>(kind) | class_flags(c));
    return packet;
  }

  NetworkState& s_;
  Host& host_;
  Sender sender_;
};

template <class Host>
void Roce<Host>::complete_messages(Cell& cell, Worker& worker, std::uint32_t qp,
                                   const PortState& port, std::int64_t now) {
  HostState& host = s_.hosts[port.owner];
  for (;;) {
    SenderState& s = s_.senders[qp];
    if (s.oldest_message == kNoIndex) break;
    MessageRecord& record = host.messages[s.oldest_message];
    if (record.first_sequence + record.packets > s.unacked) break;
    record.acknowledged = now;
    s.oldest_message = record.next;
    if (s.oldest_message == kNoIndex) s.newest_message = kNoIndex;
    host_.notify_acknowledged(cell, worker, s.connection, now);  // may post
  }
}

template <class Host>
void Roce<Host>::push_timer(Cell& cell, std::uint32_t qp, std::int64_t time) {
  const auto type = static_cast<std::uint32_t>(EventType::kRetransmit);
  cell.agenda.push({.time = time,
                    .order = AgendaEvent::make_order(EventRank::kTimer, type, qp, 0),
                    .type = type,
                    .target = qp});
}

template <class Host>
void Roce<Host>::arm_timer(Cell& cell, SenderState& s, std::uint32_t qp, std::int64_t now) {
  s.deadline = now + host_.transport(s.transport).retransmit_timeout;
  ++cell.live_events;
  if (s.timer_is_set) return;
  s.timer_is_set = true;
  push_timer(cell, qp, s.deadline);
}

template <class Host>
void Roce<Host>::expire_timer(Cell& cell, Worker& worker, std::uint32_t qp, std::int64_t now) {
  SenderState& s = s_.senders[qp];
  s.timer_is_set = false;
  if (!s.has_outstanding() || s.schedule == SenderState::Schedule::kFailed) return;
  cell.last_event_time = now;
  if (s.deadline > now) {
    s.timer_is_set = true;
    push_timer(cell, qp, s.deadline);
    return;
  }
  const TransportConstants& t = host_.transport(s.transport);
  if (++s.retries > t.retry_limit) {
    s.schedule = SenderState::Schedule::kFailed;
    --cell.live_events;
    return;
  }
  s.deadline = now + t.retransmit_timeout;
  s.timer_is_set = true;
  push_timer(cell, qp, s.deadline);
  sender_.lose(s, t, congestion::Loss::kTimeout, Picoseconds(now));
  sender_.go_back(s);
  host_.activate(cell, worker, qp, now);
}

}  // namespace weft::protocols
