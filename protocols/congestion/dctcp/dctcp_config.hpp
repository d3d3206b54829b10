#pragma once

#include <cstdint>

#include "protocols/congestion/control_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// DCTCP: cuts by how large a share of the packets is marked (Alizadeh et al., "Data Center TCP
/// (DCTCP)", SIGCOMM 2010, section 3; RFC 8257), with the variations that simulators made to it.
/// Presets and their sources: dctcp_config.cpp.
struct DctcpConfig {
  enum class Preset : std::uint8_t { kPaper, kHtsim, kHpccNs3 };
  /// What is cut and raised.
  enum class Form : std::uint8_t {
    kWindow,  ///< packets in flight (the paper)
    kRate,    ///< bits per second
  };
  /// When.
  enum class Cut : std::uint8_t {
    kOnMark,       ///< at the first mark, then not before all that was sent by then has arrived
    kEveryWindow,  ///< after every window of packets while alpha is above 0
  };

  Preset preset = Preset::kPaper;
  Form form = Form::kWindow;
  Cut cut = Cut::kOnMark;
  double g = 1.0 / 16;  ///< gain of alpha
  double initial_alpha = 1;
  std::uint32_t initial_window = 10;      ///< packets; kWindow
  std::uint32_t slow_start_limit = 0;     ///< packets; 0: slow start until the first mark; kWindow
  BitsPerSecond additive_increase;        ///< per round trip; kRate
  BitsPerSecond minimum_rate = 100_Mbps;  ///< kRate
  bool limits_flight = false;             ///< to what the rate sends in an idle round trip; kRate
  RateChange rate_change = RateChange::kNextPacket;  ///< kRate

  /// All parameters of a named preset.
  static DctcpConfig from_preset(Preset preset);
  /// The rate of the links that its steps were published for; 0 where it has a window, which grows
  /// by the packet, or they are not those of the preset.
  [[nodiscard]] BitsPerSecond published_rate() const;
  friend bool operator==(const DctcpConfig&, const DctcpConfig&) = default;
};

}  // namespace weft::protocols::congestion
