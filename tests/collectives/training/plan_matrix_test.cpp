// What holds of every plan, over a matrix of them: a step takes some finite time that its terms add
// up to, faster links never make it longer, and memory shrinks with what is shared out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/memory/memory_use.hpp"
#include "collectives/training/model/completed.hpp"

namespace weft::collectives {
namespace {

using namespace weft::literals;  // NOLINT: units

TrainingSpec matrix_job(const ParallelismSpec& plan, bool is_mixture) {
  TrainingSpec spec;
  spec.model = completed({.layers = 48,
                          .hidden = 3072,
                          .heads = 24,
                          .vocabulary = 32000,
                          .sequence = 1536,
                          .gated_ffn = true,
                          .experts = is_mixture ? 8U : 0U,
                          .top_k = is_mixture ? 2U : 0U});
  spec.parallelism = plan;
  spec.batch.global = 32 * plan.data;
  return spec;
}

std::vector<ParallelismSpec> all_plans() {
  std::vector<ParallelismSpec> plans;
  for (const std::uint32_t pipeline : {1U, 2U, 4U, 8U}) {
    for (const std::uint32_t tensor : {1U, 3U, 8U, 24U}) {
      for (const std::uint32_t data : {1U, 2U, 4U}) {
        for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) {
          for (const auto schedule :
               {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward,
                PipelineSchedule::kZeroBubbleH1, PipelineSchedule::kDualPipe}) {
            plans.push_back({.tensor = tensor,
                             .sequence_parallel = tensor == 8,
                             .pipeline = pipeline,
                             .schedule = schedule,
                             .data = data,
                             .zero = zero});
          }
        }
      }
    }
  }
  return plans;
}

std::string text_of(const ParallelismSpec& plan) {
  return "tensor " + std::to_string(plan.tensor) + " pipeline " + std::to_string(plan.pipeline) +
         " data " + std::to_string(plan.data) + " zero " + std::to_string(plan.zero) +
         " schedule " + std::to_string(static_cast<int>(plan.schedule)) + " expert " +
         std::to_string(plan.expert);
}

GroupLinks links_of(BitsPerSecond rate) {
  const GroupLink link{rate, 3_us};
  return {.tensor = link, .context = link, .expert = link, .pipeline = link, .data = link};
}

void expect_sound(const TrainingSpec& spec) {
  const StepEstimate slow = estimate_step(spec, links_of(50_Gbps));
  const StepEstimate fast = estimate_step(spec, links_of(400_Gbps));
  double sum = 0;
  for (const EstimateTerm& term : slow.terms) {
    EXPECT_TRUE(std::isfinite(term.exposed) && term.exposed >= 0) << term.name;
    EXPECT_TRUE(std::isfinite(term.seconds) && term.seconds >= 0) << term.name;
    sum += term.exposed;
  }
  EXPECT_EQ(slow.seconds, sum);
  EXPECT_LE(fast.seconds, slow.seconds * (1 + 1e-12));
  EXPECT_EQ(fast.term("compute").seconds, slow.term("compute").seconds);
  EXPECT_GT(slow.mfu, 0);
  EXPECT_LT(slow.mfu, spec.compute.gemm_efficiency);
}

TEST(PlanMatrix, EveryStepTakesAFiniteTimeThatLinksShorten) {
  for (const bool overlaps : {false, true}) {
    for (ParallelismSpec plan : all_plans()) {
      for (const std::uint32_t expert : {0U, 1U, 4U}) {
        plan.expert = std::max(expert, 1U);
        const std::uint32_t ranks = plan.tensor * plan.data;
        if (expert == 4 && ranks % 4 != 0) continue;
        plan.expert_tensor = expert == 4 ? 1 : 0;
        TrainingSpec spec = matrix_job(plan, expert != 0);
        spec.overlap = {
            .gradients = overlaps, .tensor = overlaps, .pipeline = overlaps, .prefetch = overlaps};
        SCOPED_TRACE(text_of(plan));
        expect_sound(spec);
        if (HasFailure()) return;
      }
    }
  }
}

// Stages 1 and 2 share out more than the stage before; stage 3 holds some gathered layers, which
// are less than what it shares out where there are 48 of them on 4 ranks.
TEST(PlanMatrix, MemoryShrinksWithWhatIsSharedOut) {
  for (ParallelismSpec plan : all_plans()) {
    if (plan.zero != 0 || plan.data != 4 || plan.pipeline != 1) continue;
    Bytes before = Bytes::max();
    for (plan.zero = 0; plan.zero <= 3; ++plan.zero) {
      const TrainingSpec spec = matrix_job(plan, false);
      const StageShare share = rank_share(stage_shares(spec.model, plan), plan, 0);
      const Bytes now = memory_use(spec, share, 1).total();
      EXPECT_LT(now, before) << text_of(plan);
      before = now;
    }
  }
}

TEST(PlanMatrix, ActivationsShrinkWithWhatIsDoneAgain) {
  for (const ParallelismSpec& plan : all_plans()) {
    if (plan.zero != 0 || plan.data != 1) continue;
    TrainingSpec spec = matrix_job(plan, true);
    const StageShare share = rank_share(stage_shares(spec.model, plan), plan, 0);
    const auto kept = [&](Recomputation recomputation) {
      spec.recomputation = recomputation;
      return memory_use(spec, share, 8).activations;
    };
    EXPECT_LT(kept(Recomputation::kSelective), kept(Recomputation::kNone)) << text_of(plan);
    EXPECT_LT(kept(Recomputation::kFull), kept(Recomputation::kSelective)) << text_of(plan);
  }
}

}  // namespace
}  // namespace weft::collectives
