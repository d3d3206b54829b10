#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "protocols/state/network_state.hpp"
#include "protocols/steady_state/live_part.hpp"
#include "simcore/engine/logical_process.hpp"

/// Everything that decides how a network continues, field by field: one traversal, to compare two
/// states and to advance one in time.
namespace weft::protocols {

/// Visits the fields of a state. What the traversal leaves out decides nothing as long as no
/// message ends, begins or is posted: what is counted, what messages are, whose turn it is of a
/// connection's queue pairs, hints of what to fetch.
template <class V>
concept StateVisitor = requires(V v, Picoseconds& time, std::uint32_t& number, std::uint64_t& value,
                                ReorderBuffer& buffer, SenderState& sender,
                                ReceiverState& receiver) {
  v.same(value);                           // what has to be the same again
  v.time(time);                            // a time, which matters by its distance from now
  v.future_time_or_past(time);             // the same, but not at all once it is past
  v.absolute_time(time);                   // a time that stays where it is
  v.translate_only(time);                  // one that must not be left behind, and decides nothing
  v.stamp(value);                          // the send time of a packet (sent_stamp)
  v.sequence(number, QueuePairId());       // a packet's number on a queue pair
  v.early(buffer, number, QueuePairId());  // what has come ahead of this number
  v.acknowledged(sender, receiver,
                 QueuePairId());                 // how far that is, and until when it is waited for
  v.timer(time, QueuePairId());                  // when its retransmission timer looks
  { v.is_done() } -> std::convertible_to<bool>;  // the rest does not matter
};

/// Whether an event is one that processes asked for.
[[nodiscard]] inline bool is_of_job(const CalendarEvent& event) {
  const auto type = static_cast<EventType>(event.type);
  return type == EventType::kWake || type == EventType::kControlEvent ||
         type == EventType::kJobTimer;
}

/// Of the part of a network that can change, where it is one logical process and can recur
/// (`can_recur`), between two windows.
template <StateVisitor V>
class StateTraversal {
 public:
  StateTraversal(NetworkState& state, LogicalProcess& lp, const LivePart& part, Picoseconds now,
                 V& visitor)
      : s_(state), lp_(lp), part_(part), now_(now), v_(visitor) {}

  void run() {
    v_.same(static_cast<std::uint64_t>(lp_.live_events));
    v_.same(static_cast<std::uint64_t>(lp_.job_events));
    for (const QueuePairId qp : part_.queue_pairs) {
      if (v_.is_done()) return;
      queue_pair(qp);
    }
    for (const std::uint32_t p : part_.ports) {
      if (v_.is_done()) return;
      port(s_.ports[p]);
    }
    for (const SwitchState& sw : s_.switches) {
      same(sw.buffer_used);
      same(sw.shared_used);
    }
    if (!v_.is_done()) calendar();
  }

 private:
  template <class Quantity>
  void same(Quantity value) {
    v_.same(static_cast<std::uint64_t>(value.count()));
  }

  [[nodiscard]] static bool is_round_robin(const SenderState& s) {
    return s.port_count > 1 && s.spreading == PortSpreading::kRoundRobin;
  }

  void queue_pair(QueuePairId qp) {
    SenderState& s = s_.senders.whole(qp);
    v_.sequence(s.next, qp);
    v_.sequence(s.sent_end, qp);
    v_.same(s.next_ready.value());
    v_.future_time_or_past(s.next_send);
    v_.same(s.message);
    v_.same(s.oldest_message);
    v_.same(s.newest_message);
    v_.same(s.window);
    v_.same(static_cast<std::uint64_t>(s.schedule));
    v_.same(s.timer_is_set);
    v_.same(s.first_of_message);
    v_.same(s.window_reduced);
    v_.same(s.local_port);
    v_.same(is_round_robin(s) ? (s.next + s.turn) % s.port_count : 0);
    v_.same(s.retries);
    v_.same(s.marks);
    ReceiverState& r = s_.receivers[receiver_of(qp)];
    v_.early(r.early, r.expected, qp);
    v_.sequence(r.expected, qp);
    v_.sequence(r.received, qp);
    v_.same(r.nack_sent);
    v_.same(r.echo_pending);
    v_.same(r.message_broken);
    v_.acknowledged(s, r, qp);
  }

