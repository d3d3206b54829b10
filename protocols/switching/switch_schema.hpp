#pragma once

#include "simcore/schema.hpp"

namespace weft::protocols {

/// How the policies of SwitchConfig are written in a scenario: everything but the buffer, which is
/// a property of the switch as a part.
[[nodiscard]] schema::Object switch_schema();

}  // namespace weft::protocols
