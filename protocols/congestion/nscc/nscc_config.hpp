#pragma once

#include <cstdint>
#include <optional>

#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// NSCC, the sender's window of Ultra Ethernet (UE specification 1.0, 3.6.13). Steps are for 100
/// Gbps and a round trip of 12 us; `a` scales them by the bandwidth-delay product over 150,000 B,
/// `b` by the target delay over 12 us.
struct NsccConfig {
  enum class Preset : std::uint8_t {
    kUec10,  ///< the specification
    kHtsim,  ///< uet-htsim at 40ccb05, `uec.cpp`, where that differs
  };
  Preset preset = Preset::kUec10;
  /// Without load; it falls to what is measured. Absent: that of the path.
  std::optional<Picoseconds> base_rtt{};
  /// Queueing delay in base round trips. Absent: 0.75 where switches trim, else 1.
  std::optional<double> target{};
  double max_window = 1.5;           ///< in bandwidth-delay products; windows start with it
  double proportional = 4;           ///< alpha: payloads x a b per round trip at no delay
  double fair = 5;                   ///< payloads x a per round trip
  double steady = 0.15;              ///< eta: payloads x a per round trip, always
  double fast = 0.25;                ///< of the window x a per round trip
  double gamma = 0.8;                ///< of the excess delay, that a decrease takes
  double max_decrease = 0.5;         ///< what a decrease leaves at least
  std::uint32_t adjust_packets = 8;  ///< acknowledged between two changes
  /// Without a change for so long there is one. Absent: the base round trip.
  std::optional<Picoseconds> adjust_period{};
  bool quick_adapt = true;
  std::uint32_t quick_gate = 3;  ///< quick adapt acts below the largest window / 2^this
  /// Queueing delay that sets it off. Absent: what a queue that drops takes to drain, and never
  /// where switches trim.
  std::optional<Picoseconds> quick_delay{};
  double delay_gain = 0.0125;  ///< of a sample in the average delay

  [[nodiscard]] static NsccConfig from_preset(Preset preset) {
    NsccConfig config;
    config.preset = preset;
    return config;
  }
  friend bool operator==(const NsccConfig&, const NsccConfig&) = default;
};

}  // namespace weft::protocols::congestion
