#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/answer.hpp"
#include "protocols/transports/uec/uec_credit.hpp"
#include "simcore/base/random.hpp"

namespace weft::protocols {

/// Credit that receivers grant to senders, where a congestion control works by it.
///
/// A sender's data say what it wants. Who wants credit waits in the ring of the port that its data
/// come by; a port grants to those in its ring in turn, a quantum each, at the pace of the control.
/// Where data come by several ports of a host, each grants in turn, so that what comes is what all
/// of them bring. A grant has the size and class of a CNP, and says all that was ever
/// granted, so that one that is lost costs nothing but time: the next one says it again. A sender
/// that has waited as long as for an acknowledgement asks again, as does one that hears of a loss.
/// The senders of contexts (Ultra Ethernet) are `UecCredit`'s.
template <class Host>
class CreditScheduler {
 public:
  CreditScheduler(NetworkState& state, Host& host)
      : s_(state), host_(host), contexts_(state, host) {}

  // The sender.

  [[nodiscard]] bool may_send(const SenderState& s) {
    if (is_context(s)) return contexts_.may_send(s_.senders.queue_pair_of(s));
    bool may = true;
    s_.controls.at_granted(
        control_of(s), s.control_slot,
        [&may](const auto& control, const auto& /*p*/) { may = control.may_send(); });
    return may;
  }

  /// So much of a queue pair waits to be sent that was not sent before. `was_idle`: nothing else of
  /// it was to be sent or acknowledged.
  void post(const SenderState& s, QueuePairId qp, Bytes wire_bytes, bool was_idle) {
    if (is_context(s)) {
      if (s.schedule == SenderState::Schedule::kFailed) return;
      return contexts_.add_backlog(s, qp, wire_bytes);
    }
    s_.grants.askers[qp].fresh += wire_bytes;
    if (!was_idle) return;
    s_.controls.at_granted(control_of(s), s.control_slot,
                           [](auto& control, const auto& /*p*/) { control.begin(); });
  }

  /// What the next packet of a queue pair, which is about to be sent, tells its receiver.
  [[nodiscard]] CreditRequest request(const SenderState& s, QueuePairId qp, Bytes size) {
    if (is_context(s)) return contexts_.request(s, qp, size);
    GrantStates::Asker& asker = s_.grants.askers[qp];
    if (s.next == s.sent_end) asker.fresh -= size;
    const Bytes backlog = asker.fresh + std::int64_t{repeats_after_next(s)} *
                                            host_.transport(s.transport).full_size();
    CreditRequest request;
    s_.controls.at_granted(control_of(s), s.control_slot, [&](auto& control, const auto& p) {
      request = control.request(p, size, backlog);
    });
    return request;
  }

  /// A packet was sent, or credit has come: where there is more to send and may not be, it asks
  /// again in time.
  void wait(const Here& here, const SenderState& s, QueuePairId qp) {
    if (is_context(s)) return contexts_.wait(here, s, qp);
    if (!is_waiting(s)) return;
    GrantStates::Asker& asker = s_.grants.askers[qp];
    asker.due = here.now + host_.transport(s.transport).retransmit_timeout;
    if (!asker.timer_is_set) set_timer(here, qp, asker);
  }

  void receive_grant(const Here& here, const Packet& grant) {
    const QueuePairId qp = queue_pair_of_response(grant);
    SenderState& s = s_.senders.whole(qp);
    if (s.schedule == SenderState::Schedule::kFailed) return;
    if (is_context(s)) return contexts_.receive_grant(here, grant, qp);
    s_.controls.at_granted(control_of(s), s.control_slot, [&](auto& control, const auto& p) {
      control.on_granted(p, grant.sequence);
    });
    wait(here, s, qp);
    host_.activate(here, qp);
  }

  /// False: the queue pair does not wait any more, or not yet for so long.
  bool expire_wait(const Here& here, QueuePairId qp) {
    SenderState& s = s_.senders.whole(qp);
    if (is_context(s)) return contexts_.expire_wait(here, qp);
    GrantStates::Asker& asker = s_.grants.askers[qp];
    asker.timer_is_set = false;
    if (s.schedule == SenderState::Schedule::kFailed || !is_waiting(s)) return false;
    if (asker.due > here.now) {
      set_timer(here, qp, asker);
      return false;
    }
    s_.controls.at_granted(control_of(s), s.control_slot,
                           [](auto& control, const auto& /*p*/) { control.ask_again(); });
    host_.activate(here, qp);
    return true;
  }

  // The receiver.

  /// A data packet of `id` came by `port`, or its header.
  void on_credit_request(const Here& here, const CreditRequest& request,
                         congestion::Arrival arrival, ReceiverId id, PortState& port) {
    s_.controls.at_port(credit_of(id), port.index, [&](auto& at, const auto& p) {
      at.on_credit_request(p, arrival, here.now, random_of(port));
    });
    receive_request(here, request, id, port);
  }

