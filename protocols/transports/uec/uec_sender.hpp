#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "protocols/config/transports/planes_config.hpp"
#include "protocols/link/egress.hpp"
#include "protocols/packet/nack_code.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/sender.hpp"
#include "protocols/transports/uec/uec_credit.hpp"

namespace weft::protocols {

/// The sending end of a packet delivery context. `SenderState::next` is what the host sends next: a
/// packet that is to be repeated, the lowest first, or the first one that was never sent;
/// `arrange` says which, and opens or closes the window that the host looks at.
///
/// Contexts of one host to another in one class share a congestion context, whose window counts
/// their bytes together. Where planes have a window each, there is a congestion context per plane,
/// which counts what left by it.
template <class Host>
class UecSenderEnd {
 public:
  /// Bytes that an answer is the first to say have arrived, by plane.
  using Arrivals = std::array<Bytes, kMaxPlanes>;

  UecSenderEnd(NetworkState& state, Host& host)
      : s_(state), host_(host), sender_(state), credit_(state, host) {}

  /// The transmission of a packet begins that was not sent before.
  void on_first_sent(const Here& here, const SenderState& s, QueuePairId qp) {
    if (s.has_outstanding()) return;
    ++here.lp.live_events;
    host_.watch_paths(here, s, qp);
  }

  /// The next packet asks for an ACK, whatever else it is.
  void ask_ack(SenderState& s) const { s.asks_ack = true; }

  void on_sent(const Here& here, SenderState& s) {
    const QueuePairId qp = s_.senders.queue_pair_of(s);
    UecSender& u = s_.uec.sender(qp);
    const std::uint32_t sequence = s.next - 1;
    const bool is_new = !u.repeats.remove(sequence);
    SentPacket& packet = u.packets.open(s.unacked, sequence, is_new);
    packet.time = here.now;
    packet.value = u.value;
    packet.plane = static_cast<std::uint8_t>(host_.plane_of(s));
    packet.sends = static_cast<std::uint8_t>(std::min(packet.sends + 1, 3));
    const Bytes size = counted_size(s, sequence);
    u.in_flight += size.count();
    at_context(s, packet.plane,
               [&](auto& control, const auto& p) { control.on_packet(p, size, here.now); });
    file_timer(here, u, qp, here.now + timeout_of(s, u, packet));
    arrange_all(here, s, u);
  }

  void receive_response(const Here& here, const Packet& packet, PortState& port) {
    const PacketKind kind = kind_of(packet);
    if (kind == PacketKind::kPdsAck) return receive_ack(here, packet, port);
    if (kind == PacketKind::kPdsNack) receive_nack(here, packet, port);
  }

  void expire_timer(const Here& here, QueuePairId qp) {
    SenderState& s = s_.senders.whole(qp);
    UecSender& u = s_.uec.sender(qp);
    if (u.timer_at != here.now) return;  // an earlier one was filed
    u.timer_at = {};
    if (!s.has_outstanding() || s.schedule == SenderState::Schedule::kFailed) return;
    here.lp.last_event_time = here.now;
    bool is_late = false;
    Picoseconds next = Picoseconds::max();
    if (u.probe_at) {
      if (*u.probe_at <= here.now) probe(here, s, u);
      if (u.probe_at) next = *u.probe_at;
    }
    for (std::uint32_t at = s.unacked; at != s.sent_end; ++at) {
      if (u.repeats.has(at) || has_arrived(s, u, at)) continue;
      SentPacket& packet = u.packets[at];
      const Picoseconds due = packet.time + timeout_of(s, u, packet);
      if (due > here.now) {
        next = std::min(next, due);
      } else if (!time_out(here, s, u, at)) {
        return;
      } else {
        is_late = true;
      }
    }
    if (next != Picoseconds::max()) file_timer(here, u, qp, next);
    if (!is_late) return;
    ++here.worker.sums.timeouts;
    sender_.note_loss(s, congestion::LossSignal::kTimeout, here.now);
    arrange_all(here, s, u);
    host_.leave_lost_plane(here, s);
    activate_all(here, u, qp);
  }

