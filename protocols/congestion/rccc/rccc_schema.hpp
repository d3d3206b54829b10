#pragma once

#include "protocols/congestion/rccc/rccc_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How RcccConfig is written in a scenario.
[[nodiscard]] schema::Object<RcccConfig> rccc_schema();

}  // namespace weft::protocols::congestion
