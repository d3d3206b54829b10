#pragma once

#include <cstdint>

#include "protocols/link/control_word.hpp"
#include "protocols/link/egress.hpp"
#include "protocols/link/egress_gate.hpp"
#include "protocols/link/incident_log.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// The PFC watchdog of switches, as SONiC has it (PFC Watchdog Design; detection as in sonic-swss
/// pull request 3036): it looks at a paused queue every `poll`. The queue is stuck if packets wait
/// and the pause has lasted since the last look. Stuck for the detection time, it is in a storm:
/// pauses of the peer are not obeyed any more, and what waits and comes is dropped, or sent. Once
/// no pause has come for the restoration time, the queue obeys again. What comes in from the peer
/// is not dropped (sonic-swss pull request 2304).
///
/// It looks only while there is something to look at, counted from the pause on. `Nodes` drops what
/// waits for a port, or sends it.
template <class Nodes>
class PauseWatchdog {
 public:
  PauseWatchdog(NetworkState& state, Nodes& nodes) : s_(state), node_(nodes), gate_(state) {}

  /// A pause of class `c` has come to `port`.
  void pause_came(const Here& here, const PortState& port, ClassId c) {
    if (s_.watchdogs.empty() || port.owner_is_host || !s_.watchdog_of(port).is_on) return;
    Watchdog& dog = s_.watchdog_at(port, c);
    dog.is_told_to_pause = true;
    ++dog.pauses;
    if ((port.paused & class_bit(c)) == 0) dog.paused_at = here.now;
    const bool is_obeyed = (port.ignored & class_bit(c)) == 0;
    if (dog.looks || !is_obeyed) return;
    dog.held = Picoseconds();
    file(here, port, c, dog);
  }
  /// The peer has lifted the pause of class `c`.
  void pause_ended(const PortState& port, ClassId c) {
    if (!s_.watchdogs.empty()) s_.watchdog_at(port, c).is_told_to_pause = false;
  }

  /// Looks at class `c` of `port`. False: there was nothing to look at.
  bool look(const Here& here, PortState& port, ClassId c) {
    Watchdog& dog = s_.watchdog_at(port, c);
    dog.looks = false;
    if (dog.is_storm) {
      watch_storm(here, port, c, dog);
      return true;
    }
    if ((port.paused & class_bit(c)) == 0) return false;
    const WatchdogConstants& k = s_.watchdog_of(port);
    const ClassQueue& queue = s_.queue(port, c);
    const bool is_stuck = !queue.packets.empty() && dog.paused_at + k.poll <= here.now;
    dog.held = is_stuck ? dog.held + k.poll : Picoseconds();
    if (dog.held >= k.detection) begin_storm(here, port, c, dog);
    file(here, port, c, dog);
    return true;
  }

 private:
  void file(const Here& here, const PortState& port, ClassId c, Watchdog& dog) {
    dog.looks = true;
    dog.known = dog.pauses;
    const auto type = static_cast<std::uint32_t>(EventType::kPauseExpiry);
    const std::uint32_t sequence = s_.queue(port, c).expiry_sequence++;
    schedule(here.lp, {.time = here.now + s_.watchdog_of(port).poll,
                       .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index,
                                                          ControlWord{c, sequence}.pack()),
                       .type = type,
                       .target = port.index,
                       .value = ControlWord{c, 0}.pack(),
                       .origin = Watchdog::kOrigin});
  }

  void begin_storm(const Here& here, PortState& port, ClassId c, Watchdog& dog) {
    const bool forwards = s_.watchdog_of(port).forwards;
    dog.is_storm = true;
    dog.held = Picoseconds();
    dog.since = here.now;
    ++dog.storms;
    IncidentLog(s_).begin(port, {.kind = PortIncident::Kind::kStorm,
                                 .traffic_class = c,
                                 .begin = dog.paused_at,
                                 .noticed = here.now});
    (void)gate_.lift_pause(port, c, here.now);
    port.ignored |= class_bit(c);
    if (forwards) {
      node_.resume(here, port);
    } else {
      port.dropping |= class_bit(c);
      node_.drop_waiting(here, port, c);
    }
  }

  void watch_storm(const Here& here, PortState& port, ClassId c, Watchdog& dog) {
    const WatchdogConstants& k = s_.watchdog_of(port);
    const ClassQueue& queue = s_.queue(port, c);
    // A pause that nothing refreshed has run out.
    const bool is_held =
        dog.is_told_to_pause && (s_.constants.pause_until_resume || here.now < queue.pause_expires);
    const bool is_quiet = !is_held && dog.pauses == dog.known;
    dog.held = is_quiet ? dog.held + k.poll : Picoseconds();
    if (dog.held >= k.restoration) {
      dog.is_storm = false;
      dog.storm_time += here.now - dog.since;
      IncidentLog(s_).end(port, PortIncident::Kind::kStorm, c, here.now);
      port.ignored &= static_cast<std::uint8_t>(~class_bit(c));
      port.dropping &= static_cast<std::uint8_t>(~class_bit(c));
      return;
    }
    file(here, port, c, dog);
  }

  NetworkState& s_;
  Nodes& node_;
  EgressGate gate_;
};

}  // namespace weft::protocols