  void port(PortState& p) {
    same(p.backlog);
    v_.same(p.service_bytes);
    v_.same(p.service_ingress);
    v_.same(p.service_class.value());
    v_.same(p.waiting);
    v_.same(p.blocked);
    v_.same(p.pending_control);
    v_.same(p.is_transmitting);
    v_.same(p.paused);
    v_.same(p.starved);
    v_.same(p.credits_to_send);
    v_.same(p.round_robin.value());
    v_.same(p.service_pending);
    key(p.local);
    key(lp_.port_count() + p.local);
    for (const ClassId c : s_.classes_of(p)) {
      queue(p, c);
      IngressAccount& account = s_.account(p, c);
      same(account.bytes);
      v_.same(static_cast<std::uint32_t>(account.headroom_used));
      v_.same(static_cast<std::uint32_t>(account.freed_blocks));
      v_.same(account.is_pausing);
      if (!p.owner_is_host) continue;
      v_.same(s_.ready[s_.slot(p.index, c)].head.value());
      v_.same(s_.ready[s_.slot(p.index, c)].tail.value());
    }
    v_.same(p.out->in_flight());
    p.out->data_out.for_each(p.out->data_in, [&](Packet& packet) {
      Picoseconds arrival(packet.stamp);
      v_.time(arrival);
      packet.stamp = arrival.count();
      fields(packet);
    });
    if (!p.owner_is_host) return;
    v_.same(s_.nics[p.index].paced.size());
    for (NicState::Paced& paced : s_.nics[p.index].paced) {
      v_.time(paced.time);
      v_.same(paced.queue_pair.value());
    }
  }

  void queue(PortState& p, ClassId c) {
    ClassQueue& q = s_.queue(p, c);
    q.account(now_);
    v_.translate_only(q.changed_at);
    v_.same(static_cast<std::uint32_t>(q.credits));
    v_.same(static_cast<std::uint32_t>(q.deficit));
    same(q.held);
    if ((p.starved & class_bit(c)) != 0) v_.time(q.blocked_since);
    v_.same(q.packets.size());
    q.packets.for_each([&](Packet& packet) {
      const std::int64_t port = waiting_port(packet);
      v_.same(static_cast<std::uint64_t>(port));
      if (s_.constants.cut_through) {
        Picoseconds tail = tail_arrival(packet, lp_.keys.epoch);
        v_.future_time_or_past(tail);
        packet.stamp = waiting_stamp(port, tail, lp_.keys.epoch);
      }
      fields(packet);
    });
  }

  void fields(Packet& packet) {
    const QueuePairId qp = queue_pair_of(packet);
    v_.same(packet.flow);
    v_.sequence(packet.sequence, qp);
    v_.same(packet.destination());
    v_.same(packet.entropy);
    v_.same(packet.size);
    v_.same(packet.type());
    v_.same(packet.flags);
    v_.same(packet.ttl);
    if (kind_of(packet) == PacketKind::kData) {
      std::uint64_t sent = sent_stamp(packet);
      v_.stamp(sent);
      set_sent_stamp(packet, sent);
    } else if (s_.constants.transports[s_.senders[qp].transport].ack_layout() ==
               AckLayout::kCounted) {
      v_.sequence(packet.word, qp);
    } else {
      v_.same(packet.word);
    }
  }

  /// When a port's transmission ends, or the next packet comes by it.
  void key(std::uint32_t source) {
    const std::uint64_t key = lp_.next.key(source);
    v_.same(key == WinnerTree::kNone);
    if (key == WinnerTree::kNone) return;
    Picoseconds time = lp_.keys.time_of(key);
    v_.time(time);
    const std::uint64_t moved =
        lp_.keys.departure(time, 0) | (key & ((std::uint64_t{1} << lp_.keys.shift) - 1));
    if (moved != key) lp_.next.update(source, moved);
  }

  void calendar() {
    v_.translate_only(lp_.last_event_time);
    lp_.calendar.change([this](std::vector<CalendarEvent>& events) {
      std::sort(events.begin(), events.end());
      v_.same(events.size());
      for (CalendarEvent& event : events) {
        if (is_of_job(event)) {
          v_.absolute_time(event.time);
        } else if (static_cast<EventType>(event.type) == EventType::kRetransmit) {
          v_.timer(event.time, QueuePairId(event.target));
          continue;
        } else {
          v_.time(event.time);
        }
        v_.same(event.order - sequence_of_source(event));
        v_.same(event.target);
        v_.same(event.value);
        v_.same(event.origin);
      }
    });
  }
  /// Of what ports tell each other the order alone matters.
  [[nodiscard]] std::uint64_t sequence_of_source(const CalendarEvent& event) const {
    if (static_cast<EventType>(event.type) != EventType::kCredit) return 0;
    return s_.ports[CalendarEvent::source_in(event.order)].control_sequence;
  }

  NetworkState& s_;
  LogicalProcess& lp_;
  const LivePart& part_;
  const Picoseconds now_;
  V& v_;
};

}  // namespace weft::protocols
