#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/cubic/cubic_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How CubicConfig is written in a scenario.
[[nodiscard]] schema::Object<CubicConfig> cubic_schema();

/// What CUBIC says of itself.
struct CubicSpec {
  using Config = CubicConfig;
  static constexpr const char* kName = "cubic";
  static constexpr const char* kDisplayName = "CUBIC";
  static constexpr Needs kRequirements{.acks = true, .echo_time = true};
  static constexpr std::array<Column, 5> kColumns = tcp_window_columns_and(
      {"plateau_packets", "the window around which it grows least", Column::Form::kFraction});
  [[nodiscard]] static schema::Object<Config> schema() { return cubic_schema(); }
  [[nodiscard]] static Config default_config() { return {}; }

  friend bool operator==(const CubicSpec&, const CubicSpec&) = default;
};
static_assert(ControlSpec<CubicSpec>);

}  // namespace weft::protocols::congestion
