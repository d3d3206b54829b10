#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// What a packet is, in Packet::header.
enum class PacketKind : std::uint8_t {
  kData = 0,
  kAck,             ///< cumulative: the next packet that is expected
  kNack,            ///< the same of a receiver that misses this packet and has dropped a later one
  kSack,            ///< an ACK that names what came early besides (RFC 2018; selective repeat)
  kCnp,             ///< congestion notification
  kGrant,           ///< credit for the sender
  kTrimmed,         ///< the header of data that a switch had no room for
  kTrimmedLastHop,  ///< the same, cut at the port that leads to the receiver
  kPdsAck,          ///< Ultra Ethernet: an ACK, whose `word` is the number of its record
  kPdsNack,         ///< Ultra Ethernet: `sequence` is to be sent again; its code: NackCode
  kPdsControl,      ///< Ultra Ethernet: from a sender to its receiver; what it says: ControlCode
  kPoisoned,        ///< a corrupted frame that a cut-through switch has passed on
  kPortStatus,      ///< from a receiver's host: `word` has a bit per plane where its port is down
  kPathProbe,       ///< from a sender, by the path of a value that lost packets
  kPathProbeReply,  ///< what its receiver's host sends back
};
static_assert(static_cast<unsigned>(PacketKind::kPathProbeReply) < 1U << Packet::kKindBits);

/// What can be true of a packet, in Packet::flags: a bit and a meaning for each.
enum PacketFlag : std::uint8_t {
  kMarked = 0x01,         ///< data: ECN CE
  kEchoesMark = 0x02,     ///< ACK: it carries a CNP, or of TCP ECE
  kFirst = 0x04,          ///< data: the first packet of a message
  kLast = 0x08,           ///< data: the last packet of a message
  kWindowReduced = 0x10,  ///< data of TCP: the sender has reduced its window (CWR)
  kPathIsMarked = 0x20,   ///< ACK: the packet that it answers was marked
  kAsksAck = 0x40,        ///< data: it is to be acknowledged at once; ACK: it answers a probe
  kRepeated = 0x80,       ///< data that was sent before; ACK: it answers such a packet
};
[[nodiscard]] constexpr bool has(const Packet& packet, PacketFlag flag) {
  return (packet.flags & flag) != 0;
}
[[nodiscard]] constexpr std::uint8_t flag_if(bool is_true, PacketFlag flag) {
  return is_true ? static_cast<std::uint8_t>(flag) : std::uint8_t{0};
}
inline void set(Packet& packet, PacketFlag flag) {
  packet.flags = static_cast<std::uint8_t>(packet.flags | flag);
}

[[nodiscard]] constexpr PacketKind kind_of(const Packet& packet) {
  return static_cast<PacketKind>(packet.type() >> Packet::kClassBits);
}
/// Whether a switch cut it to its header.
[[nodiscard]] constexpr bool is_trimmed(PacketKind kind) {
  return kind == PacketKind::kTrimmed || kind == PacketKind::kTrimmedLastHop;
}
/// Whether it finds out about a path, or tells what was found.
[[nodiscard]] constexpr bool is_path_probe(PacketKind kind) {
  return kind == PacketKind::kPathProbe || kind == PacketKind::kPathProbeReply;
}
[[nodiscard]] constexpr ClassId class_of(const Packet& packet) {
  return ClassId(packet.type() & ((1U << Packet::kClassBits) - 1));
}
[[nodiscard]] constexpr std::uint32_t packet_type(PacketKind kind, ClassId c) {
  return static_cast<std::uint32_t>(kind) << Packet::kClassBits | c.value();
}

/// In a set of classes, which is a bit per class.
[[nodiscard]] constexpr std::uint8_t class_bit(ClassId c) {
  return static_cast<std::uint8_t>(1U << c.value());
}
/// Of a set that is not empty.
[[nodiscard]] constexpr ClassId lowest_class(std::uint32_t set) {
  return ClassId(static_cast<std::uint32_t>(std::countr_zero(set)));
}
[[nodiscard]] constexpr ClassId highest_class(std::uint32_t set) {
  return ClassId(static_cast<std::uint32_t>(std::bit_width(set)) - 1);
}

/// A data packet carries its send time in picoseconds, so that its latency does not depend on when
/// it was sent: 32 bits in Packet::word (with telemetry in its record) and the bits above them in
/// Packet::sent_upper(). The time wraps after 0.55 s; old_packets.hpp tracks packets older than
/// that.
inline constexpr unsigned kSentBits = 32 + Packet::kSentUpperBits;
inline constexpr std::uint64_t kSentMask = (std::uint64_t{1} << kSentBits) - 1;
/// The lower 32 bits.
[[nodiscard]] constexpr std::uint32_t stamp_of(Picoseconds now) {
  return static_cast<std::uint32_t>(now.count());
}
/// The bits above them.
[[nodiscard]] constexpr std::uint32_t upper_stamp_of(Picoseconds now) {
  return static_cast<std::uint32_t>(now.count() >> 32);
}
/// The send time of a data packet modulo 0.55 s.
[[nodiscard]] constexpr std::uint64_t sent_stamp(const Packet& packet) {
  return std::uint64_t{packet.sent_upper()} << 32U | packet.word;
}
inline void set_sent_stamp(Packet& packet, std::uint64_t sent) {
  const Picoseconds time(static_cast<std::int64_t>(sent));
  packet.word = stamp_of(time);
  packet.set_sent_upper(upper_stamp_of(time));
}

/// ACKs tell times in these steps, which wrap after 1.1 s.
inline constexpr int kSendTimeShift = 8;
[[nodiscard]] constexpr std::uint32_t send_time(Picoseconds now) {
  return static_cast<std::uint32_t>(now.count() >> kSendTimeShift);
}
/// The time since `sent`, of which an ACK tells.
[[nodiscard]] constexpr Picoseconds elapsed_since(std::uint32_t sent, Picoseconds now) {
  return Picoseconds(static_cast<std::int64_t>(send_time(now) - sent) << kSendTimeShift);
}

/// While a packet waits in a switch, Packet::stamp holds a port number of the switch (the ingress,
/// or the egress where inputs queue) in its lower bits, and above them when its last bit arrives,
/// since the origin of the logical process's keys: with store and forward, or before that, the
/// upper bits are 0.
inline constexpr int kTailShift = 16;
/// How long after the origin that can be.
inline constexpr Picoseconds kTailReach{std::int64_t{1} << (62 - kTailShift)};
[[nodiscard]] constexpr std::uint16_t waiting_port(const Packet& packet) {
  return static_cast<std::uint16_t>(packet.stamp);
}
[[nodiscard]] constexpr Picoseconds tail_arrival(const Packet& packet, Picoseconds origin) {
  return origin + Picoseconds(packet.stamp >> kTailShift);
}
[[nodiscard]] constexpr std::int64_t waiting_stamp(std::int64_t port, Picoseconds tail,
                                                   Picoseconds origin) {
  return std::max((tail - origin).count(), std::int64_t{0}) << kTailShift | port;
}

}  // namespace weft::protocols
