#pragma once

#include "collectives/jitter/jitter.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

[[nodiscard]] schema::Object<Jitter> jitter_schema();

}  // namespace weft::collectives
