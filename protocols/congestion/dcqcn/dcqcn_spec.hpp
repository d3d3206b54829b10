#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/dcqcn/dcqcn_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How DcqcnConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<DcqcnConfig> dcqcn_schema();

/// What DCQCN says of itself.
struct DcqcnSpec {
  using Config = DcqcnConfig;
  static constexpr const char* kName = "dcqcn";
  static constexpr const char* kDisplayName = "DCQCN";
  static constexpr Needs kRequirements{.marks = true, .notices = true};
  static constexpr std::array<Column, 3> kColumns{{
      {"rate_bps", "the rate that it sends at"},
      {"target_bps", "the rate that increases move half way to"},
      {"alpha", "the estimate of congestion", Column::Form::kFraction},
  }};
  [[nodiscard]] static schema::Object<Config> schema() { return dcqcn_schema(); }
  [[nodiscard]] static Config default_config() { return Config::from_preset(Config().preset); }
  /// A window follows the rate, which rises without anything that comes.
  [[nodiscard]] static Needs needs(const Config& config) {
    const bool has_window = config.window == Config::Window::kBdp;
    return {.marks = true, .acks = has_window, .path = has_window, .notices = true};
  }
  [[nodiscard]] static BitsPerSecond published_rate(const Config& config) {
    return config.published_rate();
  }

  friend bool operator==(const DcqcnSpec&, const DcqcnSpec&) = default;
};
static_assert(ControlSpec<DcqcnSpec>);

}  // namespace weft::protocols::congestion
