#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "simcore/base/units.hpp"

/// What a message takes on a network that carries nothing else: the reference that slowdowns divide
/// by. Store-and-forward or cut-through, exact to the picosecond, with the sender at line rate from
/// time 0.
namespace weft {

/// One link of a path, in the order packets cross it; or a NIC at its end that takes packets in at
/// a finite rate, which is a link without latency.
struct PathHop {
  BitsPerSecond rate;
  /// From the end of a transmission until the packet waits at the next one.
  Picoseconds latency;
  /// Parallel links that the packets of the message take in turn; 1: all cross this very link.
  std::uint32_t links = 1;
  /// It begins with a packet when all of it is there, whatever is cut through elsewhere: a NIC that
  /// takes packets in towards its host.
  bool takes_whole = false;
  /// Nodes choose among several of these links each, behind links that packets took in turn. A
  /// rotation belongs to an ingress port, so that the number of a packet does not say which link it
  /// takes here.
  bool turns_anew = false;

  auto operator<=>(const PathHop&) const = default;
};

/// How a message becomes packets, and how the receiver answers.
struct Framing {
  Bytes payload;                ///< of a full packet, >= 1
  Bytes header;                 ///< wire bytes of a packet besides its payload
  Bytes ack_size;               ///< wire bytes of an ACK; 0: the transport sends none
  std::uint32_t ack_every = 1;  ///< packets per ACK; the last packet of a message is always acked
  /// Packets that may be unacknowledged; 0: no limit. At least `ack_every`, or the sender would
  /// wait for an ACK that the receiver holds back. Without ACKs it has no effect.
  std::uint32_t window = 0;
  /// Bytes after which a switch sends a packet on, if its egress is no faster than its ingress; 0:
  /// packets are stored first.
  Bytes cut_through{};
  /// Packets that are spread take parallel links in turn; else any link, and times are those of the
  /// luckiest choice.
  bool is_round_robin = true;

  auto operator<=>(const Framing&) const = default;
};

/// Times from the first bit of the first packet.
struct ZeroLoad {
  Picoseconds delivered;  ///< the last byte is at the receiving transport
  Picoseconds completed;  ///< the sender has the ACK of it; `delivered` without ACKs
  bool operator==(const ZeroLoad&) const = default;
};

/// Times of one message of `size` (>= 1) over `forward`, its ACKs over `reverse`. Closed form, or
/// packet by packet where the window makes the sender wait, with cut-through, and where packets are
/// spread. An empty path takes no time.
///
/// Exact for packets that all cross the same links, and for packets that take alike links in turn
/// unless a window binds, or the last one is short and could overtake others before the last step.
/// A lower bound in those cases, and where packets do not take turns.
[[nodiscard]] ZeroLoad zero_load(Bytes size, const Framing& framing,
                                 std::span<const PathHop> forward,
                                 std::span<const PathHop> reverse);

/// The same by following packet after packet and its ACK through every link: packets x hops steps.
/// `zero_load` needs it for windows that bind; tests hold the closed form against it. A short last
/// packet that is spread is taken to overtake no other and to be held up by none, a lower bound.
[[nodiscard]] ZeroLoad zero_load_by_packets(Bytes size, const Framing& framing,
                                            std::span<const PathHop> forward,
                                            std::span<const PathHop> reverse);

}  // namespace weft
