#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/packet/packet_kind.hpp"
#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// What an ACK or NACK says.
struct AckFields {
  std::uint32_t expected = 0;  ///< every packet before it has arrived
  std::uint32_t received = 0;  ///< distinct packets that have arrived
  std::uint32_t sent = 0;      ///< when the packet was sent that it answers, as `send_time` has it
  /// Selective: how far ahead of `expected` the packet is that it answers; 0: not at all.
  std::uint32_t ahead = 0;
};

/// How that lies in the 64 bits that a packet has for it. A receiver that takes packets in order
/// has received what it does not expect, so that there is room for an echo. One that takes any
/// order needs the count; with an echo beside it the three share the room: 24 bits of the sequence
/// number, as RoCE's PSN has (InfiniBand, 9.7.2), 24 bits of time in steps of 4.096 ns, which wrap
/// after 69 ms, and 16 bits for how many packets have come early. More of those are told as 65,535:
/// the sender then takes more for being in flight than are. A selective
/// acknowledgement names the packet that it answers by its distance, which is less than 2^16, and
/// the sender counts for itself; with an echo beside it they lie as the count does.
enum class AckLayout : std::uint8_t {
  kInOrder,
  kCounted,
  kCountedWithEcho,
  kSelective,
  kSelectiveWithEcho,
};

[[nodiscard]] constexpr AckLayout ack_layout(bool any_order, bool echoes_time,
                                             bool selective = false) {
  if (!any_order) return AckLayout::kInOrder;
  if (selective) return echoes_time ? AckLayout::kSelectiveWithEcho : AckLayout::kSelective;
  return echoes_time ? AckLayout::kCountedWithEcho : AckLayout::kCounted;
}

namespace ack_bits {
inline constexpr std::uint32_t kSequenceMask = 0xffffff;
inline constexpr std::uint32_t kEchoMask = 0xffffff;
inline constexpr std::uint32_t kMaxEarly = 0xffff;
inline constexpr unsigned kEchoShift = 4;  ///< from the steps of `send_time`
}  // namespace ack_bits

inline void write_ack(Packet& packet, AckLayout layout, const AckFields& fields) {
  packet.sequence = fields.expected;
  switch (layout) {
    case AckLayout::kInOrder:
      packet.word = fields.sent;
      return;
    case AckLayout::kCounted:
      packet.word = fields.received;
      return;
    case AckLayout::kSelective:
      packet.word = fields.ahead;
      return;
    case AckLayout::kCountedWithEcho:
    case AckLayout::kSelectiveWithEcho: {
      const std::uint32_t early =
          layout == AckLayout::kSelectiveWithEcho
              ? fields.ahead
              : std::min(fields.received - fields.expected, ack_bits::kMaxEarly);
      packet.sequence = (fields.expected & ack_bits::kSequenceMask) | (early << 24U);
      packet.word =
          ((fields.sent >> ack_bits::kEchoShift) & ack_bits::kEchoMask) | (early >> 8U << 24U);
      return;
    }
  }
}

/// A selective acknowledgement: `length` packets from `first` on have arrived (RFC 2018). An ACK
/// has one block, of the packet that came last; it lies in the 32 bits that others use for an echo.
struct SackBlock {
  std::uint32_t first = 0;
  std::uint32_t length = 0;

  /// What the option takes of an ACK: 2 B and 8 B per block, padded.
  static constexpr std::uint16_t kOptionSize = 12;
  /// Farther from what is expected, or longer, than 16 bits can say.
  static constexpr std::uint32_t kMax = 0xffff;
};

/// Makes a selective one of an ACK. A block that begins too far away to be told is left out.
inline void write_sack(Packet& packet, const SackBlock& block) {
  const std::uint32_t ahead = block.first - packet.sequence;
  if (block.length == 0 || ahead > SackBlock::kMax) return;
  packet.set_type(packet_type(PacketKind::kSack, class_of(packet)));
  packet.word = std::min(block.length, SackBlock::kMax) << 16U | ahead;
  packet.size = static_cast<std::uint16_t>(packet.size + SackBlock::kOptionSize);
}
/// Of a packet that is one (PacketKind::kSack).
[[nodiscard]] inline SackBlock read_sack(const Packet& packet) {
  return {.first = packet.sequence + (packet.word & SackBlock::kMax), .length = packet.word >> 16U};
}

/// `near`: a sequence number less than 2^23 away from the one that the ACK expects.
[[nodiscard]] inline AckFields read_ack(const Packet& packet, AckLayout layout,
                                        std::uint32_t near) {
  switch (layout) {
    case AckLayout::kInOrder:
      return {.expected = packet.sequence, .received = packet.sequence, .sent = packet.word};
    case AckLayout::kCounted:
      return {.expected = packet.sequence, .received = packet.word};
    case AckLayout::kSelective:
      return {.expected = packet.sequence, .ahead = packet.word};
    case AckLayout::kCountedWithEcho:
    case AckLayout::kSelectiveWithEcho:
      break;
  }
  // The difference in 24 bits, with its sign.
  const auto ahead = static_cast<std::int32_t>((packet.sequence - near) << 8U) >> 8;
  const std::uint32_t expected = near + static_cast<std::uint32_t>(ahead);
  const std::uint32_t early = (packet.sequence >> 24U) | (packet.word >> 24U << 8U);
  return {.expected = expected,
          .received = expected + early,
          .sent = (packet.word & ack_bits::kEchoMask) << ack_bits::kEchoShift,
          .ahead = layout == AckLayout::kSelectiveWithEcho ? early : 0};
}

/// The time since the packet was sent that an ACK of this layout answers.
[[nodiscard]] inline Picoseconds delay_of(const AckFields& fields, AckLayout layout,
                                          Picoseconds now) {
  const bool shares_room =
      layout == AckLayout::kCountedWithEcho || layout == AckLayout::kSelectiveWithEcho;
  if (!shares_room) return elapsed_since(fields.sent, now);
  const std::uint32_t step = send_time(now) >> ack_bits::kEchoShift;
  const std::uint32_t elapsed =
      (step - (fields.sent >> ack_bits::kEchoShift)) & ack_bits::kEchoMask;
  return Picoseconds(static_cast<std::int64_t>(elapsed) << (ack_bits::kEchoShift + kSendTimeShift));
}

}  // namespace weft::protocols
