#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "protocols/state/fields.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/steady_state/live_part.hpp"
#include "simcore/engine/logical_process.hpp"

/// Everything that decides how a network continues, field by field, as the state declares it
/// (protocols/state/fields.hpp): one traversal, to compare two states and to advance one in time.
namespace weft::protocols {

/// Visits the fields of a state that decide something as long as no message ends, begins or is
/// posted. Besides, it may want what other roles name: counters, for one.
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
    for (const QueuePairId qp : part_.queue_pairs) {
      if (v_.is_done()) return;
      queue_pair(qp);
    }
    for (const std::uint32_t p : part_.ports) {
      if (v_.is_done()) return;
      port(s_.ports[p]);
    }
    for (SwitchState& sw : s_.switches) visit_fields(sw, v_);
    if (!v_.is_done()) process();
  }

 private:
  void queue_pair(QueuePairId qp) {
    SenderState& s = s_.senders.whole(qp);
    ReceiverState& r = s_.receivers[receiver_of(qp)];
    visit_fields(static_cast<SendingEnd&>(s), v_, qp);
    visit_fields(s, v_, qp);
    visit_fields(r, v_, qp);
    v_.acknowledged(s, r, qp);
  }

  void port(PortState& p) {
    visit_fields(p, v_, [&](V& v) { link(*p.out, v); });
    for (const ClassId c : s_.classes_of(p)) {
      ClassQueue& q = s_.queue(p, c);
      q.account(now_);
      visit_fields(q, v_, (p.starved & class_bit(c)) != 0, [&](V& v) { packets(q, v); });
      visit_fields(s_.account(p, c), v_);
      if (p.owner_is_host) visit_fields(s_.ready[s_.slot(p.index, c)], v_);
    }
    if (p.owner_is_host) visit_fields(s_.nics[p.index], v_);
  }

  void link(Link& link, V& v) {
    v.same(link.in_flight());
    link.data_out.for_each(link.data_in, [&](Packet& packet) {
      Picoseconds arrival(packet.stamp);
      v.time(arrival);
      packet.stamp = arrival.count();
      this->packet(packet);
    });
  }

  void packets(ClassQueue& queue, V& v) {
    v.same(queue.packets.size());
    queue.packets.for_each([&](Packet& packet) {
      const std::int64_t port = waiting_port(packet);
      v.same(static_cast<std::uint64_t>(port));
      if (s_.constants.cut_through) {
        Picoseconds tail = tail_arrival(packet, lp_.keys.origin);
        v.future_time_or_past(tail);
        packet.stamp = waiting_stamp(port, tail, lp_.keys.origin);
      }
      this->packet(packet);
    });
  }

  void packet(Packet& packet) {
    const QueuePairId qp = queue_pair_of(packet);
    require_all(Fields<Packet, V>(v_)
                    .derived(packet.stamp, "where the packet lies says what it means")
                    .implied(implied_by::kPackets)
                    .same(packet.flow)
                    .implied(implied_by::kPackets)
                    .sequence(packet.sequence, qp)
                    .implied("its flow and its size imply it")
                    .visited(packet.header,
                             [&](auto& v) {
                               v.same(packet.destination());
                               v.same(packet.type());
                             })
                    .implied("its flow implies it")
                    .same(packet.entropy)
                    .visited(packet.word, [&](auto& v) { word(packet, qp, v); })
                    .implied(implied_by::kPackets)
                    .same(packet.size)
                    .implied(implied_by::kMessages)
                    .same(packet.flags)
                    .implied("where it is implies it")
                    .same(packet.ttl));
  }
  /// With the upper bits of the send time, which lie in the header.
  void word(Packet& packet, QueuePairId qp, V& v) {
    if (kind_of(packet) == PacketKind::kData) {
      std::uint64_t sent = sent_stamp(packet);
      v.stamp(sent);
      set_sent_stamp(packet, sent);
    } else if (s_.constants.transports[s_.senders[qp].transport].ack_layout() ==
               AckLayout::kCounted) {
      v.sequence(packet.word, qp);
    } else {
      v.same(packet.word);
    }
  }

  void process() {
    require_all(Fields<LogicalProcess, V>(v_)
                    .constant(lp_.ports)
                    .constant(lp_.inbound)
                    .constant(lp_.external_in)
                    .constant(lp_.first_activity_word)
                    .implied("the packets on links imply it")
                    .visited(lp_.next, [this](V& v) { keys(v); })
                    .implied(implied_by::kCredits)
                    .visited(lp_.calendar, [this](auto& /*v*/) { calendar(); })
                    .implied(implied_by::kPackets)
                    .same(lp_.live_events)
                    .implied(implied_by::kMessages)
                    .same(lp_.job_events)
                    .counted_until(lp_.last_event_time)
                    .derived(lp_.last_eventless_time, "networks that may skip have events for all")
                    .derived(lp_.keys, "times are compared by their distance from now"));
  }

  /// When transmissions of ports end, and the next packets come by them.
  void keys(V& v) {
    for (const std::uint32_t p : part_.ports) {
      key(s_.ports[p].local, v);
      key(lp_.port_count() + s_.ports[p].local, v);
    }
  }
  void key(std::uint32_t source, V& v) {
    const std::uint64_t key = lp_.next.key(source);
    v.same(key == WinnerTree::kNone);
    if (key == WinnerTree::kNone) return;
    Picoseconds time = lp_.keys.time_of(key);
    v.time(time);
    const std::uint64_t moved =
        lp_.keys.departure(time, 0) | (key & ((std::uint64_t{1} << lp_.keys.shift) - 1));
    if (moved != key) lp_.next.update(source, moved);
  }

  void calendar() {
    lp_.calendar.change([this](std::vector<CalendarEvent>& events) {
      std::sort(events.begin(), events.end());
      v_.same(events.size());
      for (CalendarEvent& event : events) {
        if (static_cast<EventType>(event.type) == EventType::kRetransmit) {
          v_.timer(event.time, QueuePairId(event.target));
        } else {
          this->event(event);
        }
      }
    });
  }
  void event(CalendarEvent& event) {
    require_all(Fields<CalendarEvent, V>(v_)
                    .implied(implied_by::kCredits)
                    .visited(event.time,
                             [&](auto& v) {
                               if (is_of_job(event)) {
                                 v.absolute_time(event.time);
                               } else {
                                 v.time(event.time);
                               }
                             })
                    .implied(implied_by::kCredits)
                    .same_by(event.order, event.order - sequence_of_source(event))
                    .derived(event.type, "the order says it")
                    .implied("the order names its source")
                    .same(event.target)
                    .implied(implied_by::kPackets)
                    .same(event.value)
                    .implied(implied_by::kPackets)
                    .same(event.origin));
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