  /// Its receiver has granted credit.
  void on_credit(const Here& here, QueuePairId qp) {
    SenderState& s = s_.senders.whole(qp);
    UecSender& u = s_.uec.sender(qp);
    arrange_all(here, s, u);
    activate_all(here, u, qp);
  }
  /// What left by these planes, a bit each, may be lost: it goes again, if no ACK has told of it.
  void repeat_of_planes(const Here& here, QueuePairId qp, std::uint8_t planes) {
    SenderState& s = s_.senders.whole(qp);
    if (!s.has_outstanding() || s.schedule == SenderState::Schedule::kFailed) return;
    UecSender& u = s_.uec.sender(qp);
    bool has_lost = false;
    for (std::uint32_t at = s.unacked; at != s.sent_end; ++at) {
      if ((planes >> u.packets[at].plane & 1U) == 0) continue;
      if (u.repeats.has(at) || has_arrived(s, u, at)) continue;
      repeat_unasked(s, u, at);
      ++here.worker.sums.losses_inferred;
      has_lost = true;
    }
    if (!has_lost) return;
    sender_.note_loss(s, congestion::LossSignal::kNack, here.now);
    arrange_all(here, s, u);
    activate_all(here, u, qp);
  }
  /// The receiver of all contexts to a destination does not answer.
  void fail_all(const Here& here, QueuePairId first) {
    for_each_of_context(first, [&](SenderState& s, UecSender&, QueuePairId) {
      if (s.next != s.posted) fail(here, s);
    });
  }

 private:
  [[nodiscard]] bool has_credit(const TransportConstants& t) const {
    return Host::kHasGrants && t.has_grants();
  }
  /// Something of `sequence` is to be sent again, or `sign` -1: not after all.
  void note_backlog(const SenderState& s, QueuePairId qp, std::uint32_t sequence, int sign) {
    const TransportConstants& t = constants(s);
    if (!has_credit(t)) return;
    credit_.add_backlog(s, qp,
                        sign * (counted_size(s, sequence) - t.delivery.counted_header + t.header));
  }
  /// The receiver is in control from the first answer on.
  void note_answer(const SenderState& s, const UecSender& u) {
    if (has_credit(constants(s))) s_.uec.source(u.credit_slot).on_answer();
  }
  [[nodiscard]] const TransportConstants& constants(const SenderState& s) const {
    return host_.transport(s.transport);
  }
  /// How many congestion contexts there are: one, or one per plane.
  [[nodiscard]] std::uint32_t contexts_of(const SenderState& s) const {
    return Host::kHasHostPorts ? s_.windows_of(s) : 1;
  }
  [[nodiscard]] bool has_context_per_plane(const SenderState& s) const {
    return Host::kHasHostPorts && s_.has_window_per_plane(s);
  }
  /// `use(control, parameters)` with the congestion context of what leaves by a plane, if there is
  /// one.
  template <class Use>
  void at_context(const SenderState& s, std::uint32_t plane, Use use) {
    s_.controls.at_context(constants(s).control,
                           s.control_slot + (has_context_per_plane(s) ? plane : 0), use);
  }
  /// The same with each of them.
  template <class Use>
  void at_contexts(const SenderState& s, Use use) {
    for (std::uint32_t i = 0; i < contexts_of(s); ++i) {
      s_.controls.at_context(constants(s).control, s.control_slot + i, use);
    }
  }

