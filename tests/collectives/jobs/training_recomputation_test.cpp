// Modules that run again, and layers of multi-token prediction, in runs on the ideal network:
// bytes of every rank against closed forms, and the step against the estimate.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/model/completed.hpp"
#include "tests/collectives/jobs/training_run.hpp"
#include "tests/collectives/jobs/training_volumes.hpp"

namespace weft {
namespace {

using collectives::OverlapSpec;
using collectives::PipelineSchedule;
using collectives::Recomputation;
using collectives::TrainingSpec;
using testing::expect_volumes;
using testing::small_training;
using testing::TrainingRun;

TrainingSpec repeating_job(std::vector<std::string> modules) {
  TrainingSpec spec = small_training();
  spec.model.layers = 8;
  spec.recomputation = Recomputation::kSelective;
  spec.recomputed_modules = std::move(modules);
  return spec;
}

TrainingSpec repeating_mixture(std::vector<std::string> modules) {
  TrainingSpec spec = repeating_job(std::move(modules));
  spec.model.experts = 16;
  spec.model.top_k = 2;
  spec.model.shared_experts = 1;
  spec.model.dense_layers = 1;
  spec.parallelism.tensor = 2;
  spec.parallelism.sequence_parallel = true;
  spec.parallelism.data = 2;
  spec.parallelism.expert = 4;
  spec.parallelism.expert_tensor = 1;
  spec.batch.global = 2;
  return spec;
}

double repeating_step(const TrainingSpec& spec, std::uint32_t ranks, BitsPerSecond rate) {
  const TrainingRun run(spec, ranks, 0_us, rate);
  EXPECT_TRUE(run.is_finished());
  return to_seconds(run.end());
}

double estimated_repeating(TrainingSpec spec, BitsPerSecond rate) {
  spec.model = collectives::completed(spec.model);
  const collectives::GroupLink link{rate, {}};
  return estimate_step(spec, collectives::GroupLinks{link, link, link, link, link}).seconds;
}

TEST(TrainingRecomputation, HalvesSendTheirExchangesAgain) {
  for (const auto overlaps : {OverlapSpec::Experts::kNone, OverlapSpec::Experts::kHalves}) {
    TrainingSpec spec = repeating_mixture({"moe"});
    spec.overlap.experts = overlaps;
    expect_volumes(spec, 4, "moe");
    spec.recomputed_modules = {"mlp", "layernorm"};
    expect_volumes(spec, 4, "mlp");
    spec.recomputed_modules = {"mlp", "moe", "core_attn"};
    spec.overlap.shared_experts = true;
    expect_volumes(spec, 4, "mlp and moe");
  }
}

// Scores of attention are checkpoints: where keys and values go round a context group, they come
// once more before they go with gradients, in halves of micro-batches and with full recomputation
// likewise. By rates at which the exchange is half of the step and more, the step is the estimate's
// within 3 %: what is left is the first step of a ring, which starts with the ranks' own keys.
TEST(TrainingRecomputation, OfScoresSendsKeysAgain) {
  for (const auto schedule :
       {PipelineSchedule::kOneForwardOneBackward, PipelineSchedule::kZeroBubbleH1}) {
    TrainingSpec spec = repeating_job({"core_attn"});
    spec.parallelism.context = 2;
    spec.parallelism.pipeline = 2;
    spec.parallelism.schedule = schedule;
    spec.batch.global = 4;
    expect_volumes(spec, 4, "keys again");
    spec.recomputed_modules.clear();
    expect_volumes(spec, 4, "keys again by default");
  }
  TrainingSpec spec = repeating_job({"core_attn"});
  spec.parallelism.context = 4;
  spec.compute.layer.reset();
  for (const BitsPerSecond rate : {400_Gbps, 50_Gbps}) {
    const double step = repeating_step(spec, 4, rate);
    EXPECT_NEAR(step / estimated_repeating(spec, rate), 1, 0.03) << rate.count();
    TrainingSpec once = spec;
    once.recomputation = Recomputation::kNone;
    once.recomputed_modules.clear();
    EXPECT_GT(step, repeating_step(once, 4, rate)) << rate.count();
  }
}

TEST(TrainingRecomputation, OfHalvesIsInEverySchedule) {
  for (const auto schedule : {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward,
                              PipelineSchedule::kZeroBubbleH1, PipelineSchedule::kDualPipe}) {
    TrainingSpec spec = repeating_mixture({"moe", "mlp"});
    spec.parallelism.pipeline = 2;
    spec.parallelism.schedule = schedule;
    spec.batch.global = 16;
    expect_volumes(spec, 8, "schedule " + std::to_string(static_cast<int>(schedule)));
  }
}

// A rank computes what it does again, no more: without communication the step is the sum.
TEST(TrainingRecomputation, TakesItsTimeInTheBackwardPass) {
  for (const std::vector<std::string>& modules :
       {std::vector<std::string>{"moe"}, {"mlp"}, {"layernorm", "moe_act"}, {"moe", "mlp"}}) {
    TrainingSpec spec = repeating_mixture(modules);
    spec.parallelism = {};
    spec.compute.layer.reset();
    const double step = repeating_step(spec, 1, 0_Gbps);
    EXPECT_NEAR(step / estimated_repeating(spec, 0_Gbps), 1, 1e-9);
    spec.recomputation = Recomputation::kNone;
    spec.recomputed_modules.clear();
    EXPECT_GT(step, repeating_step(spec, 1, 0_Gbps));
  }
}

TEST(TrainingRecomputation, IsAsTheEstimateHasIt) {
  for (const BitsPerSecond rate : {3600_Gbps, 400_Gbps}) {
    for (const auto overlaps : {OverlapSpec::Experts::kNone, OverlapSpec::Experts::kHalves}) {
      TrainingSpec spec = repeating_mixture({"moe", "mlp", "layernorm"});
      spec.compute.layer.reset();
      spec.overlap.experts = overlaps;
      EXPECT_NEAR(repeating_step(spec, 4, rate) / estimated_repeating(spec, rate), 1, 0.03)
          << rate.count();
    }
  }
}

TEST(TrainingPrediction, SendsWhatClosedFormsSay) {
  TrainingSpec spec = small_training();
  spec.model.mtp_layers = 2;
  spec.parallelism.tensor = 2;
  expect_volumes(spec, 2, "one stage");
  spec.parallelism.sequence_parallel = true;
  spec.parallelism.pipeline = 4;
  spec.batch.global = 8;
  expect_volumes(spec, 8, "last of four stages");
  spec.parallelism.schedule = PipelineSchedule::kDualPipe;
  expect_volumes(spec, 8, "both ends");
  spec.parallelism.schedule = PipelineSchedule::kZeroBubbleH1;
  spec.model.tied_embeddings = true;
  expect_volumes(spec, 8, "tied");
  for (const std::uint32_t zero : {1U, 3U}) {
    TrainingSpec shared = repeating_mixture({"moe"});
    shared.model.mtp_layers = 1;
    shared.parallelism.zero = zero;
    expect_volumes(shared, 4, "zero " + std::to_string(zero));
  }
}

TEST(TrainingPrediction, IsAsTheEstimateHasIt) {
  TrainingSpec spec = small_training();
  spec.model.mtp_layers = 1;
  spec.compute.embedding.reset();
  spec.compute.output.reset();
  spec.compute.layer.reset();
  EXPECT_NEAR(repeating_step(spec, 1, 0_Gbps) / estimated_repeating(spec, 0_Gbps), 1, 1e-9);
  spec.parallelism.pipeline = 4;
  spec.batch.global = 8;
  EXPECT_NEAR(repeating_step(spec, 4, 400_Gbps) / estimated_repeating(spec, 400_Gbps), 1, 0.03);
}

}  // namespace
}  // namespace weft
