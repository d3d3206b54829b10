#pragma once

#include "protocols/congestion/dctcp/dctcp_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How DctcpConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<DctcpConfig> dctcp_schema();

}  // namespace weft::protocols::congestion
