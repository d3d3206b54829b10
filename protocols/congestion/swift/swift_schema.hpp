#pragma once

#include "protocols/congestion/swift/swift_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How SwiftConfig is written in a scenario.
[[nodiscard]] schema::Object<SwiftConfig> swift_schema();

}  // namespace weft::protocols::congestion
