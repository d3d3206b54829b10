#pragma once

#include <cstdint>

#include "protocols/congestion/control_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// TIMELY: a rate that follows the gradient of the round-trip time (Mittal et al., "TIMELY:
/// RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, section 4). Presets and their
/// sources: timely_config.cpp.
struct TimelyConfig {
  enum class Preset : std::uint8_t { kPaper, kHpccNs3 };

  Preset preset = Preset::kPaper;
  Picoseconds low_threshold = 50_us;    ///< T_low: below it the rate rises
  Picoseconds high_threshold = 500_us;  ///< T_high: above it the rate falls
  Picoseconds minimum_rtt = 20_us;      ///< that the gradient is relative to
  double ewma = 0.875;                  ///< weight of a new difference of round-trip times
  double beta = 0.8;                    ///< of a decrease
  BitsPerSecond additive_increase = 10_Mbps;
  BitsPerSecond hyper_increase = 50_Mbps;  ///< from the increase after `hyper_after` in a row on
  std::uint32_t hyper_after = 5;
  bool hyper_below_low = false;  ///< increases below T_low count for it, and are hyper-active too
  Bytes segment = 64_KiB;        ///< acknowledged between updates; 0: once per round trip
  BitsPerSecond minimum_rate = 100_Mbps;
  RateChange rate_change = RateChange::kNextPacket;

  /// All parameters of a named preset.
  static TimelyConfig from_preset(Preset preset);
  /// The rate of the links that its steps were published for; 0 where they are not those of the
  /// preset.
  [[nodiscard]] BitsPerSecond published_rate() const;
  friend bool operator==(const TimelyConfig&, const TimelyConfig&) = default;
};

}  // namespace weft::protocols::congestion
