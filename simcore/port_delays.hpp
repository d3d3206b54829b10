#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simcore/ideal_network.hpp"

namespace weft {

/// Delays of an ideal network in which every process has one port (the postal model with
/// bandwidth): messages leave it one after the other at its rate, and come in one after the other;
/// in between there is a latency and room for everything. What a one-switch fabric without
/// congestion does, at the cost of messages instead of packets.
class PortDelays {
 public:
  /// Acknowledgements take `back` from the delivery. The connections must outlive it.
  PortDelays(const std::vector<Connection>& connections, std::size_t processes, Picoseconds latency,
             BitsPerSecond rate, Picoseconds back)
      : connections_(connections),
        leaves_at_(processes),
        comes_at_(processes),
        latency_(latency),
        rate_(rate),
        back_(back) {}

  IdealNetwork::Delay operator()(ConnectionId connection, Bytes size, Picoseconds now) {
    const Connection& c = connections_[connection.value()];
    const Picoseconds duration = transmission_time(size, rate_);
    Picoseconds& out = leaves_at_[c.source.value()];
    Picoseconds& in = comes_at_[c.destination.value()];
    const Picoseconds begin = std::max(out, now);
    out = begin + duration;
    in = std::max(begin + latency_, in) + duration;
    return {in - now, in - now + back_};
  }

 private:
  const std::vector<Connection>& connections_;
  std::vector<Picoseconds> leaves_at_;  ///< when the port has sent what it has
  std::vector<Picoseconds> comes_at_;   ///< when the port has received what is under way
  Picoseconds latency_;
  BitsPerSecond rate_;
  Picoseconds back_;
};

}  // namespace weft
