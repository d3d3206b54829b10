#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "protocols/link/egress.hpp"
#include "protocols/packet/ack.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/sender.hpp"

namespace weft::protocols {

/// The sending end of TCP. `SenderState::next` is what the host sends next: a segment that is to be
/// repaired, or the first one that was never sent; `arrange` says which, and sets the window that
/// the host compares with so that it lets it go when TCP would.
template <class Host>
class TcpSenderEnd {
 public:
  TcpSenderEnd(NetworkState& state, Host& host) : s_(state), host_(host), sender_(state) {}

  /// The transmission of a segment begins that was not sent before.
  void on_first_sent(const Here& here, SenderState& s, QueuePairId qp) {
    TcpSender& tcp = s_.tcp.sender(qp);
    if (s.has_outstanding()) return;
    ++here.lp.live_events;
    start_timer(here, s, tcp, qp);
  }

  void on_sent(const Here& here, SenderState& s) {
    TcpSender& tcp = s_.tcp.sender(s_.senders.queue_pair_of(s));
    const std::uint32_t sequence = s.next - 1;
    s.window_reduced = false;
    tcp.times.put(s.unacked, sequence, here.now, tcp.is_repair);
    if (tcp.is_repair) {
      tcp.next_repair = s.next;
      tcp.repairs_now = false;
    } else {
      tcp.has_reduced = false;  // which it said
      if (is_undisturbed(tcp)) [[likely]]
        return;
    }
    arrange(s, tcp);
  }

  void receive_ack(const Here& here, const Packet& packet, PortState& port) {
    const QueuePairId qp = queue_pair_of_response(packet);
    SenderState& s = s_.senders.whole(qp);
    if (s.schedule == SenderState::Schedule::kFailed) return;
    const auto acknowledged = static_cast<std::int32_t>(packet.sequence - s.unacked);
    if (acknowledged < 0) return;  // it was overtaken
    TcpSender& tcp = s_.tcp.sender(qp);
    const TransportConstants& t = host_.transport(s.transport);
    const bool was_recovering = tcp.state == TcpSender::State::kRecovery;
    const std::uint32_t before = s.received;
    if (acknowledged > 0) {
      measure(here, tcp, t, packet.sequence);
      advance(s, tcp, packet.sequence);
      s.retries = 0;
    }
    if (t.sacks) {
      if (kind_of(packet) == PacketKind::kSack) note_block(s, tcp, read_sack(packet));
    } else {
      count_duplicate(s, tcp, static_cast<std::uint32_t>(acknowledged));
    }
    notify_control(
        here, s, tcp, t, packet,
        {.packets = s.received - before, .may_grow = acknowledged > 0 && !was_recovering});
    detect_losses(here, s, tcp, t, static_cast<std::uint32_t>(acknowledged));
    if (acknowledged > 0) restart_timer(here, s, tcp, qp);
    arrange(s, tcp);
    if (acknowledged > 0) sender_.complete_messages(here, host_, qp, port);
    host_.activate(here, qp);
  }

  void expire_timer(const Here& here, QueuePairId qp) {
    SenderState& s = s_.senders.whole(qp);
    TcpSender& tcp = s_.tcp.sender(qp);
    if (here.now != tcp.timer_at) return;  // an earlier one took its place
    tcp.timer_at = {};
    if (!s.has_outstanding() || s.schedule == SenderState::Schedule::kFailed) return;
    here.lp.last_event_time = here.now;
    if (s.deadline > here.now) return set_timer(here, tcp, qp, s.deadline);
    time_out(here, s, tcp, qp);
  }

 private:
  [[nodiscard]] static RttEstimator::Limits limits(const TransportConstants& t) {
    return {.min = t.retransmit_timeout, .max = t.max_timeout};
  }
  /// Nothing is missing, as far as is known, and nothing is to be said.
  [[nodiscard]] static bool is_undisturbed(const TcpSender& tcp) {
    return tcp.state == TcpSender::State::kOpen && tcp.board.empty() && tcp.duplicates == 0 &&
           !tcp.has_reduced;
  }

  // What ACKs say.

  /// The round trip of the last segment that is acknowledged; not where it was sent twice, nor
  /// where it arrived earlier than this ACK says.
  static void measure(const Here& here, TcpSender& tcp, const TransportConstants& t,
                      std::uint32_t expected) {
    const std::uint32_t last = expected - 1;
    if (tcp.times.is_repeated(last)) return;
    if (!tcp.board.empty() && tcp.board.next_hole(last, expected) != last) return;
    tcp.delay = here.now - tcp.times.time(last);
    tcp.round_trips.add(tcp.delay, limits(t));
  }

  /// Everything before `expected` has arrived.
  static void advance(SenderState& s, TcpSender& tcp, std::uint32_t expected) {
    tcp.board.advance(s.unacked, expected);
    s.unacked = expected;
    s.received = s.unacked + tcp.board.count();
  }

