#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/hpcc/hpcc_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How HpccConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<HpccConfig> hpcc_schema();

/// What HPCC says of itself.
struct HpccSpec {
  using Config = HpccConfig;
  static constexpr const char* kName = "hpcc";
  static constexpr const char* kDisplayName = "HPCC";
  static constexpr Needs kRequirements{.acks = true, .path = true, .telemetry = true};
  static constexpr std::array<Column, 3> kColumns{{
      {"rate_bps", "the rate that it sends at"},
      {"window_packets", "packets that may be in flight", Column::Form::kFraction},
      {"utilization", "of the fullest link, with what waits there", Column::Form::kFraction},
  }};
  [[nodiscard]] static Needs needs(const Config& config) {
    Needs needs = kRequirements;
    needs.repaces = config.rate_change == RateChange::kWaitingPacket;
    return needs;
  }
  [[nodiscard]] static schema::Object<Config> schema() { return hpcc_schema(); }
  [[nodiscard]] static Config default_config() { return Config::from_preset(Config().preset); }

  friend bool operator==(const HpccSpec&, const HpccSpec&) = default;
};
static_assert(ControlSpec<HpccSpec>);

}  // namespace weft::protocols::congestion
