#pragma once

#include <bit>
#include <cstdint>

#include "protocols/link/control_word.hpp"
#include "protocols/link/link_retry.hpp"
#include "protocols/link/wire.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Puts a packet of `size` bytes on the wire from `start` on (now, or a little later with
/// cut-through); the port must be idle. From here on nothing revokes it. `write(Packet&)` gives
/// everything but its stamp. Returns the end of the transmission.
template <class Path, class Write>
[[gnu::always_inline]] inline Picoseconds transmit(NetworkState& state, const Here& here,
                                                   PortState& port, ClassQueue& queue, Bytes size,
                                                   Picoseconds start, Write write) {
  const Picoseconds end = start + port.transmission(size);
  queue.bytes += size;
  ++queue.started;
  ++here.worker.sums.packet_hops;
  if constexpr (Path::has(Feature::kLinkRetry)) {
    if (port.has_retry) {
      Packet packet;
      write(packet);
      LinkRetry(state).send(here, port, packet, start, end);
      return end;
    }
  }
  if constexpr (Path::has(Feature::kSharedLinks)) {
    if (port.shared_link != 0) state.shared_links[port.shared_link].sender = port.index;
  }
  put_on_link<Path>(state, here, port, size, start, end, write);
  occupy(here.lp, port, end);
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
  ClassId choose(const Here& here, PortState& port, std::uint32_t eligible, HeadSize head_size) {
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
      const std::int32_t needed = blocks(c, head_size(c));
      if (queue.credits >= needed || count_returned(here, port, c) >= needed) return c;
      starve(here, port, c);
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
    return s_.constants.of_class[c].blocks(size);
  }

 private:
  /// Adds what has come back meanwhile to the credits of class `c`, and returns them.
  std::int32_t count_returned(const Here& here, const PortState& port, ClassId c) {
    ClassQueue& queue = s_.queue(port, c);
    if (!s_.constants.has_credit_returns) return queue.credits;
    constexpr auto kType = static_cast<std::uint32_t>(EventType::kCredit);
    return queue.credits +=
           s_.returns(port, c).take_before(here.now, here.order, kType, port.peer.value());
  }

  /// Class `c` waits for credits: the next ones wake it.
  [[gnu::noinline]] void starve(const Here& here, PortState& port, ClassId c) {
    ClassQueue& queue = s_.queue(port, c);
    port.starved |= class_bit(c);
    port.update_blocked();
    queue.blocked_since = here.now;
    ++queue.stalls;
    if (!s_.constants.has_credit_returns || !s_.returns(port, c).files_first()) return;
    const CreditReturns::Return& next = s_.returns(port, c).first();
    const auto type = static_cast<std::uint32_t>(EventType::kCredit);
    schedule(here.lp, {.time = next.time,
                       .order = CalendarEvent::make_order(EventPriority::kControl, type,
                                                          port.peer.value(), next.sequence),
                       .type = type,
                       .target = port.index,
                       .value = ControlWord{c, static_cast<std::uint32_t>(next.blocks)}.pack(),
                       .origin = CreditReturns::kOrigin});
  }

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
