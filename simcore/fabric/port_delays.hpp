#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simcore/messages/zero_load_network.hpp"

namespace weft {

/// Delays of an ideal network in which every process has one port (the postal model with
/// bandwidth): messages leave it one after the other at its rate, and come in one at a time; in
/// between there is a latency and room for everything. What a one-switch fabric without
/// congestion does, at the cost of messages instead of packets.
class PortDelays {
 public:
  /// Acknowledgements take `back` from the delivery. The connections must outlive it.
  PortDelays(const std::vector<Connection>& connections, std::size_t processes, Picoseconds latency,
             BitsPerSecond rate, Picoseconds back)
      : connections_(connections),
        leaves_at_(processes),
        comes_in_(processes),
        latency_(latency),
        rate_(rate),
        back_(back) {}

  ZeroLoadNetwork::Delay operator()(ConnectionId connection, Bytes size, Picoseconds now) {
    const Connection& c = connections_[connection.value()];
    const Picoseconds duration = transmission_time(size, rate_);
    Picoseconds& out = leaves_at_[c.source.value()];
    const Picoseconds begin = std::max(out, now);
    out = begin + duration;
    const Picoseconds end = take(comes_in_[c.destination.value()], begin + latency_, duration, now);
    return {end - now, end - now + back_};
  }

 private:
  struct Busy {
    Picoseconds begin;
    Picoseconds end;
  };

  /// The first time from `earliest` on at which the port is free for that long; returns its end.
  /// Messages are placed when they are posted, which need not be the order in which they come.
  static Picoseconds take(std::vector<Busy>& port, Picoseconds earliest, Picoseconds duration,
                          Picoseconds now) {
    std::erase_if(port, [now](const Busy& b) { return b.end <= now; });
    auto next = port.begin();
    for (; next != port.end() && earliest + duration > next->begin; ++next) {
      earliest = std::max(earliest, next->end);
    }
    port.insert(next, {earliest, earliest + duration});
    return earliest + duration;
  }

  const std::vector<Connection>& connections_;
  std::vector<Picoseconds> leaves_at_;       ///< when the port has sent what it has
  std::vector<std::vector<Busy>> comes_in_;  ///< by port, in order of time: what is under way
  Picoseconds latency_;
  BitsPerSecond rate_;
  Picoseconds back_;
};

}  // namespace weft
