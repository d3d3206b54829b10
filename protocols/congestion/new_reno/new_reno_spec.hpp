#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/new_reno/new_reno_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How NewRenoConfig is written in a scenario.
[[nodiscard]] schema::Object<NewRenoConfig> new_reno_schema();

/// What NewReno says of itself.
struct NewRenoSpec {
  using Config = NewRenoConfig;
  static constexpr const char* kName = "new-reno";
  static constexpr const char* kDisplayName = "NewReno";
  static constexpr Needs kRequirements{.acks = true, .echo_time = true};
  static constexpr std::array<Column, 4> kColumns = kTcpWindowColumns;
  [[nodiscard]] static schema::Object<Config> schema() { return new_reno_schema(); }
  [[nodiscard]] static Config default_config() { return {}; }

  friend bool operator==(const NewRenoSpec&, const NewRenoSpec&) = default;
};
static_assert(ControlSpec<NewRenoSpec>);

}  // namespace weft::protocols::congestion
