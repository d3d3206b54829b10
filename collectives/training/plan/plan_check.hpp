#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

/// What of a plan cannot be done, and how a model's layers go over its stages.
namespace weft::collectives {

/// Why a training job cannot run as it is stated, by key; nothing for one that can. Sizes that
/// divide are all it asks for: tensor parallelism of 3 or 24, experts without any, more
/// expert-parallel ranks than data-parallel ones are fine where they do. `ranks` is how many the
/// job has; absent: as many as the plan needs. `model` has layers, hidden and heads.
void check_plan(const TrainingSpec& spec, std::optional<std::uint32_t> ranks,
                std::vector<schema::Problem>& problems);

/// How many ranks a plan is for; above a million, a number above a million.
[[nodiscard]] std::uint64_t ranks_of(const ParallelismSpec& parallelism);

/// Of an iteration and data-parallel rank. Requires a batch that check_plan has nothing against.
[[nodiscard]] std::uint32_t micro_batches_of(const TrainingSpec& spec);

/// The layers of each stage in the model's order, as `stage_layers` lists them by pipeline rank,
/// then virtual stage, or evenly. Where they do not come out even, the first stages get one more:
/// the last one has the output layer and the loss besides. Requires a plan that check_plan has
/// nothing against.
[[nodiscard]] std::vector<std::uint32_t> layers_of_stages(const ModelSpec& model,
                                                          const ParallelismSpec& parallelism);

}  // namespace weft::collectives
