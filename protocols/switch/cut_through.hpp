#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Packets that are forwarded before all of them is there.
template <class Path>
class CutThrough {
 public:
  explicit CutThrough(const NetworkState& state) : s_(state) {}

  /// Whether switches of this run do that.
  [[nodiscard]] bool is_used() const {
    return Path::has(Feature::kCutThrough) && s_.constants.cut_through;
  }

  /// What a packet that comes in by `in` now holds in its stamp besides a port: when its last bit
  /// will be here.
  [[nodiscard]] std::int64_t stamp(const Here& here, const Packet& packet, const PortState& in,
                                   std::int64_t port) const {
    const Bytes first = std::min(packet.wire_size(), s_.constants.cut_through_after);
    const Picoseconds tail = here.now +
                             PortState::transmission_at(packet.wire_size(), in.ingress_rate) -
                             PortState::transmission_at(first, in.ingress_rate);
    return waiting_stamp(port, tail, here.lp.keys.origin);
  }

  /// When its transmission at `port` can begin. A faster link than that of `in` would run dry: it
  /// waits until all of the packet is here.
  [[nodiscard]] Picoseconds begin(const Here& here, const Packet& packet, const PortState& port,
                                  const PortState& in) const {
    const Picoseconds tail = tail_arrival(packet, here.lp.keys.origin);
    return port.rate > in.ingress_rate && here.now < tail ? tail : here.now;
  }

 private:
  const NetworkState& s_;
};

}  // namespace weft::protocols
