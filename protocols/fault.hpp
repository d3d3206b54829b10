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
    /// Transmissions that start at `port` run at `rate`, which is at most the link's.
    kLinkRate,
    /// Nothing starts at `port`, what waits or comes for it at a switch is lost, and so is what is
    /// still on the way to it. Pauses that hold it are forgotten; credits are granted anew.
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
