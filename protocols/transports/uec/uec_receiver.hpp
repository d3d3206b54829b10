#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/packet/nack_code.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/answer.hpp"

namespace weft::protocols {

/// The receiving end of a packet delivery context.
template <class Host>
class UecReceiverEnd {
 public:
  UecReceiverEnd(NetworkState& state, Host& host) : s_(state), host_(host) {}

  void receive_data(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    ReceiverState& r = s_.receivers[id];
    UecReceiver& u = s_.uec.receiver(id);
    const TransportConstants& t = host_.transport(r.transport);
    s_.nics[port.index].recent_receiver = id;
    if (is_here(r, packet.sequence)) return send_ack(here, packet, id, port, true);
    const std::uint32_t ahead = packet.sequence - r.expected;
    if (t.delivery.in_order && ahead > 0) {
      if (!r.nack_sent) send_nack(here, packet, id, NackCode::kOutOfOrder, port);
      r.nack_sent = true;
      return;
    }
    if (ahead >= t.delivery.psn_window) {
      return send_nack(here, packet, id, NackCode::kOutOfWindow, port);
    }
    if (ahead >= t.delivery.tracked) {
      return send_nack(here, packet, id, NackCode::kNoBitmap, port);
    }
    r.nack_sent = false;
    NewArrivals& news = news_of(u, t, port);
    count(u, news, t, packet);
    const std::uint32_t messages = take(here, packet, id, r, port);
    const bool is_urgent = t.delivery.acks_all || has(packet, kAsksAck) || has(packet, kLast) ||
                           (has(packet, kMarked) && t.delivery.acks_marks);
    if (is_urgent) u.asked_end = std::max(u.asked_end, packet.sequence + 1);
    // The last gap before a packet that asked for an ACK is closed: its ACK did not say so.
    const bool closes_gap = ahead == 0 && r.expected > packet.sequence + 1 &&
                            r.expected >= u.asked_end && u.asked_end > packet.sequence + 1;
    if (is_urgent || closes_gap || news.waiting >= t.delivery.ack_bytes.count()) {
      send_ack(here, packet, id, port, is_urgent);
    }
    if (t.delivery.receiver_gap != 0) infer(here, packet, id, port);
    for (std::uint32_t i = 0; i < messages; ++i) host_.notify_delivered(here, id);
  }

  /// The sender asks for an ACK, which tells from the first packet on that is missing.
  void receive_probe(const Here& here, const Packet& probe, PortState& port) {
    const ReceiverId id = receiver_of(probe);
    const ReceiverState& r = s_.receivers[id];
    Packet packet = answer(probe, id, r, host_.transport(r.transport), PacketKind::kPdsAck);
    packet.sequence = r.expected;
    packet.flags = kAsksAck;
    packet.word =
        s_.acks.add(here.worker.number, {.bytes = s_.uec.receiver(id).bytes,
                                         .bitmap = r.early.held_from(r.expected, r.expected),
                                         .base = r.expected,
                                         .cause = r.expected,
                                         .early = r.received - r.expected,
                                         .probe = probe.word});
    host_.respond(here, packet, port);
  }

  /// The NIC had no room for the packet.
  void refuse_data(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    if (is_here(s_.receivers[id], packet.sequence)) return;
    send_nack(here, packet, id, NackCode::kNoPacketBuffer, port);
  }

  /// A switch had no room for the packet.
  void receive_trimmed(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    if (is_here(s_.receivers[id], packet.sequence)) {
      return send_ack(here, packet, id, port, true);
    }
    const bool is_last_hop = kind_of(packet) == PacketKind::kTrimmedLastHop;
    send_nack(here, packet, id, is_last_hop ? NackCode::kTrimmedLastHop : NackCode::kTrimmed, port);
  }

 private:
  [[nodiscard]] static bool is_here(const ReceiverState& r, std::uint32_t sequence) {
    if (static_cast<std::int32_t>(sequence - r.expected) < 0) return true;
    return sequence != r.expected && r.early.has(r.expected, sequence);
  }

  /// Where it is noted what is new, for the ACK of a packet that came by `port`.
  [[nodiscard]] NewArrivals& news_of(UecReceiver& u, const TransportConstants& t,
                                     const PortState& port) {
    if (!Host::kHasHostPorts || !t.has_window_per_plane) return u.news;
    return s_.uec.news(u, s_.planes.plane_of(port.index));
  }

  /// A packet that was not here yet.
  static void count(UecReceiver& u, NewArrivals& news, const TransportConstants& t,
                    const Packet& packet) {
    const Bytes payload = packet.wire_size() - t.header;
    const Bytes whole = payload + t.delivery.counted_header;
    const Bytes counted = t.delivery.counts_headers ? whole : payload;
    u.bytes += static_cast<std::uint64_t>(whole.count());
    news.waiting += static_cast<std::uint32_t>(std::max(counted, t.delivery.ack_min_add).count());
    news.lowest = news.has_any ? std::min(news.lowest, packet.sequence) : packet.sequence;
    news.has_any = true;
    u.end = std::max(u.end, packet.sequence + 1);
  }

