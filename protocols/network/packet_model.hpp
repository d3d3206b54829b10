#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "protocols/host/host_model.hpp"
#include "protocols/link/control_word.hpp"
#include "protocols/link/egress_gate.hpp"
#include "protocols/link/incident_log.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/link/link_health.hpp"
#include "protocols/link/link_retry.hpp"
#include "protocols/link/link_turns.hpp"
#include "protocols/link/pause_watchdog.hpp"
#include "protocols/link/tracing.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/switch/switch_model.hpp"

namespace weft::protocols {

/// What the loop over logical processes calls: sends each event to the host or the switch that it
/// concerns.
template <class Path>
class PacketModel {
 public:
  explicit PacketModel(NetworkState& state)
      : s_(state),
        control_(state),
        gate_(state),
        health_(state, *this),
        incidents_(state),
        watchdog_(state, *this),
        tracer_(state),
        switch_(state),
        host_(state) {}
  PacketModel(const PacketModel&) = delete;
  PacketModel& operator=(const PacketModel&) = delete;

  void depart(const Here& here, std::uint32_t local) {
    PortState& port = s_.port_of(here.lp, local);
    if constexpr (Path::has(Feature::kSharedLinks)) LinkTurns(s_).release(port);
    if (port.owner_is_host) {
      host_.depart(here, port);
    } else {
      switch_.depart(here, port);
    }
    if constexpr (Path::has(Feature::kSharedLinks)) {
      LinkTurns(s_).pass_on(port, [&](PortState& next) { resume(here, next); });
    }
  }

  [[gnu::always_inline]] void arrive(const Here& here, Packet& packet, std::uint32_t local) {
    PortState& port = s_.port_of(here.lp, local);
    if constexpr (Path::has(Feature::kFaults)) {
      if (health_.was_broken(port, packet, here.now)) [[unlikely]]
        return lose(here, packet, port);
      const bool is_drawn_here = !Path::has(Feature::kLinkRetry) || !port.has_retry;
      if (is_drawn_here && health_.was_spoilt(port, packet)) [[unlikely]]
        return lose_spoilt(here, packet, port);
    }
    tracer_.arrived(here, packet, port);
    if (port.owner_is_host) {
      host_.arrive(here, packet, port);
    } else {
      switch_.arrive(here, packet, port);
    }
  }

  [[gnu::always_inline]] void fetch_state(const LogicalProcess& lp, std::uint32_t local) const {
    const std::uint32_t port = lp.ports[local].value();
    fetch_lines<1, true>(&s_.ports[port]);
    const std::size_t first = s_.slots[port];  // the port itself is not here yet
    fetch_lines<2, true>(&s_.queues[first]);
    fetch_lines<1, true>(&s_.ingress[first]);
    lp.inbound[local]->fetch();
    s_.links[port].fetch_sender();
  }

  [[gnu::always_inline]] void fetch_packets(const LogicalProcess& lp, std::uint32_t local) const {
    const Link& link = *lp.inbound[local];
    link.data_out.fetch(link.data_in);
    const PortState& port = s_.ports[lp.ports[local].value()];
    s_.links[port.index].data_in.fetch();
    s_.queues[s_.slots[port.index]].packets.fetch();
    if (port.owner_is_host) host_.fetch(port);
  }

  [[gnu::always_inline]] void fetch_flows(const LogicalProcess& lp, std::uint32_t local) const {
    const PortState& port = s_.ports[lp.ports[local].value()];
    if (port.owner_is_host) host_.fetch_flows(port);
  }

  /// Link control from another logical process: from now on an event of this one, or a credit that
  /// needs none.
  void accept_control(const Here& here, const Packet& frame, std::uint32_t local) {
    const PortState& port = s_.port_of(here.lp, local);
    if (static_cast<EventType>(frame.flags) == EventType::kCredit) {
      const auto [c, blocks] = ControlWord::unpack(frame.word);
      if (control_.note_return(
              here, port, c,
              {Picoseconds(frame.stamp), frame.sequence, static_cast<std::int32_t>(blocks)})) {
        return;
      }
    }
    schedule(here.lp, {.time = Picoseconds(frame.stamp),
                       .order = CalendarEvent::make_order(EventPriority::kControl, frame.flags,
                                                          port.peer.value(), frame.sequence),
                       .type = frame.flags,
                       .target = port.index,
                       .value = frame.word,
                       .origin = frame.flow});
  }

