#pragma once

#include <cstdint>

#include "protocols/link/control_word.hpp"
#include "protocols/link/egress.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/link/tracing.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What keeps the classes of an egress from sending: pauses of the peer, and want of its credits.
class EgressGate {
 public:
  explicit EgressGate(NetworkState& state) : s_(state) {}

  /// The peer asks class `c` not to start packets. `cause`: the port that it blames.
  void pause(const Here& here, PortState& port, ClassId c, PortId cause) {
    ClassQueue& queue = s_.queue(port, c);
    ++queue.pauses_received;
    if ((port.ignored & class_bit(c)) != 0) [[unlikely]] {
      queue.pause_expires = here.now + LinkControl::pause_duration(port);
      return;
    }
    if ((port.paused & class_bit(c)) == 0) {
      port.paused |= class_bit(c);
      port.update_blocked();
      queue.blocked_since = here.now;
      queue.pause_cause = cause;
    }
    if (s_.constants.pause_until_resume) return;
    queue.pause_expires = here.now + LinkControl::pause_duration(port);
    const auto type = static_cast<std::uint32_t>(EventType::kPauseExpiry);
    schedule(here.lp,
             {.time = queue.pause_expires,
              .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index,
                                                 ControlWord{c, queue.expiry_sequence++}.pack()),
              .type = type,
              .target = port.index,
              .value = ControlWord{c, 0}.pack()});
  }
  /// Whether class `c` was paused, and is not any more.
  bool lift_pause(PortState& port, ClassId c, Picoseconds now) {
    if ((port.paused & class_bit(c)) == 0) return false;
    end_pause(port, c, now);
    return true;
  }
  /// Whether a pause runs out now; it was not renewed meanwhile.
  [[nodiscard]] bool expires(PortState& port, ClassId c, Picoseconds now) {
    return s_.queue(port, c).pause_expires == now && (port.paused & class_bit(c)) != 0;
  }

  /// The peer grants `blocks` more blocks of its buffer.
  void add_credits(const Here& here, PortState& port, ClassId c, std::int32_t blocks) {
    s_.queue(port, c).credits += blocks;
    if ((port.starved & class_bit(c)) != 0) end_stall(here, port, c);
  }

  /// The link is down: nobody waits for its peer any more, and credits are void.
  void forget(const Here& here, PortState& port) {
    for (const ClassId c : s_.classes_of(port)) {
      if ((port.paused & class_bit(c)) != 0) end_pause(port, c, here.now);
      if ((port.starved & class_bit(c)) != 0) end_stall(here, port, c);
      s_.queue(port, c).credits = 0;
    }
  }

 private:
  void end_pause(PortState& port, ClassId c, Picoseconds now) {
    ClassQueue& queue = s_.queue(port, c);
    port.paused &= static_cast<std::uint8_t>(~class_bit(c));
    port.update_blocked();
    queue.paused_time += now - queue.blocked_since;
    if (port.pauses.size() >= s_.constants.pauses_kept && !s_.watch.is_used()) {
      ++port.pauses_lost;
      return;
    }
    port.pauses.push_back({.port = port.id,
                           .cause = queue.pause_cause,
                           .start = queue.blocked_since,
                           .end = now,
                           .traffic_class = c});
  }

  void end_stall(const Here& here, PortState& port, ClassId c) {
    ClassQueue& queue = s_.queue(port, c);
    port.starved &= static_cast<std::uint8_t>(~class_bit(c));
    port.update_blocked();
    queue.stall_time += here.now - queue.blocked_since;
    port.stalls.add(c, queue.blocked_since, here.now, s_.constants.pauses_kept);
    if (!tells_stall(here, s_, port)) return;
    here.worker.trace.push_back({.time = here.now,
                                 .value = queue.blocked_since.count(),
                                 .subject = port.index,
                                 .kind = TraceRecord::Kind::kCreditStall,
                                 .traffic_class = c});
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
