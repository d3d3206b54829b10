#pragma once

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// The keys of a model; a bare name is a preset.
[[nodiscard]] schema::Object<ModelSpec> model_schema();

}  // namespace weft::collectives
