#pragma once

#include <cstdint>

#include "collectives/jobs/training/training_plan.hpp"
#include "collectives/tasks/tasks.hpp"

namespace weft::collectives {

/// How often a rank makes each call in an iteration. Takes time that does not grow with the
/// micro-batches: each beyond those that fill the pipeline makes the same calls, so that two short
/// iterations say what a long one has.
[[nodiscard]] CallCounts training_calls(const TrainingPlan& plan, std::uint32_t rank);

}  // namespace weft::collectives
