#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

#include "protocols/egress.hpp"
#include "protocols/link_control.hpp"
#include "protocols/network_state.hpp"
#include "protocols/nic_scheduler.hpp"
#include "simcore/hash.hpp"

namespace weft::protocols {

/// A host: its ports (classes by strict priority and weight; within a class responses, then queue
/// pairs in turn), the sending and receiving ends of its queue pairs, and the processes that live
/// on it.
///
/// A queue pair waits to send at one port at a time. Where several lead to its destination and its
/// packets are spread over them, it goes on to the next one after each packet. Responses leave by
/// the port that their cause came in by.
///
/// Transports: a RoCEv2-like reliable connection (cumulative ACKs, go-back-N on NACK and time-out,
/// or a receiver that takes packets in any order), and unreliable datagrams.
template <class Path>
class HostModel {
 public:
  explicit HostModel(NetworkState& state) : s_(state), control_(state), scheduler_(state) {}

  /// Ask for the memory of a host's port, and of the queue pairs that used it last.
  [[gnu::always_inline]] void fetch(const PortState& port) const {
    fetch_lines<1, true>(&s_.nics[port.index]);
  }
  [[gnu::always_inline]] void fetch_flows(const PortState& port) const {
    const NicState& nic = s_.nics[port.index];
    if (s_.senders.empty()) return;
    fetch_lines<2, true>(&s_.senders[nic.recent_sender]);
    fetch_lines<2, true>(&s_.receivers[nic.recent_receiver]);
    if (!s_.dcqcn.empty()) fetch_lines<1, true>(&s_.dcqcn[nic.recent_sender]);
  }

  void arrive(Cell& cell, Worker& worker, const Packet& packet, PortState& port, std::int64_t now) {
    if (Path::kGeneral && s_.constants.receive_rate != 0) {
      take_in(cell, worker, packet, port, now);
      return;
    }
    if (Path::kGeneral) grant(cell, worker, packet, port, now);
    receive(cell, worker, packet, port, now);
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

  /// The link of `port` failed: queue pairs that can send by another one go there.
  void flush(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    std::vector<std::uint32_t> moving;  // failures are rare
    take_all(port, moving);
    for (const std::uint32_t qp : moving) activate(cell, worker, qp, now);
  }

  /// Which ports of a host lead where has changed.
  void change_routes(Cell& cell, Worker& worker, std::uint32_t host, const Routes& routes,
                     std::int64_t now) {
    const Node& node = s_.fabric.host(HostId(host));
    std::vector<std::uint32_t> moving;
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      take_all(s_.ports[node.first_port.value() + i], moving);
    }
    // Queue pairs of one host lie together.
    auto s = std::ranges::lower_bound(s_.senders, host, {}, &SenderState::host);
    for (; s != s_.senders.end() && s->host == host; ++s) {
      const auto ports = routes.host_ports(HostId(host), HostId(s->destination));
      if (ports.empty() || s->in_network != 0) continue;
      s->local_ports = ports;
      choose_port(*s);
    }
    for (const std::uint32_t qp : moving) activate(cell, worker, qp, now);
  }

  /// A NIC of finite receive rate has taken in the oldest packet of its buffer.
  void finish_receive(Cell& cell, Worker& worker, PortState& port, std::int64_t now);

  void post(Cell& cell, Worker& worker, ConnectionId connection, Bytes size, std::int64_t now);
  void expire_retransmit_timer(Cell& cell, Worker& worker, std::uint32_t queue_pair,
                               std::int64_t now);
  void wake(Cell& cell, Worker& worker, ProcessId process, std::uint64_t token, std::int64_t now);
  void signal(Cell& cell, Worker& worker, ProcessId process, ProcessId from, std::uint64_t token,
              std::int64_t now);
  void start_process(Cell& cell, Worker& worker, ProcessId process);

 private:
  template <class>
  friend class HostContext;

  void receive(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
               std::int64_t now) {
    ++worker.sums.packets_delivered;
    if (Path::kGeneral && (packet.flow & kInNetworkFlow) != 0) {
      receive_word(cell, worker, packet, now);
      return;
    }
    switch (kind_of(packet)) {
      case PacketKind::kData:
        receive_data(cell, worker, packet, port, now);
        break;
      case PacketKind::kAck:
      case PacketKind::kNack:
        receive_ack(cell, worker, packet, port, now);
        break;
      case PacketKind::kCnp:
        receive_cnp(packet.flow, now);
        break;
    }
  }

