#pragma once

#include "simcore/schema.hpp"

namespace weft::protocols {

/// How the policies of SwitchConfig are written in a scenario: everything but the buffer and its
/// cells, which are properties of the switch as a part, and the classes beyond the first.
[[nodiscard]] schema::Object switch_schema();

/// How one class says what it does instead of what the fabric's keys say.
[[nodiscard]] schema::Object flow_control_schema();
[[nodiscard]] schema::Object ecn_schema();
[[nodiscard]] schema::Object load_balancing_schema();

}  // namespace weft::protocols
