#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Whether what `port` sends is told because a host waits that sends by its link.
[[nodiscard]] inline bool is_sender_watched(const Here& here, NetworkState& state,
                                            const PortState& port) {
  if (port.shared_link != 0) return state.watch.is_any_sending(port.index, here.now);
  return port.owner_is_host && state.watch.is_sending(port.host(), here.now);
}

/// Whether the wait of `port` for credits, which is over, is told.
[[nodiscard]] inline bool tells_stall(const Here& here, NetworkState& state,
                                      const PortState& port) {
  if (state.constants.traces_credits) return true;
  if (!state.watch.is_used()) return false;
  return state.watch.port(port.index).waiting > 0 || is_sender_watched(here, state, port);
}

/// What a run notes of queues and packets that are traced. Nothing is compiled in where the path
/// has no traces.
template <class Path>
class Tracer {
 public:
  static constexpr bool kTraces = Path::has(Feature::kTraces);

  explicit Tracer(NetworkState& state) : s_(state) {}

  /// The occupancy of a queue at `port` changed.
  void queue_changed(const Here& here, const PortState& port, const ClassQueue& queue,
                     ClassId c) const {
    if (!kTraces || !port.is_watched) return;
    here.worker.trace.push_back({.time = here.now,
                                 .value = queue.packets.bytes().count(),
                                 .subject = port.index,
                                 .kind = TraceRecord::Kind::kQueue,
                                 .traffic_class = c});
  }

  /// A packet has come to `port`, through the receiver's pipeline.
  void arrived(const Here& here, const Packet& packet, const PortState& port) const {
    if (!kTraces || kind_of(packet) != PacketKind::kData) return;
    if (is_traced(packet) || (port.owner_is_host && is_of_message(packet))) {
      push(here, TraceRecord::Kind::kPacketArrived, packet, port, here.now);
    }
  }

  /// A packet that came by the port `ingress` waits at `holder`.
  void enqueued(const Here& here, const Packet& packet, const PortState& holder,
                std::uint32_t ingress) const {
    if (!kTraces || kind_of(packet) != PacketKind::kData) return;
    const bool is_wanted = is_of_message(packet);
    if (is_wanted && counts_at(holder)) count(here, holder);
    if (!is_wanted && !is_traced(packet)) return;
    push(here, TraceRecord::Kind::kPacketEnqueued, packet, holder, here.now);
    here.worker.trace.back().other = ingress;
  }

  /// `packet`, which came by the port `ingress`, takes the place of `last`, which waited at
  /// `holder` and is dropped.
  void replaced(const Here& here, const Packet& last, const Packet& packet, const PortState& holder,
                std::uint32_t ingress) const {
    if (!kTraces) return;
    const bool is_data = kind_of(last) == PacketKind::kData;
    if (is_data && is_of_message(last) && counts_at(holder)) --s_.watch.port(holder.index).waiting;
    enqueued(here, packet, holder, ingress);
  }

  /// The payload of a packet is cut off at `port`, where it waited, or was to.
  void trimmed(const Here& here, const Packet& packet, const PortState& port) const {
    if (!kTraces || !is_traced(packet)) return;
    push(here, TraceRecord::Kind::kPacketTrimmed, packet, port, here.now);
  }

  /// A packet is marked at `port`.
  void marked(const Here& here, const Packet& packet, const PortState& port) const {
    if (!kTraces || kind_of(packet) != PacketKind::kData || !is_traced(packet)) return;
    push(here, TraceRecord::Kind::kPacketMarked, packet, port, here.now);
  }

