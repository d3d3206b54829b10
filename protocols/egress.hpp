#pragma once

#include <cstdint>

#include "protocols/network_state.hpp"

namespace weft::protocols {

/// Puts a packet on the wire at `now`; the port must be idle. From here on nothing revokes it.
inline void transmit(PortState& port, Packet packet, std::int64_t now, Cell& cell, Worker& worker) {
  const std::int64_t end = now + port.transmission(packet.size);
  packet.stamp = end + port.data_latency;
  if (port.leads_inside && port.out->in_flight() == 0) {
    cell.next.update(cell.port_count() + port.peer_local,
                     cell.arrival_key(packet.stamp, port.peer_local));
  }
  port.out->data_in.push(packet, worker.pool);
  port.is_transmitting = true;
  port.free_at = end;
  cell.next.update(port.local, cell.departure_key(end, port.local));
  port.counters.bytes += packet.size;
  ++port.counters.packets;
  ++worker.sums.packet_hops;
}

/// Files an agenda event that keeps the run alive.
inline void schedule(Cell& cell, const AgendaEvent& event) {
  ++cell.live_events;
  cell.agenda.push(event);
}

/// Hands a pause (`value` 1 XOFF, 2 XON) to the peer; it takes effect after the control latency.
inline void deliver_pause(PortState& port, std::uint32_t value, std::int64_t sent, Cell& cell,
                          Worker& worker) {
  const std::int64_t time = sent + port.control_latency;
  const std::uint32_t sequence = port.control_sequence++;
  if (port.leads_inside) {
    schedule(cell, {.time = time,
                    .order = AgendaEvent::make_order(EventRank::kControl,
                                                     static_cast<std::uint32_t>(EventType::kPause),
                                                     port.id.value(), sequence),
                    .type = static_cast<std::uint32_t>(EventType::kPause),
                    .target = port.peer.value(),
                    .value = value});
    return;
  }
  Packet frame;
  frame.stamp = time;
  frame.sequence = sequence;
  frame.word = value;
  port.out->control_in.push(frame, worker.pool);
}

/// Sends the pause frame that waits at an idle port; the port is busy with it afterwards.
inline void transmit_pause(PortState& port, const NetworkConstants& constants, std::int64_t now,
                           Cell& cell, Worker& worker) {
  const std::int64_t end = now + port.transmission(constants.pause_frame);
  deliver_pause(port, port.pending_pause, end, cell, worker);
  port.pending_pause = 0;
  port.is_transmitting = true;
  port.free_at = end;
  cell.next.update(port.local, cell.departure_key(end, port.local));
}

}  // namespace weft::protocols
