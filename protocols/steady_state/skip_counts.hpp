#pragma once

#include <cstdint>

namespace weft::protocols {

/// What was left out of a run because it recurred (PacketNetwork::Options::leaps), and is counted
/// as if it had been simulated.
struct Leaps {
  std::uint64_t count = 0;
  std::uint64_t periods = 0;
  std::uint64_t packet_hops = 0;

  Leaps& operator+=(const Leaps& more) {
    count += more.count;
    periods += more.periods;
    packet_hops += more.packet_hops;
    return *this;
  }
  /// What was left out since `before`.
  friend Leaps operator-(const Leaps& now, const Leaps& before) {
    return {.count = now.count - before.count,
            .periods = now.periods - before.periods,
            .packet_hops = now.packet_hops - before.packet_hops};
  }
};

}  // namespace weft::protocols
