#pragma once

#include <cstdint>

namespace weft::protocols {

/// Packet::flow of what the chips of a scale-up domain work on carries one of these bits: data that
/// a chip adds up or repeats, and the chip's word that a sum is complete. What a chip sends on as
/// ordinary data carries neither.
inline constexpr std::uint32_t kReduceFlow = 0x8000'0000;
inline constexpr std::uint32_t kMulticastFlow = 0x4000'0000;
inline constexpr std::uint32_t kInNetworkFlow = kReduceFlow | kMulticastFlow;

}  // namespace weft::protocols