  /// A chip says that a sum with a packet of this host is complete.
  void receive_word(Cell& cell, Worker& worker, const Packet& packet, std::int64_t now) {
    const std::uint32_t qp = packet.flow & ~kInNetworkFlow;
    const SenderState& s = s_.senders[qp];
    const Reduction& reduction = s_.reductions[s.in_network_index];
    ++s_.rounds_done[s.first_round + reduction.link_of(packet.sequence)];
    activate(cell, worker, qp, now);
  }

  /// Queue pairs that wait at `port` wait nowhere any more.
  void take_all(PortState& port, std::vector<std::uint32_t>& taken) {
    NicScheduler(s_, port).take_all(s_.constants.classes, taken);
    for (std::uint32_t c = 0; c < s_.constants.classes; ++c) {
      const auto bit = class_bit(static_cast<std::uint8_t>(c));
      if (s_.queue(port, c).packets.empty()) port.waiting &= static_cast<std::uint8_t>(~bit);
    }
  }

  /// Puts a packet into the receive buffer, from where it is taken at the receive rate.
  void take_in(Cell& cell, Worker& worker, const Packet& packet, PortState& port, std::int64_t now);

  void schedule_receive(Cell& cell, const PortState& port, std::int64_t size, std::int64_t now);

  /// The buffer that a packet of a credit class held is free again.
  void grant(Cell& cell, Worker& worker, const Packet& packet, PortState& port, std::int64_t now) {
    const std::uint8_t c = class_of(packet);
    if (!s_.constants.of_class[c].is_credit) return;
    control_.grant(cell, worker, port, c, scheduler_.blocks(c, packet.size), now);
  }

  void start(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    if (port.pending_control != 0 && !port.is_down) [[unlikely]] {
      control_.transmit(cell, worker, port, now);
      return;
    }
    NicScheduler nic(s_, port);
    port.waiting |= nic.release_paced(now);
    for (;;) {
      const std::uint32_t eligible = port.waiting & ~static_cast<unsigned>(port.blocked);
      const std::uint32_t c = scheduler_.choose(
          port, eligible, now, [&](std::uint32_t of) { return next_size(port, nic, of); });
      if (c == ClassScheduler<Path>::kNone) break;
      std::uint32_t moving = kNoIndex;
      if (!send_next(cell, worker, port, nic, c, eligible, now, moving)) continue;
      if (Path::kGeneral && moving != kNoIndex) activate(cell, worker, moving, now);
      return;
    }
    if (nic.has_paced()) {
      cell.next.update(port.local, cell.keys.departure(nic.next_paced(), port.local));
    } else {
      cell.next.remove(port.local);
    }
  }

  /// Wire bytes of what class `c` would send next: a response, or a packet of the queue pair whose
  /// turn it is. 0 if it turns out that nothing may be sent.
  [[nodiscard]] std::int64_t next_size(const PortState& port, NicScheduler& nic, std::uint32_t c) {
    const ClassQueue& queue = s_.queue(port, c);
    if (!queue.packets.empty()) return queue.packets.front().size;
    const std::uint32_t qp = next_sender(nic, c);
    if (qp == kNoIndex) return 0;
    return next_size_of(s_.senders[qp]);
  }

  /// The queue pair of class `c` whose turn it is; those that may not send lose their turn.
  [[nodiscard]] std::uint32_t next_sender(NicScheduler& nic, std::uint32_t c) {
    for (;;) {
      const std::uint32_t qp = nic.first_ready(c);
      if (qp == kNoIndex || can_send(s_.senders[qp])) return qp;
      nic.take_ready(c);
    }
  }

