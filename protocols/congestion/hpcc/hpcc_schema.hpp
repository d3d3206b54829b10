#pragma once

#include "protocols/congestion/hpcc/hpcc_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How HpccConfig is written in a scenario: the presets and every parameter.
[[nodiscard]] schema::Object<HpccConfig> hpcc_schema();

}  // namespace weft::protocols::congestion
