#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "protocols/observation/observation.hpp"
#include "protocols/observation/port_counters.hpp"
#include "protocols/observation/stall_log.hpp"
#include "protocols/state/fields.hpp"
#include "protocols/state/frame_losses.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/engine/chunk.hpp"
#include "simcore/engine/link.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::protocols {

/// One class at an egress: what waits, what flow control allows, and what has been counted. Where
/// inputs queue, the packets are those that came in by this port.
struct alignas(64) ClassQueue {
  // Line 0: what every packet touches.
  PacketQueue packets;
  WideUnsigned integral = 0;  ///< byte-picoseconds of waiting
  Picoseconds changed_at;     ///< when `integral` was last closed
  std::int32_t credits = 0;   ///< blocks that the receiver has granted and are not used
  std::int32_t deficit = 0;   ///< of deficit round robin, bytes

  // Line 1: counters.
  Bytes bytes;
  std::int64_t started = 0;  ///< packets whose transmission has begun
  std::int64_t taken = 0;    ///< packets that have left the queue, where inputs queue
  std::int64_t marked = 0;
  Bytes peak_bytes;
  Bytes held;  ///< cells in the buffer, where that is partitioned

  // Touched by pauses, stalls and the beginning of the measurement only.
  std::int64_t counted_from = 0;    ///< of `started`: when the measurement began
  std::int64_t trimmed = 0;         ///< packets of this class that were trimmed here
  std::int64_t trimmed_before = 0;  ///< of those: before the measurement began
  Picoseconds blocked_since;        ///< by a pause, or for want of credits
  Picoseconds paused_time;
  Picoseconds stall_time;
  Picoseconds pause_expires;
  std::uint32_t pauses_received = 0;
  std::uint32_t stalls = 0;
  std::uint32_t expiry_sequence = 0;
  PortId pause_cause;

  /// `is_starved`: its head lacks credits. `visit_packets(visitor)` visits what waits.
  template <class F, class Visit>
  auto fields(F f, bool is_starved, Visit visit_packets) {
    constexpr auto kNoPauses = "nothing that recurs is paused";
    return f.visited(packets, visit_packets)
        .counter(integral)
        .counted_until(changed_at)
        .implied(implied_by::kCredits)
        .same(credits)
        .implied(implied_by::kPackets)
        .same(deficit)
        .counter(bytes)
        .ordinal(started)
        .ordinal(taken)
        .counter(marked)
        .peak(peak_bytes, packets.bytes())
        .implied(implied_by::kPackets)
        .account(held)
        .base_of(counted_from, started)
        .ordinal(trimmed)
        .base_of(trimmed_before, trimmed)
        .implied(implied_by::kPackets)
        .time_if(blocked_since, is_starved)
        .counter(paused_time)
        .counter(stall_time)
        .derived(pause_expires, kNoPauses)
        .counter(pauses_received)
        .counter(stalls)
        .derived(expiry_sequence, kNoPauses)
        .derived(pause_cause, kNoPauses);
  }
  /// Closes the account of waiting bytes up to `now`; call before the queue changes.
  void account(Picoseconds now) {
    // Unsigned before it is widened: one multiplication instead of two.
    integral += static_cast<WideUnsigned>(static_cast<std::uint64_t>(packets.bytes().count())) *
                static_cast<std::uint64_t>((now - changed_at).count());
    changed_at = now;
  }
};

/// One class at an ingress: what arrived by this port and is still in the node's buffer.
struct alignas(32) IngressAccount {
  Bytes bytes;                     ///< in whole cells, or in whole blocks of a credit class
  std::int32_t headroom_used = 0;  ///< of `bytes`: beyond the threshold
  std::int32_t headroom = 0;       ///< what may be
  std::int32_t freed_blocks = 0;   ///< credits not yet granted again
  std::uint32_t refresh_sequence = 0;
  std::uint32_t drops = 0;  ///< packets of this class that the buffer had no room for
  std::uint16_t cause = 0;  ///< number of the egress that held most of it when XOFF was crossed
  bool is_pausing = false;  ///< we have asked the peer not to start packets