  /// Sends a packet of class `c`. False: it had none that may be sent. `moving`: a queue pair whose
  /// next packet may leave by another port.
  bool send_next(Cell& cell, Worker& worker, PortState& port, NicScheduler& nic, std::uint32_t c,
                 std::uint32_t eligible, std::int64_t now, std::uint32_t& moving) {
    ClassQueue& queue = s_.queue(port, c);
    bool has_sent = false;
    if (!queue.packets.empty()) {
      queue.account(now);
      const Packet& packet = queue.packets.take();
      port.backlog -= packet.size;
      scheduler_.charge(port, c, packet.size, eligible);
      send_response(cell, worker, port, queue, packet, now);
      queue.packets.reclaim(worker.pool);
      has_sent = true;
    } else if (const std::uint32_t qp = next_sender(nic, c); qp != kNoIndex) {
      nic.take_ready(c);
      if (Path::kGeneral) scheduler_.charge(port, c, next_size_of(s_.senders[qp]), eligible);
      const std::int64_t end = send_data(cell, worker, port, queue, qp, now);
      if (Path::kGeneral && is_spread(s_.senders[qp])) {
        moving = qp;
      } else if (can_send(s_.senders[qp])) {
        nic.activate(qp, end);  // its class still waits, or is paced
      }
      has_sent = true;
    }
    if (queue.packets.empty() && nic.first_ready(c) == kNoIndex) {
      port.waiting &= static_cast<std::uint8_t>(~class_bit(static_cast<std::uint8_t>(c)));
      if (Path::kGeneral) queue.deficit = 0;
    }
    return has_sent;
  }

  [[nodiscard]] static std::int64_t next_size_of(const SenderState& s) {
    return s.next == s.message_last ? s.last_size : s.full_size;
  }

  [[nodiscard]] const TransportConstants& transport(std::uint8_t index) const {
    return s_.constants.transports[Path::kGeneral ? index : 0];
  }

  /// Whether each packet of the queue pair may leave by another port than the one before.
  [[nodiscard]] static bool is_spread(const SenderState& s) {
    return s.spreading != PortSpreading::kFlow;
  }

  /// The port that the next packet of an idle queue pair waits at.
  void choose_port(SenderState& s) const {
    const auto n = static_cast<std::uint32_t>(s.local_ports.size());
    std::uint32_t choice = 0;
    switch (s.spreading) {
      case PortSpreading::kRoundRobin:
        choice = in_turn(s, n);
        break;
      case PortSpreading::kLeastLoaded:
        choice = least_loaded(s, in_turn(s, n));
        break;
      case PortSpreading::kRandom:
        choice = choose_by_packet(s_.constants.seed, s.entropy, s.next, s.sent_end, n);
        break;
      case PortSpreading::kFlow:
        choice = s_.choose_host_port(HostId(s.host), s.entropy, n);
        break;
    }
    // A port whose link is down is passed over, unless all are. But what is added up must meet at
    // one chip.
    for (std::uint32_t i = 0; i < n; ++i) {
      s.port = s.first_port + s.local_ports[(choice + i) % n];
      if (!s_.ports[s.port].is_down || s.in_network != 0) return;
    }
  }

  [[nodiscard]] static std::uint32_t in_turn(const SenderState& s, std::uint32_t n) {
    return (s.next + s.entropy % n) % n;
  }

  /// The port with the fewest bytes that wait or are being sent; among equals the first one from
  /// `first` on.
  [[nodiscard]] std::uint32_t least_loaded(const SenderState& s, std::uint32_t first) const {
    const auto n = static_cast<std::uint32_t>(s.local_ports.size());
    std::uint32_t best = first;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t at = (first + i) % n;
      const PortState& port = s_.ports[s.first_port + s.local_ports[at]];
      const std::int64_t load = port.backlog + (port.is_transmitting ? port.service_bytes : 0);
      if (port.is_down || load >= least) continue;
      least = load;
      best = at;
    }
    return best;
  }

  /// Whether the chip can hold the next packet of a reduction.
  [[nodiscard]] bool is_in_window(const SenderState& s) const {
    const Reduction& reduction = s_.reductions[s.in_network_index];
    const std::uint32_t done = s_.rounds_done[s.first_round + reduction.link_of(s.next)];
    return reduction.round_of(s.next) - done < reduction.window;
  }

