#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"

namespace weft::protocols::congestion {

struct NoControlConfig {
  friend bool operator==(const NoControlConfig&, const NoControlConfig&) = default;
};

/// What no control says of itself.
struct NoControlSpec {
  using Config = NoControlConfig;
  static constexpr const char* kName = "none";
  static constexpr const char* kDisplayName = "no congestion control";
  static constexpr Needs kRequirements{};
  static constexpr std::array<Column, 0> kColumns{};
  [[nodiscard]] static schema::Object<Config> schema();
  [[nodiscard]] static Config default_config() { return {}; }

  friend bool operator==(const NoControlSpec&, const NoControlSpec&) = default;
};
static_assert(ControlSpec<NoControlSpec>);

}  // namespace weft::protocols::congestion
