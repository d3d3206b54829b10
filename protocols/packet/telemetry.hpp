#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::protocols {

/// What a switch says in a data packet as it begins to send it (in-band telemetry; Li et al.,
/// "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 4.1). Values are exact;
/// hardware rounds them to fit 8 B.
struct HopReport {
  Picoseconds time{};         ///< when the transmission begins
  Bytes sent{};               ///< wire bytes whose transmission has begun at the port before it
  BitsPerSecond rate{};       ///< of the link
  std::uint32_t waiting = 0;  ///< bytes that wait at the port, all classes, without this packet
  std::uint32_t port = 0;     ///< global number: which of the hops this is
};

/// The switches that a packet can be told about: those of a three-tier fabric.
inline constexpr std::uint32_t kTelemetryHops = 5;

/// What telemetry occupies of every data packet and ACK: 2 B and 8 B per hop, reserved for all hops
/// from the start (section 5: 42 B for five hops; the ns-3 model published with it does so, too).
inline constexpr Bytes kTelemetrySize{2 + 8 * kTelemetryHops};

}  // namespace weft::protocols