  [[nodiscard]] static bool has_arrived(const SenderState& s, const UecSender& u,
                                        std::uint32_t sequence) {
    return sequence != s.unacked && u.board.next_hole(sequence, sequence + 1) != sequence;
  }
  /// The bytes of a packet that is not acknowledged, as the control counts.
  [[nodiscard]] Bytes counted_size(const SenderState& s, std::uint32_t sequence) const {
    const TransportConstants& t = constants(s);
    const std::uint32_t message = sender_.message_of(s, sequence);
    const MessageRecord& record = s_.hosts[s.host].messages[message];
    if (sequence != record.last_sequence()) return t.payload + t.delivery.counted_header;
    return record.bytes - (std::int64_t{record.packets} - 1) * t.payload +
           t.delivery.counted_header;
  }
  [[nodiscard]] Picoseconds timeout_of(const SenderState& s, const UecSender& u,
                                       const SentPacket& packet) const {
    return constants(s).delivery.timeout_after(u.timeout, packet.timeouts);
  }

  // What comes back.

  void receive_ack(const Here& here, const Packet& packet, PortState& port) {
    const QueuePairId qp = queue_pair_of_response(packet);
    const AckRecord ack = s_.acks.take(here.worker.number, packet);
    SenderState& s = s_.senders.whole(qp);
    if (s.schedule == SenderState::Schedule::kFailed) return;
    UecSender& u = s_.uec.sender(qp);
    const bool is_marked = has(packet, kPathIsMarked);
    const congestion::ContextAck answer{
        .fresh = Bytes(static_cast<std::int64_t>(ack.bytes - std::min(ack.bytes, u.bytes))),
        .is_marked = is_marked,
        .round_trip = has(packet, kAsksAck)
                          ? std::nullopt
                          : round_trip(here, s, u, ack.cause, has(packet, kRepeated))};
    note_answer(s, u);
    u.bytes = std::max(u.bytes, ack.bytes);
    u.in_flight -= answer.fresh.count();
    const bool is_by_plane = has_context_per_plane(s);
    if (!is_by_plane) {
      at_context(s, 0,
                 [&](auto& control, const auto& p) { control.on_answer(p, answer, here.now); });
    }
    const std::uint32_t unacked = s.unacked;
    Arrivals arrivals{};
    note_bitmap(s, u, ack, arrivals);
    note_cumulative(s, u, packet.sequence, arrivals);
    // An answer comes back in the plane of its cause.
    const std::uint32_t plane = is_by_plane ? s_.planes.plane_of(port.index) : 0;
    if (is_by_plane) tell_contexts(here, s, answer, arrivals, plane);
    const bool is_of_probe = has(packet, kAsksAck);
    if (!is_of_probe) tell_path(here, s, qp, packet, is_marked);
    if (constants(s).delivery.infers_loss) infer(here, s, u, ack, is_of_probe, plane);
    finish_answer(here, s, u, qp, unacked, port);
  }
  /// What has arrived by each plane, and of the plane that the answer came by what it says besides.
  void tell_contexts(const Here& here, const SenderState& s, const congestion::ContextAck& answer,
                     const Arrivals& arrivals, std::uint32_t own) {
    for (std::uint32_t plane = 0; plane < contexts_of(s); ++plane) {
      congestion::ContextAck of_plane{.fresh = arrivals[plane]};
      if (plane == own) {
        of_plane.is_marked = answer.is_marked;
        of_plane.round_trip = answer.round_trip;
      } else if (of_plane.fresh == Bytes()) {
        continue;
      }
      at_context(s, plane,
                 [&](auto& control, const auto& p) { control.on_answer(p, of_plane, here.now); });
    }
  }