  /// Returns how many messages it completes.
  std::uint32_t take(const Here& here, const Packet& packet, ReceiverId id, ReceiverState& r,
                     const PortState& port) {
    const bool is_last = has(packet, kLast);
    ++r.received;
    if (packet.sequence != r.expected) {
      r.early.insert(r.expected, packet.sequence, is_last);
      return 0;
    }
    if (r.early.empty()) {
      ++r.expected;
      if (!is_last) return 0;
      host_.record_delivery(here, id, packet.sequence, port);
      return 1;
    }
    return r.early.close_gap(r.expected, is_last, [&](std::uint32_t last) {
      host_.record_delivery(here, id, last, port);
    });
  }

  /// `is_urgent`: it tells of this packet before all others.
  void send_ack(const Here& here, const Packet& cause, ReceiverId id, PortState& port,
                bool is_urgent) {
    ReceiverState& r = s_.receivers[id];
    UecReceiver& u = s_.uec.receiver(id);
    const TransportConstants& t = host_.transport(r.transport);
    Packet packet = answer(cause, id, r, t, PacketKind::kPdsAck);
    packet.sequence = r.expected;
    packet.flags = flags_of(cause);
    NewArrivals& news = news_of(u, t, port);
    const std::uint32_t base = Host::kHasHostPorts && t.has_window_per_plane
                                   ? base_in_plane(r, news, cause.sequence)
                                   : base_of(r, u, cause.sequence, is_urgent);
    packet.word = s_.acks.add(here.worker.number, {.bytes = u.bytes,
                                                   .bitmap = r.early.held_from(r.expected, base),
                                                   .base = base,
                                                   .cause = cause.sequence,
                                                   .early = r.received - r.expected});
    news.waiting = 0;
    news.has_any = false;
    host_.respond(here, packet, port);
  }
  /// From which packet on the bitmap of an ACK tells.
  [[nodiscard]] static std::uint32_t base_of(const ReceiverState& r, const UecReceiver& u,
                                             std::uint32_t cause, bool is_urgent) {
    if (is_urgent || !u.news.has_any) return cause;
    const std::uint32_t base = std::max(r.expected, u.news.lowest);
    return u.end > base + 64 ? base + 64 : base;
  }
  /// Windows of planes go by the packets that ACKs tell of: it tells of all that came by the plane,
  /// as far as a bitmap reaches that has its cause.
  [[nodiscard]] static std::uint32_t base_in_plane(const ReceiverState& r, const NewArrivals& news,
                                                   std::uint32_t cause) {
    const std::uint32_t base = std::max(r.expected, news.has_any ? news.lowest : cause);
    return std::max(base, cause < 63 ? 0 : cause - 63);
  }

  /// What enough later packets have overtaken is asked for, once.
  void infer(const Here& here, const Packet& cause, ReceiverId id, PortState& port) {
    const ReceiverState& r = s_.receivers[id];
    UecReceiver& u = s_.uec.receiver(id);
    const std::uint32_t gap = host_.transport(r.transport).delivery.receiver_gap;
    u.inferred = std::max(u.inferred, r.expected);
    for (; u.inferred + gap < u.end; ++u.inferred) {
      if (is_here(r, u.inferred)) continue;
      send_nack(here, cause, id, NackCode::kReceiverInfers, port, u.inferred);
    }
  }

  void send_nack(const Here& here, const Packet& cause, ReceiverId id, NackCode code,
                 PortState& port) {
    send_nack(here, cause, id, code, port, cause.sequence);
  }
  /// `sequence`: what is asked for.
  void send_nack(const Here& here, const Packet& cause, ReceiverId id, NackCode code,
                 PortState& port, std::uint32_t sequence) {
    const ReceiverState& r = s_.receivers[id];
    const TransportConstants& t = host_.transport(r.transport);
    Packet packet = answer(cause, id, r, t, PacketKind::kPdsNack);
    packet.size = static_cast<std::uint16_t>(t.delivery.nack_size.count());
    packet.sequence = sequence;
    packet.word = r.expected;
    packet.flags = flags_of(cause);
    packet.set_sent_upper(static_cast<std::uint32_t>(code));
    host_.respond(here, packet, port);
  }

  /// It takes the path back that the entropy of its cause gives.
  [[nodiscard]] Packet answer(const Packet& cause, ReceiverId id, const ReceiverState& r,
                              const TransportConstants& t, PacketKind kind) const {
    Packet packet = answer_of(id, r, t, kind);
    if (!t.entropy.is_fixed()) packet.entropy = host_.routed(t, queue_pair_of(id), cause.entropy);
    return packet;
  }
  /// What an answer echoes.
  [[nodiscard]] static std::uint8_t flags_of(const Packet& cause) {
    return static_cast<std::uint8_t>(flag_if(has(cause, kMarked), kPathIsMarked) |
                                     (cause.flags & kRepeated));
  }

  NetworkState& s_;
  Host& host_;
};

}  // namespace weft::protocols
