#pragma once

#include <cstdint>

#include "protocols/packet/ids.hpp"
#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// Packet::flow of what the switches of a scale-up domain work on carries one of these bits: data
/// that a scale-up switch reduces or multicasts, and the scale-up switch's word that a sum is
/// complete. What a scale-up switch sends on as ordinary data carries neither.
inline constexpr std::uint32_t kReduceFlow = 0x8000'0000;
inline constexpr std::uint32_t kMulticastFlow = 0x4000'0000;
inline constexpr std::uint32_t kInNetworkFlow = kReduceFlow | kMulticastFlow;

/// Packet::flow of data carries the size class of its message, for whoever tells latencies apart.
inline constexpr unsigned kSizeClassShift = 27;  ///< three bits
inline constexpr std::uint32_t kSizeClassFlow = 0x3800'0000;
inline constexpr std::uint32_t kFlowMarks = kInNetworkFlow | kSizeClassFlow;
/// This many queue pairs and receiving ends are there at most.
inline constexpr std::uint32_t kMaxFlowIds = std::uint32_t{1} << kSizeClassShift;

[[nodiscard]] constexpr std::uint32_t size_class_in(const Packet& packet) {
  return (packet.flow & kSizeClassFlow) >> kSizeClassShift;
}
/// Packet::flow but for the size class.
[[nodiscard]] constexpr std::uint32_t flow_of(const Packet& packet) {
  return packet.flow & ~kSizeClassFlow;
}
/// Packet::flow of data of a queue pair that has these marks, and of what answers it, without any.
[[nodiscard]] constexpr std::uint32_t flow_of(QueuePairId queue_pair, std::uint32_t marks = 0) {
  return queue_pair.value() | marks;
}
/// Packet::flow of what a scale-up switch made for a receiving end.
[[nodiscard]] constexpr std::uint32_t flow_of(ReceiverId receiver, std::uint32_t marks) {
  return receiver.value() | marks;
}
/// The queue pair that a packet is of, whatever its marks.
[[nodiscard]] constexpr QueuePairId queue_pair_of(const Packet& packet) {
  return QueuePairId(packet.flow & ~kFlowMarks);
}
/// The queue pair whose sender an ACK, a NACK or a CNP is for: they have no marks.
[[nodiscard]] constexpr QueuePairId queue_pair_of_response(const Packet& answer) {
  return QueuePairId(answer.flow);
}
/// The receiving end of data that no scale-up switch works on any more.
[[nodiscard]] constexpr ReceiverId receiver_of(const Packet& data) {
  return ReceiverId(flow_of(data));
}

}  // namespace weft::protocols