  /// The block of a selective acknowledgement.
  static void note_block(SenderState& s, TcpSender& tcp, const SackBlock& block) {
    const std::uint32_t end = std::min(block.first + block.length, s.sent_end);
    std::uint32_t at = tcp.board.next_hole(std::max(block.first, s.unacked), end);
    for (; at < end; at = tcp.board.next_hole(at + 1, end)) {
      tcp.board.add(s.unacked, at);
      if (at <= tcp.highest[2]) continue;
      tcp.highest[2] = at;
      if (tcp.highest[2] > tcp.highest[1]) std::swap(tcp.highest[2], tcp.highest[1]);
      if (tcp.highest[1] > tcp.highest[0]) std::swap(tcp.highest[1], tcp.highest[0]);
    }
    s.received = s.unacked + tcp.board.count();
  }

  /// Without selective acknowledgements each duplicate says that one more segment has left the
  /// network; what an ACK acknowledges beyond the one repaired are those (RFC 6582, 3.2).
  static void count_duplicate(const SenderState& s, TcpSender& tcp, std::uint32_t acknowledged) {
    if (acknowledged == 0) {
      if (s.sent_end - s.unacked > tcp.duplicates + 1) ++tcp.duplicates;
    } else if (tcp.state == TcpSender::State::kRecovery) {
      tcp.duplicates -= std::min(tcp.duplicates, acknowledged - 1);
    } else {
      tcp.duplicates = 0;
    }
  }

  void notify_control(const Here& here, SenderState& s, TcpSender& tcp, const TransportConstants& t,
                      const Packet& packet, congestion::Acknowledgement ack) {
    ack.is_marked = has(packet, kEchoesMark);
    if (ack.is_marked && static_cast<std::int32_t>(s.unacked - tcp.reduction_end) > 0) {
      note_reduction(s, tcp);
    }
    if (t.control.is_none() || (ack.packets == 0 && !ack.is_marked)) return;
    ack.arrived = s.received;
    ack.sent = s.sent_end;
    ack.delay = tcp.delay;
    sender_.acknowledge(s, t, ack, here.now);
    tcp.window = s.window;
  }

  // What is missing.

  void detect_losses(const Here& here, SenderState& s, TcpSender& tcp, const TransportConstants& t,
                     std::uint32_t acknowledged) {
    using State = TcpSender::State;
    const bool is_over = tcp.state != State::kOpen && s.unacked >= tcp.recovery_end;
    if (is_over) {
      tcp.state = State::kOpen;
      tcp.duplicates = 0;
    }
    bool is_lost = false;
    if (t.sacks) {
      // Three that came later say that a segment is lost (RFC 6675, 4, IsLost).
      if (tcp.highest[2] > std::max(tcp.lost_end, s.unacked)) {
        const std::uint32_t from = std::max(tcp.lost_end, s.unacked);
        tcp.lost_end = tcp.highest[2];
        if (tcp.board.next_hole(from, tcp.lost_end) != tcp.lost_end) note_loss(s, here.now);
      }
      is_lost = lost(s, tcp) > 0;
    } else if (tcp.state == State::kRecovery && acknowledged > 0) {
      lose_oldest(here, s, tcp);  // a partial ACK
    } else if (tcp.state == State::kOpen && tcp.duplicates >= kDuplicates) {
      // Not for duplicates of what an earlier recovery has sent (RFC 6582, 3.2, step 1).
      is_lost = !tcp.has_lost || s.unacked > tcp.recovery_end;
      if (is_lost) lose_oldest(here, s, tcp);
    }
    if (tcp.state == State::kOpen && is_lost) recover(here, s, tcp, t);
  }

  static constexpr std::uint32_t kDuplicates = 3;

  void lose_oldest(const Here& here, const SenderState& s, TcpSender& tcp) {
    tcp.lost_end = s.unacked + 1;
    tcp.next_repair = s.unacked;
    tcp.repairs_now = true;
    note_loss(s, here.now);
  }

  void note_loss(const SenderState& s, Picoseconds now) {
    if (s_.watch.is_used()) [[unlikely]] {
      s_.watch.note_loss(s_.senders.queue_pair_of(s), congestion::LossSignal::kNack, now);
    }
  }

  /// Fast retransmit, and recovery until everything that was sent is acknowledged.
  void recover(const Here& here, SenderState& s, TcpSender& tcp, const TransportConstants& t) {
    tcp.state = TcpSender::State::kRecovery;
    tcp.recovery_end = s.sent_end;
    tcp.has_lost = true;
    tcp.repairs_now = true;
    notify_loss(here, s, tcp, t, congestion::LossSignal::kNack);
  }

  void notify_loss(const Here& here, SenderState& s, TcpSender& tcp, const TransportConstants& t,
                   congestion::LossSignal signal) {
    sender_.lose(s, t, signal, here.now);
    if (!t.control.is_none()) tcp.window = s.window;
    note_reduction(s, tcp);
  }

