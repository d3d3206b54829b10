#pragma once

#include <array>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/rccc/rccc_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How RcccConfig is written in a scenario.
[[nodiscard]] schema::Object<RcccConfig> rccc_schema();

/// What RCCC says of itself.
struct RcccSpec {
  using Config = RcccConfig;
  static constexpr const char* kName = "rccc";
  static constexpr const char* kDisplayName = "RCCC";
  static constexpr Needs kRequirements{.path = true, .grants = true};
  static constexpr std::array<Column, 2> kColumns{{
      {"credit_bytes", "that may be sent without a further grant; below 0: overdrawn"},
      {"requested_bytes", "that the receiver was asked for and has not granted, as far as known"},
  }};
  [[nodiscard]] static schema::Object<Config> schema() { return rccc_schema(); }
  [[nodiscard]] static Config default_config() { return {}; }
  [[nodiscard]] static Needs needs(const Config& config) {
    Needs needs = kRequirements;
    needs.marks = config.adapts_to_marks;
    return needs;
  }

  friend bool operator==(const RcccSpec&, const RcccSpec&) = default;
};
static_assert(ControlSpec<RcccSpec>);

}  // namespace weft::protocols::congestion
