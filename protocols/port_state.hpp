#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/engine/chunk.hpp"
#include "simcore/engine/link.hpp"
#include "simcore/ids.hpp"

namespace weft::protocols {

__extension__ using WideUnsigned = unsigned __int128;

/// What a port has counted since the run or the measurement began. Bytes and packets are those
/// whose transmission has begun. What every packet changes comes first (see PortState).
struct PortCounters {
  std::int64_t bytes = 0;
  std::int64_t packets = 0;
  WideUnsigned queue_integral = 0;  ///< byte-picoseconds of waiting data
  std::int64_t peak_backlog = 0;    ///< bytes, the packet in transmission included
  std::int64_t ecn_marked = 0;
  std::int64_t buffer_drops = 0;  ///< at this port's ingress
  std::int64_t ttl_drops = 0;     ///< at this port's ingress
  std::int64_t fault_drops = 0;   ///< on the way to this port, or waiting here, when a link failed
  std::int64_t pauses_sent = 0;   ///< XOFF frames
  std::int64_t pauses_received = 0;
  std::int64_t paused_time = 0;  ///< picoseconds during which a class could not start, all classes
  std::int64_t credit_stalls = 0;
  std::int64_t credit_stall_time = 0;  ///< picoseconds during which data waited for credits
};

/// A port of a switch or a NIC: its egress side, which owns the waiting packets and the
/// transmitter, and the ingress accounts that PFC keeps for it.
///
/// Laid out by cache line: a packet touches three lines of its egress and one of its ingress.
struct alignas(64) PortState {
  // Line 0: the transmitter.
  Link* out = nullptr;
  std::int64_t data_latency = 0;
  std::int64_t free_at = 0;           ///< end of the transmission under way
  std::int64_t ps_per_byte = 0;       ///< 0 if not a whole number
  std::uint32_t local = 0;            ///< within the cell
  std::uint32_t peer_local = 0;       ///< of the receiving port, if that is in the same cell
  std::uint16_t service_bytes = 0;    ///< of the packet in transmission
  std::uint16_t service_ingress = 0;  ///< number of the port it came in by
  bool service_counts_for_pfc = false;
  bool is_transmitting = false;
  bool is_paused = false;          ///< the peer asked us not to start data packets
  bool leads_inside = false;       ///< the peer is in the same cell
  std::uint8_t pending_pause = 0;  ///< a pause frame to send before anything else: 1 XOFF, 2 XON
  std::int64_t queue_changed_at = 0;

  // Line 1: what waits.
  alignas(64) PacketQueue data;
  PacketQueue control;

  // Line 2: ingress accounts, and the counters that every packet changes.
  alignas(64) std::int64_t ingress_bytes = 0;
  std::uint32_t owner = 0;   ///< HostId or SwitchId
  std::uint16_t number = 0;  ///< among the owner's ports
  bool owner_is_host = false;
  bool has_paused_peer = false;
  PortCounters counters;

  // Touched by pauses and measurements only.
  std::int64_t rate = 0;
  std::int64_t control_latency = 0;  ///< wire plus the peer's response
  std::int64_t pause_expires = 0;
  std::int64_t paused_since = 0;
  std::uint32_t control_sequence = 0;
  std::uint32_t refresh_sequence = 0;
  std::uint32_t expiry_sequence = 0;
  PortId id;
  PortId peer;

  /// Time on the wire; the same as weft::transmission_time, without the 128-bit division.
  [[nodiscard]] std::int64_t transmission(std::int64_t bytes) const {
    if (ps_per_byte != 0) [[likely]]
      return bytes * ps_per_byte;
    return (bytes * 8 * kPicosecondsPerSecond + rate - 1) / rate;
  }
  /// Closes the account of waiting data up to `now`; call before the data queue changes.
  void account_queue(std::int64_t now) {
    counters.queue_integral += static_cast<WideUnsigned>(data.bytes()) *
                               static_cast<std::uint64_t>(now - queue_changed_at);
    queue_changed_at = now;
  }
  void note_backlog() {
    counters.peak_backlog =
        std::max(counters.peak_backlog, data.bytes() + control.bytes() + service_bytes);
  }

 private:
  static constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
};

}  // namespace weft::protocols