  [[nodiscard]] bool can_send(const SenderState& s) const {
    if (s.next == s.posted || s.schedule == SenderState::Schedule::kFailed) return false;
    if (Path::kGeneral && s.in_network == kReduceFlow) return is_in_window(s);
    const std::uint32_t window = transport(s.transport).window;
    if (window == 0) return true;
    const std::uint32_t in_flight = s.next == s.sent_end ? s.next - s.received : s.next - s.unacked;
    return in_flight < window;
  }

  void send_response(Cell& cell, Worker& worker, PortState& port, ClassQueue& queue,
                     const Packet& packet, std::int64_t now) {
    ++worker.sums.packets_injected;
    port.service_bytes = packet.size;
    transmit<Path>(s_, port, queue, packet.size, now, cell, worker,
                   [&packet](Packet& on_wire) { on_wire = packet; });
  }

  /// Returns the end of the transmission.
  std::int64_t send_data(Cell& cell, Worker& worker, PortState& port, ClassQueue& queue,
                         std::uint32_t qp, std::int64_t now) {
    const NetworkConstants& k = s_.constants;
    SenderState& s = s_.senders[qp];
    const TransportConstants& t = transport(s.transport);
    const bool is_last = s.next == s.message_last;
    const std::uint32_t sequence = s.next;
    const std::uint16_t size = is_last ? s.last_size : s.full_size;
    const auto flags = static_cast<std::uint8_t>(
        class_flags(s.traffic_class) | (is_last ? kLast : 0U) | (s.first_of_message ? kFirst : 0U));
    const auto write = [&](Packet& packet) {
      packet.flow = Path::kGeneral ? qp | s.in_network : qp;
      packet.sequence = sequence;
      packet.destination = s.destination;
      packet.entropy = s.entropy;
      packet.word = static_cast<std::uint32_t>(now >> kSendTimeShift);
      packet.size = size;
      packet.flags = flags;
      packet.ttl = t.ttl;
    };
    s.first_of_message = false;
    s_.nics[port.index].recent_sender = qp;
    ++s.next;
    if (s.next > s.sent_end) {
      if (t.reliable && !s.has_outstanding()) arm_retransmit_timer(cell, s, qp, now);
      s.sent_end = s.next;
    } else {
      ++worker.sums.packets_retransmitted;
    }
    ++worker.sums.packets_injected;
    port.service_bytes = size;
    if (Path::kGeneral && k.traces_packets) {
      Packet packet;
      write(packet);
      trace_start(worker, packet, port, now);
    }
    const std::int64_t end = transmit<Path>(s_, port, queue, size, now, cell, worker, write);
    s.next_send = Path::kGeneral && is_spread(s) ? now : end;
    if (k.dcqcn && s_.dcqcn[qp].active()) pace(s, s_.dcqcn[qp], size, now);
    if (is_last) load_message(s, s_.hosts[port.owner].messages[s.message].next, s.next);
    if (!t.reliable) s.unacked = s.received = s.next;
    return end;
  }

