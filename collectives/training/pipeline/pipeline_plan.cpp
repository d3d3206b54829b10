#include "collectives/training/pipeline/pipeline_plan.hpp"

#include <algorithm>
#include <string>

#include "collectives/training/pipeline/dual_pipe.hpp"
#include "collectives/training/pipeline/one_by_one.hpp"
#include "collectives/training/pipeline/zero_bubble.hpp"

namespace weft::collectives {

namespace {

/// Forwards of a rank.
constexpr std::uint64_t kMaxTurns = std::uint64_t{1} << 31;

void check_interleaved(const PipelinePlan& plan, std::vector<schema::Problem>& problems) {
  if (plan.schedule != PipelineSchedule::kOneForwardOneBackward) {
    problems.push_back({"parallelism.virtual_stages", "only 1f1b has more than one per rank"});
    return;
  }
  if (plan.ranks < 2) {
    problems.push_back({"parallelism.virtual_stages",
                        "a pipeline of one rank has nothing to interleave; pipeline is 1"});
  }
  if (plan.micro_batches % plan.ranks != 0) {
    problems.push_back({"batch.global", "there are " + std::to_string(plan.micro_batches) +
                                            " micro-batches; an interleaved pipeline takes them in "
                                            "groups of its " +
                                            std::to_string(plan.ranks) + " ranks"});
  }
}

void check_dual_pipe(const PipelinePlan& plan, std::vector<schema::Problem>& problems) {
  if (plan.ranks % 2 != 0) {
    problems.push_back({"parallelism.pipeline",
                        "dualpipe pairs its ranks; " + std::to_string(plan.ranks) + " is odd"});
  }
  if (plan.micro_batches % 2 != 0 || plan.micro_batches / 2 < plan.ranks) {
    problems.push_back({"batch.global", "there are " + std::to_string(plan.micro_batches) +
                                            " micro-batches; dualpipe needs an even number, at "
                                            "least twice its " +
                                            std::to_string(plan.ranks) + " ranks"});
  }
}

bool is_reverse(const PipelinePlan& plan, StagePlace place) {
  return plan.schedule == PipelineSchedule::kDualPipe && place.chunk == 1;
}

/// The place of a stage on the way that goes through `chunk`; DualPipe has two ways.
StagePlace place_on_way(const PipelinePlan& plan, std::uint32_t stage, std::uint32_t chunk) {
  if (is_reverse(plan, {0, chunk})) return {plan.ranks - 1 - stage, 1};
  return {stage % plan.ranks, stage / plan.ranks};
}

}  // namespace

void check_pipeline(const PipelinePlan& plan, std::vector<schema::Problem>& problems) {
  if (plan.ranks == 0) problems.push_back({"parallelism.pipeline", "is 0"});
  if (plan.virtual_stages == 0) problems.push_back({"parallelism.virtual_stages", "is 0"});
  if (plan.micro_batches == 0) problems.push_back({"batch.global", "has no micro-batch"});
  if (plan.ranks == 0 || plan.virtual_stages == 0 || plan.micro_batches == 0) return;
  if (std::uint64_t{plan.micro_batches} * plan.virtual_stages > kMaxTurns) {
    problems.push_back({"batch.global", "has " + std::to_string(plan.micro_batches) +
                                            " micro-batches, more than can be counted"});
    return;
  }
  if (plan.virtual_stages > 1) check_interleaved(plan, problems);
  if (plan.schedule == PipelineSchedule::kDualPipe) check_dual_pipe(plan, problems);
}

SlotStream pipeline_slots(const PipelinePlan& plan, std::uint32_t rank) {
  switch (plan.schedule) {
    case PipelineSchedule::kGpipe:
      return gpipe_slots(plan.micro_batches);
    case PipelineSchedule::kZeroBubbleH1:
      return zero_bubble_h1_slots(plan.ranks, plan.micro_batches, rank);
    case PipelineSchedule::kDualPipe:
      return dual_pipe_slots(plan.ranks, plan.micro_batches, rank);
    case PipelineSchedule::kOneForwardOneBackward:
      break;
  }
  return one_by_one_slots(plan, rank);
}

std::uint32_t passes_of_chunk(const PipelinePlan& plan) {
  const bool is_halved = plan.schedule == PipelineSchedule::kDualPipe;
  return is_halved ? plan.micro_batches / 2 : plan.micro_batches;
}

std::uint32_t stage_of(const PipelinePlan& plan, StagePlace place) {
  if (is_reverse(plan, place)) return plan.ranks - 1 - place.rank;
  return place.chunk * plan.ranks + place.rank;
}

std::optional<StagePlace> forward_target(const PipelinePlan& plan, StagePlace place) {
  const std::uint32_t stage = stage_of(plan, place);
  if (stage + 1 == plan.stages()) return std::nullopt;
  return place_on_way(plan, stage + 1, place.chunk);
}

std::optional<StagePlace> backward_target(const PipelinePlan& plan, StagePlace place) {
  const std::uint32_t stage = stage_of(plan, place);
  if (stage == 0) return std::nullopt;
  return place_on_way(plan, stage - 1, place.chunk);
}

StagePlace place_of(const PipelinePlan& plan, std::uint32_t stage, std::uint32_t micro_batch) {
  const bool is_second =
      plan.schedule == PipelineSchedule::kDualPipe && micro_batch >= plan.micro_batches / 2;
  return place_on_way(plan, stage, is_second ? 1 : 0);
}

std::uint32_t peak_activations(const PipelinePlan& plan, std::uint32_t rank) {
  const std::uint32_t all = plan.micro_batches * plan.virtual_stages;
  switch (plan.schedule) {
    case PipelineSchedule::kGpipe:
      return all;
    case PipelineSchedule::kZeroBubbleH1:
      return std::min(plan.ranks, all);
    case PipelineSchedule::kDualPipe:
      return plan.ranks + 1;
    case PipelineSchedule::kOneForwardOneBackward:
      break;
  }
  // Those of the warm-up, and the one whose forward comes before the first backward.
  return std::min(one_by_one_warm_up(plan, rank) + 1, all);
}

}  // namespace weft::collectives
