#pragma once

#include "protocols/congestion/timely/timely_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How TimelyConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<TimelyConfig> timely_schema();

}  // namespace weft::protocols::congestion