  void trace_start(Worker& worker, const Packet& packet, const PortState& port,
                   std::int64_t now) const {
    if (!s_.is_watched(packet)) return;
    worker.trace.push_back({.time = now,
                            .value = packet.flow,
                            .subject = port.index,
                            .detail = packet.sequence,
                            .kind = TraceRecord::Kind::kPacketStarted,
                            .traffic_class = class_of(packet)});
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
    const std::uint32_t young = static_cast<std::uint32_t>(now >> kSendTimeShift) - packet.word;
    std::int64_t elapsed = young;
    if (!s_.old_packets.empty()) [[unlikely]]
      elapsed = s_.old_packets.elapsed(packet, now, young);
    worker.packet_latency.add(elapsed << kSendTimeShift);
    ReceiverState& r = s_.receivers[packet.flow];
    const TransportConstants& t = transport(r.transport);
    if (!t.reliable && !t.any_order) {
      receive_datagram(cell, worker, packet, port, now);
      return;
    }
    s_.nics[port.index].recent_receiver = packet.flow;
    if ((packet.flags & kCongested) != 0 && s_.constants.dcqcn) {
      notify_congestion(cell, worker, packet.flow, r, port, now);
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

  /// The expected packet came and no later one waits.
  void accept(Cell& cell, Worker& worker, std::uint32_t qp, ReceiverState& r, bool is_last,
              PortState& port, std::int64_t now) {
    ++r.expected;
    ++r.received;
    ++r.since_ack;
    r.nack_sent = false;
    if (is_last || r.since_ack >= transport(r.transport).ack_every) {
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
      if (r.since_ack >= transport(r.transport).ack_every) {
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
    if (messages > 0 || r.since_ack >= transport(r.transport).ack_every) {
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
    if (Path::kGeneral && !transport(r.transport).reliable) return;
    Packet packet = response(qp, r, kind);
    if (r.echo_pending) packet.flags |= kCongested;
    r.echo_pending = false;
    r.since_ack = 0;
    respond(cell, worker, packet, port, now);
  }

  [[nodiscard]] Packet response(std::uint32_t qp, const ReceiverState& r, PacketKind kind) const {
    const TransportConstants& t = transport(r.transport);
    Packet packet;
    packet.flow = qp;
    packet.sequence = r.expected;
    packet.word = t.any_order ? r.received : r.expected;
    packet.destination = r.host;
    packet.entropy = r.ack_entropy;
    packet.size = t.ack_size;
    packet.ttl = t.ttl;
    const std::uint8_t fixed = kind == PacketKind::kCnp ? t.cnp_class : t.ack_class;
    const std::uint8_t c = fixed == TransportConstants::kSame ? r.traffic_class : fixed;
    packet.flags = static_cast<std::uint8_t>(static_cast<unsigned>(kind) | class_flags(c));
    return packet;
  }

  void respond(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
               std::int64_t now) {
    const std::uint8_t c = class_of(packet);
    ClassQueue& queue = s_.queue(port, c);
    queue.account(now);
    queue.packets.push(packet, worker.pool);
    if (queue.packets.bytes() > queue.peak_bytes) queue.peak_bytes = queue.packets.bytes();
    port.waiting |= class_bit(c);
    port.note_backlog(packet.size);
    if (!port.is_transmitting) start(cell, worker, port, now);
  }

  void receive_cnp(std::uint32_t qp, std::int64_t now) {
    s_.dcqcn[qp].on_cnp(*s_.constants.dcqcn, s_.line_rate(s_.senders[qp]), now);
  }

  void receive_ack(Cell& cell, Worker& worker, const Packet& packet, PortState& port,
                   std::int64_t now) {
    const std::uint32_t qp = packet.flow;
    SenderState& s = s_.senders[qp];
    if (s.schedule == SenderState::Schedule::kFailed) return;
    if ((packet.flags & kCongested) != 0) receive_cnp(qp, now);
    const bool moves = static_cast<std::int32_t>(packet.sequence - s.unacked) > 0;
    const bool counts = static_cast<std::int32_t>(packet.word - s.received) > 0;
    if (counts) s.received = packet.word;
    if (moves) advance_acknowledged(s, packet.sequence);
    if (moves || counts) {
      s.retries = 0;
      s.deadline = now + transport(s.transport).retransmit_timeout;
    }
    if (kind_of(packet) == PacketKind::kNack && s.next > s.unacked) go_back(s);
    if (moves && !s.has_outstanding()) --cell.live_events;
    if (moves) complete_messages(cell, worker, qp, port, now);
    activate(cell, worker, qp, now);
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

  /// Lets an idle queue pair with something to send take part in the turns of a port.
  void activate(Cell& cell, Worker& worker, std::uint32_t qp, std::int64_t now) {
    SenderState& s = s_.senders[qp];
    if (s.schedule != SenderState::Schedule::kIdle || !can_send(s)) return;
    if (Path::kGeneral && s.local_ports.size() > 1) choose_port(s);
    PortState& port = s_.ports[s.port];
    port.waiting |= NicScheduler(s_, port).activate(qp, now);
    if (!port.is_transmitting) start(cell, worker, port, now);
  }

  void arm_retransmit_timer(Cell& cell, SenderState& s, std::uint32_t qp, std::int64_t now);
  static void push_retransmit_event(Cell& cell, std::uint32_t qp, std::int64_t time);
  static void fail(Cell& cell, SenderState& s);

  NetworkState& s_;
  LinkControl control_;
  ClassScheduler<Path> scheduler_;
};

}  // namespace weft::protocols
