#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/swift/swift_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How SwiftConfig is written in a scenario.
[[nodiscard]] schema::Object<SwiftConfig> swift_schema();

/// What Swift says of itself.
struct SwiftSpec {
  using Config = SwiftConfig;
  static constexpr const char* kName = "swift";
  static constexpr const char* kDisplayName = "Swift";
  static constexpr Needs kRequirements{.acks = true, .echo_time = true, .path = true};
  static constexpr std::array<Column, 4> kColumns{{
      {"rate_bps", "the rate that the window allows at the last delay"},
      {"window_packets", "packets that may be in flight", Column::Form::kFraction},
      {"delay_s", "of the last ACK, or the median of the last ones", Column::Form::kSeconds},
      {"target_delay_s", "that the window is held to", Column::Form::kSeconds},
  }};
  [[nodiscard]] static schema::Object<Config> schema() { return swift_schema(); }
  [[nodiscard]] static Config default_config() { return {}; }

  friend bool operator==(const SwiftSpec&, const SwiftSpec&) = default;
};
static_assert(ControlSpec<SwiftSpec>);

}  // namespace weft::protocols::congestion
