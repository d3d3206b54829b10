#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/link/control_word.hpp"
#include "protocols/link/incident_log.hpp"
#include "protocols/link/tracing.hpp"
#include "protocols/link/wire.hpp"
#include "protocols/packet/retry_state.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Link-level retry at a port (UE specification 1.0, 5.1; RetryState). ACKs and NACKs are control
/// ordered sets of 8 B, which wait for the frame that is under way in their direction and may be
/// corrupted themselves.
///
/// What the receiving end is to answer is told to it as an event, at the time when the last bit of
/// the frame in question reaches its MAC: the pipeline behind that has no part in the retry.
class LinkRetry {
 public:
  using Code = RetryState::Code;
  /// What an event has done.
  enum class Effect : std::uint8_t { kNone, kSome, kResume };

  explicit LinkRetry(NetworkState& state) : s_(state) {}

  /// A new frame is on the wire from `start` to `end`.
  [[gnu::noinline]] void send(const Here& here, PortState& port, const Packet& packet,
                              Picoseconds start, Picoseconds end) {
    RetryState& r = of(port);
    occupy(here.lp, port, end);
    if (r.state == RetryState::State::kInit || r.state == RetryState::State::kOff) {
      send_unnumbered(here, port, packet, start, end);
      return;
    }
    const std::uint32_t number = r.end();
    if (r.kept() == 0) r.deadline = end + s_.constants.retry.timeout;
    r.keep(packet, start);
    if (!r.has_timer) file_timer(here, port);
    put(here, port, number, packet, {start, end});
    if (r.outstanding >= s_.constants.retry.outstanding || r.kept() >= s_.constants.retry.frames) {
      port.is_held = true;
      port.update_blocked();
      r.held_since = end;
    }
  }

  /// Sends the most urgent answer that is due, at an idle port.
  void send_answer(const Here& here, PortState& port) {
    RetryState& r = of(port);
    const Code code = has(r, Code::kInit)   ? Code::kInit
                      : has(r, Code::kEcho) ? Code::kEcho
                      : has(r, Code::kNack) ? Code::kNack
                                            : Code::kAck;
    r.answers &= static_cast<std::uint8_t>(~bit(code));
    if (code == Code::kNack) r.answers &= static_cast<std::uint8_t>(~bit(Code::kAck));
    if (r.answers == 0) port.pending_control &= static_cast<std::uint8_t>(~kAnswerPending);
    if (code == Code::kAck) ++r.acks_sent;
    if (code == Code::kNack) ++r.nacks_sent;
    const Picoseconds end = here.now + port.transmission(kOrderedSet);
    if (!is_corrupted(port, kOrderedSet)) tell(here, port, code, r.answer_number, end);
    occupy(here.lp, port, end);
  }

  /// Sends the next frame of a replay, at an idle port.
  void send_again(const Here& here, PortState& port) {
    RetryState& r = of(port);
    const RetryState::Frame& frame = r.frame(r.replay);
    const Bytes size = frame.packet.wire_size();
    const Picoseconds end = here.now + port.transmission(size);
    put(here, port, r.replay++, frame.packet, {here.now, end});
    ++r.replayed_frames;
    r.replayed += size;
    if (r.replay == r.end()) end_replay(here, port, end);
    occupy(here.lp, port, end);
  }

  /// An event of `port`: link control that came by it, or a timer.
  Effect handle(const Here& here, PortState& port, Code code, std::uint32_t value) {
    RetryState& r = of(port);
    switch (code) {
      case Code::kAckDue:
      case Code::kNackDue:
        r.answer_number = value;
        answer(here, port, code == Code::kAckDue ? Code::kAck : Code::kNack);
        return Effect::kSome;
      case Code::kInit:
        answer(here, port, Code::kEcho);
        return Effect::kSome;
      case Code::kEcho:
        if (r.state != RetryState::State::kInit) return Effect::kNone;
        r.state = RetryState::State::kAdvance;
        IncidentLog(s_).end_given_up(port, here.now);
        return Effect::kSome;
      case Code::kAck:
        return take_ack(here, port, value) ? release(here, port) : Effect::kNone;
      case Code::kNack:
        if (!take_ack(here, port, value)) return Effect::kNone;
        replay(here, port);
        return release(here, port);
      case Code::kTimer:
        return expire(here, port);
      case Code::kTail:
        return answer_tail(here, port, value);
    }
    return Effect::kNone;
  }

