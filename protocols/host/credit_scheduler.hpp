#pragma once

#include <bit>
#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/answer.hpp"
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
template <class Host>
class CreditScheduler {
 public:
  CreditScheduler(NetworkState& state, Host& host) : s_(state), host_(host) {}

  // The sender.

  [[nodiscard]] bool may_send(const SenderState& s) {
    bool may = true;
    s_.controls.at_granted(
        control_of(s), s.control_slot,
        [&may](const auto& control, const auto& /*p*/) { may = control.may_send(); });
    return may;
  }

  /// So much of a queue pair waits to be sent that was not sent before. `was_idle`: nothing else of
  /// it was to be sent or acknowledged.
  void post(const SenderState& s, QueuePairId qp, Bytes wire_bytes, bool was_idle) {
    s_.grants.askers[qp].fresh += wire_bytes;
    if (!was_idle) return;
    s_.controls.at_granted(control_of(s), s.control_slot,
                           [](auto& control, const auto& /*p*/) { control.begin(); });
  }

  /// What the next packet of a queue pair, which is about to be sent, tells its receiver.
  [[nodiscard]] CreditRequest request(const SenderState& s, QueuePairId qp, Bytes size) {
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
    if (!is_waiting(s)) return;
    GrantStates::Asker& asker = s_.grants.askers[qp];
    asker.due = here.now + host_.transport(s.transport).retransmit_timeout;
    if (!asker.timer_is_set) set_timer(here, qp, asker);
  }

  void receive_grant(const Here& here, const Packet& grant) {
    const QueuePairId qp = queue_pair_of_response(grant);
    SenderState& s = s_.senders.whole(qp);
    if (s.schedule == SenderState::Schedule::kFailed) return;
    s_.controls.at_granted(control_of(s), s.control_slot, [&](auto& control, const auto& p) {
      control.on_granted(p, grant.sequence);
    });
    wait(here, s, qp);
    host_.activate(here, qp);
  }

  /// False: the queue pair does not wait any more, or not yet for so long.
  bool expire_wait(const Here& here, QueuePairId qp) {
    SenderState& s = s_.senders.whole(qp);
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

  /// A data packet of `id` came by `port`.
  void on_credit_request(const Here& here, const CreditRequest& request, bool is_marked,
                         ReceiverId id, PortState& port) {
    const ReceiverState& r = s_.receivers[id];
    const congestion::ControlRef control = host_.transport(r.transport).control;
    bool wants = false;
    s_.controls.at_port(control, port.index, [&](auto& at, const auto& p) {
      at.on_credit_request(p, is_marked, here.now, random_of(port));
    });
    s_.controls.at_granting(control, r.control_slot, [&](auto& receiver, const auto& p) {
      wants = receiver.on_request(p, request);
    });
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

  void await(const Here& here, const PortState& port, GrantStates::Ring& ring) {
    ring.timer_is_set = true;
    file(here, EventType::kGrant, port.index, ring.free_at);
  }

  /// Grants to whose turn it is at `port`, where somebody waits.
  void serve(const Here& here, PortState& port) {
    GrantStates::Ring& ring = s_.grants.rings[port.index];
    const ReceiverId id = ring.head;
    GrantStates::Turn& turn = s_.grants.turns[id];
    ring.head = turn.next;
    if (ring.head.is_none()) ring.tail = ReceiverId::none();
    turn.waits = false;

    const ReceiverState& r = s_.receivers[id];
    const congestion::ControlRef control = host_.transport(r.transport).control;
    Bytes granted;
    std::uint32_t total = 0;
    bool wants = false;
    s_.controls.at_granting(control, r.control_slot, [&](auto& receiver, const auto& p) {
      granted = receiver.grant(p);
      total = receiver.total();
      wants = receiver.wants();
    });
    s_.controls.at_port(control, port.index, [&](auto& at, const auto& p) {
      ring.free_at = here.now + at.gap(p, granted, rate_of(port), here.now, random_of(port));
    });
    PortState& next = next_port(turn, port);
    host_.respond(here, grant(id, r, total), port.is_down ? next : port);
    if (wants) join(here, id, next);
    if (!ring.head.is_none() && !ring.timer_is_set) await(here, port, ring);
  }

  /// What a port takes in.
  [[nodiscard]] BitsPerSecond rate_of(const PortState& port) const {
    const BitsPerSecond limit = s_.constants.receive_rate;
    return limit == BitsPerSecond() ? port.nominal_rate : std::min(limit, port.nominal_rate);
  }

  [[nodiscard]] Packet grant(ReceiverId id, const ReceiverState& r, std::uint32_t total) const {
    Packet packet = answer_of(id, r, host_.transport(r.transport), PacketKind::kGrant);
    packet.sequence = total;
    return packet;
  }

  NetworkState& s_;
  Host& host_;
};

}  // namespace weft::protocols
