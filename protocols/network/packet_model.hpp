#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "protocols/host/host_model.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/switch/switch_model.hpp"

namespace weft::protocols {

/// What the engine's cell loop calls: sends each event to the host or the switch that it concerns.
template <class Path>
class PacketModel {
 public:
  explicit PacketModel(NetworkState& state)
      : s_(state), control_(state), switch_(state), host_(state) {}

  void depart(const Here& here, std::uint32_t local) {
    PortState& port = s_.port_of(here.cell, local);
    if (port.owner_is_host) {
      host_.depart(here, port);
    } else {
      switch_.depart(here, port);
    }
  }

  void arrive(const Here& here, Packet& packet, std::uint32_t local) {
    PortState& port = s_.port_of(here.cell, local);
    if (Path::kGeneral && was_broken(port, packet, here.now)) {
      // Its credits are void: the link grants them anew when it is up.
      ++port.fault_drops;
      ++here.worker.sums.packets_dropped;
      return;
    }
    if (Path::kGeneral && s_.constants.traces_packets)
      trace_packet(s_, here.worker, TraceRecord::Kind::kPacketArrived, packet, port, here.now);
    if (port.owner_is_host) {
      host_.arrive(here, packet, port);
    } else {
      switch_.arrive(here, packet, port);
    }
  }

  [[gnu::always_inline]] void fetch_state(const Cell& cell, std::uint32_t local) const {
    const std::uint32_t port = cell.ports[local].value();
    fetch_lines<1, true>(&s_.ports[port]);
    const std::size_t first = s_.constants.slot(port, 0);  // the port itself is not here yet
    fetch_lines<2, true>(&s_.queues[first]);
    fetch_lines<1, true>(&s_.ingress[first]);
    cell.inbound[local]->fetch();
    s_.links[port].fetch_sender();
  }

  [[gnu::always_inline]] void fetch_packets(const Cell& cell, std::uint32_t local) const {
    const Link& link = *cell.inbound[local];
    link.data_out.fetch(link.data_in);
    const PortState& port = s_.ports[cell.ports[local].value()];
    s_.links[port.index].data_in.fetch();
    s_.queues[port.first_slot].packets.fetch();
    if (port.owner_is_host) host_.fetch(port);
  }

  [[gnu::always_inline]] void fetch_flows(const Cell& cell, std::uint32_t local) const {
    const PortState& port = s_.ports[cell.ports[local].value()];
    if (port.owner_is_host) host_.fetch_flows(port);
  }

  /// Link control from another cell: from now on an event of this one.
  void accept_control(Cell& cell, const Packet& frame, std::uint32_t local) {
    const PortState& port = s_.port_of(cell, local);
    schedule(cell, {.time = Picoseconds(frame.stamp),
                    .order = AgendaEvent::make_order(EventRank::kControl, frame.flags,
                                                     port.peer.value(), frame.sequence),
                    .type = frame.flags,
                    .target = port.index,
                    .value = frame.word,
                    .origin = frame.flow});
  }

  void handle(const Here& here, const AgendaEvent& event) {
    const auto type = static_cast<EventType>(event.type);
    if (type == EventType::kRetransmit) {
      host_.expire_retransmit_timer(here, event.target);
      return;
    }
    --here.cell.live_events;
    if (type == EventType::kWake || type == EventType::kSignal) {
      --here.cell.job_events;
      here.cell.last_event_time = here.now;
      const ProcessId process(event.target);
      if (type == EventType::kWake) {
        host_.wake(here, process, event.value);
      } else {
        host_.signal(here, process, ProcessId(event.origin), event.value);
      }
      return;
    }
    if (handle_link_event(here, type, event)) here.cell.last_event_time = here.now;
  }

  /// Files the beginnings and ends of the faults of `port`, both as a sender and as a receiver.
  void schedule_faults(Cell& cell, const PortState& port);

  /// Files the changes of the routes of the switch whose first port is `port`.
  void schedule_routes(Cell& cell, const PortState& port);

  void start_process(const Here& here, ProcessId process) { host_.start_process(here, process); }

 private:
  /// False for timers that have become void: a pause that was lifted or renewed meanwhile.
  bool handle_link_event(const Here& here, EventType type, const AgendaEvent& event) {
    if (type == EventType::kArbitrate) {
      switch_.arbitrate(here, event.target);
      return true;
    }
    PortState& port = s_.ports[event.target];
    const auto packed = static_cast<std::uint32_t>(event.value);
    const std::uint8_t c = LinkControl::class_in(packed);
    const std::uint32_t value = LinkControl::value_in(packed);
    switch (type) {
      case EventType::kPause:
        if (was_lost(port, here.now - s_.ports[port.peer.value()].pause_latency)) return false;
        if (value == 1) {
          pause(here, port, c, PortId(event.origin));
        } else {
          lift_pause(here, port, c);
        }
        return true;
      case EventType::kPauseExpiry:
        if (s_.queue(port, c).pause_expires != here.now) return false;
        if ((port.paused & class_bit(c)) == 0) return false;
        lift_pause(here, port, c);
        return true;
      case EventType::kPauseRefresh:
        return control_.refresh_pause(here, port, c, value);
      case EventType::kCredit:
        if (was_lost(port, here.now - s_.ports[port.peer.value()].wire_latency -
                               s_.constants.credit_processing[c])) {
          return false;
        }
        add_credits(here, port, c, static_cast<std::int32_t>(value));
        return true;
      case EventType::kReceive:
        host_.finish_receive(here, port);
        return true;
      case EventType::kRoutes: {
        const Routes* routes = s_.route_changes[static_cast<std::size_t>(event.value)].routes;
        if (port.owner_is_host) {
          host_.change_routes(here, port.owner, *routes);
        } else {
          s_.switches[port.owner].routes = routes;
        }
        return false;
      }
      case EventType::kFault:
        change_health(here, port, static_cast<std::uint32_t>(event.value));
        return false;
      default:
        assert(false && "no such event of a link");
        return false;
    }
  }