  /// False: the event had become void.
  bool handle(const Here& here, const CalendarEvent& event) {
    const auto type = static_cast<EventType>(event.type);
    if (type == EventType::kRetransmit) {
      if (Path::has(Feature::kEntropies) && event.value == kProbeTimer) {
        return host_.expire_probe_timer(here, QueuePairId(event.target));
      }
      const std::uint64_t timeouts = here.worker.sums.timeouts;
      host_.expire_retransmit_timer(here, QueuePairId(event.target));
      return here.worker.sums.timeouts != timeouts;
    }
    --here.lp.live_events;
    if constexpr (Path::has(Feature::kGrants)) {
      if (type == EventType::kGrant || type == EventType::kCreditWait) {
        return handle_credit(here, type, event.target);
      }
    }
    if (type == EventType::kDelayedAck)
      return host_.expire_ack_timer(here, ReceiverId(event.target));
    if (type == EventType::kWake || type == EventType::kControlEvent ||
        type == EventType::kJobTimer) {
      --here.lp.job_events;
      const ProcessId process(event.target);
      bool is_current = true;
      if (type == EventType::kWake) {
        host_.wake(here, process, event.value);
      } else if (type == EventType::kControlEvent) {
        host_.deliver_control_event(here, process, ProcessId(event.origin), event.value);
      } else {
        is_current = host_.fire(here, process, static_cast<std::uint32_t>(event.value));
      }
      if (is_current) here.lp.last_event_time = here.now;
      return is_current;
    }
    if (!handle_link_event(here, type, event)) return false;
    here.lp.last_event_time = here.now;
    return true;
  }

  /// Credit of receivers is due, or has been waited for. False: it was void.
  [[gnu::noinline]] bool handle_credit(const Here& here, EventType type, std::uint32_t target) {
    const bool is_current = type == EventType::kGrant
                                ? host_.expire_grant(here, s_.ports[target])
                                : host_.expire_credit_wait(here, QueuePairId(target));
    if (is_current) here.lp.last_event_time = here.now;
    return is_current;
  }

  /// Files the faults of `port` and the changes of its node's routes.
  void schedule_faults(LogicalProcess& lp, const PortState& port) {
    health_.schedule_faults(lp, port);
    health_.schedule_routes(lp, port);
  }

  void start_process(const Here& here, ProcessId process) { host_.start_process(here, process); }

  // What faults ask of the nodes.

  void resume(const Here& here, PortState& port) {
    if (port.owner_is_host) {
      host_.resume(here, port);
    } else {
      switch_.resume(here, port);
    }
  }
  /// The link of `port` is back.
  void restore(const Here& here, PortState& port) {
    if (port.owner_is_host) host_.tell_peers(here, port);
    resume(here, port);
  }
  /// The watchdog drops what waits at `port` of a switch.
  void drop_waiting(const Here& here, PortState& port, ClassId c) {
    switch_.drop_waiting(here, port, c);
  }
  /// The link of `port` failed.
  void flush(const Here& here, PortState& port) {
    if (port.owner_is_host) {
      host_.flush(here, port);
    } else {
      switch_.flush(here, port);
    }
  }

 private:
  /// An outage of its link took a packet. Its credits are void: the link grants them again when it
  /// is up.
  [[gnu::noinline]] void lose(const Here& here, const Packet& packet, PortState& port) {
    incidents_.lose_to_fault(here, port, packet, PortIncident::Kind::kOutage);
    forget<Path>(s_, here, packet);
  }
  /// Errors of its link corrupted a packet.
  [[gnu::noinline]] void lose_spoilt(const Here& here, const Packet& packet, PortState& port) {
    health_.grant_spoilt(here, port, packet);
    incidents_.lose_to_errors(here, port, packet);
    forget<Path>(s_, here, packet);
  }

