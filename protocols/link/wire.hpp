#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/link/control_word.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// A CC_Update of CBFC on the wire: the smallest frame, preamble and gap.
inline constexpr Bytes kCcUpdate{84};

/// Files an calendar event that keeps the run alive.
inline void schedule(LogicalProcess& lp, const CalendarEvent& event) {
  ++lp.live_events;
  lp.calendar.push(event);
}

/// Occupies an idle port until `end`.
inline void occupy(LogicalProcess& lp, PortState& port, Picoseconds end) {
  port.is_transmitting = true;
  lp.next.update(port.local, lp.keys.departure(end, port.local));
}

/// A packet is lost: counts it, and gives back what it has besides its 32 bytes.
template <class Path>
inline void forget(NetworkState& state, const Here& here, const Packet& packet) {
  ++here.worker.sums.packets_dropped;
  if constexpr (Path::has(Feature::kTelemetry)) state.telemetry.lose(here.worker.number, packet);
  if constexpr (Path::has(Feature::kTrimming)) {
    if (is_trimmed(kind_of(packet))) [[unlikely]]
      ++here.worker.sums.trims_lost;
  }
  if constexpr (Path::has(Feature::kEntropies)) {
    if (is_path_probe(kind_of(packet))) [[unlikely]]
      ++here.worker.sums.path_probes_lost;
  }
  if constexpr (Path::has(Feature::kContexts)) state.acks.lose(here.worker.number, packet);
}

/// Puts a packet on the link of `port`, whose transmission takes from `start` to `end`. From here
/// on nothing revokes it.
template <class Path, class Write>
[[gnu::always_inline]] inline void put_on_link(NetworkState& state, const Here& here,
                                               PortState& port, Bytes size, Picoseconds start,
                                               Picoseconds end, Write write) {
  const NetworkConstants& constants = state.constants;
  Picoseconds arrival = end + port.data_latency;
  if (Path::has(Feature::kCutThrough) && port.peer_cuts_through) {
    const Bytes first = std::min(size, constants.cut_through_after);
    arrival = start + port.transmission(first) + port.data_latency;
  }
  if (Path::has(Feature::kFaults) && constants.has_added_latency) {
    arrival = state.delayed_data(port, arrival);
  }
  if (port.leads_inside && port.out->in_flight() == 0) {
    here.lp.next.update(here.lp.port_count() + port.peer_local,
                        here.lp.keys.arrival(arrival, port.peer_local));
  }
  port.out->data_in.push(arrival, here.worker.pool, write);
  here.worker.activity.set(port.out->activity_index);
}

/// Delivers link control to the peer of `port`, where it takes effect at `time`, and what a latency
/// that a fault adds makes of it. `word`: ControlWord; `cause`: CalendarEvent::origin.
inline void deliver_control(const Here& here, PortState& port, EventType type, std::uint32_t word,
                            std::uint32_t cause, std::uint32_t sequence, Picoseconds time) {
  const auto number = static_cast<std::uint32_t>(type);
  if (port.leads_inside) {
    schedule(here.lp, {.time = time,
                       .order = CalendarEvent::make_order(EventPriority::kControl, number,
                                                          port.index, sequence),
                       .type = number,
                       .target = port.peer.value(),
                       .value = word,
                       .origin = cause});
    return;
  }
  Packet frame;
  frame.sequence = sequence;
  frame.word = word;
  frame.flow = cause;
  frame.flags = static_cast<std::uint8_t>(type);
  port.out->control_in.push(time, here.worker.pool, [&frame](Packet& packet) { packet = frame; });
  here.worker.activity.set(port.out->activity_index);
}

/// What CBFC sends of one class on a link: whether it is corrupted. Each kind has draws of its own
/// beside those of data.
[[nodiscard]] inline bool loses_control(const NetworkState& state, FrameLosses& losses, Bytes bytes,
                                        std::uint32_t stream) {
  return state.constants.has_losses && losses.corrupts(bytes, state.constants.seed, stream);
}
/// `end`: where the link ends, on which CF_Updates or CC_Updates of class `c` travel.
[[nodiscard]] inline std::uint32_t update_stream(const NetworkState& state, ClassId c,
                                                 std::uint32_t end) {
  return end + static_cast<std::uint32_t>(state.ports.size()) * (1 + 2 * c.value());
}
[[nodiscard]] inline std::uint32_t repair_stream(const NetworkState& state, ClassId c,
                                                 std::uint32_t end) {
  return end + static_cast<std::uint32_t>(state.ports.size()) * (2 + 2 * c.value());
}

/// When CBFC's first CC_Update is in that leaves at `earliest` or later and takes `way` in all.
/// They leave at multiples of the period. That one may wait for a packet, and what it takes of the
/// link (84 B in 256 us), is left out.
[[nodiscard]] inline Picoseconds next_repair(Picoseconds period, Picoseconds earliest,
                                             Picoseconds way) {
  const std::int64_t at = std::max(earliest, Picoseconds()).count();
  return (at + period.count() - 1) / period.count() * period + way;
}

/// A frame of `port` with `size` wire bytes died where its receiver does not know of it. CBFC's
/// next CC_Update tells what it had consumed.
inline void tell_of_lost(NetworkState& state, const Here& here, PortState& port, ClassId c,
                         Bytes size) {
  if ((state.constants.cbfc & class_bit(c)) == 0) return;
  const LostBlocks lost{state.constants.of_class[c].blocks(size), state.cbfc_at(port, c).outages};
  Picoseconds time = next_repair(state.constants.of_cbfc[c].repair, here.now,
                                 port.transmission(kCcUpdate) + port.wire_latency);
  if (state.constants.has_added_latency) time = state.delayed_control(port, time);
  deliver_control(here, port, EventType::kCredit, ControlWord{c, lost.pack()}.pack(),
                  CbfcState::kOrigin, port.control_sequence++, time);
}

}  // namespace weft::protocols
