#pragma once

#include <cstdint>
#include <type_traits>

#include "protocols/link/egress.hpp"
#include "protocols/link/incident_log.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/link/link_turns.hpp"
#include "protocols/link/tracing.hpp"
#include "protocols/path_selection/source_route.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/switch/cut_through.hpp"
#include "protocols/switch/early_drop.hpp"
#include "protocols/switch/ecn_marker.hpp"
#include "protocols/switch/in_network_unit.hpp"
#include "protocols/switch/ingress_pause.hpp"
#include "protocols/switch/input_queues.hpp"
#include "protocols/switch/load_balancer.hpp"
#include "protocols/switch/place_order.hpp"
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
      : s_(state),
        control_(state),
        scheduler_(state),
        pause_(state),
        marker_(state),
        early_drop_(state),
        cut_through_(state),
        tracer_(state),
        incidents_(state),
        balancer_(state),
        inputs_(state, *this),
        in_network_unit_(state, *this) {}
  SwitchModel(const SwitchModel&) = delete;
  SwitchModel& operator=(const SwitchModel&) = delete;

  void arrive(const Here& here, Packet& packet, PortState& in) {
    SwitchState& sw = s_.switches[in.owner];
    if (packet.ttl == 1) [[unlikely]] {
      ++in.ttl_drops;
      drop(here, in, packet);
      return;
    }
    if (Path::has(Feature::kInNetwork) && (packet.flow & kInNetworkFlow) != 0) {
      in_network_unit_.take(here, packet, in);
      return;
    }
    const std::uint32_t egress = choose_egress(sw, in, packet, class_of(packet), here.now);
    if (egress == kNoIndex) [[unlikely]] {
      incidents_.lose_to_fault(here, in, packet, PortIncident::Kind::kUnreached);
      drop(here, in, packet);
      return;
    }
    PortState& out = s_.ports[sw.first_port + egress];
    if (Path::has(Feature::kFaults) && out.is_down) {
      incidents_.lose_to_fault(here, out, packet, PortIncident::Kind::kOutage);
      drop(here, in, packet);
      return;
    }
    if (admit(here, packet, sw, in, out) != Verdict::kAdmit) [[unlikely]]
      return;
    take_in(here, packet, sw, in, out);
  }

  /// The transmission under way at `port` ends.
  void depart(const Here& here, PortState& port) {
    SwitchState& sw = s_.switches[port.owner];
    // The port counts as busy while the packet leaves the accounts: that may pause or resume the
    // peer of this very port, where routes send packets back.
    if (port.service_bytes != 0) {
      if (!s_.constants.release_at_start) release_served(here, port, sw);
      if (queues_at_inputs()) {
        inputs_.free_input(here, port.owner, port.service_ingress);
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
  void arbitrate(const Here& here, std::uint32_t at) { inputs_.arbitrate(here, at); }

  /// The link of `port` failed: what waits for it is lost.
  void flush(const Here& here, PortState& port) {
    SwitchState& sw = s_.switches[port.owner];
    if (queues_at_inputs()) {
      // The arbiter drops what has come to the head of an input.
      inputs_.check_output(here, port.owner, port.index - sw.first_port);
      return;
    }
    for (const ClassId c : s_.classes_of(port)) {
      ClassQueue& queue = s_.queue(port, c);
      while (!queue.packets.empty()) {
        const Packet& packet = take(here, port, queue, c);
        lose(here, port, sw, packet, waiting_port(packet), queue);
        queue.packets.reclaim(here.worker.pool);
      }
    }
  }

  /// The watchdog drops what waits for `port` in class `c`.
  void drop_waiting(const Here& here, PortState& port, ClassId c) {
    SwitchState& sw = s_.switches[port.owner];
    ClassQueue& queue = s_.queue(port, c);
    while (!queue.packets.empty()) {
      const Packet& packet = take(here, port, queue, c);
      ++s_.watchdog_at(port, c).drops;
      incidents_.lose_to_storm(here, port, packet);
      forget<Path>(s_, here, packet);
      release(here, sw, sw.first_port + waiting_port(packet), port, queue, c, packet.wire_size());
      queue.packets.reclaim(here.worker.pool);
    }
  }

  // What its parts ask of it.

  /// What comes out of a queue: a packet that lies there until its memory is reclaimed, unless one
  /// may stand for several.
  using Taken = std::conditional_t<Path::has(Feature::kInNetwork), Packet, const Packet&>;
  /// Takes the oldest packet out of `queue`; its memory is to be reclaimed.
  [[nodiscard]] Taken take(const Here& here, PortState& holder, ClassQueue& queue, ClassId c) {
    queue.account(here.now);
    Taken packet = take_oldest(holder, queue);
    if (queues_at_inputs()) ++queue.taken;
    holder.backlog -= packet.wire_size();
    if (queue.packets.empty()) {
      holder.waiting &= static_cast<std::uint8_t>(~class_bit(c));
      early_drop_.emptied(here, holder, c);
    }
    tracer_.queue_changed(here, holder, queue, c);
    return packet;
  }

  /// Puts `packet` of `queue`, which came in by port number `ingress`, on the wire at `port`.
  [[gnu::always_inline]] void send(const Here& here, PortState& port, SwitchState& sw,
                                   ClassQueue& queue, const Packet& packet, std::uint32_t ingress) {
    const NetworkConstants& k = s_.constants;
    const ClassId c = class_of(packet);
    PortState& holder = queues_at_inputs() ? s_.ports[sw.first_port + ingress] : port;
    const ClassConstants& constants = s_.class_on<Path>(holder, c);
    const bool marks =
        marker_.marks_departure(here, holder, queue, packet, constants, order_of(queue));
    port.service_bytes = packet.size;
    port.service_ingress = static_cast<std::uint16_t>(ingress);
    port.service_class = c;
    if (Path::has(Feature::kInNetwork) && k.works_in_network) {
      port.service_pending = pending_of(packet);
    }
    Picoseconds begin = here.now;
    if (cut_through_.is_used()) {
      begin = cut_through_.begin(here, packet, port, s_.ports[sw.first_port + ingress]);
    }
    if constexpr (Path::has(Feature::kTelemetry)) {
      if (s_.telemetry.is_used()) {
        s_.telemetry.report(packet, port.index, port.rate, port.backlog, begin);
      }
    }
    const Picoseconds end = transmit<Path>(s_, here, port, s_.queue(port, c), packet.wire_size(),
                                           begin, [&packet, marks](Packet& on_wire) {
                                             on_wire = packet;
                                             if (marks) set(on_wire, kMarked);
                                           });
    tracer_.sent(here, packet, port, begin, end);
    if (k.release_at_start) release_served(here, port, sw);
  }

  /// A packet that was taken from `queue` is lost because the link of `port` is down.
  void lose(const Here& here, PortState& port, SwitchState& sw, const Packet& packet,
            std::uint32_t ingress, ClassQueue& queue) {
    incidents_.lose_to_fault(here, port, packet, PortIncident::Kind::kOutage);
    forget<Path>(s_, here, packet);
    if (Path::has(Feature::kInNetwork) && s_.constants.works_in_network &&
        pending_of(packet) != kPendingIngress) {
      in_network_unit_.release_pending(here, port.owner, pending_of(packet));
      return;
    }
    release(here, sw, sw.first_port + ingress, holder_of(port, sw, ingress), queue,
            class_of(packet), packet.wire_size());
  }

  /// Queues a packet that the switch made at `out`, and that owes `pending` (in_network.hpp).
  void send_later(const Here& here, PortState& out, SwitchState& sw, const Packet& packet,
                  std::uint32_t pending) {
    ClassQueue& queue = s_.queue(out, class_of(packet));
    if (in_network_unit_.coalesce(here, out.owner, queue, packet, pending)) {
      note_enqueued(here, out, queue, packet, out);
    } else {
      enqueue(here, out, queue, packet, out, std::int64_t{pending} << kTailShift);
    }
    if (!out.is_transmitting) start(here, out, sw);
  }

 private:
  [[nodiscard]] bool queues_at_inputs() const { return inputs_.are_used(); }
  /// Where a packet of class `c` waits that goes from `in` to `out`.
  [[nodiscard]] ClassQueue& queue_of(const PortState& in, const PortState& out, ClassId c) {
    return s_.queue_at(queues_at_inputs() ? in.index : out.index, c);
  }
  /// How many packets have left `queue` before.
  [[nodiscard]] std::int64_t order_of(const ClassQueue& queue) const {
    return queues_at_inputs() ? queue.taken : queue.started;
  }
  [[nodiscard]] static Bytes cells(const SwitchState& sw, Bytes size) {
    return Path::has(Feature::kCells) ? sw.cells(size) : size;
  }

  /// A local port, or kNoIndex without a next hop: where failures have left no path, and where a
  /// fabric has none.
  [[nodiscard]] std::uint32_t choose_egress(const SwitchState& sw, PortState& in, Packet& packet,
                                            ClassId c, Picoseconds now) {
    if constexpr (Path::has(Feature::kSourceRoutes)) {
      if (s_.constants.of_class[c].balancing == LoadBalancing::kSourceRoutes) {
        return named_egress(in, packet);
      }
    }
    const auto hops = sw.routes->next_hops(SwitchId(in.owner), HostId(packet.destination()));
    if (hops.size() == 1) return hops[0];
    if (hops.empty()) [[unlikely]]
      return kNoIndex;
    // The links of a GPU to a scale-up switch lie side by side: what comes by all of one GPU's
    // continues by all of another's.
    if (Path::has(Feature::kTransports) && sw.is_scale_up)
      return hops[(in.index - sw.first_port) % hops.size()];
    if constexpr (Path::has(Feature::kTelemetry)) {
      if (s_.telemetry.is_in(packet)) {
        return balancer_.choose(sw, in, s_.telemetry.opened(packet), c, hops, now);
      }
    }
    return balancer_.choose(sw, in, packet, c, hops, now);
  }

  /// The one that the route of the packet names, whatever has failed since the run began.
  [[nodiscard]] std::uint32_t named_egress(const PortState& in, Packet& packet) const {
    const auto hops = s_.routes.next_hops(SwitchId(in.owner), HostId(packet.destination()));
    if (hops.empty()) return kNoIndex;
    if (hops.size() == 1) return hops[0];
    return hops[path_selection::take_segment(packet, static_cast<std::uint32_t>(hops.size()))];
  }

  /// Whether a packet that finds its egress free goes on the wire without lying in a queue. Paths
  /// that note what happens to it there do without.
  static constexpr bool kPassesThrough =
      !(Path::has(Feature::kInputQueues) || Path::has(Feature::kInNetwork) ||
        Path::has(Feature::kCredits) || Path::has(Feature::kCutThrough) ||
        Path::has(Feature::kTraces) || Path::has(Feature::kSharedLinks));

  /// Nothing is being sent or waits, and class `c` may be sent.
  [[nodiscard]] static bool is_free_for(const PortState& out, ClassId c) {
    return !out.is_transmitting && (out.waiting | out.pending_control) == 0 &&
           (out.blocked & class_bit(c)) == 0;
  }

  /// Fast path: updates statistics as if `packet` were enqueued and dequeued now. An empty queue
  /// marks nothing.
  void pass_through(const Here& here, Packet& packet, SwitchState& sw, const PortState& in,
                    PortState& out, ClassQueue& queue) {
    const Bytes size = packet.wire_size();
    queue.changed_at = here.now;
    early_drop_.emptied(here, out, class_of(packet));
    if (size > queue.peak_bytes) queue.peak_bytes = size;
    out.note_backlog(size);
    out.backlog -= size;
    if (Path::has(Feature::kWeightedClasses)) queue.deficit = 0;
    --packet.ttl;
    send(here, out, sw, queue, packet, in.index - sw.first_port);
  }

  /// A packet that was admitted goes on the wire or waits. Admission may have given it another
  /// class and size, so that its queue is looked up here.
  [[gnu::always_inline]] void take_in(const Here& here, Packet& packet, SwitchState& sw,
                                      PortState& in, PortState& out) {
    const ClassId c = class_of(packet);
    ClassQueue& queue = queue_of(in, out, c);
    if (kPassesThrough && is_free_for(out, c)) {
      pass_through(here, packet, sw, in, out, queue);
      return;
    }
    PortState& holder = queues_at_inputs() ? in : out;
    const std::int64_t stamp = holding_stamp(here, packet, sw, in, out);
    const bool marks =
        marker_.marks_arrival(here, holder, queue, packet, s_.class_on<Path>(holder, c),
                              order_of(queue) + queue.packets.size());
    Packet& waiting = enqueue(here, holder, queue, packet, in, stamp);
    if (marks) set(waiting, kMarked);
    if (queues_at_inputs()) {
      if (queue.packets.size() == 1) {
        inputs_.request(here, in.owner, in.index - sw.first_port, out.index - sw.first_port, c);
      }
      return;
    }
    if (!out.is_transmitting) start(here, out, sw);
  }

  /// Finds room for `packet`, or for its header, and pauses its sender where that is due.
  [[nodiscard]] Verdict admit(const Here& here, Packet& packet, SwitchState& sw, PortState& in,
                              PortState& out) {
    const ClassId c = class_of(packet);
    const ClassConstants& constants = s_.class_on<Path>(in, c);
    IngressAccount& account = s_.account(in, c);
    if (Path::has(Feature::kCredits) && constants.is_credit) {
      account.bytes += scheduler_.blocks(c, packet.wire_size()) * constants.block;
      return Verdict::kAdmit;
    }
    ClassQueue& queue = queue_of(in, out, c);
    const ClassConstants& at_egress = s_.class_on<Path>(queues_at_inputs() ? in : out, c);
    if (is_dropped_early(here, packet, out, queue, at_egress)) return Verdict::kDrop;
    const Admission room = is_beyond_limit(packet, out, queue, at_egress)
                               ? Admission::kEgressFull
                               : buffer_.admit(sw, account, queue, {constants, at_egress},
                                               cells(sw, packet.wire_size()));
    if (room != Admission::kAdmitted) [[unlikely]] {
      if constexpr (Path::has(Feature::kTrimming)) {
        if (trims(packet, constants)) return trim(here, packet, sw, in, out, queue);
      }
      refuse(here, packet, sw, in, out, queue);
      if (room == Admission::kPoolEmpty) ++sw.pool_drops;
    }
    // What the ingress refused crossed its threshold, too; as long as something is there that will
    // leave, the pause will be lifted.
    const bool is_above = room == Admission::kAdmitted
                              ? buffer_.is_above_xoff(sw, account, constants)
                              : is_of_ingress(room) && account.bytes > Bytes();
    if (constants.is_pfc && !account.is_pausing && is_above) [[unlikely]] {
      pause_.begin(here, sw, in, out, c);
    }
    return room == Admission::kAdmitted ? Verdict::kAdmit : Verdict::kDrop;
  }

  /// The watchdog drops what comes to a queue in a storm, and WRED some of what comes to a long
  /// one.
  [[nodiscard]] bool is_dropped_early(const Here& here, const Packet& packet, const PortState& out,
                                      const ClassQueue& queue, const ClassConstants& constants) {
    if (!Path::has(Feature::kSettings)) return false;
    const bool is_in_storm = (out.dropping & class_bit(class_of(packet))) != 0;
    if (is_in_storm) [[unlikely]] {
      ++s_.watchdog_at(out, class_of(packet)).drops;
      incidents_.lose_to_storm(here, out, packet);
    }
    if (!is_in_storm && !early_drop_.drops(here, packet, out, queue, constants)) return false;
    forget<Path>(s_, here, packet);
    return true;
  }

  /// What an egress holds of a lossy class is limited, the packet in transmission included.
  [[nodiscard]] bool is_beyond_limit(const Packet& packet, const PortState& out,
                                     const ClassQueue& queue,
                                     const ClassConstants& constants) const {
    if (!Path::has(Feature::kTrimming) || constants.egress_limit == Bytes()) return false;
    const bool is_in_service = out.is_transmitting && out.service_class == class_of(packet) &&
                               !s_.constants.release_at_start;
    const Bytes in_service(is_in_service ? out.service_bytes : 0);
    return queue.packets.bytes() + in_service + packet.wire_size() > constants.egress_limit;
  }

  /// Whether it is data that its receiver would make use of without payload.
  [[nodiscard]] bool trims(const Packet& packet, const ClassConstants& constants) const {
    if (!constants.trims || kind_of(packet) != PacketKind::kData) return false;
    if (packet.size <= constants.trimmed_size || (packet.flow & kInNetworkFlow) != 0) return false;
    return s_.constants.transports[s_.receivers[receiver_of(packet)].transport].uses_trimming;
  }

  /// There is no room for `packet`: it, or the last packet of the queue, whose place it takes then,
  /// is forwarded without its payload, if there is room for that. The verdict is that on `packet`.
  [[gnu::noinline]] Verdict trim(const Here& here, Packet& packet, SwitchState& sw, PortState& in,
                                 PortState& out, ClassQueue& queue) {
    const ClassConstants& constants = s_.constants.of_class[class_of(packet)];
    const bool is_last = is_last_trimmed(packet, sw, in, out, queue);
    ++queue.trimmed;
    if (!is_last) {
      cut(here, packet, constants, out);
      return admit(here, packet, sw, in, out);
    }
    Packet last = queue.packets.back();
    tracer_.replaced(here, last, packet, out, in.index);
    replace_last(here, packet, sw, in, out, queue);
    PortState& origin = s_.ports[sw.first_port + waiting_port(last)];
    ++last.ttl;  // which it will lose when it waits again
    cut(here, last, constants, out);
    if (admit(here, last, sw, origin, out) == Verdict::kAdmit) take_in(here, last, sw, origin, out);
    return Verdict::kDrop;
  }
  /// Whether the packet that came last to the queue is trimmed, and not the one that has come. It
  /// must be one that can be, and occupy as many cells.
  [[nodiscard]] bool is_last_trimmed(const Packet& packet, const SwitchState& sw,
                                     const PortState& in, const PortState& out,
                                     ClassQueue& queue) const {
    const ClassConstants& constants = s_.constants.of_class[class_of(packet)];
    if (constants.victim == TrimmingConfig::Victim::kArriving) {
      return takes_place(packet, sw, in, out, queue) && trims(queue.packets.back(), constants);
    }
    if (queue.packets.empty() || s_.constants.works_in_network) return false;
    const Packet& last = queue.packets.back();
    if (!trims(last, constants)) return false;
    if (cells(sw, last.wire_size()) != cells(sw, packet.wire_size())) return false;
    if (constants.victim == TrimmingConfig::Victim::kLastQueued) return true;
    const RandomStream random(s_.constants.seed, Purpose::kTrimVictim, out.index);
    const auto toss = static_cast<std::uint64_t>(queue.trimmed) * kMaxClasses;
    return (random.bits32(toss + class_of(packet).value()) & 1U) != 0;
  }
  /// Leaves the header of `packet`, in the class that has the headers of its class.
  void cut(const Here& here, Packet& packet, const ClassConstants& constants,
           const PortState& out) const {
    ++here.worker.sums.packets_trimmed;
    tracer_.trimmed(here, packet, out);
    const bool is_last_hop = constants.tells_last_hop && s_.ports[out.peer.value()].owner_is_host;
    packet.set_type(packet_type(is_last_hop ? PacketKind::kTrimmedLastHop : PacketKind::kTrimmed,
                                constants.trimmed_class));
    packet.size = constants.trimmed_size;
  }

  /// There is no room for `packet`. Where the one that came last to the queue is in truth the later
  /// one (PlaceOrder), that is dropped, and this one takes its place and its mark.
  [[gnu::noinline]] void refuse(const Here& here, const Packet& packet, SwitchState& sw,
                                PortState& in, PortState& out, ClassQueue& queue) {
    const ClassId c = class_of(packet);
    if (!takes_place(packet, sw, in, out, queue)) {
      lose_at(here, s_.account(in, c), packet);
      return;
    }
    Packet& last = queue.packets.back();
    lose_at(here, s_.account_at(sw.first_port + waiting_port(last), c), last);
    tracer_.replaced(here, last, packet, out, in.index);
    replace_last(here, packet, sw, in, out, queue);
  }
  /// `packet` takes the place of the one that came last, and its mark.
  void replace_last(const Here& here, const Packet& packet, const SwitchState& sw,
                    const PortState& in, PortState& out, ClassQueue& queue) {
    Packet& last = queue.packets.back();
    queue.account(here.now);
    const Bytes change = packet.wire_size() - last.wire_size();
    const bool is_marked = has(last, kMarked);
    queue.packets.replace_back(packet);
    last.stamp = holding_stamp(here, packet, sw, in, out);
    if (is_marked) set(last, kMarked);
    --last.ttl;
    out.note_backlog(change);
    if (queue.packets.bytes() > queue.peak_bytes) queue.peak_bytes = queue.packets.bytes();
    tracer_.queue_changed(here, out, queue, class_of(packet));
  }
  /// Lossless classes have accounts by ingress, and lose nothing where they are set up right.
  [[nodiscard]] bool takes_place(const Packet& packet, const SwitchState& sw, const PortState& in,
                                 const PortState& out, ClassQueue& queue) const {
    const ClassConstants& constants = s_.constants.of_class[class_of(packet)];
    if (constants.is_pfc || constants.is_mixed || queues_at_inputs() ||
        s_.constants.works_in_network) {
      return false;
    }
    if (queue.packets.empty()) return false;
    const Packet& last = queue.packets.back();
    const PortState& other = s_.ports[sw.first_port + waiting_port(last)];
    if (cells(sw, last.wire_size()) != cells(sw, packet.wire_size())) return false;
    return PlaceOrder(s_.constants.seed, s_.constants.largest_packet(), out)
        .is_first(in, other, sw, queue.started);
  }
  void lose_at(const Here& here, IngressAccount& account, const Packet& packet) {
    ++account.drops;
    forget<Path>(s_, here, packet);
  }

  /// What a waiting packet holds for a stamp: where it came from (or goes to, where inputs queue)
  /// and when its last bit will be here.
  [[nodiscard]] std::int64_t holding_stamp(const Here& here, const Packet& packet,
                                           const SwitchState& sw, const PortState& in,
                                           const PortState& out) const {
    const std::int64_t port = (queues_at_inputs() ? out.index : in.index) - sw.first_port;
    return cut_through_.is_used() ? cut_through_.stamp(here, packet, in, port) : port;
  }

  /// Returns the packet in its place. What the switch itself made has no ingress: `in` is its
  /// egress.
  Packet& enqueue(const Here& here, PortState& holder, ClassQueue& queue, const Packet& packet,
                  const PortState& in, std::int64_t stamp) {
    queue.account(here.now);
    Packet& copy = queue.packets.push(packet, here.worker.pool);
    copy.stamp = stamp;
    copy.ttl = static_cast<std::uint8_t>(packet.ttl - 1);
    note_enqueued(here, holder, queue, packet, in);
    return copy;
  }
  [[gnu::always_inline]] void note_enqueued(const Here& here, PortState& holder, ClassQueue& queue,
                                            const Packet& packet, const PortState& in) {
    const ClassId c = class_of(packet);
    if (queue.packets.bytes() > queue.peak_bytes) queue.peak_bytes = queue.packets.bytes();
    holder.waiting |= class_bit(c);
    holder.note_backlog(packet.wire_size());
    tracer_.queue_changed(here, holder, queue, c);
    tracer_.enqueued(here, packet, holder, in.index);
  }

  [[nodiscard]] Taken take_oldest(const PortState& holder, ClassQueue& queue) {
    if constexpr (Path::has(Feature::kInNetwork)) {
      if (queue.packets.coalesced() > 0 && in_network_unit_.is_coalesced(queue)) {
        return in_network_unit_.expand(holder.owner, queue);
      }
    }
    return queue.packets.take();
  }

  [[gnu::always_inline]] void start(const Here& here, PortState& port, SwitchState& sw) {
    if (port.pending_control != 0 && !port.is_down) [[unlikely]] {
      control_.transmit(here, port);
      return;
    }
    if (queues_at_inputs()) {
      here.lp.next.remove(port.local);
      inputs_.check_output(here, port.owner, port.index - sw.first_port);
      return;
    }
    if constexpr (Path::has(Feature::kSharedLinks)) {
      if (!LinkTurns(s_).may_start(port)) {
        here.lp.next.remove(port.local);
        return;
      }
    }
    const std::uint32_t eligible = port.waiting & ~static_cast<unsigned>(port.blocked);
    const ClassId c = scheduler_.choose(here, port, eligible, [&](ClassId of) {
      return s_.queue(port, of).packets.front().wire_size();
    });
    if (c.is_none()) {
      here.lp.next.remove(port.local);
      return;
    }
    ClassQueue& queue = s_.queue(port, c);
    const Packet& packet = take(here, port, queue, c);
    scheduler_.charge(port, c, packet.wire_size(), eligible);
    if (Path::has(Feature::kWeightedClasses) && queue.packets.empty()) queue.deficit = 0;
    send(here, port, sw, queue, packet, waiting_port(packet));
    queue.packets.reclaim(here.worker.pool);
  }

  /// The packet in service at `port` leaves the buffer accounts.
  void release_served(const Here& here, PortState& port, SwitchState& sw) {
    if (Path::has(Feature::kInNetwork) && port.service_pending != kPendingIngress) {
      in_network_unit_.release_pending(here, port.owner, port.service_pending);
      return;
    }
    const std::uint32_t in = sw.first_port + port.service_ingress;
    const ClassId c = port.service_class;
    ClassQueue& queue = queues_at_inputs() ? s_.queue_at(in, c) : s_.queue(port, c);
    release(here, sw, in, holder_of(port, sw, port.service_ingress), queue, c,
            Bytes(port.service_bytes));
  }
  /// The port in whose queues a packet waits that comes in by `ingress` and goes to `out`.
  [[nodiscard]] const PortState& holder_of(const PortState& out, const SwitchState& sw,
                                           std::uint32_t ingress) const {
    return queues_at_inputs() ? s_.ports[sw.first_port + ingress] : out;
  }

  /// A packet that came in by the port with the global number `in` and was in `queue` of `holder`
  /// leaves the buffer.
  void release(const Here& here, SwitchState& sw, std::uint32_t in, const PortState& holder,
               ClassQueue& queue, ClassId c, Bytes size) {
    const ClassConstants& constants = class_of_ingress(in, c);
    IngressAccount& account = s_.account_at(in, c);
    if (Path::has(Feature::kCredits) && constants.is_credit) {
      const std::int32_t blocks = scheduler_.blocks(c, size);
      account.bytes -= blocks * constants.block;
      control_.grant(here, s_.ports[in], c, blocks);
      return;
    }
    buffer_.release(sw, account, queue, {constants, s_.class_on<Path>(holder, c)}, cells(sw, size));
    if (account.is_pausing && buffer_.is_below_xon(sw, account, constants)) [[unlikely]] {
      pause_.end(here, in, c);
    }
  }

  /// Only paths with settings by port touch the port itself.
  [[nodiscard]] const ClassConstants& class_of_ingress(std::uint32_t in, ClassId c) const {
    if constexpr (Path::has(Feature::kSettings)) return s_.class_at(s_.ports[in], c);
    return s_.constants.of_class[c];
  }

  /// A packet that the buffer does not hold is lost; its credits are granted again.
  void drop(const Here& here, PortState& in, const Packet& packet) {
    forget<Path>(s_, here, packet);
    const ClassId c = class_of(packet);
    if (!Path::has(Feature::kCredits) || !s_.constants.of_class[c].is_credit) return;
    control_.grant(here, in, c, scheduler_.blocks(c, packet.wire_size()));
  }

  NetworkState& s_;
  LinkControl control_;
  ClassScheduler<Path> scheduler_;
  SharedBuffer<Path> buffer_;
  IngressPause<Path> pause_;
  EcnMarker<Path> marker_;
  EarlyDrop<Path> early_drop_;
  CutThrough<Path> cut_through_;
  Tracer<Path> tracer_;
  IncidentLog incidents_;
  LoadBalancer balancer_;
  InputQueues<Path, SwitchModel> inputs_;
  InNetworkUnit<Path, SwitchModel> in_network_unit_;
};

}  // namespace weft::protocols
