#pragma once

#include <cstdint>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What a run notes of queues and packets that are traced. Nothing is compiled in where the path
/// has no traces.
template <class Path>
class Tracer {
 public:
  static constexpr bool kTraces = Path::has(Feature::kTraces);

  explicit Tracer(const NetworkState& state) : s_(state) {}

  /// The occupancy of a queue at `port` changed.
  void queue_changed(const Here& here, const PortState& port, const ClassQueue& queue,
                     std::uint8_t c) const {
    if (!kTraces || !port.is_watched) return;
    here.worker.trace.push_back({.time = here.now,
                                 .value = queue.packets.bytes().count(),
                                 .subject = port.index,
                                 .kind = TraceRecord::Kind::kQueue,
                                 .traffic_class = c});
  }

  /// Something happened to a packet at `port`.
  void note(const Here& here, TraceRecord::Kind kind, const Packet& packet, const PortState& port,
            Picoseconds time) const {
    if (!kTraces || !s_.constants.traces_packets) return;
    if (kind_of(packet) != PacketKind::kData || !s_.is_watched(packet)) return;
    here.worker.trace.push_back({.time = time,
                                 .value = packet.flow,
                                 .subject = port.index,
                                 .detail = packet.sequence,
                                 .kind = kind,
                                 .traffic_class = class_of(packet)});
  }

 private:
  const NetworkState& s_;
};

}  // namespace weft::protocols