  /// The same without data.
  void receive_request(const Here& here, const CreditRequest& request, ReceiverId of,
                       PortState& port) {
    const ReceiverId id = granted_one_of(of);
    bool wants = false;
    at_receiver(id, port,
                [&](auto& receiver, const auto& p) { wants = receiver.on_request(p, request); });
    GrantStates::Turn& turn = s_.grants.turns[id];
    if (!turn.waits) turn.ports = 0;
    turn.ports |= bit_of(port);
    if (wants && !turn.waits) join(here, id, port);
  }

  /// The next grant of a port is due.
  void expire_grant(const Here& here, PortState& port) {
    s_.grants.rings[port.index].timer_is_set = false;
    serve(here, port);
  }

 private:
  using GrantStates = congestion::GrantStates;

  [[nodiscard]] congestion::ControlRef control_of(const SenderState& s) const {
    return host_.transport(s.transport).control;
  }
  [[nodiscard]] bool is_context(const SenderState& s) const {
    return Host::kHasContexts && host_.transport(s.transport).has_contexts;
  }
  [[nodiscard]] congestion::ControlRef credit_of(ReceiverId id) const {
    return host_.transport(s_.receivers[id].transport).credit;
  }
  [[nodiscard]] bool is_context(ReceiverId id) const {
    return Host::kHasContexts && host_.transport(s_.receivers[id].transport).has_contexts;
  }
  /// All contexts from a host are granted credit together.
  [[nodiscard]] ReceiverId granted_one_of(ReceiverId id) {
    return is_context(id) ? s_.uec.receiver(id).first_in_context : id;
  }
  /// `use(receiver, parameters)` with what keeps the promises to a queue pair or context.
  template <class Use>
  void at_receiver(ReceiverId id, const PortState& port, Use use) {
    if (!is_context(id)) {
      s_.controls.at_granting(credit_of(id), s_.receivers[id].control_slot, use);
      return;
    }
    s_.controls.at_port(credit_of(id), port.index, [&](const auto& /*at*/, const auto& p) {
      if constexpr (std::is_same_v<decltype(p), const congestion::RcccParameters&>) {
        use(s_.uec.sink(s_.uec.receiver(id).credit_slot), p);
      }
    });
  }
  [[nodiscard]] bool is_waiting(const SenderState& s) { return s.next != s.posted && !may_send(s); }
  [[nodiscard]] RandomStream random_of(const PortState& port) const {
    return {s_.constants.seed, Purpose::kGrantPeriod, port.index};
  }

  /// Packets after the next one that are sent again before any that is new.
  [[nodiscard]] std::uint32_t repeats_after_next(const SenderState& s) const {
    if (s.next == s.sent_end) return 0;
    if (s.repair == kNoIndex) return s.sent_end - s.next - 1;
    const std::uint32_t lost = s.sent_end - s.received - s_.repairs[s.repair].in_flight(s);
    return lost > 0 ? lost - 1 : 0;
  }

  void set_timer(const Here& here, QueuePairId qp, GrantStates::Asker& asker) {
    asker.timer_is_set = true;
    file(here, EventType::kCreditWait, qp.value(), asker.due);
  }
  void file(const Here& here, EventType event, std::uint32_t target, Picoseconds time) {
    assert(time >= here.now);
    const auto type = static_cast<std::uint32_t>(event);
    schedule(here.lp, {.time = time,
                       .order = CalendarEvent::make_order(EventPriority::kTimer, type, target, 0),
                       .type = type,
                       .target = target});
  }

  /// Of a port among those of its host, of which the first 64 are told apart.
  [[nodiscard]] std::uint32_t first_port_of(const PortState& port) const {
    return s_.fabric.host(port.host()).first_port.value();
  }
  [[nodiscard]] std::uint64_t bit_of(const PortState& port) const {
    const std::uint32_t local = port.index - first_port_of(port);
    return local < 64 ? std::uint64_t{1} << local : 0;
  }
  /// The port after this one that the queue pair's data come by, and whose link is up; this one if
  /// there is no other.
  [[nodiscard]] PortState& next_port(const GrantStates::Turn& turn, PortState& port) {
    const std::uint32_t first = first_port_of(port);
    const std::uint32_t local = port.index - first;
    if (local >= 64) return port;
    for (std::uint32_t i = 1; i < 64; ++i) {
      const std::uint32_t at = (local + i) % 64;
      if (((turn.ports >> at) & 1U) != 0 && !s_.ports[first + at].is_down) {
        return s_.ports[first + at];
      }
    }
    return port;
  }

  /// The queue pair waits for its turn at `port`.
  void join(const Here& here, ReceiverId id, PortState& port) {
    GrantStates::Ring& ring = s_.grants.rings[port.index];
    GrantStates::Turn& turn = s_.grants.turns[id];
    turn.waits = true;
    turn.next = ReceiverId::none();
    if (ring.tail.is_none()) {
      ring.head = id;
    } else {
      s_.grants.turns[ring.tail].next = id;
    }
    ring.tail = id;
    if (ring.timer_is_set) return;
    if (ring.free_at <= here.now) {
      serve(here, port);
    } else {
      await(here, port, ring);
    }
  }

