#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/dctcp/dctcp_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How DctcpConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<DctcpConfig> dctcp_schema();

/// What DCTCP says of itself.
struct DctcpSpec {
  using Config = DctcpConfig;
  static constexpr const char* kName = "dctcp";
  static constexpr const char* kDisplayName = "DCTCP";
  static constexpr Needs kRequirements{
      .marks = true, .acks = true, .echo_time = true, .path = true};
  static constexpr std::array<Column, 4> kColumns{{
      {"rate_bps", "the rate that it sends at, or that the window allows at the last delay"},
      {"alpha", "the moving share of marked packets", Column::Form::kFraction},
      {"window_packets", "packets that may be in flight", Column::Form::kFraction},
      {"delay_s", "of the last ACK", Column::Form::kSeconds},
  }};
  [[nodiscard]] static schema::Object<Config> schema() { return dctcp_schema(); }
  [[nodiscard]] static Config default_config() { return Config::from_preset(Config().preset); }

  [[nodiscard]] static Needs needs(const Config& config) {
    Needs needs = kRequirements;
    needs.repaces =
        config.form == Config::Form::kRate && config.rate_change == RateChange::kWaitingPacket;
    return needs;
  }
  [[nodiscard]] static BitsPerSecond published_rate(const Config& config) {
    return config.published_rate();
  }

  friend bool operator==(const DctcpSpec&, const DctcpSpec&) = default;
};
static_assert(ControlSpec<DctcpSpec>);

}  // namespace weft::protocols::congestion
