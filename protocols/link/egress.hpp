#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

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
  if constexpr (Path::has(Feature::kContexts)) state.acks.lose(here.worker.number, packet);
}

/// Puts a packet of `size` bytes on the wire from `start` on (now, or a little later with
/// cut-through); the port must be idle. From here on nothing revokes it. `write(Packet&)` gives
/// everything but its stamp. Returns the end of the transmission.
template <class Path, class Write>
[[gnu::always_inline]] inline Picoseconds transmit(NetworkState& state, const Here& here,
                                                   PortState& port, ClassQueue& queue, Bytes size,
                                                   Picoseconds start, Write write) {
  const NetworkConstants& constants = state.constants;
  const Picoseconds end = start + port.transmission(size);
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
  occupy(here.lp, port, end);
  queue.bytes += size;
  ++queue.started;
  ++here.worker.sums.packet_hops;
  return end;
}

/// Which class an egress serves next: the highest strict one, else the weighted ones by deficit
/// round robin (M. Shreedhar, G. Varghese, "Efficient Fair Queuing Using Deficit Round-Robin",
/// SIGCOMM 1995), as IEEE 802.1Qaz orders them. `head_size(class)` gives the wire bytes of the
/// packet that the class would send.
template <class Path>
class ClassScheduler {
 public:
  static constexpr bool kHasTurns = Path::has(Feature::kWeightedClasses);
  static constexpr bool kHasCredits = Path::has(Feature::kCredits);

  explicit ClassScheduler(NetworkState& state) : s_(state) {}

  /// One of `eligible` (bit per class), or none(). Classes whose next packet lacks credits are
  /// blocked at the port.
  template <class HeadSize>
  ClassId choose(PortState& port, std::uint32_t eligible, Picoseconds now, HeadSize head_size) {
    const NetworkConstants& k = s_.constants;
    if constexpr (!kHasTurns && !kHasCredits) {
      // At most one class is weighted, and none has credits.
      const std::uint32_t strict = eligible & k.strict;
      if (strict != 0) return highest_class(strict);
      return eligible == 0 ? ClassId::none() : lowest_class(eligible);
    }
    while (eligible != 0) {
      const std::uint32_t strict = eligible & k.strict;
      ClassId c;
      if (strict != 0) {
        c = highest_class(strict);
      } else if (!kHasTurns || (eligible & (eligible - 1)) == 0) {
        c = lowest_class(eligible);
      } else {
        c = take_turns(port, eligible, head_size);
      }
      if (!kHasCredits || (k.credit & class_bit(c)) == 0) return c;
      ClassQueue& queue = s_.queue(port, c);
      if (queue.credits >= blocks(c, head_size(c))) return c;
      port.starved |= class_bit(c);
      port.update_blocked();
      queue.blocked_since = now;
      ++queue.stalls;
      eligible &= ~std::uint32_t{class_bit(c)};
    }
    return ClassId::none();
  }

  /// A packet of `size` bytes of class `c`, chosen among `eligible`, is about to be sent.
  void charge(PortState& port, ClassId c, Bytes size, std::uint32_t eligible) {
    if constexpr (!kHasTurns && !kHasCredits) return;
    const NetworkConstants& k = s_.constants;
    if (kHasTurns) {
      const std::uint32_t weighted = eligible & ~static_cast<std::uint32_t>(k.strict);
      if ((weighted & (weighted - 1)) != 0 && (k.strict & class_bit(c)) == 0) {
        s_.queue(port, c).deficit -= static_cast<std::int32_t>(size.count());
      }
    }
    if (kHasCredits && (k.credit & class_bit(c)) != 0) s_.queue(port, c).credits -= blocks(c, size);
  }

  [[nodiscard]] std::int32_t blocks(ClassId c, Bytes size) const {
    const Bytes block = s_.constants.of_class[c].block;
    return static_cast<std::int32_t>((size + block - Bytes(1)) / block);
  }

 private:
  template <class HeadSize>
  ClassId take_turns(PortState& port, std::uint32_t eligible, HeadSize head_size) {
    ClassId c = port.round_robin;
    if ((eligible & class_bit(c)) == 0) c = next_turn(port, eligible, c);
    // A quantum covers the largest packet, so that every class is passed at most once.
    while (s_.queue(port, c).deficit < static_cast<std::int32_t>(head_size(c).count())) {
      c = next_turn(port, eligible, c);
    }
    port.round_robin = c;
    return c;
  }
  ClassId next_turn(PortState& port, std::uint32_t eligible, ClassId c) {
    const std::uint32_t above = eligible & ~((2U << c.value()) - 1U);
    const ClassId next = lowest_class(above != 0 ? above : eligible);
    s_.queue(port, next).deficit += s_.constants.of_class[next].quantum;
    return next;
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
