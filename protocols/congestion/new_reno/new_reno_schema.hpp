#pragma once

#include "protocols/congestion/new_reno/new_reno_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How NewRenoConfig is written in a scenario.
[[nodiscard]] schema::Object<NewRenoConfig> new_reno_schema();

}  // namespace weft::protocols::congestion
