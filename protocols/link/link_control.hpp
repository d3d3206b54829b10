#pragma once

#include <bit>
#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What the two ends of a link tell each other besides packets: pauses (IEEE 802.1Qbb) and credit
/// updates. Both go before data, behind the transmission under way, and take wire time; or, where
/// their size is 0, neither.
class LinkControl {
 public:
  explicit LinkControl(NetworkState& state) : s_(state) {}

  /// The ingress account of a class crossed its threshold: `port` pauses its peer, or resumes it.
  void send_pause(const Here& here, PortState& port, ClassId c) {
    const NetworkConstants& k = s_.constants;
    if (is_pausing(port, c)) {
      ++port.pauses_sent;
      if (!k.pause_until_resume) schedule_refresh(here, port, c);
    }
    if (k.pause_frame == Bytes()) {
      deliver_pause(here, port, c, here.now);
      return;
    }
    port.pauses_to_send |= class_bit(c);
    port.pending_control |= PortState::kPausePending;
    if (!port.is_transmitting && !port.is_down) transmit(here, port);
  }

  /// Blocks of a packet that arrived by `port` are free again.
  void grant(const Here& here, PortState& port, ClassId c, std::int32_t blocks) {
    if (port.is_down) return;  // granted again when the link is up
    const ClassConstants& constants = s_.constants.of_class[c];
    if (constants.update == Bytes()) {
      deliver(here, port, EventType::kCredit, c, static_cast<std::uint32_t>(blocks),
              here.now + port.wire_latency + s_.constants.credit_processing[c]);
      return;
    }
    s_.account(port, c).freed_blocks += blocks;
    port.credits_to_send |= class_bit(c);
    port.pending_control |= PortState::kCreditsPending;
    if (!port.is_transmitting) transmit(here, port);
  }

  /// Sends what is pending at an idle port, one frame; the port is busy with it afterwards. A pause
  /// frame carries the state of all classes that changed, a credit update that of one lane.
  void transmit(const Here& here, PortState& port) {
    const NetworkConstants& k = s_.constants;
    if ((port.pending_control & PortState::kPausePending) != 0) {
      const Picoseconds end = here.now + port.transmission(k.pause_frame);
      for (unsigned set = port.pauses_to_send; set != 0; set &= set - 1) {
        deliver_pause(here, port, lowest_class(set), end);
      }
      port.pauses_to_send = 0;
      port.pending_control &= static_cast<std::uint8_t>(~PortState::kPausePending);
      occupy(here.lp, port, end);
      return;
    }
    const ClassId c = lowest_class(port.credits_to_send);
    IngressAccount& account = s_.account(port, c);
    const Picoseconds end = here.now + port.transmission(k.of_class[c].update);
    deliver(here, port, EventType::kCredit, c, static_cast<std::uint32_t>(account.freed_blocks),
            end + port.wire_latency + k.credit_processing[c]);
    account.freed_blocks = 0;
    port.credits_to_send &= static_cast<std::uint8_t>(~class_bit(c));
    if (port.credits_to_send == 0) {
      port.pending_control &= static_cast<std::uint8_t>(~PortState::kCreditsPending);
    }
    occupy(here.lp, port, end);
  }

  /// The pause that holds the peer is about to run out: sends it again if it is still meant, or
  /// where nothing refreshes pauses forgets it. A fault never lets go.
  bool refresh_pause(const Here& here, PortState& port, ClassId c, std::uint32_t sequence) {
    if (s_.account(port, c).refresh_sequence != sequence || !is_pausing(port, c)) return false;
    if (s_.constants.pauses_expire && (port.forced_pauses & class_bit(c)) == 0) {
      s_.account(port, c).is_pausing = false;
      return false;
    }
    send_pause(here, port, c);
    return true;
  }

  /// Whether the peer is to be held in this class, by the buffer or by a fault.
  [[nodiscard]] bool is_pausing(const PortState& port, ClassId c) {
    return s_.account(port, c).is_pausing || (port.forced_pauses & class_bit(c)) != 0;
  }

  [[nodiscard]] static Picoseconds pause_duration(const PortState& port) {
    return transmission_time(kMaximumQuanta * kQuantum, port.nominal_rate);
  }

  /// What an event or a frame in the control queue of a link carries: the class, and a number.
  [[nodiscard]] static std::uint32_t pack(ClassId c, std::uint32_t value) {
    return (value << kClassBits) | c.value();
  }
  [[nodiscard]] static ClassId class_in(std::uint32_t packed) {
    return ClassId(packed & ((1U << kClassBits) - 1));
  }
  [[nodiscard]] static std::uint32_t value_in(std::uint32_t packed) { return packed >> kClassBits; }

 private:
  static constexpr unsigned kClassBits = 3;
  static constexpr std::int64_t kMaximumQuanta = 65'535;  // IEEE 802.3 31B.2: 16-bit pause_time
  static constexpr Bytes kQuantum{64};                    // one is 512 bit times

  void deliver_pause(const Here& here, PortState& port, ClassId c, Picoseconds sent) {
    deliver(here, port, EventType::kPause, c, is_pausing(port, c) ? 1 : 0,
            sent + port.pause_latency);
  }

  /// Hands link control to the peer, where it takes effect at `time`.
  void deliver(const Here& here, PortState& port, EventType type, ClassId c, std::uint32_t value,
               Picoseconds time) {
    if (s_.constants.has_added_latency) time = s_.delayed_control(port, time);
    const std::uint32_t sequence = port.control_sequence++;
    const std::uint32_t cause =
        port.owner_is_host || type != EventType::kPause
            ? PortId::none().value()
            : s_.switches[port.owner].first_port + s_.account(port, c).cause;
    const auto number = static_cast<std::uint32_t>(type);
    if (port.leads_inside) {
      schedule(here.lp, {.time = time,
                         .order = CalendarEvent::make_order(EventPriority::kControl, number,
                                                            port.index, sequence),
                         .type = number,
                         .target = port.peer.value(),
                         .value = pack(c, value),
                         .origin = cause});
      return;
    }
    Packet frame;
    frame.sequence = sequence;
    frame.word = pack(c, value);
    frame.flow = cause;
    frame.flags = static_cast<std::uint8_t>(type);
    port.out->control_in.push(time, here.worker.pool, [&frame](Packet& packet) { packet = frame; });
    here.worker.activity.set(port.out->activity_index);
  }

  void schedule_refresh(const Here& here, PortState& port, ClassId c) {
    // Half the pause leaves time for the frame to wait behind a packet and to travel.
    const bool runs_out = s_.constants.pauses_expire && (port.forced_pauses & class_bit(c)) == 0;
    const Picoseconds time = here.now + pause_duration(port) / (runs_out ? 1 : 2);
    const std::uint32_t sequence = ++s_.account(port, c).refresh_sequence;
    const auto type = static_cast<std::uint32_t>(EventType::kPauseRefresh);
    schedule(here.lp, {.time = time,
                       .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index,
                                                          pack(c, sequence)),
                       .type = type,
                       .target = port.index,
                       .value = pack(c, sequence)});
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
