#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/training/pipeline/slot.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

/// Pipeline schedules as pure data: what each rank computes in which order, and whom results go to.
/// Nothing here takes time; pipeline_time.hpp and whoever runs a job give slots a duration.
namespace weft::collectives {

/// How a model's stages and a batch's micro-batches go over the ranks of one pipeline.
struct PipelinePlan {
  PipelineSchedule schedule = PipelineSchedule::kOneForwardOneBackward;
  std::uint32_t ranks = 1;
  std::uint32_t virtual_stages = 1;  ///< per rank; above 1 the schedule is interleaved
  std::uint32_t micro_batches = 1;   ///< of an iteration; with DualPipe of both directions together
  bool has_pairs = false;            ///< 1F1B whose forward and backward passes are interwoven

  /// Parts that the model is cut into.
  [[nodiscard]] std::uint32_t stages() const { return ranks * virtual_stages; }
  /// Stages that a rank holds. With DualPipe two, one of each direction: chunk 0 belongs to the
  /// micro-batches that enter at rank 0, chunk 1 to those that enter at the last rank.
  [[nodiscard]] std::uint32_t chunks() const {
    return schedule == PipelineSchedule::kDualPipe ? 2 : virtual_stages;
  }
};

/// How many micro-batches go through a chunk of a rank: all, or with DualPipe half of them.
[[nodiscard]] std::uint32_t passes_of_chunk(const PipelinePlan& plan);

/// A chunk of a rank: where a stage is.
struct StagePlace {
  std::uint32_t rank = 0;
  std::uint32_t chunk = 0;
  bool operator==(const StagePlace&) const = default;
};

/// Why a plan cannot be scheduled, by the key of `parallelism` or `batch` that says so. Nothing
/// else here may be asked of a plan that has problems.
void check_pipeline(const PipelinePlan& plan, std::vector<schema::Problem>& problems);

/// The order of one rank, made as it is asked for: the memory does not depend on the number of
/// micro-batches. Between two ranks, the results of one chunk in one direction are sent in the
/// order in which they are received. No order waits in a circle where receives block and sends are
/// buffered.
[[nodiscard]] SlotStream pipeline_slots(const PipelinePlan& plan, std::uint32_t rank);

/// The stage, 0 .. stages() - 1 in the model's order, that a chunk is.
[[nodiscard]] std::uint32_t stage_of(const PipelinePlan& plan, StagePlace place);

/// Whom a chunk's forward result goes to; nobody from the last stage.
[[nodiscard]] std::optional<StagePlace> forward_target(const PipelinePlan& plan, StagePlace place);
/// Whom a chunk's gradient of its input goes to; nobody from the first stage.
[[nodiscard]] std::optional<StagePlace> backward_target(const PipelinePlan& plan, StagePlace place);

/// Where a micro-batch goes through a stage: with DualPipe by the end that it enters from.
[[nodiscard]] StagePlace place_of(const PipelinePlan& plan, std::uint32_t stage,
                                  std::uint32_t micro_batch);

/// At most how many micro-batches a rank holds activations of, counted per chunk: a rank of an
/// interleaved pipeline that counts n holds those of n / virtual_stages whole shares of the model.
/// A micro-batch counts from the beginning of its forward to the end of the backward of its
/// weights.
[[nodiscard]] std::uint32_t peak_activations(const PipelinePlan& plan, std::uint32_t rank);

}  // namespace weft::collectives
