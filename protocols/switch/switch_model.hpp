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

  void arrive(const Here& here, Packet& packet, PortState& in) {
    SwitchState& sw = s_.switches[in.owner];
    const NetworkConstants& k = s_.constants;
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = k.of_class[c];
    if (packet.ttl == 1) [[unlikely]] {
      ++in.ttl_drops;
      drop(here, in, packet);
      return;
    }
    if (Path::kGeneral && (packet.flow & kInNetworkFlow) != 0) {
      work_on(here, packet, in);
      return;
    }
    const std::uint32_t egress = choose_egress(sw, in, packet, c, here.now);
    if (Path::kGeneral && egress == kNoIndex) [[unlikely]] {
      ++in.fault_drops;
      drop(here, in, packet);
      return;
    }
    const std::uint32_t out_index = sw.first_port + egress;
    PortState& out = s_.ports[out_index];
    if (Path::kGeneral && out.is_down) {
      ++out.fault_drops;
      drop(here, in, packet);
      return;
    }
    PortState& holder = queues_at_inputs() ? in : out;
    ClassQueue& queue = s_.queue_at(queues_at_inputs() ? in.index : out_index, c);
    if (Path::kGeneral && constants.is_credit) {
      s_.account(in, c).bytes += scheduler_.blocks(c, packet.wire_size()) * constants.block;
    } else if (!admit(here, packet, sw, in, out, queue)) {
      return;
    }
    const std::int64_t stamp = holding_stamp(packet, sw, in, out, here.now);
    const bool marks =
        queue.packets.bytes() > constants.unmarked_on_arrival &&
        is_marked(here, holder, queue, packet, order_of(queue) + queue.packets.size());
    Packet& waiting = enqueue(here, holder, queue, packet, stamp);
    if (marks) waiting.flags |= kCongested;
    if (queues_at_inputs()) {
      if (queue.packets.size() == 1) {
        crossbar_.request(here, in.owner, in.index - sw.first_port, out.index - sw.first_port, c);
      }
      return;
    }
    if (!out.is_transmitting) start(here, out, sw);
  }

  /// The transmission under way at `port` ends.
  void depart(const Here& here, PortState& port) {
    SwitchState& sw = s_.switches[port.owner];
    // The port counts as busy while the packet leaves the accounts: that may pause or resume the
    // peer of this very port, where routes send packets back.
    if (port.service_bytes != 0) {
      if (!s_.constants.release_at_start) release_served(here, port, sw);
      if (queues_at_inputs()) {
        crossbar_.free_input(here, port.owner, port.service_ingress);
      }
      port.service_bytes = 0;
    }
    port.is_transmitting = false;
    start(here, port, sw);
  }

  /// Something at `port` allows it to send again; it may idle.
  [[gnu::noinline]] void resume(const Here& here, PortState& port) {
    if (!port.is_transmitting) start(here, port, s_.switches[port.owner]);
  }

  /// Matches inputs to outputs; after everything else that happens at this instant.
  void arbitrate(const Here& here, std::uint32_t at) {
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
      serve_output(here, sw, at, output);
    }
  }

  /// The link of `port` failed: what waits for it is lost.
  void flush(const Here& here, PortState& port) {
    SwitchState& sw = s_.switches[port.owner];
    if (queues_at_inputs()) {
      // The arbiter drops what has come to the head of an input.
      crossbar_.look_at(here, port.owner, port.index - sw.first_port);
      return;
    }
    for (std::uint8_t c = 0; c < s_.constants.classes; ++c) {
      ClassQueue& queue = s_.queue(port, c);
      while (!queue.packets.empty()) {
        const Packet& packet = take(here, port, queue, c);
        lose(here, port, sw, packet, waiting_port(packet), queue);
        queue.packets.reclaim(here.worker.pool);
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
  [[nodiscard]] static Bytes cells(const SwitchState& sw, Bytes size) {
    return Path::kGeneral ? sw.cells(size) : size;
  }

  /// A local port, or kNoIndex where failures have left no way.
  [[nodiscard]] std::uint32_t choose_egress(const SwitchState& sw, PortState& in,
                                            const Packet& packet, std::uint8_t c, Picoseconds now) {
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
  [[nodiscard]] bool admit(const Here& here, const Packet& packet, SwitchState& sw, PortState& in,
                           const PortState& out, ClassQueue& queue) {
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = s_.constants.of_class[c];
    IngressAccount& account = s_.account(in, c);
    const bool fits = buffer_.admit(sw, account, queue, constants, cells(sw, packet.wire_size()));
    if (!fits) [[unlikely]] {
      ++account.drops;
      ++here.worker.sums.packets_dropped;
    }
    // What did not fit into a partition crossed its threshold too; as long as something is there
    // that will leave, the pause will be lifted.
    const bool is_above =
        fits ? buffer_.is_above_xoff(sw, account, constants)
             : Path::kGeneral && constants.has_partitions && account.bytes > Bytes();
    if (constants.is_pfc && !account.is_pausing && is_above) [[unlikely]] {
      account.is_pausing = true;
      account.cause = find_cause(sw, in, out, c);
      control_.send_pause(here, in, c);
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
    Bytes most = waiting_from(ingress, s_.queue(out, c).packets);
    if (2 * most < s_.account(in, c).bytes) {
      for (std::uint32_t p = 0; p < sw.port_count; ++p) {
        const PortState& egress = s_.ports[sw.first_port + p];
        if ((egress.waiting & class_bit(c)) == 0) continue;
        const Bytes bytes = waiting_from(ingress, s_.queue(egress, c).packets);
        if (bytes <= most) continue;
        most = bytes;
        cause = p;
      }
    }
    return static_cast<std::uint16_t>(cause);
  }

  /// About how many of the waiting bytes came in by port number `ingress`, judged by the packets at
  /// the head, so that it costs little however long the queue is.
  [[nodiscard]] static Bytes waiting_from(std::uint32_t ingress, const PacketQueue& waiting) {
    if (waiting.empty()) return {};
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
                                           Picoseconds now) const {
    const NetworkConstants& k = s_.constants;
    std::int64_t stamp = (queues_at_inputs() ? out.index : in.index) - sw.first_port;
    if (Path::kGeneral && k.cut_through) {
      const Bytes first = std::min(packet.wire_size(), k.cut_through_after);
      const Picoseconds tail = now +
                               PortState::transmission_at(packet.wire_size(), in.ingress_rate) -
                               PortState::transmission_at(first, in.ingress_rate);
      stamp |= tail.count() << kTailShift;
    }
    return stamp;
  }

  /// Returns the packet in its place.
  Packet& enqueue(const Here& here, PortState& holder, ClassQueue& queue, const Packet& packet,
                  std::int64_t stamp) {
    const std::uint8_t c = class_of(packet);
    queue.account(here.now);
    Packet& copy = queue.packets.push(packet, here.worker.pool);
    copy.stamp = stamp;
    copy.ttl = static_cast<std::uint8_t>(packet.ttl - 1);
    if (queue.packets.bytes() > queue.peak_bytes) queue.peak_bytes = queue.packets.bytes();
    holder.waiting |= class_bit(c);
    holder.note_backlog(packet.wire_size());
    if (Path::kGeneral && holder.is_watched) trace_queue(here, holder, queue, c);
    if (Path::kGeneral && s_.constants.traces_packets) {
      trace_packet(s_, here.worker, TraceRecord::Kind::kPacketEnqueued, packet, holder, here.now);
    }
    return copy;
  }

  /// Takes the oldest packet out of `queue`; its memory is to be reclaimed.
  [[nodiscard]] const Packet& take(const Here& here, PortState& holder, ClassQueue& queue,
                                   std::uint8_t c) {
    queue.account(here.now);
    const Packet& packet = queue.packets.take();
    if (queues_at_inputs()) ++queue.taken;
    holder.backlog -= packet.wire_size();
    if (queue.packets.empty()) holder.waiting &= static_cast<std::uint8_t>(~class_bit(c));
    if (Path::kGeneral && holder.is_watched) trace_queue(here, holder, queue, c);
    return packet;
  }

  [[gnu::always_inline]] void start(const Here& here, PortState& port, SwitchState& sw) {
    if (port.pending_control != 0 && !port.is_down) [[unlikely]] {
      control_.transmit(here, port);
      return;
    }
    if (queues_at_inputs()) {
      here.cell.next.remove(port.local);
      crossbar_.look_at(here, port.owner, port.index - sw.first_port);
      return;
    }
    const std::uint32_t eligible = port.waiting & ~static_cast<unsigned>(port.blocked);
    const std::uint32_t c = scheduler_.choose(port, eligible, here.now, [&](std::uint32_t of) {
      return s_.queue(port, of).packets.front().wire_size();
    });
    if (c == ClassScheduler<Path>::kNone) {
      here.cell.next.remove(port.local);
      return;
    }
    ClassQueue& queue = s_.queue(port, c);
    const Packet& packet = take(here, port, queue, static_cast<std::uint8_t>(c));
    scheduler_.charge(port, c, packet.wire_size(), eligible);
    if (Path::kGeneral && queue.packets.empty()) queue.deficit = 0;
    send(here, port, sw, queue, packet, waiting_port(packet));
    queue.packets.reclaim(here.worker.pool);
  }

  /// Puts `packet` of `queue`, which came in by port number `ingress`, on the wire at `port`.
  [[gnu::always_inline]] void send(const Here& here, PortState& port, SwitchState& sw,
                                   ClassQueue& queue, const Packet& packet, std::uint32_t ingress) {
    const NetworkConstants& k = s_.constants;
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = k.of_class[c];
    PortState& holder = queues_at_inputs() ? s_.ports[sw.first_port + ingress] : port;
    const bool marks = queue.packets.bytes() > constants.unmarked_on_departure &&
                       is_marked(here, holder, queue, packet, order_of(queue));
    port.service_bytes = packet.size;
    port.service_ingress = static_cast<std::uint16_t>(ingress);
    port.service_class = c;
    if (Path::kGeneral && k.works_in_network) {
      port.service_debt = debt_of(packet);
    }
    Picoseconds begin = here.now;
    if (Path::kGeneral && k.cut_through) {
      // A faster link would run dry: it waits until all of the packet is here.
      const Picoseconds tail = tail_arrival(packet);
      const bool is_faster = port.rate > s_.ports[sw.first_port + ingress].ingress_rate;
      if (is_faster && here.now < tail) begin = tail;
    }
    if (Path::kGeneral && k.traces_packets) {
      trace_packet(s_, here.worker, TraceRecord::Kind::kPacketStarted, packet, port, begin);
    }
    transmit<Path>(s_, here, port, s_.queue(port, c), packet.wire_size(), begin,
                   [&packet, marks](Packet& on_wire) {
                     on_wire = packet;
                     if (marks) on_wire.flags |= kCongested;
                   });
    if (k.release_at_start) release_served(here, port, sw);
  }

  /// The packet in service at `port` leaves the buffer accounts.
  void release_served(const Here& here, PortState& port, SwitchState& sw) {
    if (Path::kGeneral && port.service_debt != kOwesIngress) {
      settle(here, port.owner, port.service_debt);
      return;
    }
    const std::uint32_t in = sw.first_port + port.service_ingress;
    const std::uint8_t c = port.service_class;
    ClassQueue& queue = queues_at_inputs() ? s_.queue_at(in, c) : s_.queue(port, c);
    release(here, sw, in, queue, c, Bytes(port.service_bytes));
  }

  /// A packet that came in by the port with the global number `in` leaves the buffer.
  void release(const Here& here, SwitchState& sw, std::uint32_t in, ClassQueue& queue,
               std::uint8_t c, Bytes size) {
    const ClassConstants& constants = s_.constants.of_class[c];
    IngressAccount& account = s_.account_at(in, c);
    if (Path::kGeneral && constants.is_credit) {
      const std::int32_t blocks = scheduler_.blocks(c, size);
      account.bytes -= blocks * constants.block;
      control_.grant(here, s_.ports[in], c, blocks);
      return;
    }
    buffer_.release(sw, account, queue, constants, cells(sw, size));
    if (account.is_pausing && buffer_.is_below_xon(sw, account, constants)) [[unlikely]] {
      account.is_pausing = false;
      control_.send_pause(here, s_.ports[in], c);
    }
  }

  /// A packet that chips add up or repeat.
  void work_on(const Here& here, const Packet& packet, PortState& in) {
    ++here.worker.sums.packets_delivered;  // to the chip
    if ((packet.flow & kReduceFlow) != 0) {
      add_up(here, packet, in);
    } else {
      repeat(here, packet, in);
    }
  }

  /// The last contribution of all members completes the sum, which goes to its owner. Contributions
  /// need no buffer: they are added as they come.
  void add_up(const Here& here, const Packet& packet, PortState& in) {
    const std::uint8_t c = class_of(packet);
    control_.grant(here, in, c, scheduler_.blocks(c, packet.wire_size()));
    const SenderState& sender = s_.senders[packet.flow & ~kInNetworkFlow];
    Reduction& reduction = s_.reductions[sender.in_network_index()];
    std::uint16_t& count = reduction.count_of(packet.sequence);
    if (++count < reduction.members.size()) return;
    count = 0;
    const std::uint32_t link = reduction.link_of(packet.sequence);
    Packet sum = packet;
    sum.flow = reduction.receiver;
    sum.word = send_time(here.now);
    emit(here, in.owner, sum, reduction.owner, link, kOwesNothing);
    for (std::size_t m = 0; m < reduction.members.size(); ++m) {
      Packet word = packet;
      word.flow = reduction.queue_pairs[m] | kReduceFlow;
      word.size = s_.constants.transports[sender.transport].ack_size;
      word.flags =
          static_cast<std::uint8_t>(static_cast<unsigned>(PacketKind::kAck) | class_flags(c));
      emit(here, in.owner, word, reduction.members[m], link, kOwesNothing);
    }
  }

  void repeat(const Here& here, const Packet& packet, PortState& in) {
    const std::uint8_t c = class_of(packet);
    const SenderState& sender = s_.senders[packet.flow & ~kInNetworkFlow];
    const Multicast& multicast = s_.multicasts[sender.in_network_index()];
    const std::uint32_t ingress = in.index - s_.switches[in.owner].first_port;
    s_.account(in, c).bytes +=
        scheduler_.blocks(c, packet.wire_size()) * s_.constants.of_class[c].block;
    const std::uint32_t place =
        s_.copies[in.owner].add({.copies = static_cast<std::uint32_t>(multicast.members.size()),
                                 .ingress = static_cast<std::uint16_t>(ingress),
                                 .traffic_class = c,
                                 .size = packet.size});
    for (std::uint32_t m = 0; m < multicast.members.size(); ++m) {
      Packet copy = packet;
      copy.flow = multicast.first_receiver + m;
      // Links of a GPU to this chip lie side by side: by the same one of them as it came.
      emit(here, in.owner, copy, multicast.members[m], ingress, owes_original(place));
    }
  }

  /// Queues a packet that the chip made for `host`, by one of its links to the host.
  void emit(const Here& here, std::uint32_t at, Packet packet, std::uint32_t host,
            std::uint32_t link, std::uint32_t debt) {
    SwitchState& sw = s_.switches[at];
    packet.destination = host;
    const auto links = sw.routes->next_hops(SwitchId(at), HostId(host));
    ++here.worker.sums.packets_injected;
    // What is added up or repeated has no other way than the links of this chip.
    PortState* out =
        links.empty() ? nullptr : &s_.ports[sw.first_port + links[link % links.size()]];
    if (out == nullptr || out->is_down) {
      ++s_.ports[sw.first_port].fault_drops;
      ++here.worker.sums.packets_dropped;
      settle(here, at, debt);
      return;
    }
    const std::int64_t stamp = std::int64_t{debt} << kTailShift;
    enqueue(here, *out, s_.queue(*out, class_of(packet)), packet, stamp);
    if (!out->is_transmitting) start(here, *out, sw);
  }

  /// A packet that the chip made has left.
  void settle(const Here& here, std::uint32_t at, std::uint32_t debt) {
    if (debt == kOwesNothing) return;
    const CopyTable::Original* original = s_.copies[at].remove_copy(debt - owes_original(0));
    if (original == nullptr) return;
    PortState& in = s_.ports[s_.switches[at].first_port + original->ingress];
    const std::uint8_t c = original->traffic_class;
    const std::int32_t blocks = scheduler_.blocks(c, Bytes(original->size));
    s_.account(in, c).bytes -= blocks * s_.constants.of_class[c].block;
    control_.grant(here, in, c, blocks);
  }

  /// A packet that the buffer does not hold is lost; its credits are granted again.
  void drop(const Here& here, PortState& in, const Packet& packet) {
    ++here.worker.sums.packets_dropped;
    const std::uint8_t c = class_of(packet);
    if (!Path::kGeneral || !s_.constants.of_class[c].is_credit) return;
    control_.grant(here, in, c, scheduler_.blocks(c, packet.wire_size()));
  }

  /// A packet that was taken from `queue` is lost because the link of `port` is down.
  void lose(const Here& here, PortState& port, SwitchState& sw, const Packet& packet,
            std::uint32_t ingress, ClassQueue& queue) {
    ++port.fault_drops;
    ++here.worker.sums.packets_dropped;
    if (Path::kGeneral && s_.constants.works_in_network && debt_of(packet) != kOwesIngress) {
      settle(here, port.owner, debt_of(packet));
      return;
    }
    release(here, sw, sw.first_port + ingress, queue, class_of(packet), packet.wire_size());
  }

  void serve_output(const Here& here, SwitchState& sw, std::uint32_t at, std::uint32_t output) {
    PortState& port = s_.ports[sw.first_port + output];
    if (port.is_down) {
      drop_heads(here, sw, at, output);
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
    const std::uint32_t c = scheduler_.choose(port, eligible, here.now, [&](std::uint32_t of) {
      return largest_head(sw, crossbar_.candidates(at, output, of), of);
    });
    if (c == ClassScheduler<Path>::kNone) return;
    const std::uint32_t input =
        crossbar_.choose_input(at, output, crossbar_.candidates(at, output, c));
    ClassQueue& queue = s_.queue(s_.ports[sw.first_port + input], c);
    const Packet packet = take_head(here, sw, at, input, c);
    crossbar_.occupy_input(at, input);
    scheduler_.charge(port, c, packet.wire_size(), eligible);
    send(here, port, sw, queue, packet, input);
  }

  [[nodiscard]] Bytes largest_head(const SwitchState& sw, std::uint64_t inputs, std::uint32_t c) {
    Bytes largest;
    for (; inputs != 0; inputs &= inputs - 1) {
      const auto input = static_cast<std::uint32_t>(std::countr_zero(inputs));
      const auto& packets = s_.queue(s_.ports[sw.first_port + input], c).packets;
      largest = std::max(largest, packets.front().wire_size());
    }
    return largest;
  }

  /// Takes the head of a FIFO and lets the next one ask for its output.
  Packet take_head(const Here& here, SwitchState& sw, std::uint32_t at, std::uint32_t input,
                   std::uint32_t c) {
    PortState& in = s_.ports[sw.first_port + input];
    ClassQueue& queue = s_.queue(in, c);
    const Packet packet = take(here, in, queue, static_cast<std::uint8_t>(c));
    queue.packets.reclaim(here.worker.pool);
    crossbar_.withdraw(at, input, waiting_port(packet), c);
    if (!queue.packets.empty()) {
      crossbar_.request(here, at, input, waiting_port(queue.packets.front()), c);
    }
    return packet;
  }

  void drop_heads(const Here& here, SwitchState& sw, std::uint32_t at, std::uint32_t output) {
    for (std::uint32_t c = 0; c < s_.constants.classes; ++c) {
      std::uint64_t inputs = s_.crossbars[at].requests[output * s_.constants.classes + c];
      for (; inputs != 0; inputs &= inputs - 1) {
        const auto input = static_cast<std::uint32_t>(std::countr_zero(inputs));
        ClassQueue& queue = s_.queue(s_.ports[sw.first_port + input], c);
        const Packet packet = take_head(here, sw, at, input, c);
        lose(here, s_.ports[sw.first_port + output], sw, packet, input, queue);
      }
    }
  }

  /// Whether `packet` leaves with a mark; counts it.
  /// RED (Floyd and Jacobson 1993, on the instantaneous queue as DCQCN asks): no marks up to Kmin,
  /// linear to Pmax at Kmax, every packet above it. Or a step at Kmin, as DCTCP has it (Alizadeh et
  /// al., SIGCOMM 2010, section 3.1). `number` counts the packets of this queue.
  [[gnu::noinline]] bool is_marked(const Here& here, const PortState& port, ClassQueue& queue,
                                   const Packet& packet, std::int64_t number) {
    const NetworkConstants& k = s_.constants;
    const std::uint8_t c = class_of(packet);
    const ClassConstants& constants = k.of_class[c];
    const Bytes waiting = queue.packets.bytes();
    Bytes kmin = constants.kmin;
    Bytes kmax = constants.kmax;
    if (constants.ecn_rate != BitsPerSecond()) {
      kmin = scaled(kmin, port.nominal_rate, constants.ecn_rate);
      kmax = scaled(kmax, port.nominal_rate, constants.ecn_rate);
    }
    if (waiting <= kmin || kind_of(packet) != PacketKind::kData) return false;
    if (waiting <= kmax && !constants.step) {
      const auto probability =
          static_cast<std::uint64_t>(static_cast<WideUnsigned>(constants.pmax) *
                                     static_cast<std::uint64_t>((waiting - kmin).count()) /
                                     static_cast<std::uint64_t>((kmax - kmin).count()));
      const RandomStream random(k.seed, Purpose::kEcnMark, port.index);
      const std::uint64_t draw = static_cast<std::uint64_t>(number) * kMaxClasses + c;
      if (random.bits32(draw) >= probability) return false;
    }
    ++queue.marked;
    if (Path::kGeneral && k.traces_packets) {
      trace_packet(s_, here.worker, TraceRecord::Kind::kPacketMarked, packet, port, here.now);
    }
    return true;
  }

  [[nodiscard]] static Bytes scaled(Bytes bytes, BitsPerSecond rate, BitsPerSecond reference) {
    const WideUnsigned product =
        static_cast<WideUnsigned>(bytes.count()) * static_cast<std::uint64_t>(rate.count());
    return Bytes(
        static_cast<std::int64_t>(product / static_cast<std::uint64_t>(reference.count())));
  }

  static void trace_queue(const Here& here, const PortState& port, const ClassQueue& queue,
                          std::uint8_t c) {
    here.worker.trace.push_back({.time = here.now,
                                 .value = queue.packets.bytes().count(),
                                 .subject = port.index,
                                 .kind = TraceRecord::Kind::kQueue,
                                 .traffic_class = c});
  }

  NetworkState& s_;
  LinkControl control_;
  ClassScheduler<Path> scheduler_;
  SharedBuffer<Path> buffer_;
  CrossbarArbiter crossbar_;
  LoadBalancer balancer_;
};

}  // namespace weft::protocols
