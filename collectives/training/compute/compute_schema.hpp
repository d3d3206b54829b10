#pragma once

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

[[nodiscard]] schema::Object<ComputeSpec> compute_schema();
[[nodiscard]] schema::Object<PrecisionSpec> precision_schema();

}  // namespace weft::collectives
