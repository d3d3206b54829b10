#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "protocols/link/control_word.hpp"
#include "protocols/link/egress.hpp"
#include "protocols/link/link_retry.hpp"
#include "protocols/link/wire.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What the two ends of a link tell each other besides packets: pauses (IEEE 802.1Qbb), credit
/// updates and the control ordered sets of link-level retry. All go before data, behind the
/// transmission under way, and take wire time; or, where their size is 0, neither. Frames that are
/// sent again come after them, and before what is new.
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
    if (is_cbfc(c)) [[unlikely]] {
      grant_after_gap(here, port, c, blocks);
      return;
    }
    if (s_.constants.of_class[c].update == Bytes()) {
      deliver(here, port, EventType::kCredit, c, static_cast<std::uint32_t>(blocks),
              here.now + port.wire_latency + s_.constants.credit_processing[c]);
      return;
    }
    s_.account(port, c).freed_blocks += blocks;
    ask_for_update(here, port, c);
  }

  /// CBFC: a frame of class `c` died on the way to `port`. The next CC_Update brings its blocks
  /// back.
  void lose(const Here& here, PortState& port, ClassId c, std::int32_t blocks) {
    CbfcState& state = s_.cbfc_at(port, c);
    state.lost += blocks;
    file_repair(here, port, c);
  }
  /// A timer of CBFC. False: it had become void.
  bool expire(const Here& here, PortState& port, ClassId c, CbfcState::Timer timer) {
    CbfcState& state = s_.cbfc_at(port, c);
    state.timers &= static_cast<std::uint8_t>(~(1U << timer));
    if (port.is_down) return false;
    if (timer != CbfcState::kRepair) {
      if (s_.account(port, c).freed_blocks == 0) return false;
      ask_for_update(here, port, c);
      return true;
    }
    if (state.lost == 0) return false;
    if (loses_repair(port, c)) {
      file_repair(here, port, c);
      return true;
    }
    grant(here, port, c, std::exchange(state.lost, 0));
    return true;
  }
  /// A CC_Update tells of frames that the receiver never saw. False: it had become void.
  bool take_repair(const Here& here, PortState& port, ClassId c, const LostBlocks& lost) {
    CbfcState& state = s_.cbfc_at(port, c);
    if (port.is_down || !lost.is_after(state.outages)) return false;
    if (loses_repair(port, c)) {
      lose(here, port, c, lost.blocks);
    } else {
      grant(here, port, c, lost.blocks);
    }
    return true;
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
    if ((port.pending_control & PortState::kAnswerPending) != 0) {
      LinkRetry(s_).send_answer(here, port);
      return;
    }
    if ((port.pending_control & PortState::kCreditsPending) == 0) {
      LinkRetry(s_).send_again(here, port);
      return;
    }
    const ClassId c = lowest_class(port.credits_to_send);
    const Picoseconds end = here.now + port.transmission(k.of_class[c].update);
    update(here, port, c, end);
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

  /// Notes credits on their way to `sender` for when it lacks them. False, and they need an event:
  /// it waits for them and no other event will wake it before, or too many are on their way.
  [[nodiscard]] bool note_return(const Here& here, const PortState& sender, ClassId c,
                                 const CreditReturns::Return& grant) {
    if (!s_.constants.has_credit_returns) return false;
    CreditReturns& returns = s_.returns(sender, c);
    if (returns.empty() && (sender.starved & class_bit(c)) != 0) return false;
    if (!returns.push(grant)) {
      s_.queue(sender, c).credits += returns.take_before(here.now);
      if (!returns.push(grant)) return false;
    }
    here.lp.last_eventless_time = std::max(here.lp.last_eventless_time, grant.time);
    return true;
  }

  [[nodiscard]] static Picoseconds pause_duration(const PortState& port) {
    return transmission_time(kMaximumQuanta * kQuantum, port.nominal_rate);
  }

 private:
  [[nodiscard]] bool is_cbfc(ClassId c) const { return (s_.constants.cbfc & class_bit(c)) != 0; }
  /// CBFC: one update tells of all blocks that are free, a gap after the first of them. Out of
  /// line, like loses_update: credits without CBFC are on the packet path.
  [[gnu::noinline]] void grant_after_gap(const Here& here, PortState& port, ClassId c,
                                         std::int32_t blocks) {
    s_.account(port, c).freed_blocks += blocks;
    if ((port.credits_to_send & class_bit(c)) != 0) return;
    file(here, port, c, CbfcState::kGap,
         here.now + port.transmission(s_.constants.of_cbfc[c].update_gap));
  }
  /// Whether an update of CBFC dies on its way. Counts are cumulative: the next one, after a new
  /// free block or at the end of the period, makes up for it.
  [[gnu::noinline]] bool loses_update(const Here& here, PortState& port, ClassId c) {
    const NetworkConstants& k = s_.constants;
    if (!loses_control(s_, s_.cbfc_at(port, c).update_losses, k.of_class[c].update,
                       update_stream(s_, c, port.peer.value()))) {
      return false;
    }
    file(here, port, c, CbfcState::kPeriod,
         here.now + port.transmission(k.of_cbfc[c].update_period));
    return true;
  }

  /// Tells the peer of the blocks that are free again; the update is out at `end`.
  void update(const Here& here, PortState& port, ClassId c, Picoseconds end) {
    if (is_cbfc(c) && loses_update(here, port, c)) [[unlikely]]
      return;
    const NetworkConstants& k = s_.constants;
    IngressAccount& account = s_.account(port, c);
    deliver(here, port, EventType::kCredit, c, static_cast<std::uint32_t>(account.freed_blocks),
            end + port.wire_latency + k.credit_processing[c]);
    account.freed_blocks = 0;
  }
  void ask_for_update(const Here& here, PortState& port, ClassId c) {
    if (s_.constants.of_class[c].update == Bytes()) {
      update(here, port, c, here.now);
      return;
    }
    port.credits_to_send |= class_bit(c);
    port.pending_control |= PortState::kCreditsPending;
    if (!port.is_transmitting) transmit(here, port);
  }
  [[nodiscard]] bool loses_repair(const PortState& port, ClassId c) {
    return loses_control(s_, s_.cbfc_at(port, c).repair_losses, kCcUpdate,
                         repair_stream(s_, c, port.index));
  }
  /// The first CC_Update that comes in after now.
  void file_repair(const Here& here, const PortState& port, ClassId c) {
    const Picoseconds way = PortState::transmission_at(kCcUpdate, port.ingress_rate) +
                            s_.ports[port.peer.value()].wire_latency;
    file(here, port, c, CbfcState::kRepair,
         next_repair(s_.constants.of_cbfc[c].repair, here.now - way + Picoseconds(1), way));
  }
  /// One of each kind at a time: the earlier one finds what came later, too.
  void file(const Here& here, const PortState& port, ClassId c, CbfcState::Timer timer,
            Picoseconds time) {
    CbfcState& state = s_.cbfc_at(port, c);
    const auto bit = static_cast<std::uint8_t>(1U << timer);
    if ((state.timers & bit) != 0) return;
    state.timers |= bit;
    const auto type = static_cast<std::uint32_t>(EventType::kPauseRefresh);
    const std::uint32_t word = ControlWord{c, timer}.pack();
    schedule(here.lp,
             {.time = time,
              .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index, word),
              .type = type,
              .target = port.index,
              .value = word,
              .origin = CbfcState::kOrigin});
  }

  static constexpr std::int64_t kMaximumQuanta = 65'535;  // IEEE 802.3 31B.2: 16-bit pause_time
  static constexpr Bytes kQuantum{64};                    // one is 512 bit times

  void deliver_pause(const Here& here, PortState& port, ClassId c, Picoseconds sent) {
    deliver(here, port, EventType::kPause, c, is_pausing(port, c) ? 1 : 0,
            sent + port.pause_latency);
  }

  /// Delivers link control to the peer, where it takes effect at `time`.
  void deliver(const Here& here, PortState& port, EventType type, ClassId c, std::uint32_t value,
               Picoseconds time) {
    if (s_.constants.has_added_latency) time = s_.delayed_control(port, time);
    const std::uint32_t sequence = port.control_sequence++;
    const std::uint32_t cause =
        port.owner_is_host || type != EventType::kPause
            ? PortId::none().value()
            : s_.switches[port.owner].first_port + s_.account(port, c).cause;
    if (port.leads_inside && type == EventType::kCredit &&
        note_return(here, s_.ports[port.peer.value()], c,
                    {time, sequence, static_cast<std::int32_t>(value)})) {
      return;
    }
    deliver_control(here, port, type, ControlWord{c, value}.pack(), cause, sequence, time);
  }

  void schedule_refresh(const Here& here, PortState& port, ClassId c) {
    // Half the pause leaves time for the frame to wait behind a packet and to travel.
    const bool runs_out = s_.constants.pauses_expire && (port.forced_pauses & class_bit(c)) == 0;
    const Picoseconds time = here.now + pause_duration(port) / (runs_out ? 1 : 2);
    const std::uint32_t sequence = ++s_.account(port, c).refresh_sequence;
    const auto type = static_cast<std::uint32_t>(EventType::kPauseRefresh);
    schedule(here.lp, {.time = time,
                       .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index,
                                                          ControlWord{c, sequence}.pack()),
                       .type = type,
                       .target = port.index,
                       .value = ControlWord{c, sequence}.pack()});
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
