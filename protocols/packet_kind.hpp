#pragma once

#include <cstdint>

#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// What a packet is and what has happened to it, in Packet::flags.
enum class PacketKind : std::uint8_t { kData = 0, kAck = 1, kNack = 2, kCnp = 3 };

inline constexpr std::uint8_t kKindMask = 0x03;
inline constexpr std::uint8_t kControlClass = 0x04;  ///< strict priority, never paused
inline constexpr std::uint8_t kCongested = 0x08;     ///< ECN CE
inline constexpr std::uint8_t kFirst = 0x10;         ///< first packet of a message
inline constexpr std::uint8_t kLast = 0x20;          ///< last packet of a message
inline constexpr std::uint8_t kEcho = 0x40;          ///< ACK that carries a CNP

[[nodiscard]] constexpr PacketKind kind_of(const Packet& packet) {
  return static_cast<PacketKind>(packet.flags & kKindMask);
}
[[nodiscard]] constexpr bool is_control_class(const Packet& packet) {
  return (packet.flags & kControlClass) != 0;
}

/// Packet::word of a data packet counts time in these steps: fine enough for latencies from 100 ns
/// (0.3 %), and wraps only after 1.1 s.
inline constexpr int kSendTimeShift = 8;

}  // namespace weft::protocols
