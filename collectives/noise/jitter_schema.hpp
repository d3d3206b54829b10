#pragma once

#include "collectives/noise/jitter.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

[[nodiscard]] schema::Object<Jitter> jitter_schema();

}  // namespace weft::collectives
