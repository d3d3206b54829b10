#pragma once

#include <cstdint>

#include "protocols/congestion/control_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// HPCC: a window that keeps what is in flight just below what links can hold, as their telemetry
/// says (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 3). Presets
/// and their sources: hpcc_config.cpp.
struct HpccConfig {
  enum class Preset : std::uint8_t { kPaper, kNs3 };
  /// Which bytes of the packets in flight the window counts.
  enum class Counts : std::uint8_t { kWire, kPayload };

  Preset preset = Preset::kPaper;
  double target = 0.95;         ///< eta: utilisation that is aimed at
  std::uint32_t max_stage = 5;  ///< additive increases in a row before a multiplicative one
  BitsPerSecond additive_increase = 50_Mbps;
  BitsPerSecond minimum_rate = 1'000_Mbps;
  Picoseconds base_rtt{};  ///< T of all flows; 0: of each flow that of its idle path
  Counts window_counts = Counts::kWire;
  RateChange rate_change = RateChange::kNextPacket;

  /// All parameters of a named preset.
  static HpccConfig from_preset(Preset preset);
  friend bool operator==(const HpccConfig&, const HpccConfig&) = default;
};

}  // namespace weft::protocols::congestion
