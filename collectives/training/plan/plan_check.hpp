#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

/// What of a plan cannot be done, and how many ranks and micro-batches it has.
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

/// Of gradients that are exchanged at once. Unless the scenario says it: Megatron-LM's 40 M
/// parameters, or 1 M for each rank that has the same ones if that is more
/// (megatron/core/distributed, DistributedDataParallelConfig).
[[nodiscard]] Bytes bucket_size(const TrainingSpec& spec);

/// Whether ZeRO-1 and 2 gather what they updated during the next forward pass.
[[nodiscard]] bool gathers_in_forward(const TrainingSpec& spec);

/// How often ZeRO-3 gathers the parameters of a chunk in an iteration, on a rank of the pipeline:
/// before each pass that finds them given up. All its chunks do it equally often.
[[nodiscard]] std::uint64_t gathers_of_chunk(const TrainingSpec& spec, std::uint32_t pipeline_rank);

/// How they go over the ranks of a pipeline.
[[nodiscard]] PipelinePlan pipeline_of(const TrainingSpec& spec);

}  // namespace weft::collectives
