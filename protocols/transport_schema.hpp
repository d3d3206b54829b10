#pragma once

#include "simcore/schema.hpp"

namespace weft::protocols {

/// How TransportConfig is written in a scenario: `type: roce` or `type: datagram` with their keys.
/// Describes a TransportConfig.
[[nodiscard]] schema::Object transport_schema();

}  // namespace weft::protocols