  static void note_reduction(const SenderState& s, TcpSender& tcp) {
    tcp.has_reduced = true;
    tcp.reduction_end = s.sent_end;
  }

  /// Segments that are taken for lost.
  [[nodiscard]] static std::uint32_t lost(const SenderState& s, const TcpSender& tcp) {
    if (tcp.lost_end <= s.unacked) return 0;
    return tcp.lost_end - s.unacked - tcp.board.count(s.unacked, tcp.lost_end);
  }
  /// Those of them that were not sent again.
  [[nodiscard]] static std::uint32_t to_repair(const SenderState& s, const TcpSender& tcp) {
    const std::uint32_t from = std::max(tcp.next_repair, s.unacked);
    if (tcp.lost_end <= from) return 0;
    return tcp.lost_end - from - tcp.board.count(from, tcp.lost_end);
  }

  // What goes next.

  /// Points at the next segment to send, and sets the window in the units that the host counts in:
  /// for a new one, what was sent and is not known to have arrived. TCP's own count, the "pipe" of
  /// RFC 6675, leaves out what is lost and was not sent again.
  void arrange(SenderState& s, TcpSender& tcp) {
    const TransportConstants& t = host_.transport(s.transport);
    if (is_undisturbed(tcp)) [[likely]] {
      tcp.is_repair = false;
      if (s.next != s.sent_end) sender_.point_at(s, s.sent_end);
      s.window = tcp.window;
      return;
    }
    const std::uint32_t missing = to_repair(s, tcp);
    tcp.is_repair = missing > 0;
    const std::uint32_t known = t.sacks ? tcp.board.count() : tcp.duplicates;
    if (tcp.is_repair) {
      const std::uint32_t first =
          tcp.board.next_hole(std::max(tcp.next_repair, s.unacked), tcp.lost_end);
      if (s.next != first) sender_.point_at(s, first);
      const std::uint32_t pipe = s.sent_end - s.unacked - known - missing;
      const bool may_go = tcp.repairs_now || pipe < tcp.window;
      s.window = may_go ? s.next - s.unacked + 1 : 0;
      s.window_reduced = false;
      return;
    }
    if (s.next != s.sent_end) sender_.point_at(s, s.sent_end);
    // What has arrived beyond a gap fills the receiver's buffer.
    s.window =
        t.sacks ? std::min(tcp.window, t.window - std::min(t.window, known)) : tcp.window + known;
    s.window_reduced = tcp.has_reduced;
  }

  // Time-outs.

  void start_timer(const Here& here, SenderState& s, TcpSender& tcp, QueuePairId qp) {
    s.deadline = here.now + tcp.round_trips.timeout();
    // One calendar entry continues to later deadlines, but not to earlier ones.
    if (tcp.timer_at && *tcp.timer_at <= s.deadline) return;
    set_timer(here, tcp, qp, s.deadline);
  }
  /// New data was acknowledged (RFC 6298, 5.2 and 5.3).
  void restart_timer(const Here& here, SenderState& s, TcpSender& tcp, QueuePairId qp) {
    if (s.has_outstanding()) {
      start_timer(here, s, tcp, qp);
    } else {
      --here.lp.live_events;
    }
  }
  static void set_timer(const Here& here, TcpSender& tcp, QueuePairId qp, Picoseconds time) {
    tcp.timer_at = time;
    const auto type = static_cast<std::uint32_t>(EventType::kRetransmit);
    here.lp.calendar.push(
        {.time = time,
         .order = CalendarEvent::make_order(EventPriority::kTimer, type, qp.value(), 0),
         .type = type,
         .target = qp.value()});
  }

  /// Everything that is not known to have arrived is taken for lost, and goes again from the oldest
  /// segment on (RFC 6298, 5.4 to 5.6; RFC 6675, 5.1).
  void time_out(const Here& here, SenderState& s, TcpSender& tcp, QueuePairId qp) {
    const TransportConstants& t = host_.transport(s.transport);
    if (++s.retries > t.retry_limit) {
      host_.fail(s);
      --here.lp.live_events;
      return;
    }
    ++here.worker.sums.timeouts;
    tcp.state = TcpSender::State::kTimedOut;
    tcp.recovery_end = tcp.lost_end = s.sent_end;
    tcp.next_repair = s.unacked;
    tcp.has_lost = true;
    tcp.duplicates = 0;
    tcp.repairs_now = true;
    tcp.round_trips.back_off(limits(t));
    notify_loss(here, s, tcp, t, congestion::LossSignal::kTimeout);
    start_timer(here, s, tcp, qp);
    arrange(s, tcp);
    host_.activate(here, qp);
  }

  NetworkState& s_;
  Host& host_;
  Sender sender_;
};

}  // namespace weft::protocols
