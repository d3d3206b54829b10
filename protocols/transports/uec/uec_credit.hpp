#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/packet/credit_request.hpp"
#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/nack_code.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/random.hpp"

namespace weft::protocols {

/// What the sender of a context says without data.
[[nodiscard]] inline Packet control_packet(const SenderState& s, QueuePairId qp,
                                           const TransportConstants& t, ControlCode code) {
  Packet packet;
  packet.flow = flow_of(qp);
  packet.entropy = s.entropy;
  packet.size = static_cast<std::uint16_t>(t.delivery.nack_size.count());
  packet.ttl = t.ttl;
  const ClassId c = t.ack_class.is_none() ? s.traffic_class : t.ack_class;
  packet.set_header(s.destination.value(), packet_type(PacketKind::kPdsControl, c),
                    static_cast<std::uint32_t>(code));
  return packet;
}

/// Credit of receivers at the sender of a congestion context (RCCC; UE specification 1.0, 3.6.14).
/// All contexts (PDCs) to a destination in a class share it. Data say what it wants; where nothing
/// may be sent, a control packet does, at most once per round trip.
template <class Host>
class UecCredit {
 public:
  UecCredit(NetworkState& state, Host& host) : s_(state), host_(host) {}

  [[nodiscard]] bool may_send(QueuePairId qp) { return source_of(qp).may_send(); }

  /// So much of a context waits to be sent: for the first time, or again after it was lost. Less
  /// where it will not be sent after all.
  void add_backlog(const SenderState& s, QueuePairId qp, Bytes wire_bytes) {
    congestion::RcccSource& source = source_of(qp);
    const bool had = source.has_backlog();
    s_.grants.askers[qp].fresh += wire_bytes;
    source.add_backlog(wire_bytes);
    note_activity(s, source, had);
  }

  /// What the next packet, which is about to be sent, tells the receiver.
  [[nodiscard]] CreditRequest request(const SenderState& s, QueuePairId qp, Bytes size) {
    congestion::RcccSource& source = source_of(qp);
    const bool had = source.has_backlog();
    s_.grants.askers[qp].fresh -= size;
    source.on_packet(size);
    note_activity(s, source, had);
    return {.total = source.ask(demand(s, source))};
  }

  /// Where there is something to send and no credit, the receiver is told, and told again in time:
  /// as soon as it may be where it was not told of all, else where nothing comes for too long.
  void wait(const Here& here, const SenderState& s, QueuePairId qp) {
    congestion::RcccSource& source = source_of(qp);
    if (!source.is_waiting()) return;
    const bool asks = source.is_unasked(demand(s, source));
    if (asks && source.next_request > here.now) return await_until(here, qp, source.next_request);
    if (asks) send_request(here, s, qp, false);
    // Whatever else comes back, answers to probes included, does not put off that it is told again.
    if (asks || !asker_of(qp).timer_is_set) await(here, qp);
  }

  void receive_grant(const Here& here, const Packet& grant, QueuePairId qp) {
    congestion::RcccSource& source = source_of(qp);
    source.on_granted(grant.sequence);
    source.retries = 0;
    if (asker_of(qp).timer_is_set) await(here, qp);
    host_.on_credit(here, qp);
  }

  /// Of the first context to a destination. False: it does not wait any more, or not yet for so
  /// long.
  bool expire_wait(const Here& here, QueuePairId first) {
    congestion::GrantStates::Asker& asker = s_.grants.askers[first];
    if (!asker.timer_is_set || asker.timer_at != here.now)
      return false;  // an earlier one was filed
    asker.timer_is_set = false;
    congestion::RcccSource& source = source_of(first);
    if (!source.is_waiting()) return false;
    if (asker.due > here.now) {
      file_timer(here, first);
      return false;
    }
    const SenderState& s = s_.senders.whole(first);
    const bool is_first_time = source.is_unasked(demand(s, source));
    if (!is_first_time) {
      if (source.retries++ >= host_.transport(s.transport).delivery.retries) {
        host_.fail_contexts(here, first);
        return true;
      }
      source.ask_again();
    }
    send_request(here, s, first, !is_first_time);
    await(here, first);
    return true;
  }

 private:
  [[nodiscard]] congestion::RcccSource& source_of(QueuePairId qp) {
    return s_.uec.source(s_.uec.sender(qp).credit_slot);
  }

  /// Keeps count of the contexts of a host that have something to send.
  void note_activity(const SenderState& s, const congestion::RcccSource& source, bool had) {
    if (source.has_backlog() == had) return;
    s_.uec.active(s.host) += had ? -1 : 1;
  }

  [[nodiscard]] std::uint32_t demand(const SenderState& s, const congestion::RcccSource& source) {
    Bytes windows;
    bool has_window = false;
    for (std::uint32_t i = 0; i < s_.windows_of(s); ++i) {
      s_.controls.at_context(host_.transport(s.transport).control, s.control_slot + i,
                             [&](const auto& control, const auto& /*p*/) {
                               windows += control.window();
                               has_window = true;
                             });
    }
    const Bytes window = has_window ? std::min(source.max_credit(), windows) : source.max_credit();
    return source.demand(window, static_cast<std::uint32_t>(s_.uec.active(s.host)),
                         host_.transport(s.transport).delivery.shares_demand
                             ? congestion::RcccSource::Shared::kDemand
                             : congestion::RcccSource::Shared::kLimit);
  }

  void send_request(const Here& here, const SenderState& s, QueuePairId qp, bool repeats) {
    congestion::RcccSource& source = source_of(qp);
    const TransportConstants& t = host_.transport(s.transport);
    source.next_request = here.now + source.base_rtt();
    Packet packet = control_packet(s, qp, t, ControlCode::kCreditRequest);
    packet.sequence = repeats ? 1 : 0;
    packet.word = source.ask(demand(s, source));
    host_.respond(here, packet, s_.ports[s.port()]);
  }

  /// That of the first context to a destination, which waits for all of them.
  [[nodiscard]] congestion::GrantStates::Asker& asker_of(QueuePairId qp) {
    return s_.grants.askers[s_.uec.sender(qp).first_in_context];
  }
  void await(const Here& here, QueuePairId qp) {
    const UecSender& u = s_.uec.sender(s_.uec.sender(qp).first_in_context);
    // Its receiver may have many to grant to, so that the time-out doubles in any case.
    await_until(here, qp, here.now + (std::int64_t{1} << source_of(qp).retries) * u.timeout);
  }
  void await_until(const Here& here, QueuePairId qp, Picoseconds due) {
    asker_of(qp).due = due;
    file_timer(here, s_.uec.sender(qp).first_in_context);
  }
  /// Nothing, where an event is filed that comes no later: that looks at what is due then.
  void file_timer(const Here& here, QueuePairId first) {
    congestion::GrantStates::Asker& asker = s_.grants.askers[first];
    if (asker.timer_is_set && asker.timer_at <= asker.due) return;
    asker.timer_is_set = true;
    asker.timer_at = asker.due;
    const auto type = static_cast<std::uint32_t>(EventType::kCreditWait);
    schedule(here.lp,
             {.time = asker.due,
              .order = CalendarEvent::make_order(EventPriority::kTimer, type, first.value(), 0),
              .type = type,
              .target = first.value()});
  }

  NetworkState& s_;
  Host& host_;
};

}  // namespace weft::protocols