  template <class F>
  auto fields(F f) {
    return f.implied(implied_by::kCredits)
        .account(bytes)
        .implied(implied_by::kPackets)
        .account(headroom_used)
        .constant(headroom)
        .implied(implied_by::kCredits)
        .same(freed_blocks)
        .derived(refresh_sequence, "nothing that recurs is paused")
        .counter(drops)
        .derived(cause, "it means something while the peer is paused only")
        .implied(implied_by::kPackets)
        .same(is_pausing);
  }
};

/// What a class with credit-based flow control notes at a port, for the packets that come in there.
/// Its counters are cumulative: an update that is lost leaves what it told to the next.
struct CbfcState {
  /// CalendarEvent::origin of its timers, which are timers of pauses otherwise, and of a CC_Update
  /// of frames that only their sender knows to be lost.
  static constexpr std::uint32_t kOrigin = std::numeric_limits<std::uint32_t>::max() - 2;
  enum Timer : std::uint8_t {
    kGap,     ///< what is free is to be told
    kPeriod,  ///< it is due, whether anything is new or not
    kRepair,  ///< a CC_Update comes in
  };

  std::int32_t lost = 0;      ///< blocks of frames that died on the way here
  std::uint16_t outages = 0;  ///< of the link, which void all credits
  std::uint8_t timers = 0;    ///< bit per Timer: one is filed
  FrameLosses update_losses;  ///< of those that leave here
  FrameLosses repair_losses;  ///< of CC_Updates on the way here
};

/// What WRED knows of one queue, and what it has dropped there.
struct EarlyDrops {
  static constexpr unsigned kFraction = 16;

  std::int64_t average = 0;  ///< of the queue, in units of 2^-kFraction bytes
  Picoseconds emptied;       ///< when the queue was last seen to be empty while nobody sent
  std::int64_t seen = 0;     ///< packets that came: each has a draw of its own
  std::int64_t drops = 0;
  std::int64_t drops_before = 0;  ///< of those: before the measurement began

  [[nodiscard]] std::int64_t counted() const { return drops - drops_before; }
};

/// What the PFC watchdog knows of one queue at an egress of a switch.
struct Watchdog {
  /// CalendarEvent::origin of its looks, which are timers of pauses otherwise.
  static constexpr std::uint32_t kOrigin = std::numeric_limits<std::uint32_t>::max() - 1;

  Picoseconds held;          ///< for so long the queue has been paused and stuck, or quiet
  Picoseconds paused_at;     ///< when the pause began that lasts
  std::uint32_t pauses = 0;  ///< that have come
  std::uint32_t known = 0;   ///< of those: when it looked last
  bool looks = false;        ///< a timer is filed
  bool is_storm = false;
  bool is_told_to_pause = false;  ///< what the peer said last
  Picoseconds since;              ///< when the storm was detected
  Picoseconds storm_time;         ///< of storms that are over
  std::int64_t storms = 0;
  std::int64_t drops = 0;
  std::int64_t storms_before = 0;  ///< before the measurement began
  std::int64_t drops_before = 0;
};

