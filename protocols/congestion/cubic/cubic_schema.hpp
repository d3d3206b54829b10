#pragma once

#include "protocols/congestion/cubic/cubic_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How CubicConfig is written in a scenario.
[[nodiscard]] schema::Object<CubicConfig> cubic_schema();

}  // namespace weft::protocols::congestion
