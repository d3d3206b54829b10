#pragma once

#include <cstdint>
#include <type_traits>

#include "simcore/base/units.hpp"
#include "simcore/fabric/limits.hpp"

namespace weft {

/// What crosses a link: 32 bytes, trivially copyable, stored inline in queues of links and egress
/// queues.
struct Packet {
  // `header`, from its lowest bit. What each part says is told by protocols/packet/.
  static constexpr unsigned kDestinationBits = 18;
  static constexpr unsigned kClassBits = 3;
  static constexpr unsigned kKindBits = 4;
  static constexpr unsigned kTypeBits = kClassBits + kKindBits;
  static constexpr unsigned kSentUpperBits = 32 - kDestinationBits - kTypeBits;

  /// On a link: when it arrives, in picoseconds. In the egress queue of a switch: the port it came
  /// in by. The two never overlap in time.
  std::int64_t stamp = 0;
  /// Queue pair, which indexes both ends' state, and what else protocols/packet/flow_bits.hpp says.
  std::uint32_t flow = 0;
  std::uint32_t sequence = 0;  ///< data: packet sequence number; ACK, NACK: next one expected
  /// HostId, class and kind; data: in the upper bits those of the send time above `word`. One
  /// number, since bit fields would be read before they are written.
  std::uint32_t header = 0;
  std::uint32_t entropy = 0;  ///< what ECMP hashes
  /// Data: the lower bits of the send time (protocols/packet/packet_kind.hpp); ACK: packets
  /// received so far. Either with telemetry: protocols/state/telemetry.hpp.
  std::uint32_t word = 0;
  std::uint16_t size = 0;  ///< bytes it occupies the wire with
  std::uint8_t flags = 0;  ///< a bit for each thing that can be true of a packet (PacketFlag)
  std::uint8_t ttl = 0;

  [[nodiscard]] Bytes wire_size() const { return Bytes(size); }
  [[nodiscard]] constexpr std::uint32_t destination() const {
    return header & ((1U << kDestinationBits) - 1);
  }
  /// Class and kind, in this order from the lowest bit.
  [[nodiscard]] constexpr std::uint32_t type() const {
    return header >> kDestinationBits & ((1U << kTypeBits) - 1);
  }
  [[nodiscard]] constexpr std::uint32_t sent_upper() const {
    return header >> (kDestinationBits + kTypeBits);
  }
  /// `host`: the value of a HostId; `upper`: bits of the send time, of which as many count as there
  /// is room for.
  void set_header(std::uint32_t host, std::uint32_t type, std::uint32_t upper) {
    header = (upper << kTypeBits | type) << kDestinationBits | host;
  }
  void set_destination(std::uint32_t host) { set_header(host, type(), sent_upper()); }
  void set_type(std::uint32_t type) { set_header(destination(), type, sent_upper()); }
  void set_sent_upper(std::uint32_t upper) { set_header(destination(), type(), upper); }
};
static_assert(kMaxHosts == 1U << Packet::kDestinationBits);
static_assert(sizeof(Packet) == 32);
static_assert(std::is_trivially_copyable_v<Packet>);

}  // namespace weft
