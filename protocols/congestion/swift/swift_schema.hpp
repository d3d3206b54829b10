#pragma once

#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How SwiftConfig is written in a scenario.
[[nodiscard]] schema::Object swift_schema();

}  // namespace weft::protocols::congestion
