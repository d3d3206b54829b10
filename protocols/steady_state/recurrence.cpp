#include "protocols/steady_state/recurrence.hpp"

#include <algorithm>
#include <utility>

#include "protocols/steady_state/state_visitor.hpp"
#include "simcore/base/id_vector.hpp"

namespace weft::protocols {
namespace {

/// Writes a state down as words, or compares it with what was written.
class Reader {
 public:
  Reader(const NetworkState& state, Picoseconds now) : s_(state), now_(now) {}

  template <class Struct>
  [[nodiscard]] static bool wants(std::size_t number, bool /*is_implied*/) {
    return masked_field.of == nullptr ||
           !(number == masked_field.number && *masked_field.of == typeid(Struct));
  }
  void same(std::uint64_t value) { take(value); }
  void time(Picoseconds& time) { take(word_of(time - now_)); }
  void future_time_or_past(Picoseconds& time) {
    take(word_of(std::max(time - now_, Picoseconds())));
  }
  void absolute_time(Picoseconds& time) { take(word_of(time)); }
  void translate_only(Picoseconds&) {}
  void stamp(std::uint64_t& sent) { take((word_of(now_) - sent) & kSentMask); }
  void sequence(std::uint32_t& number, QueuePairId qp) { take(number - s_.senders.whole(qp).next); }
  void early(const ReorderBuffer& buffer, std::uint32_t expected, QueuePairId) {
    take(buffer.held());
    buffer.for_each(expected, [this](std::uint32_t ahead) { take(ahead); });
  }
  // These are checked apart (StateSnapshot::Progress).
  void acknowledged(SenderState&, ReceiverState&, QueuePairId) {}
  void timer(Picoseconds&, QueuePairId) {}
  [[nodiscard]] bool is_done() const { return known_ != nullptr && differs_; }

  void write_to(std::vector<std::uint64_t>& words) { written_ = &words; }
  void compare_with(const std::vector<std::uint64_t>& words) { known_ = &words; }
  /// Those that were checked.
  [[nodiscard]] std::size_t words() const { return place_; }
  [[nodiscard]] bool differs() const { return differs_ || place_ != known_->size(); }

 private:
  static std::uint64_t word_of(Picoseconds time) {
    return static_cast<std::uint64_t>(time.count());
  }
  void take(std::uint64_t word) {
    if (written_ != nullptr) return written_->push_back(word);
    differs_ = differs_ || place_ == known_->size() || (*known_)[place_] != word;
    ++place_;
  }

  const NetworkState& s_;
  const Picoseconds now_;
  std::vector<std::uint64_t>* written_ = nullptr;
  const std::vector<std::uint64_t>* known_ = nullptr;
  std::size_t place_ = 0;
  bool differs_ = false;
};

/// How far a queue pair is moved on.
struct Advance {
  std::uint32_t packets = 0;
  bool is_acknowledged = true;  ///< that moves on as well
};

/// Moves a state on in time, and messages with it.
class Mover {
 public:
  Mover(Picoseconds by, const IdVector<QueuePairId, Advance>& advances)
      : by_(by), advances_(advances) {}

  void same(std::uint64_t) {}
  void time(Picoseconds& time) const { time += by_; }
  void future_time_or_past(Picoseconds& time) const { time += by_; }
  void absolute_time(Picoseconds&) {}
  void translate_only(Picoseconds& time) const { time += by_; }
  void stamp(std::uint64_t& sent) const { sent += static_cast<std::uint64_t>(by_.count()); }
  void sequence(std::uint32_t& number, QueuePairId qp) const { number += advances_[qp].packets; }
  void early(ReorderBuffer& buffer, std::uint32_t expected, QueuePairId qp) const {
    if (!buffer.empty()) buffer.renumber(expected, advances_[qp].packets);
  }
  void acknowledged(SenderState& s, ReceiverState& r, QueuePairId qp) const {
    const Advance& advance = advances_[qp];
    if (!advance.is_acknowledged) {
      r.since_ack += advance.packets;
      return;
    }
    s.unacked += advance.packets;
    s.received += advance.packets;
    s.deadline += by_;
  }
  void timer(Picoseconds& time, QueuePairId qp) const {
    if (advances_[qp].is_acknowledged) time += by_;
  }
  [[nodiscard]] bool is_done() const { return false; }

 private:
  const Picoseconds by_;
  const IdVector<QueuePairId, Advance>& advances_;
};

/// Calls `visit(count)` with each number that grows by as much in each recurrence.
template <class Visit>
class CountVisitor {
 public:
  explicit CountVisitor(Visit visit) : visit_(std::move(visit)) {}
  template <class T>
  void counter(T& count) {
    visit_(count);
  }
  template <class T>
  void ordinal(T& count) {
    visit_(count);
  }

