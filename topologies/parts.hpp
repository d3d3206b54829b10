#pragma once

#include <cstdint>
#include <optional>

#include "simcore/units.hpp"

/// Hardware as the catalogue describes it. The members' initial values are those of an ideal part:
/// what a part that is written out in full leaves unsaid adds no delay.
namespace weft::topologies {

struct SwitchPart {
  Bytes buffer = Bytes(1'000'000'000'000);  ///< shared packet buffer
  Bytes cell = 1_B;                         ///< packets occupy whole cells of it
  Picoseconds latency;  ///< pipeline: from the end of reception to the egress queue
};

struct NicPart {
  BitsPerSecond rate = 400_Gbps;
  Picoseconds receive_latency;  ///< from the end of reception to the transport
  /// Wire bytes that it takes in towards host memory; absent: it keeps up with any link. What it
  /// cannot take waits in the receive buffer, which pauses the switch above `xoff`.
  std::optional<BitsPerSecond> receive_rate{};
  Bytes receive_buffer = 1_MiB;
  Bytes xoff = 512_KiB;
  Bytes xon = 448_KiB;
};

/// Each NIC of a server is a host of the fabric.
struct ServerPart {
  std::uint32_t nics = 1;
  NicPart nic;
};

/// A cable with what is plugged in at its ends.
struct CablePart {
  Picoseconds latency_per_metre;
  Picoseconds transceivers;  ///< of both ends together
  Picoseconds fec;           ///< accumulating, coding and decoding a code word

  /// Of one direction, rounded up to a whole picosecond.
  [[nodiscard]] constexpr Picoseconds latency(Millimetres length) const {
    __extension__ using Wide = __int128;
    const Wide propagation = static_cast<Wide>(latency_per_metre.count()) * length.count();
    return Picoseconds(static_cast<std::int64_t>((propagation + 999) / 1000)) + transceivers + fec;
  }
};

}  // namespace weft::topologies
