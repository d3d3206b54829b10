#pragma once

#include <cstdint>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft {

/// A fixed-size record of a trace, made on the packet path and turned into text outside of it.
struct TraceRecord {
  enum class Kind : std::uint8_t {
    kQueue,           ///< subject: port; value: bytes that wait in `traffic_class`
    kCreditStall,     ///< subject: port; value: when the stall began; time: when it ended
    kControl,         ///< subject: queue pair; value: what its congestion control says of itself;
                      ///< `detail`: which of its columns
    kProgress,        ///< subject: queue pair; value: payload packets that the sender knows arrived
    kPacketEnqueued,  ///< subject: egress port (at a switch; where inputs queue: ingress) ...
    kPacketMarked,
    kPacketStarted,  ///< ... whose transmission begins
    kPacketArrived,  ///< subject: the port it arrives at, through the receiver's pipeline
    kPortBusy,    ///< subject: an egress port, which sent a packet until `time`; value: the flow,
                  ///< and above 32 bits the sequence number; `detail` and, above 32 bits, `other`:
                  ///< picoseconds that it took; `what` kind of packet
    kPacketHeld,  ///< subject: the port of a host; the packet started at `time`; value: as above;
                  ///< `detail`: picoseconds since its pace allowed it; `what` held it
    kPacketTrimmed,  ///< subject: egress port at which a switch cut a packet to its header
    kReplay,  ///< subject: a port that sent frames again, or waited for ACKs of its link, until
              ///< `time`; value: since when
    kMarks,   ///< subject: port; value: packets of `traffic_class` marked since the last sample
  };
  Picoseconds time;
  std::int64_t value = 0;  ///< packets: the queue pair
  std::uint32_t subject = 0;
  std::uint32_t detail = 0;  ///< packets: the sequence number
  std::uint32_t other = 0;   ///< packets that are enqueued: the port that they came by
  Kind kind = Kind::kQueue;
  ClassId traffic_class{};
  std::uint8_t what = 0;  ///< kPortBusy: the PacketKind; kPacketHeld: the HoldReason
};
static_assert(sizeof(TraceRecord) == 32);

}  // namespace weft