  /// Files the next grant of `port`: at this instant where it has long been free, as the next port
  /// of a context may be whose turn at another one is over.
  void await(const Here& here, const PortState& port, GrantStates::Ring& ring) {
    ring.timer_is_set = true;
    file(here, EventType::kGrant, port.index, std::max(ring.free_at, here.now));
  }

  /// A satisfied context may be granted something in advance, once nobody waits at `port`.
  void join_idle(const Here& here, ReceiverId id, PortState& port) {
    GrantStates::Ring& ring = s_.grants.rings[port.index];
    GrantStates::Turn& turn = s_.grants.turns[id];
    if (turn.is_idle || !is_context(id)) return;
    if (!s_.uec.sink(s_.uec.receiver(id).credit_slot).takes_idle()) return;
    turn.is_idle = true;
    turn.next_idle = ReceiverId::none();
    if (ring.idle_tail.is_none()) {
      ring.idle_head = id;
    } else {
      s_.grants.turns[ring.idle_tail].next_idle = id;
    }
    ring.idle_tail = id;
    if (!ring.timer_is_set) await(here, port, ring);
  }
  void serve_idle(const Here& here, PortState& port) {
    GrantStates::Ring& ring = s_.grants.rings[port.index];
    while (!ring.idle_head.is_none()) {
      const ReceiverId id = ring.idle_head;
      GrantStates::Turn& turn = s_.grants.turns[id];
      ring.idle_head = turn.next_idle;
      if (ring.idle_head.is_none()) ring.idle_tail = ReceiverId::none();
      turn.is_idle = false;
      congestion::RcccSink& sink = s_.uec.sink(s_.uec.receiver(id).credit_slot);
      if (turn.waits || port.is_down || !sink.takes_idle()) continue;
      at_receiver(id, port, [&](auto& receiver, const auto& p) {
        if constexpr (requires { receiver.grant_idle(p); }) {
          send_grant(here, id, receiver.grant_idle(p), port, port);
        }
      });
      join_idle(here, id, port);
      return;
    }
  }

  /// Grants to whose turn it is at `port`.
  void serve(const Here& here, PortState& port) {
    GrantStates::Ring& ring = s_.grants.rings[port.index];
    if (ring.head.is_none()) return serve_idle(here, port);
    const ReceiverId id = ring.head;
    GrantStates::Turn& turn = s_.grants.turns[id];
    ring.head = turn.next;
    if (ring.head.is_none()) ring.tail = ReceiverId::none();
    turn.waits = false;

    Bytes granted;
    bool wants = false;
    at_receiver(id, port, [&](auto& receiver, const auto& p) {
      granted = receiver.grant(p);
      wants = receiver.wants();
    });
    PortState& next = next_port(turn, port);
    send_grant(here, id, granted, port.is_down ? next : port, port);
    if (wants) {
      join(here, id, next);
    } else {
      join_idle(here, id, next);
    }
    if (!ring.head.is_none() && !ring.timer_is_set) await(here, port, ring);
  }

  /// By `out`, at the pace of `port`.
  void send_grant(const Here& here, ReceiverId id, Bytes granted, PortState& out,
                  const PortState& port) {
    GrantStates::Ring& ring = s_.grants.rings[port.index];
    const Bytes paced = is_context(id) ? std::max(granted, quantum_of(id, port)) : granted;
    s_.controls.at_port(credit_of(id), port.index, [&](auto& at, const auto& p) {
      ring.free_at = here.now + at.gap(p, paced, rate_of(port), here.now, random_of(port));
    });
    std::uint32_t total = 0;
    at_receiver(id, port, [&](const auto& receiver, const auto&) { total = receiver.total(); });
    host_.respond(here, grant(id, s_.receivers[id], total), out);
  }
  /// A port grants to contexts at fixed distances, whatever a grant has.
  [[nodiscard]] Bytes quantum_of(ReceiverId id, const PortState& port) {
    Bytes quantum;
    at_receiver(id, port, [&](const auto&, const auto& p) { quantum = p.quantum; });
    return quantum;
  }

  /// What a port takes in.
  [[nodiscard]] BitsPerSecond rate_of(const PortState& port) const {
    const BitsPerSecond limit = s_.constants.receive_rate;
    return limit == BitsPerSecond() ? port.nominal_rate : std::min(limit, port.nominal_rate);
  }

  [[nodiscard]] Packet grant(ReceiverId id, const ReceiverState& r, std::uint32_t total) const {
    const TransportConstants& t = host_.transport(r.transport);
    Packet packet = answer_of(id, r, t, PacketKind::kGrant);
    if (is_context(id)) packet.size = static_cast<std::uint16_t>(t.delivery.nack_size.count());
    packet.sequence = total;
    return packet;
  }

  NetworkState& s_;
  Host& host_;
  UecCredit<Host> contexts_;
};

}  // namespace weft::protocols