  void receive_nack(const Here& here, const Packet& packet, PortState& port) {
    const QueuePairId qp = queue_pair_of_response(packet);
    SenderState& s = s_.senders.whole(qp);
    if (s.schedule == SenderState::Schedule::kFailed) return;
    UecSender& u = s_.uec.sender(qp);
    const std::uint32_t unacked = s.unacked;
    note_answer(s, u);
    Arrivals arrivals{};
    note_cumulative(s, u, packet.word, arrivals);
    if (has_context_per_plane(s)) {
      // No ACK: nothing is told of planes but what has arrived.
      tell_contexts(here, s, {}, arrivals, contexts_of(s));
    }
    const auto code = static_cast<NackCode>(packet.sent_upper());
    tell_path_of_nack(here, s, qp, packet, code);
    const bool is_order = code == NackCode::kOutOfOrder;
    // ROD: everything from the gap on was dropped.
    const std::uint32_t first = is_order ? s.unacked : packet.sequence;
    const std::uint32_t end = is_order ? s.sent_end : packet.sequence + 1;
    bool has_lost = false;
    for (std::uint32_t at = first; static_cast<std::int32_t>(end - at) > 0; ++at) {
      if (at < s.unacked || at >= s.sent_end || u.repeats.has(at) || has_arrived(s, u, at))
        continue;
      if (!lose(here, s, u, at, has(packet, kPathIsMarked), code)) return;
      has_lost = true;
    }
    if (has_lost) sender_.note_loss(s, congestion::LossSignal::kNack, here.now);
    finish_answer(here, s, u, qp, unacked, port);
    watch_window(here, s, u);
  }

  /// `unacked`: before the answer.
  void finish_answer(const Here& here, SenderState& s, UecSender& u, QueuePairId qp,
                     std::uint32_t unacked, PortState& port) {
    const bool moves = s.unacked != unacked;
    arrange(here, s, u);
    if (moves && !s.has_outstanding()) --here.lp.live_events;
    if (moves) sender_.complete_messages(here, host_, qp, port);
    arrange_all(here, s, u);
    activate_all(here, u, qp);
  }

  /// A sample of the round trip, where it is certain which transmission the ACK answers.
  [[nodiscard]] std::optional<Picoseconds> round_trip(const Here& here, const SenderState& s,
                                                      UecSender& u, std::uint32_t cause,
                                                      bool is_repeated) const {
    if (cause < s.unacked || cause >= s.sent_end || has_arrived(s, u, cause)) return std::nullopt;
    const SentPacket& packet = u.packets[cause];
    if (packet.sends != (is_repeated ? 2 : 1)) return std::nullopt;
    return here.now - packet.time;
  }

  /// Everything before `expected` has arrived.
  void note_cumulative(SenderState& s, UecSender& u, std::uint32_t expected, Arrivals& arrivals) {
    if (static_cast<std::int32_t>(expected - s.unacked) <= 0) return;
    while (!u.repeats.empty() && u.repeats.lowest() < expected) find(s, u, u.repeats.lowest());
    if (has_context_per_plane(s)) {
      for (std::uint32_t at = s.unacked; at != expected; ++at) {
        if (!has_arrived(s, u, at)) note_arrival(s, u, at, arrivals);
      }
    }
    u.board.advance(s.unacked, expected);
    // `next` is before it only where a packet that was to be repeated has arrived after all.
    s.unacked = expected;
    s.received = s.unacked + u.board.count();
    if (s.next < s.unacked) sender_.point_at(s, s.sent_end);
  }
  void note_bitmap(SenderState& s, UecSender& u, const AckRecord& ack, Arrivals& arrivals) {
    std::uint64_t bits = ack.bitmap;
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t at = ack.base + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (at <= s.unacked || at >= s.sent_end || !u.board.add(s.unacked, at)) continue;
      if (u.repeats.has(at)) find(s, u, at);
      if (has_context_per_plane(s)) note_arrival(s, u, at, arrivals);
    }
    s.received = s.unacked + u.board.count();
  }
  /// Where each plane has a window.
  void note_arrival(const SenderState& s, UecSender& u, std::uint32_t sequence,
                    Arrivals& arrivals) {
    const std::uint32_t plane = u.packets[sequence].plane;
    arrivals[plane] += counted_size(s, sequence);
    std::uint32_t& end = s_.planes[s_.senders.queue_pair_of(s)].arrived_end[plane];
    end = std::max(end, sequence + 1);
  }
  /// A packet that was to be repeated has arrived.
  void find(SenderState& s, UecSender& u, std::uint32_t sequence) {
    u.repeats.remove(sequence);
    const Bytes size = counted_size(s, sequence);
    u.in_flight += size.count();
    at_context(s, u.packets[sequence].plane,
               [&](auto& control, const auto& p) { control.on_found(p, size); });
    note_backlog(s, s_.senders.queue_pair_of(s), sequence, -1);
  }

