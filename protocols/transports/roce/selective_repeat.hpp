#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/packet/ack.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/sender.hpp"

namespace weft::protocols {

/// The sender's loss recovery of IRN (R. Mittal et al., "Revisiting Network Support for RDMA",
/// SIGCOMM 2018, section 3.1). A receiver answers a packet that is out of order with a NACK that
/// says what it expects and what has come. What is missing before that is sent again, the first
/// hole first, and then new data. A loss among what was sent before the control heard of one is of
/// the same one. Time-outs are short while so little is in flight that no later packet would tell
/// of a loss. They run from the last time that the oldest hole was closed (RFC 6298, 5.3): a
/// packet that was sent again and lost again is known by nothing else.
class SelectiveSender {
 public:
  explicit SelectiveSender(NetworkState& state) : s_(state), sender_(state) {}

  /// The transmission of a packet begins that was not sent before.
  [[gnu::noinline]] void on_first_sent(const Here& here, SenderState& s, QueuePairId qp) {
    if (s.has_outstanding()) return;
    Repair& r = repair_of(s);
    r.moved_at = r.last_ack_at = here.now;
    ++here.lp.live_events;
    set_timer(here, s, qp);
  }

  /// The packet before `s.next` was sent: if it was sent again, the next hole follows.
  [[gnu::noinline]] void on_sent(SenderState& s) {
    Repair& r = repair_of(s);
    if (r.trimmed.remove(s.next - 1)) {
      r.known.add(s.unacked, s.next - 1);
      seek(s, r);
      return;
    }
    if (s.next > r.lost_end) return;
    r.next = s.next;
    seek(s, r);
  }

  /// What an ACK or a NACK says of what has arrived.
  [[gnu::noinline]] void note(SenderState& s, const AckFields& ack) {
    Repair& r = repair_of(s);
    if (ack.expected > s.unacked) {
      if (r.has_trims) [[unlikely]]
        forget_trims(s, r, ack.expected);
      s.received += ack.expected - s.unacked - r.board.advance(s.unacked, ack.expected);
      s.unacked = ack.expected;
    }
    const std::uint32_t sequence = ack.expected + ack.ahead;
    if (ack.ahead > 0 && sequence > s.unacked && r.board.add(s.unacked, sequence)) {
      ++s.received;
      if (!r.has_trims) return;
      r.known.add(s.unacked, sequence);
      r.trimmed.remove(sequence);
    }
  }

  /// A switch trimmed packet `sequence`. To be called between `note` and `repair`.
  [[gnu::noinline]] void lose_trimmed(const Here& here, SenderState& s, std::uint32_t sequence) {
    Repair& r = repair_of(s);
    if (sequence < s.unacked || sequence >= s.sent_end || r.trimmed.has(sequence)) return;
    const auto lacks = [sequence](const Scoreboard& board) {
      return board.next_hole(sequence, sequence + 1) == sequence;
    };
    // What has arrived since, and what is to be sent again as it is.
    if (!lacks(r.board)) return;
    const bool is_next = sequence >= std::max(r.next, s.unacked) && sequence < r.lost_end;
    if (is_next && lacks(r.sent())) return;
    if (!r.has_trims) {
      r.has_trims = true;
      r.known = r.board;
    }
    r.trimmed.add(s.unacked, sequence);
    lose(here, s, r, s_.constants.transports[s.transport]);
  }

  /// After `note`: holes that have become losses are sent again from now on. `moves`: the oldest
  /// one was closed.
  [[gnu::noinline]] void repair(const Here& here, SenderState& s, QueuePairId qp, bool moves,
                                bool has_news) {
    Repair& r = repair_of(s);
    const TransportConstants& t = s_.constants.transports[s.transport];
    if (has_news) r.last_ack_at = here.now;
    if (moves) {
      r.moved_at = here.now;
      if (s.has_outstanding()) set_timer(here, s, qp);
    }
    const std::uint32_t known = std::max(r.lost_end, s.unacked);
    const std::uint32_t margin = t.selective.reordering + 1;
    if (r.board.end() > known + margin) {
      r.lost_end = r.board.end() - margin;
      if (r.has_trims) [[unlikely]]
        merge_trims(r, known);
      if (r.sent().next_hole(known, r.lost_end) < r.lost_end) lose(here, s, r, t);
    }
    seek(s, r);
  }