  /// The peer pauses a class, or ends that. False: the link was down when it said so.
  [[gnu::always_inline]] bool take_pause(const Here& here, PortState& port, ClassId c, bool begins,
                                         PortId cause) {
    if (health_.was_lost(port, here.now - s_.ports[port.peer.value()].pause_latency)) return false;
    if constexpr (Path::has(Feature::kSettings)) {
      if (begins) {
        watchdog_.pause_came(here, port, c);
      } else {
        watchdog_.pause_ended(port, c);
      }
    }
    if (begins) {
      gate_.pause(here, port, c, cause);
    } else if (gate_.lift_pause(port, c, here.now)) {
      resume(here, port);
    }
    return true;
  }

  /// False for timers that have become void: a pause that was lifted or renewed meanwhile.
  bool handle_link_event(const Here& here, EventType type, const CalendarEvent& event) {
    if (type == EventType::kArbitrate) {
      switch_.arbitrate(here, event.target);
      return true;
    }
    PortState& port = s_.ports[event.target];
    const auto [c, value] = ControlWord::unpack(static_cast<std::uint32_t>(event.value));
    switch (type) {
      case EventType::kPause:
        return take_pause(here, port, c, value == 1, PortId(event.origin));
      case EventType::kPauseExpiry:
        if constexpr (Path::has(Feature::kSettings)) {
          if (event.origin == Watchdog::kOrigin) return watchdog_.look(here, port, c);
        }
        if (!gate_.expires(port, c, here.now)) return false;
        gate_.lift_pause(port, c, here.now);
        resume(here, port);
        return true;
      case EventType::kPauseRefresh:
        if constexpr (Path::has(Feature::kCredits)) {
          if (event.origin == CbfcState::kOrigin) {
            return control_.expire(here, port, c, static_cast<CbfcState::Timer>(value));
          }
        }
        return control_.refresh_pause(here, port, c, value);
      case EventType::kCredit:
        if (health_.was_lost(port, here.now - s_.ports[port.peer.value()].wire_latency -
                                       s_.constants.credit_processing[c])) {
          return false;
        }
        if (event.origin == CbfcState::kOrigin) {
          return control_.take_repair(here, port, c, LostBlocks::unpack(value));
        }
        gate_.add_credits(here, port, c,
                          event.origin == CreditReturns::kOrigin
                              ? s_.returns(port, c).take_filed()
                              : static_cast<std::int32_t>(value));
        resume(here, port);
        return true;
      case EventType::kLinkRetry:
        if constexpr (Path::has(Feature::kLinkRetry)) return handle_retry(here, port, event);
        return false;
      case EventType::kReceive:
        host_.finish_receive(here, port);
        return true;
      case EventType::kRoutes: {
        const Routes* routes = s_.route_changes[static_cast<std::size_t>(event.value)].routes;
        if (port.owner_is_host) {
          host_.change_routes(here, port.host(), *routes);
        } else {
          s_.switches[port.owner].routes = routes;
        }
        return false;
      }
      case EventType::kFault:
        health_.change(here, port, static_cast<std::uint32_t>(event.value));
        return false;
      default:
        assert(false && "no such event of a link");
        return false;
    }
  }

  /// False: it had become void.
  [[gnu::noinline]] bool handle_retry(const Here& here, PortState& port,
                                      const CalendarEvent& event) {
    const auto [code_number, value] = ControlWord::unpack(static_cast<std::uint32_t>(event.value));
    const auto code = static_cast<RetryState::Code>(code_number.value());
    const bool is_timer = code == RetryState::kTimer || code == RetryState::kTail;
    const Picoseconds sent = here.now - s_.ports[port.peer.value()].wire_latency;
    if (!is_timer && health_.was_lost(port, sent)) return false;
    const LinkRetry::Effect effect = LinkRetry(s_).handle(here, port, code, value);
    if (effect == LinkRetry::Effect::kResume) resume(here, port);
    return effect != LinkRetry::Effect::kNone;
  }

  NetworkState& s_;
  LinkControl control_;
  EgressGate gate_;
  LinkHealth<PacketModel> health_;
  IncidentLog incidents_;
  PauseWatchdog<PacketModel> watchdog_;
  Tracer<Path> tracer_;
  SwitchModel<Path> switch_;
  HostModel<Path> host_;
};

}  // namespace weft::protocols
