#pragma once

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// Key by key: whether a plan fits its model and batch is asked elsewhere.
[[nodiscard]] schema::Object<ParallelismSpec> parallelism_schema();
[[nodiscard]] schema::Object<BatchSpec> batch_schema();
[[nodiscard]] schema::Object<RoutingSpec> routing_schema();
[[nodiscard]] schema::Object<ExpertSpec> expert_schema();
[[nodiscard]] schema::Object<OverlapSpec> overlap_schema();

}  // namespace weft::collectives
