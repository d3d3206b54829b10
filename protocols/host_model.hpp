#pragma once

#include <cassert>
#include <cstdint>

#include "protocols/egress.hpp"
#include "protocols/network_state.hpp"
#include "protocols/nic_scheduler.hpp"

namespace weft::protocols {

/// A host: its NIC (strict priority of the control class, then responses, then queue pairs in
/// turn), the sending and receiving ends of its queue pairs, and the processes that live on it.
///
/// Transports: a RoCEv2-like reliable connection (cumulative ACKs, go-back-N on NACK and time-out,
/// or a receiver that takes packets in any order), and unreliable datagrams.
class HostModel {
 public:
  explicit HostModel(NetworkState& state) : s_(state) {}

  /// Ask for the memory of a host, and of the queue pairs that it used last.
  [[gnu::always_inline]] void fetch(std::uint32_t host) const {
    fetch_lines<2, true>(&s_.hosts[host]);
  }
  [[gnu::always_inline]] void fetch_flows(std::uint32_t host) const {
    const HostState& h = s_.hosts[host];
    if (s_.senders.empty()) return;
    fetch_lines<2, true>(&s_.senders[h.recent_sender]);
    fetch_lines<2, true>(&s_.receivers[h.recent_receiver]);
    if (!s_.dcqcn.empty()) fetch_lines<1, true>(&s_.dcqcn[h.recent_sender]);
  }

  void arrive(Cell& cell, Worker& worker, const Packet& packet, PortState& port, std::int64_t now) {
    ++worker.sums.packets_delivered;
    switch (kind_of(packet)) {
      case PacketKind::kData:
        receive_data(cell, worker, packet, port, now);
        break;
      case PacketKind::kAck:
      case PacketKind::kNack:
        receive_ack(cell, worker, packet, port, now);
        break;
      case PacketKind::kCnp:
        receive_cnp(packet.flow, port, now);
        break;
    }
  }

  /// The transmission under way ends, or the time has come for a paced queue pair.
  void depart(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    port.is_transmitting = false;
    port.service_bytes = 0;
    start(cell, worker, port, now);
  }

  void resume(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    if (!port.is_transmitting) start(cell, worker, port, now);
  }

  void post(Cell& cell, Worker& worker, ConnectionId connection, Bytes size, std::int64_t now);
  void expire_retransmit_timer(Cell& cell, Worker& worker, std::uint32_t queue_pair,
                               std::int64_t now);
  void wake(Cell& cell, Worker& worker, ProcessId process, std::uint64_t token, std::int64_t now);
  void signal(Cell& cell, Worker& worker, ProcessId process, ProcessId from, std::uint64_t token,
              std::int64_t now);
  void start_process(Cell& cell, Worker& worker, ProcessId process);

 private:
  friend class HostContext;

  void start(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    if (!port.control.empty()) {
      send_response(cell, worker, port, port.control.pop(worker.pool), now);
      return;
    }
    if (port.is_paused) {
      cell.next.remove(port.local);
      return;
    }
    if (!port.data.empty()) {
      port.account_queue(now);
      send_response(cell, worker, port, port.data.pop(worker.pool), now);
      return;
    }
    NicScheduler nic(s_.hosts[port.owner], s_.senders);
    nic.release_paced(now);
    for (std::uint32_t qp = nic.take_ready(); qp != kNoIndex; qp = nic.take_ready()) {
      if (!can_send(s_.senders[qp])) continue;
      send_data(cell, worker, port, qp, now);
      if (can_send(s_.senders[qp])) nic.activate(qp, port.free_at);
      return;
    }
    if (nic.has_paced()) {
      cell.next.update(port.local, cell.departure_key(nic.next_paced(), port.local));
    } else {
      cell.next.remove(port.local);
    }
  }