/// A port of a switch or a NIC: its transmitter and what concerns all of its classes. Queues and
/// ingress accounts lie in arrays of their own (see NetworkState), by port and class.
struct alignas(64) PortState {
  // Line 0: what every packet touches.
  Link* out = nullptr;
  Picoseconds data_latency;
  Bytes backlog;                      ///< bytes that wait, all classes
  Bytes peak_backlog;                 ///< the packet in transmission included
  std::uint32_t ps_per_byte = 0;      ///< 0 if not a whole number
  std::uint32_t index = 0;            ///< global number
  std::uint32_t local = 0;            ///< within the logical process
  std::uint32_t first_slot = 0;       ///< that class 0 would have: see NetworkState::slots
  std::uint32_t owner = 0;            ///< HostId or SwitchId
  std::uint16_t service_bytes = 0;    ///< wire bytes of the packet in transmission; 0: none
  std::uint16_t service_ingress = 0;  ///< number of the port it came in by
  ClassId service_class{};
  std::uint8_t waiting = 0;  ///< bit per class: something waits here
  std::uint8_t blocked = 0;  ///< bit per class: paused, without credits, or the link is down
  std::uint8_t pending_control = 0;  ///< link control to send before anything else: see below
  bool is_transmitting = false;
  bool owner_is_host = false;
  bool leads_inside = false;       ///< the peer is in the same logical process
  bool peer_cuts_through = false;  ///< the peer takes packets on by their first bytes

  static constexpr std::uint8_t kPausePending = 1;
  static constexpr std::uint8_t kCreditsPending = 2;
  static constexpr std::uint8_t kAnswerPending = 4;  ///< of link-level retry
  static constexpr std::uint8_t kReplayPending = 8;  ///< frames are to be sent again

  // Line 1: link control, transmission at odd rates, drops.
  BitsPerSecond rate;
  Picoseconds pause_latency;     ///< wire plus the peer's response
  Picoseconds wire_latency;      ///< one way
  BitsPerSecond ingress_rate;    ///< of the link that ends here
  std::uint32_t peer_local = 0;  ///< of the receiving port, if that is in the same logical process
  std::uint32_t control_sequence = 0;
  std::uint8_t paused = 0;           ///< bit per class: the peer asked us not to start packets
  std::uint8_t starved = 0;          ///< bit per class: the head of the queue lacks credits
  std::uint8_t pauses_to_send = 0;   ///< bit per class: its state is to be told to the peer
  std::uint8_t credits_to_send = 0;  ///< bit per class
  std::uint8_t forced_pauses = 0;    ///< bit per class: a fault holds the peer paused
  ClassId round_robin{};             ///< weighted class that is being served
  NetworkKind network = NetworkKind::kScaleOut;
  bool is_down = false;        ///< nothing may start
  bool has_retry = false;      ///< its link has link-level retry
  bool is_held = false;        ///< by it: nothing new may start until frames are acknowledged
  bool is_watched = false;     ///< its occupancy is traced at every change
  std::uint8_t ignored = 0;    ///< bit per class: pauses of the peer are not obeyed
  std::uint8_t dropping = 0;   ///< bit per class: the watchdog drops what comes
  std::uint16_t settings = 0;  ///< its own, see NetworkConstants::settings; 0: as all
  /// What started before arrives broken: the end of the last outage of the link that ends here.
  Picoseconds ingress_up_since;
  std::int64_t ttl_drops = 0;
  std::int64_t fault_drops = 0;
  std::int64_t poison_drops = 0;  ///< frames that a cut-through switch had passed on corrupted
  std::int64_t pauses_sent = 0;
  std::vector<PauseInterval> pauses;
  std::uint64_t pauses_lost = 0;      ///< intervals beyond what is kept
  StallLog stalls;                    ///< of credit classes
  std::uint32_t service_pending = 0;  ///< what the packet in transmission owes (in_network.hpp)
  std::uint32_t shared_link = 0;      ///< on which it takes turns; 0: it has its link to itself
  BitsPerSecond nominal_rate;
  /// Packets that came in here and took a next hop in turn: data, and the rest. With one count for
  /// both, data and the ACKs between them would keep to every other hop each; with one count for
  /// all ports, hosts that send in step would keep to one hop each.
  std::array<std::uint32_t, 2> sprayed{};
  PortId id;
  PortId peer;

