#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/powertcp/powertcp_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How PowerTcpConfig is written in a scenario.
[[nodiscard]] schema::Object<PowerTcpConfig> powertcp_schema();

/// What PowerTCP says of itself.
struct PowerTcpSpec {
  using Config = PowerTcpConfig;
  static constexpr const char* kName = "powertcp";
  static constexpr const char* kDisplayName = "PowerTCP";
  static constexpr Needs kRequirements{.acks = true, .path = true, .telemetry = true};
  static constexpr std::array<Column, 3> kColumns{{
      {"rate_bps", "the rate that it sends at"},
      {"window_packets", "packets that may be in flight", Column::Form::kFraction},
      {"power", "of the fullest link, 1 where it is full without a queue", Column::Form::kFraction},
  }};
  [[nodiscard]] static Needs needs(const Config& config) {
    Needs needs = kRequirements;
    needs.repaces = config.rate_change == RateChange::kWaitingPacket;
    return needs;
  }
  [[nodiscard]] static schema::Object<Config> schema() { return powertcp_schema(); }
  [[nodiscard]] static Config default_config() { return {}; }

  friend bool operator==(const PowerTcpSpec&, const PowerTcpSpec&) = default;
};
static_assert(ControlSpec<PowerTcpSpec>);

}  // namespace weft::protocols::congestion