 private:
  Visit visit_;
};
template <class Visit>
void for_each_count(NetworkState& s, const LivePart& part, Visit visit) {
  CountVisitor<Visit> counts(std::move(visit));
  for (const std::uint32_t p : part.ports) {
    for (const ClassId c : s.classes_of(s.ports[p]))
      visit_fields(s.queue(s.ports[p], c), counts, false, kVisitsNothing);
  }
}

template <class Number>
WideUnsigned wide(const Number& number) {
  if constexpr (requires { number.count(); }) {
    return static_cast<WideUnsigned>(number.count());
  } else {
    return static_cast<WideUnsigned>(number);
  }
}
template <class Number>
void set(Number& number, WideUnsigned value) {
  if constexpr (requires { number.count(); }) {
    number = Number(static_cast<std::int64_t>(value));
  } else {
    number = static_cast<Number>(value);
  }
}

bool has_one_path(const NetworkState& s) {
  for (const SwitchState& sw : s.switches) {
    if (sw.is_scale_up) continue;
    const SwitchId at(static_cast<std::uint32_t>(&sw - s.switches.data()));
    for (std::uint32_t host = 0; host < s.hosts.size(); ++host) {
      if (sw.routes->next_hops(at, HostId(host)).size() > 1) return false;
    }
  }
  return true;
}

bool is_plain(const TransportConstants& t) {
  return t.reliable && !t.has_contexts && !t.is_stream && !t.is_selective && !t.is_per_message &&
         !t.splits_messages && t.ack_delay == Picoseconds() && t.nack_interval == Picoseconds() &&
         t.control.is_none() && t.entropy.is_fixed();
}

bool is_spread_evenly(const SenderState& s) {
  return s.port_count < 2 || s.spreading == PortSpreading::kFlow ||
         s.spreading == PortSpreading::kRoundRobin;
}

bool is_plain(const ClassConstants& c, bool has_one_path) {
  return (has_one_path || c.balancing == LoadBalancing::kFlow) && c.is_credit &&
         c.unmarked_on_arrival == ClassConstants::kNeverMarked &&
         c.unmarked_on_departure == ClassConstants::kNeverMarked;
}

const ReceiverState& receiver_of(const NetworkState& s, const SenderState& sender) {
  return s.receivers[protocols::receiver_of(s.senders.queue_pair_of(sender))];
}

}  // namespace

bool can_recur(const NetworkState& s) {
  const NetworkConstants& k = s.constants;
  const bool is_simple = !k.input_queued && !k.works_in_network && !k.has_faults &&
                         !k.has_added_latency && !k.has_losses && !k.traces_queues &&
                         !k.traces_packets && !k.traces_credits && !k.traces_messages &&
                         !k.has_flowlets && !k.has_settings && !k.has_shared_links &&
                         !k.retry.enabled && k.cbfc == 0 && k.receive_rate == BitsPerSecond();
  if (!is_simple) return false;
  const bool is_one_path = has_one_path(s);
  return std::ranges::all_of(s.senders.all_whole(), [&](const SenderState& sender) {
    const TransportConstants& t = s.constants.transports[sender.transport];
    return is_plain(t) && is_spread_evenly(sender) &&
           is_plain(s.constants.of_class[sender.traffic_class], is_one_path) &&
           (t.ack_class.is_none() || is_plain(s.constants.of_class[t.ack_class], is_one_path));
  });
}

StateSnapshot::StateSnapshot(NetworkState& s, LogicalProcess& lp, const Worker& worker,
                             LivePart part, Picoseconds now)
    : time_(now), part_(std::move(part)), sums_(worker.sums) {
  for (std::size_t i = 0; i < worker.packet_latency.size(); ++i) {
    if (!worker.packet_latency[i].is_empty()) latencies_.emplace(i, worker.packet_latency[i]);
  }
  Reader reader(s, now);
  reader.write_to(words_);
  StateTraversal(s, lp, part_, now, reader).run();
  for (const QueuePairId qp : part_.queue_pairs) {
    const SenderState& sender = s.senders.whole(qp);
    progress_.push_back({.next = sender.next,
                         .unacked = sender.unacked,
                         .received = sender.received,
                         .since_ack = receiver_of(s, sender).since_ack,
                         .deadline = sender.deadline});
  }
  for_each_count(s, part_, [this](const auto& count) { counts_.push_back(wide(count)); });
}

bool StateSnapshot::is_again(NetworkState& s, LogicalProcess& lp, const Worker& worker,
                             Picoseconds now, std::uint64_t& compared) const {
  const bool has_messages = worker.sums.messages_posted != sums_.messages_posted ||
                            worker.sums.messages_sent != sums_.messages_sent ||
                            worker.sums.messages_delivered != sums_.messages_delivered;
  if (!s.old_packets.empty()) return false;  // which are known by their numbers
  if (has_messages || worker.sums.packets_delivered == sums_.packets_delivered) return false;
  // Whoever sends again does so since timers ran out, which are not compared.
  const bool has_repairs = worker.sums.packets_retransmitted != sums_.packets_retransmitted ||
                           worker.sums.timeouts != sums_.timeouts;
  if (has_repairs || worker.sums.packets_in_flight() != sums_.packets_in_flight()) return false;
  Reader reader(s, now);
  reader.compare_with(words_);
  StateTraversal(s, lp, part_, now, reader).run();
  compared += reader.words();
  if (reader.differs()) return false;
  bool all = true;
  for_each_progress(s, [&](const SenderState& sender, const Progress& then) {
    all = all && (moves_along(s, sender, then, now) || stands_still(s, sender, then));
  });
  return all;
}

bool StateSnapshot::moves_along(const NetworkState& s, const SenderState& sender,
                                const Progress& then, Picoseconds now) const {
  const std::uint32_t packets = sender.next - then.next;
  const bool waits = sender.has_outstanding();
  return sender.unacked - then.unacked == packets && sender.received - then.received == packets &&
         receiver_of(s, sender).since_ack == then.since_ack &&
         (!waits || sender.deadline - then.deadline == now - time_);
}

bool StateSnapshot::stands_still(const NetworkState& s, const SenderState& sender,
                                 const Progress& then) {
  const std::uint32_t packets = sender.next - then.next;
  return sender.unacked == then.unacked && sender.received == then.received &&
         receiver_of(s, sender).since_ack - then.since_ack == packets &&
         sender.deadline == then.deadline;
}

std::uint64_t StateSnapshot::max_repeats(const NetworkState& s, Picoseconds now,
                                         std::uint64_t max) const {
  for_each_progress(s, [&](const SenderState& sender, const Progress& then) {
    const std::uint32_t packets = sender.next - then.next;
    if (packets == 0) return;
    if (sender.message == kNoIndex || sender.message != sender.oldest_message) {
      max = 0;
      return;
    }
    // The packet that is next must not be the last one, either: that may be smaller.
    std::uint32_t left = sender.message_last - std::min(sender.next + 1, sender.message_last);
    if (!moves_along(s, sender, then, now)) {
      const TransportConstants& t = s.constants.transports[sender.transport];
      const std::uint32_t since_ack = receiver_of(s, sender).since_ack + 1;
      const std::uint32_t in_flight = sender.next - sender.received + 1;
      left = std::min(left, t.ack_every - std::min(since_ack, t.ack_every));
      left = std::min(left, sender.window - std::min(in_flight, sender.window));
    }
    max = std::min<std::uint64_t>(max, left / packets);
  });
  return max;
}

Picoseconds StateSnapshot::next_check(const NetworkState& s, const LogicalProcess& lp,
                                      Picoseconds now) const {
  std::vector<QueuePairId> waiting;  // those that were not acknowledged anything since
  for_each_progress(s, [&](const SenderState& sender, const Progress& then) {
    if (!moves_along(s, sender, then, now)) waiting.push_back(s.senders.queue_pair_of(sender));
  });
  Picoseconds first = EventCalendar::kNever;
  for (const CalendarEvent& event : lp.calendar.events()) {
    bool is_check = is_of_job(event);
    if (static_cast<EventType>(event.type) == EventType::kRetransmit) {
      is_check = std::ranges::binary_search(waiting, QueuePairId(event.target));
    }
    if (is_check) first = std::min(first, event.time);
  }
  return first;
}

void StateSnapshot::repeat(NetworkState& s, LogicalProcess& lp, Worker& worker, Picoseconds& now,
                           std::uint64_t times) const {
  const Picoseconds by = static_cast<std::int64_t>(times) * (now - time_);
  IdVector<QueuePairId, Advance> advances;
  advances.resize(s.senders.all_whole().size());
  for_each_progress(s, [&](const SenderState& sender, const Progress& then) {
    advances[s.senders.queue_pair_of(sender)] = {
        static_cast<std::uint32_t>(times * (sender.next - then.next)),
        moves_along(s, sender, then, now)};
  });
  Mover mover(by, advances);
  StateTraversal(s, lp, part_, now, mover).run();
  now += by;
  const WideUnsigned* before = counts_.data();
  for_each_count(s, part_, [&](auto& count) {
    set(count, wide(count) + times * (wide(count) - *before));
    ++before;
  });
  Worker::Sums period = worker.sums;
  period.add(sums_, ~std::uint64_t{0});
  worker.sums.add(period, times);
  static const Histogram nothing;
  for (std::size_t i = 0; i < worker.packet_latency.size(); ++i) {
    if (worker.packet_latency[i].is_empty()) continue;
    const auto then = latencies_.find(i);
    worker.packet_latency[i].repeat_since(then == latencies_.end() ? nothing : then->second, times);
  }
}

}  // namespace weft::protocols
