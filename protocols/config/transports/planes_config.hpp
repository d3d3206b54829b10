#pragma once

#include <cstdint>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols {

/// Of what NICs have ports in at most.
inline constexpr std::uint32_t kMaxPlanes = 8;

/// How packets select a plane, where NICs have a port in each of several fabrics that share no
/// switch.
struct PlaneConfig {
  enum class Choice : std::uint8_t {
    kBalanced,   ///< as the load balancing of the class selects a host's port
    kPacket,     ///< each packet the next plane
    kQueuePair,  ///< all packets of a queue pair one plane, by its hash
  };
  /// How a sender learns that a plane does not lead to a host any more.
  enum class Notice : std::uint8_t {
    kNone,
    kPortStatus,  ///< a NIC whose port changes tells those who send to it
    kLoss,        ///< by time-outs of packets that were sent there
  };
  /// What a congestion control that counts bytes per destination has a window for.
  enum class Windows : std::uint8_t {
    kShared,  ///< all planes together
    kEach,    ///< each plane by itself
  };
  Choice choice = Choice::kBalanced;
  Windows windows = Windows::kShared;
  std::vector<std::uint32_t> weights{};  ///< by plane; empty: equal
  Notice notice = Notice::kPortStatus;
  Picoseconds retry = 10_ms;  ///< until a plane that lost packets is tried again

  [[nodiscard]] bool has_window_per_plane() const {
    return choice == Choice::kPacket && windows == Windows::kEach;
  }
  [[nodiscard]] static schema::Object<PlaneConfig> schema();
  /// Beside these, of transports whose windows are of a destination.
  [[nodiscard]] static schema::Object<PlaneConfig> windows_schema();
  friend bool operator==(const PlaneConfig&, const PlaneConfig&) = default;
};

}  // namespace weft::protocols