  [[nodiscard]] bool can_send(const SenderState& s) const {
    if (s.next == s.posted || s.schedule == SenderState::Schedule::kFailed) return false;
    const std::uint32_t window = s_.constants.window;
    if (window == 0) return true;
    const std::uint32_t in_flight = s.next == s.sent_end ? s.next - s.received : s.next - s.unacked;
    return in_flight < window;
  }

  void send_response(Cell& cell, Worker& worker, PortState& port, const Packet& packet,
                     std::int64_t now) {
    ++worker.sums.packets_injected;
    port.service_bytes = packet.size;
    transmit(port, packet, now, cell, worker);
  }

  void send_data(Cell& cell, Worker& worker, PortState& port, std::uint32_t qp, std::int64_t now) {
    const NetworkConstants& k = s_.constants;
    SenderState& s = s_.senders[qp];
    const bool is_last = s.next == s.message_last;
    Packet packet;
    packet.flow = qp;
    packet.sequence = s.next;
    packet.destination = s.destination;
    packet.entropy = s.entropy;
    packet.word = static_cast<std::uint32_t>(now >> kSendTimeShift);
    packet.size = is_last ? s.last_size : s.full_size;
    packet.flags =
        static_cast<std::uint8_t>((is_last ? kLast : 0U) | (s.first_of_message ? kFirst : 0U));
    packet.ttl = k.ttl;
    s.first_of_message = false;
    s_.hosts[s.host].recent_sender = qp;
    ++s.next;
    if (s.next > s.sent_end) {
      if (k.reliable && !s.has_outstanding()) arm_retransmit_timer(cell, s, qp, now);
      s.sent_end = s.next;
    } else {
      ++worker.sums.packets_retransmitted;
    }
    ++worker.sums.packets_injected;
    port.service_bytes = packet.size;
    transmit(port, packet, now, cell, worker);
    s.next_send = port.free_at;
    if (k.dcqcn && s_.dcqcn[qp].active()) pace(s, s_.dcqcn[qp], packet.size, now);
    if (is_last) load_message(s, s_.hosts[port.owner].messages[s.message].next, s.next);
    if (!k.reliable) s.unacked = s.received = s.next;
  }

  void pace(SenderState& s, Dcqcn& dcqcn, std::int64_t size, std::int64_t now) {
    dcqcn.catch_up(*s_.constants.dcqcn, now);
    s.next_send = now + transmission_time(Bytes(size), BitsPerSecond(dcqcn.rate())).count();
    dcqcn.on_sent(*s_.constants.dcqcn, size);
  }

  /// Makes `message` (of the list of the sender's host) the one that packet `sequence` belongs to.
  void load_message(SenderState& s, std::uint32_t message, std::uint32_t sequence) {
    s.message = message;
    if (message == kNoIndex) return;
    const MessageRecord& record = s_.hosts[s.host].messages[message];
    s.message_last = record.first_sequence + record.packets - 1;
    s.full_size = record.full_size;
    s.last_size = record.last_size;
    s.first_of_message = sequence == record.first_sequence;
  }

  void receive_data(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
                    std::int64_t now) {
    const std::uint32_t sent = packet.word;
    const std::uint32_t elapsed = static_cast<std::uint32_t>(now >> kSendTimeShift) - sent;
    worker.packet_latency.add(static_cast<std::int64_t>(elapsed) << kSendTimeShift);
    if (!s_.constants.reliable) {
      receive_datagram(cell, worker, packet, port, now);
      return;
    }
    s_.hosts[port.owner].recent_receiver = packet.flow;
    ReceiverState& r = s_.receivers[packet.flow];
    if ((packet.flags & kCongested) != 0 && s_.constants.dcqcn) {
      notify_congestion(cell, worker, packet.flow, r, port, now);
    }
    const std::uint32_t ahead = packet.sequence - r.expected;
    if (ahead == 0 && r.early.empty()) [[likely]] {
      accept(cell, worker, packet.flow, r, (packet.flags & kLast) != 0, port, now);
    } else if (static_cast<std::int32_t>(ahead) < 0) {
      send_ack(cell, worker, packet.flow, r, PacketKind::kAck, port, now);  // a duplicate
    } else if (s_.constants.any_order) {
      accept_any_order(cell, worker, packet, r, port, now);
    } else if (!r.nack_sent) {
      r.nack_sent = true;
      send_ack(cell, worker, packet.flow, r, PacketKind::kNack, port, now);
    }
  }

