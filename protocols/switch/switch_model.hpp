#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/switch/crossbar.hpp"
#include "protocols/switch/load_balancer.hpp"
#include "protocols/switch/shared_buffer.hpp"

namespace weft::protocols {

/// A switch: up to eight classes per egress with strict priority and deficit round robin, a shared
/// buffer with PFC by ingress port and class, credit-based classes with buffers per ingress, ECN
/// marking, ECMP by flow or by packet. Packets queue at their outputs or at their inputs, and are
/// forwarded whole or cut through.
template <class Path>
class SwitchModel {
 public:
  explicit SwitchModel(NetworkState& state)
      : s_(state), control_(state), scheduler_(state), crossbar_(state), balancer_(state) {}

  void arrive(Cell& cell, Worker& worker, Packet& packet, PortState& in, std::int64_t now) {
    SwitchState& sw = s_.switches[in.owner];
    const NetworkConstants& k = s_.constants;
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = k.of_class[c];
    if (packet.ttl == 1) [[unlikely]] {
      ++in.ttl_drops;
      drop(cell, worker, in, packet, now);
      return;
    }
    if (Path::kGeneral && (packet.flow & kInNetworkFlow) != 0) {
      work_on(cell, worker, packet, in, now);
      return;
    }
    const std::uint32_t egress = choose_egress(sw, in, packet, c, now);
    if (Path::kGeneral && egress == kNoIndex) [[unlikely]] {
      ++in.fault_drops;
      drop(cell, worker, in, packet, now);
      return;
    }
    const std::uint32_t out_index = sw.first_port + egress;
    PortState& out = s_.ports[out_index];
    if (Path::kGeneral && out.is_down) {
      ++out.fault_drops;
      drop(cell, worker, in, packet, now);
      return;
    }
    PortState& holder = queues_at_inputs() ? in : out;
    ClassQueue& queue = s_.queue_at(queues_at_inputs() ? in.index : out_index, c);
    if (Path::kGeneral && constants.is_credit) {
      s_.account(in, c).bytes += scheduler_.blocks(c, packet.size) * constants.block;
    } else if (!admit(cell, worker, packet, sw, in, out, queue, now)) {
      return;
    }
    const std::int64_t stamp = holding_stamp(packet, sw, in, out, now);
    const bool marks =
        queue.packets.bytes() > constants.unmarked_on_arrival &&
        is_marked(worker, holder, queue, packet, order_of(queue) + queue.packets.size(), now);
    Packet& waiting = enqueue(worker, holder, queue, packet, stamp, now);
    if (marks) waiting.flags |= kCongested;
    if (queues_at_inputs()) {
      if (queue.packets.size() == 1) {
        crossbar_.request(cell, in.owner, in.index - sw.first_port, out.index - sw.first_port, c,
                          now);
      }
      return;
    }
    if (!out.is_transmitting) start(cell, worker, out, sw, now);
  }

  /// The transmission under way at `port` ends.
  void depart(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    SwitchState& sw = s_.switches[port.owner];
    // The port counts as busy while the packet leaves the accounts: that may pause or resume the
    // peer of this very port, where routes send packets back.
    if (port.service_bytes != 0) {
      if (!s_.constants.release_at_start) release_served(cell, worker, port, sw, now);
      if (queues_at_inputs()) {
        crossbar_.free_input(cell, port.owner, port.service_ingress, now);
      }
      port.service_bytes = 0;
    }
    port.is_transmitting = false;
    start(cell, worker, port, sw, now);
  }

  /// Something at `port` allows it to send again; it may idle.
  [[gnu::noinline]] void resume(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    if (!port.is_transmitting) start(cell, worker, port, s_.switches[port.owner], now);
  }

