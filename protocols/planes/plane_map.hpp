#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocols/config/transports/planes_config.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::protocols {

/// Which plane the ports of hosts are in. A plane is what switches between servers form that links
/// join without passing a host; planes are numbered by their first switch.
struct PlaneMap {
  static constexpr std::uint8_t kNone = 0xff;

  std::vector<std::uint8_t> of_port;  ///< by PortId, of hosts; kNone: it leads to no such switch
  std::uint32_t planes = 0;           ///< those beyond 255 are not told apart
  /// Why packets cannot select planes here; empty: they can.
  std::string problem;
};

[[nodiscard]] PlaneMap planes_of(const Fabric& fabric);

/// The order in which planes take turns: each as often as its weight says, evenly spread.
[[nodiscard]] std::vector<std::uint8_t> plane_rotation(const std::vector<std::uint32_t>& weights);

}  // namespace weft::protocols