  void resume(const Here& here, PortState& port) {
    if (port.owner_is_host) {
      host_.resume(here, port);
    } else {
      switch_.resume(here, port);
    }
  }

  void pause(const Here& here, PortState& port, std::uint8_t c, PortId cause) {
    ClassQueue& queue = s_.queue(port, c);
    ++queue.pauses_received;
    if ((port.paused & class_bit(c)) == 0) {
      port.paused |= class_bit(c);
      port.update_blocked();
      queue.blocked_since = here.now;
      queue.pause_cause = cause;
    }
    if (s_.constants.pause_until_resume) return;
    queue.pause_expires = here.now + LinkControl::pause_duration(port);
    const auto type = static_cast<std::uint32_t>(EventType::kPauseExpiry);
    schedule(here.cell,
             {.time = queue.pause_expires,
              .order = AgendaEvent::make_order(EventRank::kTimer, type, port.index,
                                               LinkControl::pack(c, queue.expiry_sequence++)),
              .type = type,
              .target = port.index,
              .value = LinkControl::pack(c, 0)});
  }

  void lift_pause(const Here& here, PortState& port, std::uint8_t c) {
    if ((port.paused & class_bit(c)) == 0) return;
    end_pause(port, c, here.now);
    resume(here, port);
  }

  void end_pause(PortState& port, std::uint8_t c, Picoseconds now) {
    ClassQueue& queue = s_.queue(port, c);
    port.paused &= static_cast<std::uint8_t>(~class_bit(c));
    port.update_blocked();
    queue.paused_time += now - queue.blocked_since;
    if (port.pauses.size() == s_.constants.pauses_kept) {
      ++port.pauses_lost;
      return;
    }
    port.pauses.push_back({.port = port.id,
                           .cause = queue.pause_cause,
                           .start = queue.blocked_since,
                           .end = now,
                           .traffic_class = c});
  }

  void add_credits(const Here& here, PortState& port, std::uint8_t c, std::int32_t blocks) {
    ClassQueue& queue = s_.queue(port, c);
    queue.credits += blocks;
    if ((port.starved & class_bit(c)) != 0) end_stall(here, port, c);
    resume(here, port);
  }

  void end_stall(const Here& here, PortState& port, std::uint8_t c) {
    ClassQueue& queue = s_.queue(port, c);
    port.starved &= static_cast<std::uint8_t>(~class_bit(c));
    port.update_blocked();
    queue.stall_time += here.now - queue.blocked_since;
    port.stalls.add(c, queue.blocked_since, here.now, s_.constants.pauses_kept);
    if (!s_.constants.traces_credits) return;
    here.worker.trace.push_back({.time = here.now,
                                 .value = queue.blocked_since.count(),
                                 .subject = port.index,
                                 .kind = TraceRecord::Kind::kCreditStall,
                                 .traffic_class = c});
  }

  /// What a fault adds to the latency of the link that ends at `port`, as of now.
  [[nodiscard]] Picoseconds added_to(const PortState& port) const {
    return s_.constants.has_added_latency ? s_.added_latency[port.index].ending : Picoseconds();
  }
  /// Whether link control that was sent at `sent` met a link that is down, or was until then.
  [[nodiscard]] bool was_lost(const PortState& port, Picoseconds sent) const {
    if (!s_.constants.has_faults) return false;
    return sent - added_to(port) < port.ingress_up_since;
  }
  /// Whether an outage of its link took a packet: its first bit left before the end of the last
  /// one.
  [[nodiscard]] bool was_broken(const PortState& port, const Packet& packet,
                                Picoseconds now) const {
    if (port.ingress_up_since == Picoseconds()) return false;
    const PortState& from = s_.ports[port.peer.value()];
    const bool cuts = s_.constants.cut_through && !port.owner_is_host;
    const Bytes bytes =
        cuts ? std::min(packet.wire_size(), s_.constants.cut_through_after) : packet.wire_size();
    return now - from.data_latency - added_to(port) -
               PortState::transmission_at(bytes, port.ingress_rate) <
           port.ingress_up_since;
  }

  void change_health(const Here& here, PortState& port, std::uint32_t what);
  void hold_peer(const Here& here, PortState& port, std::uint8_t classes, bool begins);
  void take_down(const Here& here, PortState& port);
  void bring_up(const Here& here, PortState& port);

  NetworkState& s_;
  LinkControl control_;
  SwitchModel<Path> switch_;
  HostModel<Path> host_;
};

}  // namespace weft::protocols
