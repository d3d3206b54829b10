#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/state/network_state.hpp"
#include "simcore/base/check.hpp"
#include "simcore/messages/size_class.hpp"

namespace weft::protocols {

/// Files a timer of a queue pair's transport.
inline void push_retransmit_timer(LogicalProcess& lp, QueuePairId qp, Picoseconds time) {
  const auto type = static_cast<std::uint32_t>(EventType::kRetransmit);
  lp.calendar.push({.time = time,
                    .order = CalendarEvent::make_order(EventPriority::kTimer, type, qp.value(), 0),
                    .type = type,
                    .target = qp.value()});
}

/// Marks the timer of probes by paths that lost packets (CalendarEvent::value). As others of a
/// transport, it keeps no run alive: nothing is probed unless packets are outstanding.
inline constexpr std::uint64_t kProbeTimer = 1;
inline void push_probe_timer(LogicalProcess& lp, QueuePairId qp, Picoseconds time) {
  const auto type = static_cast<std::uint32_t>(EventType::kRetransmit);
  lp.calendar.push(
      {.time = time,
       .order = CalendarEvent::make_order(EventPriority::kTimer, type, qp.value(), kProbeTimer),
       .type = type,
       .target = qp.value(),
       .value = kProbeTimer});
}

/// What the sending ends of all transports share: which message the next packet belongs to, and the
/// congestion control of the queue pair.
class Sender {
 public:
  explicit Sender(NetworkState& state) : s_(state) {}

  /// Makes `message` (of the list of the sender's host) the one that packet `sequence` belongs to.
  void load_message(SendingEnd& s, std::uint32_t message, std::uint32_t sequence) const {
    s.message = message;
    if (message == kNoIndex) return;
    const MessageRecord& record = s_.hosts[s.host].messages[message];
    s.message_last = record.last_sequence();
    const TransportConstants& t = s_.constants.transports[s.transport];
    const Bytes before_last = (std::int64_t{record.packets} - 1) * t.payload;
    s.last_size = static_cast<std::uint16_t>((record.bytes - before_last + t.header).count());
    s.marks = (s.marks & ~kSizeClassFlow) | size_class_of(std::max(record.bytes, 1_B))
                                                << kSizeClassShift;
    s.first_of_message = !t.is_stream && sequence == record.first_sequence;
  }

  /// The last packet of the present message was sent, or turns out to have arrived.
  void next_message(SendingEnd& s) const {
    load_next(s, s_.hosts[s.host].messages[s.message].next);
  }

  /// Makes `message` the present one, of which nothing was sent. Where numbers lie between it and
  /// the one before it (start_at_first_link), they are passed over.
  void load_next(SendingEnd& s, std::uint32_t message) const {
    if (s.is_added_up() && message != kNoIndex) {
      pass_over(s, s_.hosts[s.host].messages[message].first_sequence);
    }
    load_message(s, message, s.next);
  }

  /// Of what scale-up switches reduce: its next message begins with a number that goes by the first
  /// link again. So it does for all members of the group, who have posted the same, and for the
  /// sum.
  void start_at_first_link(SendingEnd& s) const {
    const Reduction& reduction = s_.reduction_of(s);
    const std::uint32_t over = s.posted % reduction.links;
    if (over == 0) return;
    const std::uint32_t next = s.posted + reduction.links - over;
    if (s.host == reduction.owner) {
      ReceiverState& sums = s_.receivers[reduction.receiver];
      WEFT_CHECK(sums.expected == s.posted, "a call ends when its sums have come");
      sums.expected = sums.received = next;
    }
    if (s.next == s.posted) pass_over(s, next);
    s.posted = next;
  }

  /// The oldest message of a queue pair is over for its sender.
  void end_message(const Here& here, SenderState& s, OptionalTime acknowledged) const {
    const std::uint32_t place = s.oldest_message;
    s.oldest_message = s_.hosts[s.host].messages[place].next;
    end_message(here, s, place, s.oldest_message, acknowledged);
  }
  /// The last packet of a message was sent that scale-up switches reduce: nobody acknowledges it.
  void end_contribution(const Here& here, SendingEnd& s) const {
    const std::uint32_t place = s.message;
    next_message(s);
    end_message(here, s, place, s.message, OptionalTime());
  }

  /// Messages whose packets have all been acknowledged are over for their sender. `Host` calls its
  /// process, which may post.
  template <class Host>
  void complete_messages(const Here& here, Host& host, QueuePairId qp,
                         const PortState& port) const {
    const HostState& of = s_.hosts[port.host()];
    for (;;) {
      SenderState& s = s_.senders.whole(qp);
      if (s.oldest_message == kNoIndex) break;
      if (of.messages[s.oldest_message].last_sequence() >= s.unacked) break;
      end_message(here, s, here.now);
      if (host.transport(s.transport).is_per_message && s.oldest_message != kNoIndex) {
        begin_afresh(s, qp);
      }
      host.notify_acknowledged(here, qp, s.process, s.connection);
    }
  }

  /// Every packet before `sequence` has arrived.
  void advance(SenderState& s, std::uint32_t sequence) const {
    s.unacked = sequence;
    // After going back, the receiver may turn out to have more than was sent again.
    while (s.next < s.unacked) {
      s.next = std::min(s.unacked, s.message_last + 1);
      s.first_of_message = false;
      if (s.next == s.message_last + 1) next_message(s);
    }
  }

  /// Sends again from the first packet that is not known to have arrived.
  void go_back(SenderState& s) const { point_at(s, s.unacked); }