  void tell_path(const Here& here, const SenderState& s, QueuePairId qp, const Packet& packet,
                 bool is_marked) {
    const TransportConstants& t = constants(s);
    if (t.entropy.is_fixed()) return;
    host_.notice_path(s, qp,
                      {.value = path_selection::value_in(packet.entropy),
                       .is_marked = is_marked,
                       .arrived = s.received,
                       .sent = s.sent_end},
                      here.now);
  }
  /// At the last hop no path is at fault: all lead there.
  void tell_path_of_nack(const Here& here, const SenderState& s, QueuePairId qp,
                         const Packet& packet, NackCode code) {
    const TransportConstants& t = constants(s);
    if (t.entropy.is_fixed()) return;
    if (code == NackCode::kTrimmedLastHop) {
      return tell_path(here, s, qp, packet, has(packet, kPathIsMarked));
    }
    if (code != NackCode::kTrimmed) return;
    host_.lose_path(here, s, path_selection::value_in(packet.entropy),
                    congestion::LossSignal::kNack);
  }

  // What is lost.

  /// A receiver asks for a packet. False: it has asked too often, and the context fails.
  bool lose(const Here& here, SenderState& s, UecSender& u, std::uint32_t sequence, bool is_marked,
            NackCode code) {
    const PacketDelivery& d = constants(s).delivery;
    SentPacket& packet = u.packets[sequence];
    if (d.nack_retries != PacketDelivery::kEndless && packet.nacks >= d.nack_retries) {
      fail(here, s);
      return false;
    }
    if (packet.nacks < 255) ++packet.nacks;
    const Bytes size = counted_size(s, sequence);
    u.in_flight -= size.count();
    const bool is_trim = code == NackCode::kTrimmed || code == NackCode::kTrimmedLastHop;
    at_context(s, packet.plane, [&](auto& control, const auto& p) {
      if (is_trim) {
        control.on_nack(p, size, is_marked, here.now,
                        code == NackCode::kTrimmedLastHop && constants(s).has_grants());
      } else {
        control.on_missing(p, size, congestion::LossSignal::kNack);
      }
    });
    u.repeats.add(s.unacked, sequence);
    note_backlog(s, s_.senders.queue_pair_of(s), sequence, 1);
    if (code == NackCode::kReceiverInfers) {
      // The NACK came by the path of what overtook it.
      ++here.worker.sums.losses_inferred;
      host_.lose_path(here, s, packet.value, congestion::LossSignal::kTimeout);
    }
    // What it asked for its receiver has not seen.
    const bool is_unseen = code == NackCode::kNoPacketBuffer || code == NackCode::kReceiverInfers;
    if (is_unseen && has_credit(constants(s))) s_.uec.source(u.credit_slot).ask_again();
    return true;
  }

  // Loss without trimming (SLEEK).

