#pragma once

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// The keys of a training job.
[[nodiscard]] schema::Object<TrainingSpec> training_schema();

}  // namespace weft::collectives