  /// The expected packet came and no later one waits.
  void accept(Cell& cell, Worker& worker, std::uint32_t qp, ReceiverState& r, bool is_last,
              PortState& port, std::int64_t now) {
    ++r.expected;
    ++r.received;
    ++r.since_ack;
    r.nack_sent = false;
    if (is_last || r.since_ack >= s_.constants.ack_every) {
      send_ack(cell, worker, qp, r, PacketKind::kAck, port, now);
    }
    if (is_last) deliver(cell, worker, qp, r, port, now);
  }

  void accept_any_order(Cell& cell, Worker& worker, const Packet& packet, ReceiverState& r,
                        PortState& port, std::int64_t now) {
    const bool is_last = (packet.flags & kLast) != 0;
    if (packet.sequence != r.expected) {
      if (r.early.insert(r.expected, packet.sequence, is_last)) {
        ++r.received;
        ++r.since_ack;
      }
      if (r.since_ack >= s_.constants.ack_every) {
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
      if (ends_message) record_delivery(packet.flow, r.expected - 1, port, now), ++messages;
      if (!r.early.holds(r.expected)) break;
      ends_message = r.early.remove(r.expected);
    }
    if (messages > 0 || r.since_ack >= s_.constants.ack_every) {
      send_ack(cell, worker, packet.flow, r, PacketKind::kAck, port, now);
    }
    for (; messages > 0; --messages) notify_delivered(cell, worker, packet.flow, now);
  }

  void receive_datagram(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
                        std::int64_t now) {
    ReceiverState& r = s_.receivers[packet.flow];
    const bool has_gap = packet.sequence != r.expected;
    r.message_broken = (packet.flags & kFirst) == 0 && (r.message_broken || has_gap);
    r.expected = packet.sequence + 1;
    if ((packet.flags & kLast) != 0 && !r.message_broken) {
      deliver(cell, worker, packet.flow, r, port, now);
    }
  }

  void deliver(Cell& cell, Worker& worker, std::uint32_t qp, const ReceiverState& r,
               PortState& port, std::int64_t now) {
    record_delivery(qp, r.expected - 1, port, now);
    notify_delivered(cell, worker, qp, now);
  }

  void record_delivery(std::uint32_t qp, std::uint32_t last_sequence, const PortState& port,
                       std::int64_t now) {
    s_.hosts[port.owner].deliveries.push_back({qp, last_sequence, now});
  }
  void notify_delivered(Cell& cell, Worker& worker, std::uint32_t qp, std::int64_t now);

  /// The notification point: at most one CNP per queue pair and interval, or a flag on the ACK.
  void notify_congestion(Cell& cell, Worker& worker, std::uint32_t qp, ReceiverState& r,
                         PortState& port, std::int64_t now) {
    if (s_.constants.dcqcn->cnp_on_ack) {
      r.echo_pending = true;
    } else if (now - r.last_cnp >= s_.constants.dcqcn->cnp_interval) {
      r.last_cnp = now;
      respond(cell, worker, response(qp, r, PacketKind::kCnp), port, now);
    }
  }

  void send_ack(Cell& cell, Worker& worker, std::uint32_t qp, ReceiverState& r, PacketKind kind,
                PortState& port, std::int64_t now) {
    Packet packet = response(qp, r, kind);
    if (r.echo_pending) packet.flags |= kEcho;
    r.echo_pending = false;
    r.since_ack = 0;
    respond(cell, worker, packet, port, now);
  }

  [[nodiscard]] Packet response(std::uint32_t qp, const ReceiverState& r, PacketKind kind) const {
    const NetworkConstants& k = s_.constants;
    Packet packet;
    packet.flow = qp;
    packet.sequence = r.expected;
    packet.word = k.any_order ? r.received : r.expected;
    packet.destination = r.host;
    packet.entropy = r.ack_entropy;
    packet.size = k.ack_size;
    packet.ttl = k.ttl;
    packet.flags = static_cast<std::uint8_t>(
        static_cast<unsigned>(kind) | (kind == PacketKind::kCnp ? k.cnp_flags : k.ack_flags));
    return packet;
  }

  void respond(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
               std::int64_t now) {
    if (is_control_class(packet)) {
      port.control.push(packet, worker.pool);
    } else {
      port.account_queue(now);
      port.data.push(packet, worker.pool);
    }
    port.note_backlog();
    if (!port.is_transmitting) start(cell, worker, port, now);
  }

  void receive_cnp(std::uint32_t qp, const PortState& port, std::int64_t now) {
    s_.dcqcn[qp].on_cnp(*s_.constants.dcqcn, port.rate, now);
  }

  void receive_ack(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
                   std::int64_t now) {
    const std::uint32_t qp = packet.flow;
    SenderState& s = s_.senders[qp];
    if (s.schedule == SenderState::Schedule::kFailed) return;
    if ((packet.flags & kEcho) != 0) receive_cnp(qp, port, now);
    const bool moves = static_cast<std::int32_t>(packet.sequence - s.unacked) > 0;
    const bool counts = static_cast<std::int32_t>(packet.word - s.received) > 0;
    if (counts) s.received = packet.word;
    if (moves) advance_acknowledged(s, packet.sequence);
    if (moves || counts) {
      s.retries = 0;
      s.deadline = now + s_.constants.retransmit_timeout;
    }
    if (kind_of(packet) == PacketKind::kNack && s.next > s.unacked) go_back(s);
    if (moves && !s.has_outstanding()) --cell.live_events;
    if (moves) complete_messages(cell, worker, qp, port, now);
    activate(cell, worker, qp, port, now);
  }

  void advance_acknowledged(SenderState& s, std::uint32_t sequence) {
    s.unacked = sequence;
    // After going back, the receiver may turn out to have more than was sent again.
    while (s.next < s.unacked) {
      s.next = std::min(s.unacked, s.message_last + 1);
      s.first_of_message = false;
      if (s.next == s.message_last + 1) {
        load_message(s, s_.hosts[s.host].messages[s.message].next, s.next);
      }
    }
  }

  void go_back(SenderState& s) {
    s.next = s.unacked;
    std::uint32_t message = s.oldest_message;
    const auto& messages = s_.hosts[s.host].messages;
    while (messages[message].first_sequence + messages[message].packets <= s.next) {
      message = messages[message].next;
    }
    load_message(s, message, s.next);
  }

  void complete_messages(Cell& cell, Worker& worker, std::uint32_t qp, const PortState& port,
                         std::int64_t now);

  /// Lets an idle queue pair with something to send take part in the NIC's turns.
  void activate(Cell& cell, Worker& worker, std::uint32_t qp, PortState& port, std::int64_t now) {
    SenderState& s = s_.senders[qp];
    if (s.schedule != SenderState::Schedule::kIdle || !can_send(s)) return;
    NicScheduler(s_.hosts[port.owner], s_.senders).activate(qp, now);
    if (!port.is_transmitting) start(cell, worker, port, now);
  }

  void arm_retransmit_timer(Cell& cell, SenderState& s, std::uint32_t qp, std::int64_t now);
  static void push_retransmit_event(Cell& cell, std::uint32_t qp, std::int64_t time);
  static void fail(Cell& cell, SenderState& s);

  NetworkState& s_;
};

}  // namespace weft::protocols
