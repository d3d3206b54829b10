#pragma once

#include <cstdint>
#include <limits>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/link_errors.hpp"
#include "simcore/fabric/routes.hpp"

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
    /// forgotten, and credits are granted again once it is up.
    kLinkDown,
    /// What starts at `port` takes `latency` longer, data and link control alike. What follows when
    /// that is over does not overtake it. The other direction is a fault of its own.
    kLinkLatency,
    /// What arrives by the link that leaves `port` is corrupted as `errors` say, in place of what
    /// the
    /// link's own do. The other direction is a fault of its own.
    kLinkErrors,
  };
  static constexpr Picoseconds kForever = Picoseconds(std::numeric_limits<std::int64_t>::max());

  Kind kind = Kind::kLinkDown;
  PortId port;
  Picoseconds at{};
  Picoseconds until = kForever;  ///< exclusive; the port is healthy again from then on
  BitsPerSecond rate{};          ///< kLinkRate
  Picoseconds latency{};         ///< kLinkLatency
  LinkErrors errors{};           ///< kLinkErrors
  std::uint8_t classes = 0xff;   ///< kNicPause: bit i for class i
  /// For reports: what is one failure, such as a switch and all its cables, has one number.
  std::uint32_t incident = 0;
};

/// From a time on every switch forwards by other routes, because some links have failed or are
/// back. Until then packets for a link that is down are lost at the switch before it.
struct RouteChange {
  Picoseconds at{};
  const Routes* routes = nullptr;  ///< must outlive the run
};

}  // namespace weft::protocols
