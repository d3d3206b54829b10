#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/timely/timely_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How TimelyConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<TimelyConfig> timely_schema();

/// What TIMELY says of itself.
struct TimelySpec {
  using Config = TimelyConfig;
  static constexpr const char* kName = "timely";
  static constexpr const char* kDisplayName = "TIMELY";
  static constexpr Needs kRequirements{.acks = true, .echo_time = true};
  static constexpr std::array<Column, 3> kColumns{{
      {"rate_bps", "the rate that it sends at"},
      {"delay_s", "of the last update", Column::Form::kSeconds},
      {"gradient", "of the delay, in minimum round-trip times", Column::Form::kFraction},
  }};
  [[nodiscard]] static schema::Object<Config> schema() { return timely_schema(); }
  [[nodiscard]] static Config default_config() { return Config::from_preset(Config().preset); }

  [[nodiscard]] static Needs needs(const Config& config) {
    Needs needs = kRequirements;
    needs.repaces = config.rate_change == RateChange::kWaitingPacket;
    return needs;
  }
  [[nodiscard]] static BitsPerSecond published_rate(const Config& config) {
    return config.published_rate();
  }

  friend bool operator==(const TimelySpec&, const TimelySpec&) = default;
};
static_assert(ControlSpec<TimelySpec>);

}  // namespace weft::protocols::congestion
