#pragma once

#include <cstdint>

namespace weft::protocols {

/// What a run skipped because it recurred (PacketNetwork::Options::skips), and is counted
/// as if it had been simulated.
struct SkipCounts {
  std::uint64_t count = 0;
  std::uint64_t periods = 0;
  std::uint64_t packet_hops = 0;

  SkipCounts& operator+=(const SkipCounts& more) {
    count += more.count;
    periods += more.periods;
    packet_hops += more.packet_hops;
    return *this;
  }
  /// What was skipped since `before`.
  friend SkipCounts operator-(const SkipCounts& now, const SkipCounts& before) {
    return {.count = now.count - before.count,
            .periods = now.periods - before.periods,
            .packet_hops = now.packet_hops - before.packet_hops};
  }
};

}  // namespace weft::protocols