  /// What an ACK says of packets that are missing: once a window has come beyond the first one, or
  /// a probe's answer has overtaken them, each is repeated once. `plane`: that ACK or answer came
  /// by.
  void infer(const Here& here, SenderState& s, UecSender& u, const AckRecord& ack, bool is_of_probe,
             std::uint32_t plane) {
    Bytes window;
    Bytes threshold;
    bool is_overtaken = false;
    at_contexts(s, [&](const auto& control, const auto& /*p*/) {
      window += control.window();
      threshold += std::min(control.window() * 3 / 2, control.max_window());
    });
    at_context(s, plane, [&](const auto& control, const auto& /*p*/) {
      is_overtaken =
          is_of_probe && elapsed_since(ack.probe, here.now) - control.base_rtt() < control.target();
    });
    const Bytes payload = constants(s).payload;
    if (!s.has_outstanding()) {
      u.is_recovering = false;
      u.probe_at = {};
      return;
    }
    if (u.is_recovering && s.unacked >= u.recovery_end) u.is_recovering = false;
    const bool is_early = ack.early >= std::max(threshold, 5 * payload) / payload;
    if (is_overtaken || (is_early && !u.is_recovering)) {
      u.is_recovering = true;
      u.recovery_end = s.sent_end;
      u.recovery_next = s.unacked;
      u.recovery_began = here.now;
    }
    if (u.is_recovering) repeat_missing(here, s, u, std::max(window / payload, std::int64_t{1}));
    if (!is_of_probe) arm_probe(here, s, u, false);
  }
  /// A packet is taken for lost, of which nothing has told.
  void repeat_unasked(SenderState& s, UecSender& u, std::uint32_t sequence) {
    const Bytes size = counted_size(s, sequence);
    u.in_flight -= size.count();
    at_context(s, u.packets[sequence].plane, [&](auto& control, const auto& p) {
      control.on_missing(p, size, congestion::LossSignal::kNack);
    });
    u.repeats.add(s.unacked, sequence);
    note_backlog(s, s_.senders.queue_pair_of(s), sequence, 1);
  }
  /// What went by a faster plane does not betray a loss.
  [[nodiscard]] bool is_overtaken_in_plane(const SenderState& s, UecSender& u,
                                           std::uint32_t sequence) const {
    const PlaneSender& known = s_.planes[s_.senders.queue_pair_of(s)];
    return sequence < known.arrived_end[u.packets[sequence].plane];
  }
  /// Of the first `reach` packets.
  void repeat_missing(const Here& here, SenderState& s, UecSender& u, std::int64_t reach) {
    const std::uint32_t end =
        std::min(u.recovery_end, s.unacked + static_cast<std::uint32_t>(reach));
    bool has_lost = false;
    std::uint32_t at = std::max(u.recovery_next, s.unacked);
    u.recovery_next = std::max(at, end);
    for (; at < end; ++at) {
      if (u.repeats.has(at) || has_arrived(s, u, at)) continue;
      if (has_context_per_plane(s)) {
        if (u.packets[at].time >= u.recovery_began) continue;  // repeated in this recovery
        if (!is_overtaken_in_plane(s, u, at)) {
          u.recovery_next = std::min(u.recovery_next, at);
          continue;
        }
      }
      repeat_unasked(s, u, at);
      ++here.worker.sums.losses_inferred;
      has_lost = true;
      host_.lose_path(here, s, u.packets[at].value, congestion::LossSignal::kTimeout);
    }
    if (has_lost) sender_.note_loss(s, congestion::LossSignal::kNack, here.now);
  }
  /// Where no ACK comes until then, the receiver is asked for its state. `again`: it was.
  void arm_probe(const Here& here, const SenderState& s, UecSender& u, bool again) {
    const bool has_more = s.sent_end != s.posted || !u.repeats.empty();
    Picoseconds wait;
    at_contexts(s, [&](const auto& control, const auto& /*p*/) {
      const Picoseconds base = control.base_rtt();
      wait = std::max(wait, again ? 5 * base : has_more ? 3 * base : base + control.target());
    });
    u.probe_at = here.now + wait;
    file_timer(here, u, s_.senders.queue_pair_of(s), *u.probe_at);
  }
  /// A cut has closed the window over packets that asked for no ACK: where none comes, one is asked
  /// for, since nothing else can leave to ask.
  void watch_window(const Here& here, const SenderState& s, UecSender& u) {
    if (u.probe_at || s.window != 0 || !s.has_outstanding()) return;
    Picoseconds wait;
    at_contexts(s, [&](const auto& control, const auto& /*p*/) {
      wait = std::max(wait, control.base_rtt());
    });
    if (wait > Picoseconds()) u.probe_at = here.now + wait;
    if (u.probe_at) file_timer(here, u, s_.senders.queue_pair_of(s), *u.probe_at);
  }
  /// The time of a probe has come.
  void probe(const Here& here, const SenderState& s, UecSender& u) {
    if (constants(s).delivery.infers_loss || s.window == 0) return send_probe(here, s, u);
    u.probe_at = {};
  }
  void send_probe(const Here& here, const SenderState& s, UecSender& u) {
    const QueuePairId qp = s_.senders.queue_pair_of(s);
    const TransportConstants& t = constants(s);
    Packet packet = control_packet(s, qp, t, ControlCode::kProbe);
    if (!t.entropy.is_fixed()) {
      packet.entropy = host_.next_entropy(s, qp, here.now);
    }
    packet.word = send_time(here.now);
    host_.respond(here, packet, s_.ports[s.port()]);
    arm_probe(here, s, u, true);
  }