  /// The link fails: what only this port has is lost, and nothing is owed.
  void take_down(const Here& here, PortState& port) {
    RetryState& r = of(port);
    r.for_each_missing([&](const Packet& packet) {
      IncidentLog(s_).lose_to_fault(here, port, packet, PortIncident::Kind::kOutage);
      forget<GeneralPath>(s_, here, packet);
    });
    r.clear();
    r.answers = 0;
    let_go(here, port);
  }
  /// It is back, and both ends have restarted before it carries frames.
  void bring_up(PortState& port) { of(port).state = RetryState::State::kAdvance; }

 private:
  static constexpr Bytes kOrderedSet{8};
  static constexpr std::uint8_t kAnswerPending = PortState::kAnswerPending;
  static constexpr std::uint8_t kReplayPending = PortState::kReplayPending;

  struct Interval {
    Picoseconds start;
    Picoseconds end;
  };

  [[nodiscard]] RetryState& of(const PortState& port) { return s_.retries[port.index]; }
  [[nodiscard]] static std::uint8_t bit(Code code) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(code));
  }
  [[nodiscard]] static bool has(const RetryState& r, Code code) {
    return (r.answers & bit(code)) != 0;
  }
  [[nodiscard]] bool is_corrupted(const PortState& port, Bytes size) {
    if (!s_.constants.has_losses) return false;
    const std::uint32_t end = port.peer.value();
    return s_.losses[end].corrupts(size, s_.constants.seed, end);
  }
  void put_whole(const Here& here, PortState& port, const Packet& packet, Interval time) {
    put_on_link<GeneralPath>(s_, here, port, packet.wire_size(), time.start, time.end,
                             [&packet](Packet& on_wire) { on_wire = packet; });
  }

  /// While there is no retry.
  void send_unnumbered(const Here& here, PortState& port, const Packet& packet, Picoseconds start,
                       Picoseconds end) {
    RetryState& r = of(port);
    const bool restarts = r.state == RetryState::State::kInit;
    if (restarts && start - r.asked >= s_.constants.retry.timeout) ask_restart(here, port);
    if (restarts && s_.constants.retry.restarting == LinkRetryConfig::Restarting::kDiscard) {
      ++r.flushed;
      give_up(here, port, packet);
      return;
    }
    if (is_corrupted(port, packet.wire_size())) {
      ++r.lost;
      give_up(here, port, packet);
      return;
    }
    put_whole(here, port, packet, {start, end});
  }

  /// A frame with a number is on the wire, for the first time or again.
  void put(const Here& here, PortState& port, std::uint32_t number, const Packet& packet,
           Interval time) {
    RetryState& r = of(port);
    r.last_end = time.end;
    r.last_expected = r.expected;
    r.last_bytes = Bytes();
    if (is_corrupted(port, packet.wire_size())) {
      ++r.corrupted;
      if (r.is_unheard) return;
      if (port.peer_cuts_through && number == r.expected) put_poisoned(here, port, packet, time);
      miss(here, port, time.end);
      return;
    }
    const auto ahead = static_cast<std::int32_t>(number - r.expected);
    if (ahead > 0) {
      ++r.discarded;
      return;
    }
    if (ahead < 0) {
      ++r.duplicates;
    } else {
      r.is_unheard = false;
      ++r.expected;
      if (kind_of(packet) == PacketKind::kPoisoned) ++r.poisoned;
      put_whole(here, port, packet, time);
    }
    count(here, port, packet.wire_size(), time.end);
  }
  /// The receiver asks once for what it misses, and drops all until that comes.
  void miss(const Here& here, PortState& port, Picoseconds end) {
    RetryState& r = of(port);
    r.is_unheard = true;
    r.unanswered = Bytes();  // a NACK acknowledges what was before
    ++r.group;
    tell(here, port, Code::kNackDue, r.expected, end);
  }
  /// A switch that forwards before it has checked the FCS has passed a corrupted frame on, whose
  /// own FCS it has made wrong.
  void put_poisoned(const Here& here, PortState& port, Packet packet, Interval time) {
    packet.set_type(packet_type(PacketKind::kPoisoned, class_of(packet)));
    ++here.worker.sums.packets_injected;
    put_whole(here, port, packet, time);
  }
  /// The receiver's ACK is due after `ack_every` bytes, or after their time on the link.
  void count(const Here& here, PortState& port, Bytes size, Picoseconds end) {
    RetryState& r = of(port);
    const bool is_first = r.unanswered == Bytes();
    r.last_bytes = size;
    r.unanswered += size;
    if (r.unanswered >= s_.constants.retry.ack_every) {
      r.unanswered = Bytes();
      ++r.group;
      tell(here, port, Code::kAckDue, r.expected, end);
    } else if (is_first) {
      file_tail(here, port, end);
    }
  }
  Effect answer_tail(const Here& here, PortState& port, std::uint32_t group) {
    RetryState& r = of(port);
    if ((r.group & RetryState::kNumbers) != group || port.is_down) return Effect::kNone;
    const bool is_under_way = r.last_end > here.now;
    tell(here, port, Code::kAckDue, is_under_way ? r.last_expected : r.expected, here.now);
    r.unanswered = is_under_way ? r.last_bytes : Bytes();
    ++r.group;
    if (r.unanswered > Bytes()) file_tail(here, port, r.last_end);
    return Effect::kNone;
  }
  void file_tail(const Here& here, PortState& port, Picoseconds end) {
    file(here, port, Code::kTail, of(port).group & RetryState::kNumbers,
         end + port.transmission(s_.constants.retry.ack_every));
  }

  /// A port is to send an answer.
  void answer(const Here& here, PortState& port, Code code) {
    if (port.is_down) return;
    of(port).answers |= bit(code);
    port.pending_control |= kAnswerPending;
    if (!port.is_transmitting) send_answer(here, port);
  }
  /// To the other end, whose MAC has it when what leaves at `time` has come.
  void tell(const Here& here, PortState& port, Code code, std::uint32_t number, Picoseconds time) {
    time += port.wire_latency;
    if (s_.constants.has_added_latency) time = s_.delayed_control(port, time);
    deliver_control(here, port, EventType::kLinkRetry, word(code, number), 0,
                    port.control_sequence++, time);
  }
  [[nodiscard]] static std::uint32_t word(Code code, std::uint32_t value) {
    return ControlWord{ClassId(static_cast<std::uint32_t>(code)), value & RetryState::kNumbers}
        .pack();
  }
  void file(const Here& here, const PortState& port, Code code, std::uint32_t value,
            Picoseconds time) {
    const auto type = static_cast<std::uint32_t>(EventType::kLinkRetry);
    const std::uint32_t packed = word(code, value);
    schedule(here.lp,
             {.time = time,
              .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index, packed),
              .type = type,
              .target = port.index,
              .value = packed});
  }

  /// All before `number` has come. False: that was known, or is about what was given up.
  bool take_ack(const Here& here, PortState& port, std::uint32_t number) {
    RetryState& r = of(port);
    const std::uint32_t news = (number - r.first) & RetryState::kNumbers;
    if (news > r.kept()) return false;
    for (std::uint32_t i = 0; i < news; ++i) r.release();
    if (news > 0) {
      r.replays = 0;
      r.deadline = here.now + s_.constants.retry.timeout;
    }
    if (r.state == RetryState::State::kReplay) {
      if (static_cast<std::int32_t>(r.replay - r.first) < 0) r.replay = r.first;
      if (r.replay == r.end()) end_replay(here, port, here.now);
    }
    return true;
  }
  /// Sends all that is kept again, unless that has brought no ACK too often.
  void replay(const Here& here, PortState& port) {
    RetryState& r = of(port);
    if (r.kept() == 0) return;
    if (r.replays == s_.constants.retry.replays) {
      flush(here, port);
      return;
    }
    ++r.replays;
    ++r.replays_begun;
    if (r.state != RetryState::State::kReplay) r.replaying_since = here.now;
    r.state = RetryState::State::kReplay;
    r.replay = r.first;
    r.deadline = here.now + s_.constants.retry.timeout;
    port.pending_control |= kReplayPending;
    if (!port.is_transmitting && !port.is_down) send_again(here, port);
  }
  void end_replay(const Here& here, PortState& port, Picoseconds end) {
    RetryState& r = of(port);
    r.state = RetryState::State::kAdvance;
    r.deadline = end + s_.constants.retry.timeout;
    port.pending_control &= static_cast<std::uint8_t>(~kReplayPending);
    note(here, port, r.replaying_since, end);
  }
  /// The peer does not answer: what is kept is given up.
  void flush(const Here& here, PortState& port) {
    RetryState& r = of(port);
    if (r.state == RetryState::State::kReplay) end_replay(here, port, here.now);
    ++r.flushes;
    IncidentLog(s_).give_up_retry(port, here.now);
    r.flushed += r.missing();
    r.for_each_missing([&](const Packet& packet) { give_up(here, port, packet); });
    r.clear();
    r.state = RetryState::State::kOff;
    if (!s_.constants.retry.restarts) return;
    r.state = RetryState::State::kInit;
    ask_restart(here, port);
  }
  void ask_restart(const Here& here, PortState& port) {
    of(port).asked = here.now;
    answer(here, port, Code::kInit);
  }
  void give_up(const Here& here, PortState& port, const Packet& packet) {
    IncidentLog(s_).lose_to_retry(here, port, packet);
    tell_of_lost(s_, here, port, class_of(packet), packet.wire_size());
    forget<GeneralPath>(s_, here, packet);
  }
  /// New frames may start again, if the limit has stopped them and does not any more.
  Effect release(const Here& here, PortState& port) {
    const RetryState& r = of(port);
    const LinkRetryConfig& k = s_.constants.retry;
    if (!port.is_held || r.outstanding >= k.outstanding || r.kept() >= k.frames) {
      return Effect::kSome;
    }
    let_go(here, port);
    return Effect::kResume;
  }
  void let_go(const Here& here, PortState& port) {
    if (!port.is_held) return;
    port.is_held = false;
    port.update_blocked();
    RetryState& r = of(port);
    if (r.held_since >= here.now) return;
    r.held_time += here.now - r.held_since;
    note(here, port, r.held_since, here.now);
  }

  Effect expire(const Here& here, PortState& port) {
    RetryState& r = of(port);
    r.has_timer = false;
    if (r.kept() == 0 || port.is_down) return Effect::kNone;
    if (due(r) > here.now) {
      file_timer(here, port);
      return Effect::kNone;
    }
    if (is_too_old(r, here.now)) {
      flush(here, port);
    } else if (r.state == RetryState::State::kReplay) {
      r.deadline = here.now + s_.constants.retry.timeout;
    } else {
      ++r.timeouts;
      replay(here, port);
    }
    if (r.kept() > 0) file_timer(here, port);
    return release(here, port);
  }
  [[nodiscard]] bool is_too_old(const RetryState& r, Picoseconds now) const {
    const Picoseconds max_age = s_.constants.retry.max_age;
    return max_age > Picoseconds() && r.frame(r.first).sent + max_age <= now;
  }
  [[nodiscard]] Picoseconds due(const RetryState& r) const {
    const Picoseconds max_age = s_.constants.retry.max_age;
    if (max_age == Picoseconds()) return r.deadline;
    return std::min(r.deadline, r.frame(r.first).sent + max_age);
  }
  void file_timer(const Here& here, PortState& port) {
    RetryState& r = of(port);
    r.has_timer = true;
    file(here, port, Code::kTimer, 0, due(r));
  }

  /// Tells who explains the run that the port was kept from sending what is new.
  void note(const Here& here, PortState& port, Picoseconds begin, Picoseconds end) {
    if (begin >= end || !tells_stall(here, s_, port)) return;
    here.worker.trace.push_back({.time = end,
                                 .value = begin.count(),
                                 .subject = port.index,
                                 .kind = TraceRecord::Kind::kReplay});
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
