#pragma once

#include "protocols/congestion/powertcp/powertcp_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How PowerTcpConfig is written in a scenario.
[[nodiscard]] schema::Object<PowerTcpConfig> powertcp_schema();

}  // namespace weft::protocols::congestion