  /// `visit_link(visitor)` visits what is on the link.
  template <class F, class Visit>
  auto fields(F f, Visit visit_link) {
    constexpr auto kNoPauses = "nothing that recurs is paused";
    constexpr auto kNoFaults = "where links fail or change their rates, nothing recurs";
    return f.visited(out, visit_link)
        .constant(data_latency)
        .implied(implied_by::kPackets)
        .account(backlog)
        .peak(peak_backlog, backlog + Bytes(service_bytes))
        .derived(ps_per_byte, kNoFaults)
        .constant(index)
        .constant(local)
        .constant(first_slot)
        .constant(owner)
        .implied(implied_by::kPackets)
        .same(service_bytes)
        .implied(implied_by::kPackets)
        .same(service_ingress)
        .implied(implied_by::kPackets)
        .same(service_class)
        .implied(implied_by::kPackets)
        .same(waiting)
        .implied(implied_by::kCredits)
        .same(blocked)
        .implied(implied_by::kCredits)
        .same(pending_control)
        .implied(implied_by::kPackets)
        .same(is_transmitting)
        .constant(owner_is_host)
        .constant(leads_inside)
        .constant(peer_cuts_through)
        .derived(rate, kNoFaults)
        .constant(pause_latency)
        .constant(wire_latency)
        .derived(ingress_rate, kNoFaults)
        .constant(peer_local)
        .derived(control_sequence, "events are compared by how far behind it they were sent")
        .implied(implied_by::kPackets)
        .same(paused)
        .implied(implied_by::kCredits)
        .same(starved)
        .derived(pauses_to_send, kNoPauses)
        .implied(implied_by::kCredits)
        .same(credits_to_send)
        .derived(forced_pauses, kNoPauses)
        .implied(implied_by::kPackets)
        .same(round_robin)
        .constant(network)
        .derived(is_down, kNoFaults)
        .constant(has_retry)
        .derived(is_held, "where links have retry, nothing recurs")
        .constant(is_watched)
        .derived(ignored, kNoPauses)
        .derived(dropping, kNoPauses)
        .constant(settings)
        .derived(ingress_up_since, kNoFaults)
        .counter(ttl_drops)
        .counter(fault_drops)
        .counter(poison_drops)
        .counter(pauses_sent)
        .log(pauses)
        .counter(pauses_lost)
        .log(stalls)
        .implied(implied_by::kPackets)
        .same(service_pending)
        .constant(shared_link)
        .constant(nominal_rate)
        .derived(sprayed, "what is sprayed over several paths does not recur")
        .constant(id)
        .constant(peer);
  }
  /// Of a NIC.
  [[nodiscard]] HostId host() const { return HostId(owner); }
  /// Time on the wire; the same as weft::transmission_time, without the 128-bit division.
  [[nodiscard]] Picoseconds transmission(Bytes bytes) const {
    if (ps_per_byte != 0) [[likely]]
      return Picoseconds(bytes.count() * ps_per_byte);
    return transmission_at(bytes, rate);
  }
  /// For up to 1 MB.
  [[nodiscard]] static Picoseconds transmission_at(Bytes bytes, BitsPerSecond rate) {
    const std::int64_t bit_picoseconds = bytes.count() * kBytePicoseconds;
    return Picoseconds((bit_picoseconds + rate.count() - 1) / rate.count());
  }
  void note_backlog(Bytes change) {
    backlog += change;
    const Bytes here = backlog + Bytes(service_bytes);
    if (here > peak_backlog) peak_backlog = here;
  }
  void set_rate(BitsPerSecond value) {
    rate = value;
    const bool is_whole = kBytePicoseconds % rate.count() == 0;
    ps_per_byte = is_whole ? static_cast<std::uint32_t>(kBytePicoseconds / rate.count()) : 0;
  }
  /// Recomputes `blocked` after any of its reasons has changed.
  void update_blocked() {
    blocked = is_down || is_held ? 0xff : static_cast<std::uint8_t>(paused | starved);
  }

 private:
  /// Of a byte at one bit per second.
  static constexpr std::int64_t kBytePicoseconds = 8 * kPicosecondsPerSecond;
};

}  // namespace weft::protocols
