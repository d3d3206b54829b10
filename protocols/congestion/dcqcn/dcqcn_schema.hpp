#pragma once

#include "protocols/congestion/dcqcn/dcqcn_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How DcqcnConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<DcqcnConfig> dcqcn_schema();

}  // namespace weft::protocols::congestion