  /// False: that was once too often, and the context fails.
  bool time_out(const Here& here, SenderState& s, UecSender& u, std::uint32_t sequence) {
    const TransportConstants& t = constants(s);
    SentPacket& packet = u.packets[sequence];
    if (packet.timeouts >= t.delivery.retries) {
      fail(here, s);
      return false;
    }
    if (packet.timeouts < 255) ++packet.timeouts;
    const Bytes size = counted_size(s, sequence);
    u.in_flight -= size.count();
    at_context(s, packet.plane, [&](auto& control, const auto& p) {
      control.on_missing(p, size, congestion::LossSignal::kTimeout);
    });
    u.repeats.add(s.unacked, sequence);
    note_backlog(s, s_.senders.queue_pair_of(s), sequence, 1);
    // What came after it may wait for an ACK of the receiver, which counts bytes.
    const bool is_known_lost = sequence == s.unacked || sequence < u.board.end();
    if (is_known_lost) host_.note_plane_loss(here, s, packet.plane);
    // What asked for credit may be lost, too.
    if (has_credit(t)) s_.uec.source(u.credit_slot).ask_again();
    host_.lose_path(here, s, packet.value, congestion::LossSignal::kTimeout);
    return true;
  }
  /// What it has in flight counts for the others of its congestion context no more.
  void fail(const Here& here, SenderState& s) {
    UecSender& u = s_.uec.sender(s_.senders.queue_pair_of(s));
    forget_in_flight(s, u);
    host_.fail(s);
    if (s.has_outstanding()) --here.lp.live_events;
    const QueuePairId own = s_.senders.queue_pair_of(s);
    if (has_credit(constants(s))) {
      credit_.add_backlog(s, own, Bytes() - s_.grants.askers[own].fresh);
    }
    for_each_of_context(own, [&](SenderState& other, UecSender& of, QueuePairId qp) {
      if (qp == own) return;
      arrange(here, other, of);
      host_.activate(here, qp);
    });
  }
  void forget_in_flight(const SenderState& s, UecSender& u) {
    if (has_context_per_plane(s)) {
      for (std::uint32_t at = s.unacked; at != s.sent_end; ++at) {
        if (u.repeats.has(at) || has_arrived(s, u, at)) continue;
        at_context(s, u.packets[at].plane, [&](auto& control, const auto& p) {
          control.on_found(p, Bytes() - counted_size(s, at));
        });
      }
    } else {
      at_context(s, 0,
                 [&](auto& control, const auto& p) { control.on_found(p, Bytes(-u.in_flight)); });
    }
    u.in_flight = 0;
  }

  void file_timer(const Here& here, UecSender& u, QueuePairId qp, Picoseconds due) {
    if (u.timer_at && *u.timer_at <= due) return;
    u.timer_at = due;
    push_retransmit_timer(here.lp, qp, due);
  }

  // What goes next.

