#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/nscc/nscc_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How NsccConfig is written in a scenario.
[[nodiscard]] schema::Object<NsccConfig> nscc_schema();

/// What NSCC says of itself.
struct NsccSpec {
  using Config = NsccConfig;
  static constexpr const char* kName = "nscc";
  static constexpr const char* kDisplayName = "NSCC";
  static constexpr Needs kRequirements{.marks = true, .acks = true, .path = true, .contexts = true};
  static constexpr std::array<Column, 3> kColumns{{
      {"window_bytes", "bytes that may be in flight to the destination", Column::Form::kInteger},
      {"in_flight_bytes", "of these, that are, as far as the sender knows", Column::Form::kInteger},
      {"average_delay_s", "queueing delay that the window goes by", Column::Form::kSeconds},
  }};
  [[nodiscard]] static schema::Object<Config> schema() { return nscc_schema(); }
  [[nodiscard]] static Config default_config() { return {}; }

  friend bool operator==(const NsccSpec&, const NsccSpec&) = default;
};
static_assert(ControlSpec<NsccSpec>);

}  // namespace weft::protocols::congestion
