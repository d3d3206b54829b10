#pragma once

#include <cstdint>

#include "protocols/packet/ids.hpp"
#include "protocols/path_selection/states.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/engine/packet.hpp"

/// Routes that packets name themselves, as SRv6 micro-segments do: above the value of entropy lie
/// 24 bits of route. A switch with n next hops takes the remainder by n, and leaves the quotient.
namespace weft::protocols::path_selection {

/// The entropy of a packet of this value, which is one of the paths of a plane. Routes of a queue
/// pair follow one another from a first one that is drawn, so that they take the uplinks of its
/// leaf in turn. Answers take the same way back.
[[nodiscard]] constexpr std::uint32_t with_route(QueuePairId queue_pair, std::uint32_t value,
                                                 std::uint32_t planes) {
  const auto first = static_cast<std::uint32_t>(mix64(queue_pair.value(), kMaxValues));
  return (first + value / planes) * kMaxValues | value;
}

/// Which of `n` next hops a packet takes, which has that part of its route behind it then.
[[nodiscard]] constexpr std::uint32_t take_segment(Packet& packet, std::uint32_t n) {
  const std::uint32_t route = packet.entropy / kMaxValues;
  packet.entropy = route / n * kMaxValues | value_in(packet.entropy);
  return route % n;
}

}  // namespace weft::protocols::path_selection
