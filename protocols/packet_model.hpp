#pragma once

#include <cstdint>

#include "protocols/host_model.hpp"
#include "protocols/network_state.hpp"
#include "protocols/switching/switch_model.hpp"

namespace weft::protocols {

/// What the engine's cell loop calls: sends each event to the host or the switch that it concerns.
class PacketModel {
 public:
  explicit PacketModel(NetworkState& state) : s_(state), switch_(state), host_(state) {}

  void depart(Cell& cell, Worker& worker, std::uint32_t local, std::int64_t now) {
    PortState& port = s_.port_of(cell, local);
    if (port.owner_is_host) {
      host_.depart(cell, worker, port, now);
    } else {
      switch_.depart(cell, worker, port, now);
    }
  }

  void arrive(Cell& cell, Worker& worker, Packet& packet, std::uint32_t local, std::int64_t now) {
    PortState& port = s_.port_of(cell, local);
    if (port.owner_is_host) {
      host_.arrive(cell, worker, packet, port, now);
    } else {
      switch_.arrive(cell, worker, packet, port, now);
    }
  }

  [[gnu::always_inline]] void fetch_state(const Cell& cell, std::uint32_t local) const {
    fetch_lines<3, true>(&s_.ports[cell.ports[local].value()]);
    cell.inbound[local]->fetch();
  }

  [[gnu::always_inline]] void fetch_packets(const Cell& cell, std::uint32_t local) const {
    cell.inbound[local]->data_out.fetch();
    const PortState& port = s_.ports[cell.ports[local].value()];
    port.out->fetch_sender();
    if (port.owner_is_host) host_.fetch(port.owner);
  }

  [[gnu::always_inline]] void fetch_flows(const Cell& cell, std::uint32_t local) const {
    const PortState& port = s_.ports[cell.ports[local].value()];
    if (port.owner_is_host) host_.fetch_flows(port.owner);
  }

  /// A pause from another cell: from now on an event of this one.
  void accept_control(Cell& cell, const Packet& frame, std::uint32_t local) {
    const PortState& port = s_.port_of(cell, local);
    schedule(cell, {.time = frame.stamp,
                    .order = AgendaEvent::make_order(EventRank::kControl,
                                                     static_cast<std::uint32_t>(EventType::kPause),
                                                     port.peer.value(), frame.sequence),
                    .type = static_cast<std::uint32_t>(EventType::kPause),
                    .target = port.id.value(),
                    .value = frame.word});
  }

  void handle(Cell& cell, Worker& worker, const AgendaEvent& event) {
    const auto type = static_cast<EventType>(event.type);
    if (type == EventType::kRetransmit) {
      host_.expire_retransmit_timer(cell, worker, event.target, event.time);
      return;
    }
    --cell.live_events;
    if (type == EventType::kWake || type == EventType::kSignal) {
      --cell.job_events;
      cell.last_event_time = event.time;
      const ProcessId process(event.target);
      if (type == EventType::kWake) {
        host_.wake(cell, worker, process, event.value, event.time);
      } else {
        host_.signal(cell, worker, process, ProcessId(event.origin), event.value, event.time);
      }
      return;
    }
    if (handle_pause_event(cell, worker, type, event)) cell.last_event_time = event.time;
  }

  void start_process(Cell& cell, Worker& worker, ProcessId process) {
    host_.start_process(cell, worker, process);
  }

 private:
  /// False for timers that have become void: a pause that was lifted or renewed meanwhile.
  bool handle_pause_event(Cell& cell, Worker& worker, EventType type, const AgendaEvent& event) {
    PortState& port = s_.ports[event.target];
    if (type == EventType::kPause) {
      if (event.value == 1) {
        pause(cell, port, event.time);
      } else {
        lift_pause(cell, worker, port, event.time);
      }
      return true;
    }
    if (type == EventType::kPauseExpiry) {
      if (port.pause_expires != event.time || !port.is_paused) return false;
      lift_pause(cell, worker, port, event.time);
      return true;
    }
    if (port.refresh_sequence != event.value || !port.has_paused_peer) return false;
    switch_.refresh_pause(cell, worker, port, event.time);
    return true;
  }

  void pause(Cell& cell, PortState& port, std::int64_t now) {
    ++port.counters.pauses_received;
    if (!port.is_paused) {
      port.is_paused = true;
      port.paused_since = now;
    }
    if (s_.constants.pause_until_resume) return;
    port.pause_expires = now + SwitchModel::pause_duration(port);
    const auto type = static_cast<std::uint32_t>(EventType::kPauseExpiry);
    schedule(cell, {.time = port.pause_expires,
                    .order = AgendaEvent::make_order(EventRank::kTimer, type, port.id.value(),
                                                     port.expiry_sequence++),
                    .type = type,
                    .target = port.id.value()});
  }

  void lift_pause(Cell& cell, Worker& worker, PortState& port, std::int64_t now) {
    if (!port.is_paused) return;
    port.is_paused = false;
    port.counters.paused_time += now - port.paused_since;
    if (port.owner_is_host) {
      host_.resume(cell, worker, port, now);
    } else {
      switch_.resume(cell, worker, port, now);
    }
  }

  NetworkState& s_;
  SwitchModel switch_;
  HostModel host_;
};

}  // namespace weft::protocols
