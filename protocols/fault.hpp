#pragma once

#include <cstdint>
#include <limits>

#include "simcore/ids.hpp"
#include "simcore/units.hpp"

namespace weft::protocols {

/// Something that goes wrong at a time, on the built fabric. Each names one port; a cable that
/// fails is two faults, one per direction.
struct Fault {
  enum class Kind : std::uint8_t {
    /// The NIC behind `port` holds its peer paused in the classes of `classes`, whatever its
    /// buffer.
    kNicPause,
    /// Transmissions that start at `port` run at `rate`, which is at most the link's; the other
    /// direction of the cable is a fault of its own.
    kLinkRate,
    /// The cable of `port` carries nothing in either direction. What is on the way over it is lost,
    /// and at a switch what waits or comes for it; a NIC holds what it has. Pauses over it are
    /// forgotten, and credits are granted anew once it is up.
    kLinkDown,
  };
  static constexpr Picoseconds kForever = Picoseconds(std::numeric_limits<std::int64_t>::max());

  Kind kind = Kind::kLinkDown;
  PortId port;
  Picoseconds at{};
  Picoseconds until = kForever;  ///< exclusive; the port is healthy again from then on
  BitsPerSecond rate{};          ///< kLinkRate
  std::uint8_t classes = 0xff;   ///< kNicPause: bit i for class i
};

}  // namespace weft::protocols
