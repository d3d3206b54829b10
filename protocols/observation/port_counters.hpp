#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::protocols {

__extension__ using WideUnsigned = unsigned __int128;

/// What a port has counted since the run or the measurement began, over all classes. Bytes and
/// packets are those whose transmission has begun.
struct PortCounters {
  Bytes bytes;
  std::int64_t packets = 0;
  WideUnsigned queue_integral = 0;  ///< byte-picoseconds of waiting packets
  Bytes peak_backlog;               ///< the packet in transmission included
  std::int64_t ecn_marked = 0;
  std::int64_t trimmed = 0;         ///< data cut to its header here
  std::int64_t buffer_drops = 0;    ///< at this port's ingress
  std::int64_t wred_drops = 0;      ///< at this port's egress, by WRED
  std::int64_t watchdog_drops = 0;  ///< at this port's egress, by the PFC watchdog
  std::int64_t pause_storms = 0;    ///< that the PFC watchdog has found here
  std::int64_t ttl_drops = 0;       ///< at this port's ingress
  std::int64_t fault_drops = 0;  ///< on the way to this port, or waiting here, when a link failed
  std::int64_t error_drops = 0;  ///< on the way to this port, corrupted by errors of the link
  // Of link-level retry, as the sender of the link that leaves this port.
  std::int64_t replays = 0;
  std::int64_t frames_replayed = 0;
  std::int64_t retry_nacks = 0;  ///< that this port sent
  std::int64_t retry_acks = 0;   ///< that this port sent
  std::int64_t retry_flushes = 0;
  std::int64_t retry_drops = 0;   ///< of flushes, and at their ends what came while it restarted
  std::int64_t poison_drops = 0;  ///< frames that came here corrupted by a cut-through switch
  Picoseconds retry_held_time;    ///< during which what was outstanding kept new frames
  std::int64_t pauses_sent = 0;   ///< XOFF, per class
  std::int64_t pauses_received = 0;
  Picoseconds paused_time;  ///< during which a class could not start, over all classes
  std::int64_t credit_stalls = 0;
  Picoseconds credit_stall_time;  ///< during which data waited for credits
};

}  // namespace weft::protocols
