#pragma once

#include <cstdint>
#include <type_traits>

#include "simcore/base/units.hpp"

namespace weft {

/// What crosses a link: 32 bytes, trivially copyable, stored inline in link lanes and egress
/// queues.
struct Packet {
  /// On a link: when it arrives, in picoseconds. In the egress queue of a switch: the port it came
  /// in by. The two never overlap in time.
  std::int64_t stamp = 0;
  /// Queue pair, which indexes both ends' state, and what else protocols/packet/flow_bits.hpp says.
  std::uint32_t flow = 0;
  std::uint32_t sequence = 0;     ///< data: packet sequence number; ACK, NACK: next one expected
  std::uint32_t destination = 0;  ///< HostId
  std::uint32_t entropy = 0;      ///< what ECMP hashes
  /// Data: time of sending in units of 256 ps, modulo 1.1 s (protocols/state/old_packets.hpp tells
  /// which); ACK: packets received so far. Either with telemetry: protocols/state/telemetry.hpp.
  std::uint32_t word = 0;
  std::uint16_t size = 0;  ///< bytes it occupies the wire with
  std::uint8_t flags = 0;
  std::uint8_t ttl = 0;

  [[nodiscard]] Bytes wire_size() const { return Bytes(size); }
};
static_assert(sizeof(Packet) == 32);
static_assert(std::is_trivially_copyable_v<Packet>);

}  // namespace weft