  /// `port` sends a packet from `begin` to `end`.
  void sent(const Here& here, const Packet& packet, const PortState& port, Picoseconds begin,
            Picoseconds end) const {
    if (!kTraces) return;
    const PacketKind kind = kind_of(packet);
    if (kind == PacketKind::kData && is_traced(packet)) {
      push(here, TraceRecord::Kind::kPacketStarted, packet, port, begin);
    }
    if (!s_.watch.is_used()) return;
    MessageWatch::Port& watched = s_.watch.port(port.index);
    // What is watched was counted where it waits, or its host is sending: few packets are looked
    // up.
    const bool counts = counts_at(port);
    const bool is_told = watched.waiting > 0 || is_sender_watched(here, s_, port);
    const bool is_wanted =
        kind == PacketKind::kData && (is_told || !counts) && is_of_message(packet);
    if (is_wanted && counts) --watched.waiting;
    if (is_wanted && port.owner_is_host && !follows(packet, watched.last, begin)) {
      hold(here, packet, port, begin);
    }
    watched.last.port = port.index;
    watched.last.begin = begin;
    watched.last.end = end;
    watched.last.flow = flow_of(packet);
    watched.last.sequence = packet.sequence;
    watched.last.kind = kind;
    watched.last.traffic_class = class_of(packet);
    watched.last.is_told = is_wanted || is_told;
    if (watched.last.is_told) tell(here, watched.last);
  }

 private:
  void push(const Here& here, TraceRecord::Kind kind, const Packet& packet, const PortState& port,
            Picoseconds time) const {
    here.worker.trace.push_back({.time = time,
                                 .value = flow_of(packet),
                                 .subject = port.index,
                                 .detail = packet.sequence,
                                 .kind = kind,
                                 .traffic_class = class_of(packet)});
  }

  /// Whether packets of watched messages are counted that wait here: at a switch's egress.
  [[nodiscard]] bool counts_at(const PortState& port) const {
    return !port.owner_is_host && !s_.constants.input_queued;
  }
  [[nodiscard]] bool is_traced(const Packet& packet) const {
    return s_.constants.traces_packets && s_.is_watched(packet);
  }
  [[nodiscard]] bool is_of_message(const Packet& packet) const {
    return s_.watch.is_used() && s_.watch.has(flow_of(packet), packet.sequence);
  }
  /// One more waits. With the first one, what the port sends at the time is told.
  void count(const Here& here, const PortState& port) const {
    MessageWatch::Port& watched = s_.watch.port(port.index);
    if (watched.waiting++ > 0 || watched.last.is_told || watched.last.end <= here.now) return;
    tell(here, watched.last);
    watched.last.is_told = true;
  }
  /// Whether nothing was between the packet, which starts now, and the one before of its message.
  [[nodiscard]] static bool follows(const Packet& packet, const MessageWatch::Sent& last,
                                    Picoseconds begin) {
    return last.end == begin && last.flow == flow_of(packet) &&
           last.sequence + 1 == packet.sequence && last.kind == PacketKind::kData &&
           !has(packet, kFirst);
  }

  static void tell(const Here& here, const MessageWatch::Sent& sent) {
    const auto took = static_cast<std::uint64_t>((*sent.end - *sent.begin).count());
    here.worker.trace.push_back(
        {.time = *sent.end,
         .value = static_cast<std::int64_t>(std::uint64_t{sent.sequence} << 32U | sent.flow),
         .subject = sent.port,
         .detail = static_cast<std::uint32_t>(took),
         .other = static_cast<std::uint32_t>(took >> 32U),
         .kind = TraceRecord::Kind::kPortBusy,
         .traffic_class = sent.traffic_class,
         .what = static_cast<std::uint8_t>(sent.kind)});
  }

  /// What a packet may have waited for that starts at a host.
  void hold(const Here& here, const Packet& packet, const PortState& port,
            Picoseconds begin) const {
    const SendingEnd& s = s_.senders[queue_pair_of(packet)];
    const TransportConstants& t = s_.constants.transports[s.transport];
    // Credit says nothing of itself in the window: it has what both may have held.
    const congestion::Needs& needs = t.control.needs;
    const bool is_controlled =
        t.has_grants() || needs.contexts || (!t.control.is_none() && s.whole().window < t.window);
    const HoldReason reason =
        is_controlled ? HoldReason::kControlWindow : HoldReason::kStaticWindow;
    constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
    here.worker.trace.push_back({.time = begin,
                                 .value = static_cast<std::int64_t>(
                                     std::uint64_t{packet.sequence} << 32U | flow_of(packet)),
                                 .subject = port.index,
                                 .detail = static_cast<std::uint32_t>(std::clamp(
                                     (begin - s.next_send).count(), std::int64_t{0}, kMax)),
                                 .kind = TraceRecord::Kind::kPacketHeld,
                                 .traffic_class = class_of(packet),
                                 .what = static_cast<std::uint8_t>(reason)});
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