  /// What an expired timer means: nothing, that packets are sent again, or that the receiver has
  /// not answered for too long.
  enum class Expiry : std::uint8_t { kNothing, kRepeats, kGivesUp };
  /// The calendar's entry of a queue pair has come.
  [[gnu::noinline]] Expiry expire(const Here& here, SenderState& s, QueuePairId qp) {
    Repair& r = repair_of(s);
    if (r.timer_at != here.now) return Expiry::kNothing;  // an earlier one was set instead
    r.timer_at = Repair::kNever;
    if (!s.has_outstanding() || s.schedule == SenderState::Schedule::kFailed) {
      return Expiry::kNothing;
    }
    here.lp.last_event_time = here.now;
    const TransportConstants& t = s_.constants.transports[s.transport];
    const Picoseconds limit = timeout(s, t);
    if (r.moved_at + limit > here.now) {
      set_timer(here, s, qp);
      return Expiry::kNothing;
    }
    if (here.now - r.last_ack_at >= t.retry_timeout()) {
      --here.lp.live_events;
      return Expiry::kGivesUp;
    }
    r.moved_at = here.now;
    set_timer(here, s, qp);
    ++here.worker.sums.timeouts;
    // What was sent again is lost again; where nothing else comes through either, so is the rest.
    // What was sent again since it was trimmed may be lost again, too.
    r.has_trims = false;
    r.known = Scoreboard();
    r.trimmed = SequenceSet();
    r.next = s.unacked;
    r.lost_end =
        r.last_ack_at + limit > here.now ? std::max(r.lost_end, s.unacked + 1) : s.sent_end;
    r.recovery_end = s.sent_end;
    sender_.lose(s, t, congestion::LossSignal::kTimeout, here.now);
    seek(s, r);
    return Expiry::kRepeats;
  }

 private:
  /// Everything before `expected` has arrived.
  static void forget_trims(const SenderState& s, Repair& r, std::uint32_t expected) {
    r.known.advance(s.unacked, expected);
    while (!r.trimmed.empty() && r.trimmed.lowest() < expected)
      r.trimmed.remove(r.trimmed.lowest());
  }
  /// Holes from `first` to `lost_end` count as lost from now on, those that were trimmed among
  /// them.
  static void merge_trims(Repair& r, std::uint32_t first) {
    for (std::uint32_t at = first; at < r.lost_end && !r.trimmed.empty(); ++at)
      r.trimmed.remove(at);
  }
  [[nodiscard]] Repair& repair_of(const SenderState& s) { return s_.repairs[s.repair]; }

  /// There are new losses.
  void lose(const Here& here, SenderState& s, Repair& r, const TransportConstants& t) {
    if (s.unacked < r.recovery_end) {
      sender_.note_loss(s, congestion::LossSignal::kNack, here.now);
      return;
    }
    r.recovery_end = s.sent_end;
    sender_.lose(s, t, congestion::LossSignal::kNack, here.now);
  }

  /// What is sent next: the first loss that was not sent again yet, or new data.
  void seek(SenderState& s, const Repair& r) {
    const std::uint32_t lost = r.first_lost(s);
    std::uint32_t next = lost < r.lost_end ? lost : s.sent_end;
    if (!r.trimmed.empty()) next = std::min(next, r.trimmed.lowest());
    if (next != s.next) sender_.point_at(s, next);
    r.set_window(s);
  }

  [[nodiscard]] static Picoseconds timeout(const SenderState& s, const TransportConstants& t) {
    const bool has_few = s.sent_end - s.unacked < t.selective.few;
    return has_few ? t.selective.timeout_low : t.selective.timeout_high;
  }
  /// An entry in the calendar no later than the time-out.
  void set_timer(const Here& here, const SenderState& s, QueuePairId qp) {
    Repair& r = repair_of(s);
    const Picoseconds due = r.moved_at + timeout(s, s_.constants.transports[s.transport]);
    if (due >= r.timer_at) return;
    r.timer_at = due;
    push_retransmit_timer(here.lp, qp, due);
  }

  NetworkState& s_;
  Sender sender_;
};

}  // namespace weft::protocols