  /// Packet `sequence` is the next one.
  void point_at(SenderState& s, std::uint32_t sequence) const {
    s.next = sequence;
    load_message(s, message_of(s, sequence), sequence);
  }

  /// The next packet leaves.
  void pass_next(SendingEnd& s) const {
    s.first_of_message = false;
    ++s.next;
  }
  /// It had not been sent before.
  void note_first_sent(SenderState& s) const { s.sent_end = s.next; }
  /// The one after it leaves at `time` at the earliest.
  void hold_until(SendingEnd& s, Picoseconds time) const { s.next_send = time; }

  /// A message is posted: the one at `place` of the list of the sender's host.
  void append_message(SendingEnd& s, std::uint32_t place) const {
    const bool is_alone = s.newest_message == kNoIndex;
    if (!is_alone) s_.hosts[s.host].messages[s.newest_message].next = place;
    s.newest_message = place;
    if (is_alone && !s.is_added_up()) s.whole().oldest_message = place;
  }
  /// Its packets follow those that were posted before.
  void extend(SendingEnd& s, std::uint32_t packets, std::uint32_t place) const {
    s.posted += packets;
    if (s.message == kNoIndex) load_next(s, place);
  }

  /// Which of the messages that the sender is not done with packet `sequence` belongs to; kNoIndex:
  /// none yet.
  [[nodiscard]] std::uint32_t message_of(const SenderState& s, std::uint32_t sequence) const {
    std::uint32_t message = s.oldest_message;
    const auto& messages = s_.hosts[s.host].messages;
    while (message != kNoIndex && messages[message].last_sequence() < sequence) {
      message = messages[message].next;
    }
    return message;
  }

  /// The oldest message begins on a fresh queue pair: nothing of an earlier one is under way.
  [[gnu::noinline]] void begin_afresh(SenderState& s, QueuePairId queue_pair) const {
    const MessageRecord& record = s_.hosts[s.host].messages[s.oldest_message];
    const TransportConstants& t = s_.constants.transports[s.transport];
    s.posted = record.last_sequence() + 1;
    s.entropy = message_entropy(s.host, s.destination, queue_pair, record.first_sequence);
    if (!t.control.is_none()) {
      set_window(s, t.limited(s_.controls.restart_sender(t.control, s.control_slot)));
    }
    if (t.control.needs.grants) {
      s_.grants.askers[queue_pair].fresh = record.bytes + std::int64_t{record.packets} * t.header;
    }
    load_message(s, s.oldest_message, s.next);
  }

  /// A packet was sent: the control says when the next one may follow.
  void pace(SenderState& s, const TransportConstants& t, NicState& nic, Bytes size,
            Picoseconds now) {
    const auto sent = s_.controls.on_sent(t.control, s.control_slot, size, now);
    nic.recent_control = sent.state;
    s.next_send = std::max(s.next_send, sent.next);
  }

  void notify(SenderState& s, const TransportConstants& t, Picoseconds now) {
    if (t.control.is_none()) return;
    follow(s, t, s_.controls.on_notified(t.control, s.control_slot, now));
  }
  void acknowledge(SenderState& s, const TransportConstants& t,
                   const congestion::Acknowledgement& ack, Picoseconds now) {
    if (t.control.is_none()) return;
    follow(s, t, s_.controls.on_ack(t.control, s.control_slot, ack, now));
  }
  void lose(SenderState& s, const TransportConstants& t, congestion::LossSignal signal,
            Picoseconds now) {
    note_loss(s, signal, now);
    if (t.control.is_none()) return;
    follow(s, t, s_.controls.on_loss(t.control, s.control_slot, signal, now));
  }
  /// A given number of packets may be in flight.
  void set_window(SenderState& s, std::uint32_t limit) const {
    s.window = limit;
    if (s.repair == kNoIndex) [[likely]]
      return;
    s_.repairs[s.repair].limit = limit;
    s_.repairs[s.repair].set_window(s);
  }

  /// For whoever asks later why packets were late.
  void note_loss(const SenderState& s, congestion::LossSignal signal, Picoseconds now) const {
    if (s_.watch.is_used()) [[unlikely]] {
      s_.watch.note_loss(s_.senders.queue_pair_of(s), signal, now);
    }
  }

 private:
  /// The message at `place` of the list of the sender's host is over for it; its next one is at
  /// `oldest`.
  void end_message(const Here& here, SendingEnd& s, std::uint32_t place, std::uint32_t oldest,
                   OptionalTime acknowledged) const {
    ++here.worker.sums.messages_sent;
    if (oldest == kNoIndex) s.newest_message = kNoIndex;
    s_.hosts[s.host].messages.end(place, acknowledged);
  }

  /// Rounds of links whose numbers nobody uses are done.
  void pass_over(SendingEnd& s, std::uint32_t next) const {
    const Reduction& reduction = s_.reduction_of(s);
    for (; s.next != next; ++s.next) {
      s_.rounds_done.add(s_.senders.number_of(s), reduction.link_of(s.next));
    }
  }

  /// Does what the control of a queue pair says.
  void follow(SenderState& s, const TransportConstants& t,
              const congestion::ControlStates::Change& change) const {
    if (change.delay != Picoseconds()) [[unlikely]]
      move_waiting(s, change.delay);
    set_window(s, t.limited(change.window));
  }

  /// The next packet may go so much later, or earlier.
  void move_waiting(SenderState& s, Picoseconds by) const {
    s.next_send += by;
    if (by < Picoseconds() && s.schedule == SendingEnd::Schedule::kPaced) {
      s_.nics[s.port()].wait_until(s.next_send, s_.senders.queue_pair_of(s));
    }
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