  /// Calls `use(sender, state, queue pair)` with all that share the congestion context.
  template <class Use>
  void for_each_of_context(QueuePairId first, Use use) {
    QueuePairId qp = first;
    do {
      UecSender& u = s_.uec.sender(qp);
      use(s_.senders.whole(qp), u, qp);
      qp = u.next_in_context;
    } while (qp != first);
  }
  void arrange_all(const Here& here, SenderState& s, UecSender& u) {
    arrange(here, s, u);
    const QueuePairId own = s_.senders.queue_pair_of(s);
    if (u.next_in_context == own) [[likely]]
      return;
    for_each_of_context(u.next_in_context, [&](SenderState& other, UecSender& of, QueuePairId qp) {
      if (qp != own) arrange(here, other, of);
    });
  }
  void activate_all(const Here& here, const UecSender& u, QueuePairId qp) {
    const SenderState& s = s_.senders.whole(qp);
    if (has_credit(constants(s))) credit_.wait(here, s, qp);
    host_.activate(here, qp);
    if (u.next_in_context == qp) [[likely]]
      return;
    for_each_of_context(u.next_in_context, [&](SenderState&, UecSender&, QueuePairId other) {
      if (other != qp) host_.activate(here, other);
    });
  }

  /// Points at the next packet to send, and says whether it may go and what it says of itself.
  void arrange(const Here& here, SenderState& s, UecSender& u) {
    const std::uint32_t next = u.repeats.empty() ? s.sent_end : u.repeats.lowest();
    if (s.next != next) sender_.point_at(s, next);
    const TransportConstants& t = constants(s);
    const PacketDelivery& d = t.delivery;
    s.repeats = next != s.sent_end;
    bool may_go = next - s.unacked < d.psn_window;
    // After a rest, the first packet asks for an ACK: it opens the context, and measures the path.
    bool asks = s.repeats || !s.has_outstanding();
    const Bytes size = size_of_next(s, t) + d.counted_header;
    // What is repeated by inference may exceed the window.
    const bool is_inferred = s.repeats && u.is_recovering && next < u.recovery_end;
    if (has_context_per_plane(s)) {
      may_go = look_at_planes(here, s, size) && may_go;
      may_go = may_go || (is_inferred && next - s.unacked < d.psn_window);
    } else {
      at_context(s, 0, [&](const auto& control, const auto& p) {
        may_go = may_go && (is_inferred || control.may_send(p, size));
        asks = asks || control.asks_ack(p, size, d.ack_bytes);
      });
    }
    if (has_credit(t)) {
      asks = asks || s_.uec.source(u.credit_slot).credit() <= size_of_next(s, t) + t.header;
    }
    s.asks_ack = asks;
    s.window = may_go ? kNoIndex : 0;
  }
  /// Which planes have room for the next packet, and in which it would ask for an ACK. False: none
  /// that it could take has room.
  bool look_at_planes(const Here& here, const SenderState& s, Bytes size) {
    PlaneSender& known = s_.planes[s_.senders.queue_pair_of(s)];
    const TransportConstants& t = constants(s);
    known.full = known.asks_ack = 0;
    for (std::uint32_t plane = 0; plane < contexts_of(s); ++plane) {
      const auto bit = static_cast<std::uint8_t>(1U << plane);
      at_context(s, plane, [&](const auto& control, const auto& p) {
        if (!control.may_send(p, size)) known.full |= bit;
        if (control.asks_ack(p, size, t.delivery.ack_bytes)) known.asks_ack |= bit;
      });
    }
    return host_.has_plane_with_room(here, s);
  }
  /// Payload of the packet at `s.next`; of a full one, where there is none yet.
  [[nodiscard]] static Bytes size_of_next(const SenderState& s, const TransportConstants& t) {
    const bool is_last = s.message != kNoIndex && s.next == s.message_last;
    return is_last ? Bytes(s.last_size) - t.header : t.payload;
  }
  NetworkState& s_;
  Host& host_;
  Sender sender_;
  UecCredit<Host> credit_;
};

}  // namespace weft::protocols