  /// Matches inputs to outputs; after everything else that happens at this instant.
  void arbitrate(Cell& cell, Worker& worker, std::uint32_t at, std::int64_t now) {
    SwitchState& sw = s_.switches[at];
    Crossbar& x = s_.crossbars[at];
    x.is_scheduled = false;
    std::uint64_t outputs = x.changed_outputs;
    x.changed_outputs = 0;
    // Who goes first among outputs changes, for the sake of inputs that hold heads for several.
    const unsigned turn = x.rounds % sw.port_count;
    for (; outputs != 0;) {
      const std::uint64_t later = outputs >> turn << turn;
      const auto output =
          static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : outputs));
      outputs &= ~(std::uint64_t{1} << output);
      serve_output(cell, worker, sw, at, output, now);
    }
  }

  /// The link of `port` failed: what waits for it is lost.
  void flush(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    SwitchState& sw = s_.switches[port.owner];
    if (queues_at_inputs()) {
      // The arbiter drops what has come to the head of an input.
      crossbar_.look_at(cell, port.owner, port.index - sw.first_port, now);
      return;
    }
    for (std::uint8_t c = 0; c < s_.constants.classes; ++c) {
      ClassQueue& queue = s_.queue(port, c);
      while (!queue.packets.empty()) {
        const Packet& packet = take(worker, port, queue, c, now);
        lose(cell, worker, port, sw, packet, waiting_port(packet), queue, now);
        queue.packets.reclaim(worker.pool);
      }
    }
  }

 private:
  [[nodiscard]] bool queues_at_inputs() const {
    return Path::kGeneral && s_.constants.input_queued;
  }
  /// How many packets have left `queue` before.
  [[nodiscard]] std::int64_t order_of(const ClassQueue& queue) const {
    return queues_at_inputs() ? queue.taken : queue.started;
  }
  [[nodiscard]] static std::int64_t cells(const SwitchState& sw, std::int64_t size) {
    return Path::kGeneral ? sw.cells(size) : size;
  }

  /// A local port, or kNoIndex where failures have left no way.
  [[nodiscard]] std::uint32_t choose_egress(const SwitchState& sw, PortState& in,
                                            const Packet& packet, std::uint8_t c,
                                            std::int64_t now) {
    const auto hops = sw.routes->next_hops(SwitchId(in.owner), HostId(packet.destination));
    if (Path::kGeneral && hops.empty()) [[unlikely]] {
      return kNoIndex;
    }
    if (hops.size() == 1) return hops[0];
    // The links of a GPU to a chip lie side by side: what comes by all of one GPU's goes on by all
    // of another's.
    if (Path::kGeneral && sw.is_chip) return hops[(in.index - sw.first_port) % hops.size()];
    return balancer_.choose(sw, in, packet, c, hops, now);
  }

  /// Finds room in the shared buffer, and pauses the sender where that is due. False: dropped.
  [[nodiscard]] bool admit(Cell& cell, Worker& worker, const Packet& packet, SwitchState& sw,
                           PortState& in, const PortState& out, ClassQueue& queue,
                           std::int64_t now) {
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = s_.constants.of_class[c];
    IngressAccount& account = s_.account(in, c);
    const bool fits = buffer_.admit(sw, account, queue, constants, cells(sw, packet.size));
    if (!fits) [[unlikely]] {
      ++account.drops;
      ++worker.sums.packets_dropped;
    }
    // What did not fit into a partition crossed its threshold too; as long as something is there
    // that will leave, the pause will be lifted.
    const bool is_above = fits ? buffer_.is_above_xoff(sw, account, constants)
                               : Path::kGeneral && constants.has_partitions && account.bytes > 0;
    if (constants.is_pfc && !account.is_pausing && is_above) [[unlikely]] {
      account.is_pausing = true;
      account.cause = find_cause(sw, in, out, c);
      control_.send_pause(cell, worker, in, c, now);
    }
    return fits;
  }

  /// The egress that holds most of what has come in by `in` in this class: the one to blame for a
  /// pause. The packet that crosses XOFF may be bound for an egress that is idle; mostly it is not,
  /// and then the others are not looked at.
  [[nodiscard]] std::uint16_t find_cause(const SwitchState& sw, const PortState& in,
                                         const PortState& out, std::uint8_t c) const {
    std::uint32_t cause = out.index - sw.first_port;
    if (s_.constants.input_queued) {
      const PacketQueue& waiting = s_.queue(in, c).packets;
      return static_cast<std::uint16_t>(waiting.empty() ? cause : waiting_port(waiting.front()));
    }
    const std::uint32_t ingress = in.index - sw.first_port;
    std::int64_t most = waiting_from(ingress, s_.queue(out, c).packets);
    if (2 * most < s_.account(in, c).bytes) {
      for (std::uint32_t p = 0; p < sw.port_count; ++p) {
        const PortState& egress = s_.ports[sw.first_port + p];
        if ((egress.waiting & class_bit(c)) == 0) continue;
        const std::int64_t bytes = waiting_from(ingress, s_.queue(egress, c).packets);
        if (bytes <= most) continue;
        most = bytes;
        cause = p;
      }
    }
    return static_cast<std::uint16_t>(cause);
  }

  /// About how many of the waiting bytes came in by port number `ingress`, judged by the packets at
  /// the head, so that it costs little however long the queue is.
  [[nodiscard]] static std::int64_t waiting_from(std::uint32_t ingress,
                                                 const PacketQueue& waiting) {
    if (waiting.empty()) return 0;
    constexpr std::uint32_t kSample = 16;
    std::uint32_t from_here = 0;
    waiting.for_first(kSample, [&](const Packet& packet) {
      from_here += waiting_port(packet) == ingress ? 1 : 0;
    });
    return waiting.bytes() * from_here / std::min(kSample, waiting.size());
  }

  /// What a waiting packet holds for a stamp: where it came from (or goes to, where inputs queue)
  /// and when its last bit will be here.
  [[nodiscard]] std::int64_t holding_stamp(const Packet& packet, const SwitchState& sw,
                                           const PortState& in, const PortState& out,
                                           std::int64_t now) const {
    const NetworkConstants& k = s_.constants;
    std::int64_t stamp = (queues_at_inputs() ? out.index : in.index) - sw.first_port;
    if (Path::kGeneral && k.cut_through) {
      const std::int64_t first = std::min<std::int64_t>(packet.size, k.cut_through_after);
      const std::int64_t tail = now + PortState::transmission_at(packet.size, in.ingress_rate) -
                                PortState::transmission_at(first, in.ingress_rate);
      stamp |= tail << kTailShift;
    }
    return stamp;
  }

  /// Returns the packet in its place.
  Packet& enqueue(Worker& worker, PortState& holder, ClassQueue& queue, const Packet& packet,
                  std::int64_t stamp, std::int64_t now) {
    const std::uint8_t c = class_of(packet);
    queue.account(now);
    Packet& copy = queue.packets.push(packet, worker.pool);
    copy.stamp = stamp;
    copy.ttl = static_cast<std::uint8_t>(packet.ttl - 1);
    if (queue.packets.bytes() > queue.peak_bytes) queue.peak_bytes = queue.packets.bytes();
    holder.waiting |= class_bit(c);
    holder.note_backlog(packet.size);
    if (Path::kGeneral && holder.is_watched) trace_queue(worker, holder, queue, c, now);
    if (Path::kGeneral && s_.constants.traces_packets) {
      trace_packet(worker, TraceRecord::Kind::kPacketEnqueued, packet, holder, now);
    }
    return copy;
  }

  /// Takes the oldest packet out of `queue`; its memory is to be reclaimed.
  [[nodiscard]] const Packet& take(Worker& worker, PortState& holder, ClassQueue& queue,
                                   std::uint8_t c, std::int64_t now) {
    queue.account(now);
    const Packet& packet = queue.packets.take();
    if (queues_at_inputs()) ++queue.taken;
    holder.backlog -= packet.size;
    if (queue.packets.empty()) holder.waiting &= static_cast<std::uint8_t>(~class_bit(c));
    if (Path::kGeneral && holder.is_watched) trace_queue(worker, holder, queue, c, now);
    return packet;
  }

  [[gnu::always_inline]] void start(Cell& cell, Worker& worker, PortState& port, SwitchState& sw,
                                    std::int64_t now) {
    if (port.pending_control != 0 && !port.is_down) [[unlikely]] {
      control_.transmit(cell, worker, port, now);
      return;
    }
    if (queues_at_inputs()) {
      cell.next.remove(port.local);
      crossbar_.look_at(cell, port.owner, port.index - sw.first_port, now);
      return;
    }
    const std::uint32_t eligible = port.waiting & ~static_cast<unsigned>(port.blocked);
    const std::uint32_t c = scheduler_.choose(port, eligible, now, [&](std::uint32_t of) {
      return std::int64_t{s_.queue(port, of).packets.front().size};
    });
    if (c == ClassScheduler<Path>::kNone) {
      cell.next.remove(port.local);
      return;
    }
    ClassQueue& queue = s_.queue(port, c);
    const Packet& packet = take(worker, port, queue, static_cast<std::uint8_t>(c), now);
    scheduler_.charge(port, c, packet.size, eligible);
    if (Path::kGeneral && queue.packets.empty()) queue.deficit = 0;
    send(cell, worker, port, sw, queue, packet, waiting_port(packet), now);
    queue.packets.reclaim(worker.pool);
  }

  /// Puts `packet` of `queue`, which came in by port number `ingress`, on the wire at `port`.
  [[gnu::always_inline]] void send(Cell& cell, Worker& worker, PortState& port, SwitchState& sw,
                                   ClassQueue& queue, const Packet& packet, std::uint32_t ingress,
                                   std::int64_t now) {
    const NetworkConstants& k = s_.constants;
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = k.of_class[c];
    PortState& holder = queues_at_inputs() ? s_.ports[sw.first_port + ingress] : port;
    const bool marks = queue.packets.bytes() > constants.unmarked_on_departure &&
                       is_marked(worker, holder, queue, packet, order_of(queue), now);
    port.service_bytes = packet.size;
    port.service_ingress = static_cast<std::uint16_t>(ingress);
    port.service_class = c;
    if (Path::kGeneral && k.works_in_network) {
      port.service_debt = static_cast<std::uint32_t>(tail_arrival(packet));
    }
    std::int64_t begin = now;
    if (Path::kGeneral && k.cut_through) {
      // A faster link would run dry: it waits until all of the packet is here.
      const std::int64_t tail = tail_arrival(packet);
      const bool is_faster = port.rate > s_.ports[sw.first_port + ingress].ingress_rate;
      if (is_faster && now < tail) begin = tail;
    }
    if (Path::kGeneral && k.traces_packets) {
      trace_packet(worker, TraceRecord::Kind::kPacketStarted, packet, port, begin);
    }
    transmit<Path>(s_, port, s_.queue(port, c), packet.size, begin, cell, worker,
                   [&packet, marks](Packet& on_wire) {
                     on_wire = packet;
                     if (marks) on_wire.flags |= kCongested;
                   });
    if (k.release_at_start) release_served(cell, worker, port, sw, now);
  }

  /// The packet in service at `port` leaves the buffer accounts.
  void release_served(Cell& cell, Worker& worker, PortState& port, SwitchState& sw,
                      std::int64_t now) {
    if (Path::kGeneral && port.service_debt != kOwesIngress) {
      settle(cell, worker, port.owner, port.service_debt, now);
      return;
    }
    const std::uint32_t in = sw.first_port + port.service_ingress;
    const std::uint8_t c = port.service_class;
    ClassQueue& queue = queues_at_inputs() ? s_.queue_at(in, c) : s_.queue(port, c);
    release(cell, worker, sw, in, queue, c, port.service_bytes, now);
  }

  /// A packet that came in by the port with the global number `in` leaves the buffer.
  void release(Cell& cell, Worker& worker, SwitchState& sw, std::uint32_t in, ClassQueue& queue,
               std::uint8_t c, std::int64_t size, std::int64_t now) {
    const ClassConstants& constants = s_.constants.of_class[c];
    IngressAccount& account = s_.account_at(in, c);
    if (Path::kGeneral && constants.is_credit) {
      const std::int32_t blocks = scheduler_.blocks(c, size);
      account.bytes -= std::int64_t{blocks} * constants.block;
      control_.grant(cell, worker, s_.ports[in], c, blocks, now);
      return;
    }
    buffer_.release(sw, account, queue, constants, cells(sw, size));
    if (account.is_pausing && buffer_.is_below_xon(sw, account, constants)) [[unlikely]] {
      account.is_pausing = false;
      control_.send_pause(cell, worker, s_.ports[in], c, now);
    }
  }

  /// A packet that chips add up or repeat.
  void work_on(Cell& cell, Worker& worker, const Packet& packet, PortState& in, std::int64_t now) {
    ++worker.sums.packets_delivered;  // to the chip
    if ((packet.flow & kReduceFlow) != 0) {
      add_up(cell, worker, packet, in, now);
    } else {
      repeat(cell, worker, packet, in, now);
    }
  }

  /// The last contribution of all members completes the sum, which goes to its owner. Contributions
  /// need no buffer: they are added as they come.
  void add_up(Cell& cell, Worker& worker, const Packet& packet, PortState& in, std::int64_t now) {
    const std::uint8_t c = class_of(packet);
    control_.grant(cell, worker, in, c, scheduler_.blocks(c, packet.size), now);
    const SenderState& sender = s_.senders[packet.flow & ~kInNetworkFlow];
    Reduction& reduction = s_.reductions[sender.in_network_index()];
    std::uint16_t& count = reduction.count_of(packet.sequence);
    if (++count < reduction.members.size()) return;
    count = 0;
    const std::uint32_t link = reduction.link_of(packet.sequence);
    Packet sum = packet;
    sum.flow = reduction.receiver;
    sum.word = send_time(now);
    emit(cell, worker, in.owner, sum, reduction.owner, link, kOwesNothing, now);
    for (std::size_t m = 0; m < reduction.members.size(); ++m) {
      Packet word = packet;
      word.flow = reduction.queue_pairs[m] | kReduceFlow;
      word.size = s_.constants.transports[sender.transport].ack_size;
      word.flags =
          static_cast<std::uint8_t>(static_cast<unsigned>(PacketKind::kAck) | class_flags(c));
      emit(cell, worker, in.owner, word, reduction.members[m], link, kOwesNothing, now);
    }
  }

  void repeat(Cell& cell, Worker& worker, const Packet& packet, PortState& in, std::int64_t now) {
    const std::uint8_t c = class_of(packet);
    const SenderState& sender = s_.senders[packet.flow & ~kInNetworkFlow];
    const Multicast& multicast = s_.multicasts[sender.in_network_index()];
    const std::uint32_t ingress = in.index - s_.switches[in.owner].first_port;
    s_.account(in, c).bytes += scheduler_.blocks(c, packet.size) * s_.constants.of_class[c].block;
    const std::uint32_t place =
        s_.copies[in.owner].add({.copies = static_cast<std::uint32_t>(multicast.members.size()),
                                 .ingress = static_cast<std::uint16_t>(ingress),
                                 .traffic_class = c,
                                 .size = packet.size});
    for (std::uint32_t m = 0; m < multicast.members.size(); ++m) {
      Packet copy = packet;
      copy.flow = multicast.first_receiver + m;
      // Links of a GPU to this chip lie side by side: by the same one of them as it came.
      emit(cell, worker, in.owner, copy, multicast.members[m], ingress, owes_original(place), now);
    }
  }

  /// Queues a packet that the chip made for `host`, by one of its links to the host.
  void emit(Cell& cell, Worker& worker, std::uint32_t at, Packet packet, std::uint32_t host,
            std::uint32_t link, std::uint32_t debt, std::int64_t now) {
    SwitchState& sw = s_.switches[at];
    packet.destination = host;
    const auto links = sw.routes->next_hops(SwitchId(at), HostId(host));
    ++worker.sums.packets_injected;
    // What is added up or repeated has no other way than the links of this chip.
    PortState* out =
        links.empty() ? nullptr : &s_.ports[sw.first_port + links[link % links.size()]];
    if (out == nullptr || out->is_down) {
      ++s_.ports[sw.first_port].fault_drops;
      ++worker.sums.packets_dropped;
      settle(cell, worker, at, debt, now);
      return;
    }
    const std::int64_t stamp = std::int64_t{debt} << kTailShift;
    enqueue(worker, *out, s_.queue(*out, class_of(packet)), packet, stamp, now);
    if (!out->is_transmitting) start(cell, worker, *out, sw, now);
  }

  /// A packet that the chip made has left.
  void settle(Cell& cell, Worker& worker, std::uint32_t at, std::uint32_t debt, std::int64_t now) {
    if (debt == kOwesNothing) return;
    const CopyTable::Original* original = s_.copies[at].remove_copy(debt - owes_original(0));
    if (original == nullptr) return;
    PortState& in = s_.ports[s_.switches[at].first_port + original->ingress];
    const std::uint8_t c = original->traffic_class;
    const std::int32_t blocks = scheduler_.blocks(c, original->size);
    s_.account(in, c).bytes -= std::int64_t{blocks} * s_.constants.of_class[c].block;
    control_.grant(cell, worker, in, c, blocks, now);
  }

  /// A packet that the buffer does not hold is lost; its credits are granted again.
  void drop(Cell& cell, Worker& worker, PortState& in, const Packet& packet, std::int64_t now) {
    ++worker.sums.packets_dropped;
    const std::uint8_t c = class_of(packet);
    if (!Path::kGeneral || !s_.constants.of_class[c].is_credit) return;
    control_.grant(cell, worker, in, c, scheduler_.blocks(c, packet.size), now);
  }

  /// A packet that was taken from `queue` is lost because the link of `port` is down.
  void lose(Cell& cell, Worker& worker, PortState& port, SwitchState& sw, const Packet& packet,
            std::uint32_t ingress, ClassQueue& queue, std::int64_t now) {
    ++port.fault_drops;
    ++worker.sums.packets_dropped;
    if (Path::kGeneral && s_.constants.works_in_network && tail_arrival(packet) != kOwesIngress) {
      settle(cell, worker, port.owner, static_cast<std::uint32_t>(tail_arrival(packet)), now);
      return;
    }
    release(cell, worker, sw, sw.first_port + ingress, queue, class_of(packet), packet.size, now);
  }

  void serve_output(Cell& cell, Worker& worker, SwitchState& sw, std::uint32_t at,
                    std::uint32_t output, std::int64_t now) {
    PortState& port = s_.ports[sw.first_port + output];
    if (port.is_down) {
      drop_heads(cell, worker, sw, at, output, now);
      return;
    }
    if (port.is_transmitting) return;
    std::uint32_t eligible = 0;
    for (std::uint32_t c = 0; c < s_.constants.classes; ++c) {
      if (crossbar_.candidates(at, output, c) != 0) eligible |= 1U << c;
    }
    eligible &= ~static_cast<unsigned>(port.blocked);
    // Inputs are chosen after the class; with packets of several sizes, deficit round robin and
    // credits go by the first candidate, and the chosen input is charged for what it sends.
    const std::uint32_t c = scheduler_.choose(port, eligible, now, [&](std::uint32_t of) {
      return largest_head(sw, crossbar_.candidates(at, output, of), of);
    });
    if (c == ClassScheduler<Path>::kNone) return;
    const std::uint32_t input =
        crossbar_.choose_input(at, output, crossbar_.candidates(at, output, c));
    ClassQueue& queue = s_.queue(s_.ports[sw.first_port + input], c);
    const Packet packet = take_head(cell, worker, sw, at, input, c, now);
    crossbar_.occupy_input(at, input);
    scheduler_.charge(port, c, packet.size, eligible);
    send(cell, worker, port, sw, queue, packet, input, now);
  }

  [[nodiscard]] std::int64_t largest_head(const SwitchState& sw, std::uint64_t inputs,
                                          std::uint32_t c) {
    std::int64_t largest = 0;
    for (; inputs != 0; inputs &= inputs - 1) {
      const auto input = static_cast<std::uint32_t>(std::countr_zero(inputs));
      const auto& packets = s_.queue(s_.ports[sw.first_port + input], c).packets;
      largest = std::max<std::int64_t>(largest, packets.front().size);
    }
    return largest;
  }

  /// Takes the head of a FIFO and lets the next one ask for its output.
  Packet take_head(Cell& cell, Worker& worker, SwitchState& sw, std::uint32_t at,
                   std::uint32_t input, std::uint32_t c, std::int64_t now) {
    PortState& in = s_.ports[sw.first_port + input];
    ClassQueue& queue = s_.queue(in, c);
    const Packet packet = take(worker, in, queue, static_cast<std::uint8_t>(c), now);
    queue.packets.reclaim(worker.pool);
    crossbar_.withdraw(at, input, waiting_port(packet), c);
    if (!queue.packets.empty()) {
      crossbar_.request(cell, at, input, waiting_port(queue.packets.front()), c, now);
    }
    return packet;
  }

  void drop_heads(Cell& cell, Worker& worker, SwitchState& sw, std::uint32_t at,
                  std::uint32_t output, std::int64_t now) {
    for (std::uint32_t c = 0; c < s_.constants.classes; ++c) {
      std::uint64_t inputs = s_.crossbars[at].requests[output * s_.constants.classes + c];
      for (; inputs != 0; inputs &= inputs - 1) {
        const auto input = static_cast<std::uint32_t>(std::countr_zero(inputs));
        ClassQueue& queue = s_.queue(s_.ports[sw.first_port + input], c);
        const Packet packet = take_head(cell, worker, sw, at, input, c, now);
        lose(cell, worker, s_.ports[sw.first_port + output], sw, packet, input, queue, now);
      }
    }
  }

  /// Whether `packet` leaves with a mark; counts it.
  /// RED (Floyd and Jacobson 1993, on the instantaneous queue as DCQCN asks): no marks up to Kmin,
  /// linear to Pmax at Kmax, every packet above it. Or a step at Kmin, as DCTCP has it (Alizadeh et
  /// al., SIGCOMM 2010, section 3.1). `number` counts the packets of this queue.
  [[gnu::noinline]] bool is_marked(Worker& worker, const PortState& port, ClassQueue& queue,
                                   const Packet& packet, std::int64_t number, std::int64_t now) {
    const NetworkConstants& k = s_.constants;
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = k.of_class[c];
    const std::int64_t waiting = queue.packets.bytes();
    std::int64_t kmin = constants.kmin;
    std::int64_t kmax = constants.kmax;
    if (constants.ecn_rate != 0) {
      kmin = scaled(kmin, port.nominal_rate, constants.ecn_rate);
      kmax = scaled(kmax, port.nominal_rate, constants.ecn_rate);
    }
    if (waiting <= kmin || kind_of(packet) != PacketKind::kData) return false;
    if (waiting <= kmax && !constants.step) {
      const auto probability = static_cast<std::uint64_t>(
          static_cast<WideUnsigned>(constants.pmax) * static_cast<std::uint64_t>(waiting - kmin) /
          static_cast<std::uint64_t>(kmax - kmin));
      const RandomStream random(k.seed, Purpose::kEcnMark, port.index);
      const std::uint64_t draw = static_cast<std::uint64_t>(number) * kMaxClasses + c;
      if (random.bits32(draw) >= probability) return false;
    }
    ++queue.marked;
    if (Path::kGeneral && k.traces_packets) {
      trace_packet(worker, TraceRecord::Kind::kPacketMarked, packet, port, now);
    }
    return true;
  }

  [[nodiscard]] static std::int64_t scaled(std::int64_t bytes, std::int64_t rate,
                                           std::int64_t reference) {
    return static_cast<std::int64_t>(static_cast<WideUnsigned>(bytes) *
                                     static_cast<std::uint64_t>(rate) /
                                     static_cast<std::uint64_t>(reference));
  }

  static void trace_queue(Worker& worker, const PortState& port, const ClassQueue& queue,
                          std::uint8_t c, std::int64_t now) {
    worker.trace.push_back({.time = now,
                            .value = queue.packets.bytes(),
                            .subject = port.index,
                            .kind = TraceRecord::Kind::kQueue,
                            .traffic_class = c});
  }
  void trace_packet(Worker& worker, TraceRecord::Kind kind, const Packet& packet,
                    const PortState& port, std::int64_t time) const {
    if (kind_of(packet) != PacketKind::kData || !s_.is_watched(packet)) return;
    worker.trace.push_back({.time = time,
                            .value = packet.flow,
                            .subject = port.index,
                            .detail = packet.sequence,
                            .kind = kind,
                            .traffic_class = class_of(packet)});
  }

  NetworkState& s_;
  LinkControl control_;
  ClassScheduler<Path> scheduler_;
  SharedBuffer<Path> buffer_;
  CrossbarArbiter crossbar_;
  LoadBalancer balancer_;
};

}  // namespace weft::protocols
