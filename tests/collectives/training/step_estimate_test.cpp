// A training step in closed form, term by term. With b s h tokens' numbers of two bytes, A = 2bsh,
// a ring of n over rate C takes 2 (n-1)/n A/C and 2 (n-1) latencies per all-reduce. Layers are
// measured ones, so that computation is known to the picosecond, and take long, so that the ends of
// the model are next to nothing: 3e-4 is the tolerance where they are neglected.

#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/model/presets.hpp"

namespace weft::collectives {
namespace {

using namespace weft::literals;  // NOLINT: units

constexpr double kEnds = 3e-4;

/// 32 layers of 0.1 + 0.2 s, of which 0.1 of weights; m micro-batches.
TrainingSpec measured_job(std::uint32_t pipeline, std::uint32_t micro_batches) {
  TrainingSpec spec;
  spec.model =
      completed({.layers = 32, .hidden = 4096, .heads = 32, .vocabulary = 8, .sequence = 2048});
  spec.parallelism.pipeline = pipeline;
  spec.batch.global = micro_batches;
  spec.compute.layer = MeasuredLayer{100_ms, 200_ms, 100_ms};
  spec.overlap.gradients = false;
  spec.overlap.pipeline = false;
  spec.overlap.prefetch = false;
  return spec;
}

constexpr double kActivations = 2.0 * 2048 * 4096;

double bubble_share(const TrainingSpec& spec) {
  const StepEstimate e = estimate_step(spec, GroupLinks{});
  return e.term("bubble").seconds / e.term("compute").seconds;
}

// (p-1)/m, interleaved (p-1)/(vm), ZB-H1 (p-1)(F + B - W)/(m (F + B + W)) with F = B = W: (p-1)/3m,
// DualPipe (p/2-1)(F&B + B - 3W)/(m (F + B)) with F&B 3, B 2, W 1: (p/2-1) 2/3m.
TEST(StepEstimate, BubblesAreThoseOfTheirSchedules) {
  for (const auto& [p, m] : {std::pair{2U, 4U}, {4U, 8U}, {8U, 32U}, {8U, 64U}}) {
    TrainingSpec spec = measured_job(p, m);
    const double share = (p - 1.0) / m;
    EXPECT_NEAR(bubble_share(spec) / share, 1, kEnds);
    spec.parallelism.schedule = PipelineSchedule::kGpipe;
    EXPECT_NEAR(bubble_share(spec) / share, 1, kEnds);
    spec.parallelism.schedule = PipelineSchedule::kZeroBubbleH1;
    EXPECT_NEAR(bubble_share(spec) / (share / 3), 1, kEnds);
    spec.parallelism.schedule = PipelineSchedule::kOneForwardOneBackward;
    spec.parallelism.virtual_stages = 2;
    EXPECT_NEAR(bubble_share(spec) / (share / 2), 1, kEnds);
  }
  TrainingSpec spec = measured_job(8, 32);
  spec.parallelism.schedule = PipelineSchedule::kDualPipe;
  EXPECT_NEAR(bubble_share(spec) / (3 * 2.0 / 3 / 32), 1, kEnds);
}

// The slowest stage sets the pace: 9 of 30 layers on the first of 4, 7 on the others, so 8 * 2.7 s
// of computation. The first rank has done its 4 first forwards at 3.6 s, and gets a gradient at 0.9
// + 3 * 2.1 s; what it sends last comes back after 3 * 2.1 s, of which 3 backwards of 1.8 s pass.
TEST(StepEstimate, UnevenStagesGoAtThePaceOfTheSlowest) {
  TrainingSpec spec = measured_job(4, 8);
  spec.model.layers = 30;
  spec.parallelism.stage_layers = {9, 7, 7, 7};
  const StepEstimate e = estimate_step(spec, GroupLinks{});
  EXPECT_NEAR(e.term("compute").seconds, 8 * 2.7, kEnds * 8 * 2.7);
  EXPECT_NEAR(e.term("bubble").seconds, 3.6 + 0.9, kEnds * 8 * 2.7);
}

// 4 all-reduces per layer and micro-batch, 6 with full recomputation; the embedding's and the
// output's besides. With sequence parallelism 2 more all-gathers, half an all-reduce each, and one
// of the output's input.
TEST(StepEstimate, TensorParallelismTakesFourSumsPerLayerOrSix) {
  TrainingSpec spec = measured_job(1, 4);
  spec.parallelism.tensor = 8;
  const GroupLinks links{.tensor = {3600_Gbps, 2_us}};
  const double sum = 2 * 7.0 / 8 * kActivations / 450e9 + 14 * 2e-6;
  EXPECT_NEAR(estimate_step(spec, links).term("tensor").seconds, 4 * (32 * 4 + 2) * sum, 1e-9);
  spec.recomputation = Recomputation::kFull;
  EXPECT_NEAR(estimate_step(spec, links).term("tensor").seconds, 4 * (32 * 6 + 2) * sum, 1e-9);
  spec.recomputation = Recomputation::kSelective;
  EXPECT_NEAR(estimate_step(spec, links).term("tensor").seconds, 4 * (32 * 4 + 2) * sum, 1e-9);
  spec.parallelism.sequence_parallel = true;
  EXPECT_NEAR(estimate_step(spec, links).term("tensor").seconds, 4 * (32 * 5 + 2.5) * sum, 1e-9);
}

// Chunks of which one is sent while the next is computed leave the last, T/c, or T - G(1 - 1/c) of
// what takes longer than computing.
TEST(StepEstimate, ChunksHideWhatComputationCovers) {
  TrainingSpec spec = measured_job(1, 1);
  spec.parallelism.tensor = 8;
  spec.overlap.tensor = true;
  GroupLinks links{.tensor = {3600_Gbps, {}}};
  const double sum = 2 * 7.0 / 8 * kActivations / 450e9;
  EXPECT_NEAR(estimate_step(spec, links).term("tensor").exposed, (32 * 4.0 / 4 + 2) * sum, 1e-9);
  links.tensor.rate = 360_Mbps;
  const double slow = 10'000 * sum;
  EXPECT_NEAR(estimate_step(spec, links).term("tensor").exposed,
              (32 * 4.0 + 2) * slow - 32 * 0.3 * 0.75, 1e-9);
}

// Sends that block: each of 2 ranks waits for 16 of its own; rank 0 for the first result that comes
// back, and for the last, rank 1 for the first input. Beside computation: a micro-batch comes back
// after two sends, and two are under way. So one of each pair of 16 waits for two, as a bubble for
// the one that its neighbour waits for itself; and rank 0 waits for one more at the end.
TEST(StepEstimate, PipelinesSendEachWayPerMicroBatch) {
  TrainingSpec spec = measured_job(2, 16);
  const GroupLinks links{.pipeline = {400_Gbps, 50_ms}};
  const double send = kActivations / 50e9 + 50e-3;
  const EstimateTerm blocking = estimate_step(spec, links).term("pipeline");
  EXPECT_NEAR(blocking.seconds, 2 * 16 * send, 1e-9);
  EXPECT_NEAR(blocking.exposed, 17.5 * send, kEnds * 80);
  spec.overlap.pipeline = true;
  EXPECT_NEAR(estimate_step(spec, links).term("pipeline").exposed, 8.5 * send, kEnds * 80);
  spec.parallelism.tensor = 4;
  spec.parallelism.sequence_parallel = true;
  EXPECT_NEAR(estimate_step(spec, links).term("pipeline").seconds,
              32 * (kActivations / 4 / 50e9 + 50e-3), 1e-9);
}

// Psi parameters, gradients of 4 bytes and parameters of 2, over d = 8: all-reduce 2 * 7/8 * 4 Psi;
// ZeRO-1 and 2 7/8 (4 + 2) Psi; ZeRO-3 7/8 (4 + 2 * 2) Psi for each of 4 micro-batches.
TEST(StepEstimate, DataParallelismExchangesAsItsStageSays) {
  TrainingSpec spec = measured_job(1, 32);
  spec.parallelism.data = 8;
  const GroupLinks links{.data = {400_Gbps, {}}};
  const auto whole = static_cast<double>(
      rank_parameters(spec.model, spec.parallelism,
                      {.dense_layers = 32, .has_embedding = true, .has_output = true})
          .dense);
  const double unit = 7.0 / 8 * whole / 50e9;
  const double expected[] = {8 * unit, 6 * unit, 6 * unit, 4 * 8 * unit};
  for (std::uint32_t stage = 0; stage <= 3; ++stage) {
    spec.parallelism.zero = stage;
    const StepEstimate e = estimate_step(spec, links);
    EXPECT_NEAR(e.term("data").seconds, expected[stage], 1e-9) << stage;
    EXPECT_NEAR(e.term("data").exposed, e.term("data").seconds, 1e-9) << stage;
    EXPECT_EQ(e.micro_batches, 4U);
  }
}

// Gradients go beside the last backward pass, 6.4 s, bucket by bucket; one layer's fill a bucket of
// 40 MB. Over a fast link those of the first layer and of the embedding are exposed, but for the
// embedding's backward pass; over a slow one all but what is computed after the first layer, 6.2 s.
TEST(StepEstimate, GradientsHideBehindTheLastBackwardPass) {
  TrainingSpec spec = measured_job(1, 8);
  spec.parallelism.data = 8;
  spec.overlap.gradients = true;
  spec.overlap.bucket = 40_MB;
  GroupLinks links{.data = {100'000_Gbps, {}}};
  EstimateTerm data = estimate_step(spec, links).term("data");
  ASSERT_LT(data.seconds, 6.4);
  const auto parameters = [&](const StageShare& share) {
    return static_cast<double>(rank_parameters(spec.model, spec.parallelism, share).dense);
  };
  const double layer = parameters({.dense_layers = 1});
  const double embedding = parameters({.has_embedding = true});
  const double all = parameters({.dense_layers = 32, .has_embedding = true, .has_output = true});
  EXPECT_NEAR(
      data.exposed,
      data.seconds * (layer + embedding) / all - to_seconds(embedding_time(spec).backward()), 1e-9);
  links.data.rate = 10_Gbps;
  data = estimate_step(spec, links).term("data");
  EXPECT_NEAR(data.seconds - data.exposed, 6.2, kEnds * 6.4);
}

// ZeRO-3 beside computation: of 32 layers, one layer's gather and scatter are exposed in each pass,
// but for what has the embedding or the output layer beside it.
TEST(StepEstimate, PrefetchHidesAllLayersButOne) {
  TrainingSpec spec = measured_job(1, 8);
  spec.parallelism.data = 8;
  spec.parallelism.zero = 3;
  spec.overlap.prefetch = true;
  spec.overlap.gradients = true;
  const GroupLinks links{.data = {10'000_Gbps, {}}};
  const EstimateTerm data = estimate_step(spec, links).term("data");
  ASSERT_LT(data.seconds, 3.2);
  const double ends = to_seconds(embedding_time(spec).total() + output_time(spec).total());
  EXPECT_LT(data.exposed, data.seconds / 32);
  EXPECT_NEAR(data.exposed, data.seconds / 32, ends);
  EXPECT_LT(ends, data.seconds / 32 / 4);
}

// Four all-to-alls of top_k copies of a rank's tokens per layer with experts, six with full
// recomputation; 64 experts over 8 ranks.
TEST(StepEstimate, ExpertsTakeFourAllToAllsPerLayerOrSix) {
  TrainingSpec spec = measured_job(1, 16);
  spec.model.experts = 64;
  spec.model.top_k = 2;
  spec.model.expert_ffn = 1024;
  spec.model.dense_layers = 2;
  spec.parallelism.data = 8;
  spec.parallelism.expert = 8;
  const GroupLinks links{.expert = {400_Gbps, 3_us}};
  const double pass = 7.0 / 8 * 2 * kActivations / 50e9 + 7 * 3e-6;
  EXPECT_NEAR(estimate_step(spec, links).term("expert").seconds, 2 * 30 * 4 * pass, 1e-9);
  spec.recomputation = Recomputation::kFull;
  EXPECT_NEAR(estimate_step(spec, links).term("expert").seconds, 2 * 30 * 6 * pass, 1e-9);
}

// Shared experts gather beside tokens that leave, once forward and twice backward, and scatter
// beside tokens that come back. All are shorter than the tokens beside them, so that the wait is
// that for tokens; while both are on their way, each counts as half of it.
TEST(StepEstimate, SharedExpertsExchangeBesideTokens) {
  TrainingSpec spec = measured_job(1, 16);
  spec.model.experts = 64;
  spec.model.top_k = 2;
  spec.model.expert_ffn = 1024;
  spec.model.shared_experts = 1;
  spec.parallelism.tensor = 8;
  spec.parallelism.sequence_parallel = true;
  spec.parallelism.data = 8;
  spec.parallelism.expert = 8;
  spec.parallelism.expert_tensor = 1;
  GroupLinks links{.tensor = {3600_Gbps, {}}, .expert = {400_Gbps, {}}};
  const double gather = 7.0 / 8 * kActivations / 450e9;
  const double way = 7.0 / 8 * 2 * kActivations / 8 / 50e9;
  ASSERT_GT(way, 2 * gather);
  StepEstimate e = estimate_step(spec, links);
  EXPECT_NEAR(e.term("tensor").seconds, 2 * (32 * 10 + 5) * gather, 1e-9);
  EXPECT_NEAR(e.term("tensor").exposed, 2 * (32 * (5 + 5 / 2.0) + 5) * gather, 1e-9);
  EXPECT_NEAR(e.term("expert").exposed, 2 * 32 * (4 * way - 5 / 2.0 * gather), 1e-9);
  // Tokens that take no time hide nothing.
  links.expert.rate = {};
  e = estimate_step(spec, links);
  EXPECT_NEAR(e.term("tensor").exposed, 2 * (32 * 10 + 5) * gather, 1e-9);
  EXPECT_NEAR(e.term("expert").exposed, 0, 1e-12);
}

// Keys and values of 8 of 32 heads of 128: c - 1 calls forward, which scores of a step, a fourth of
// the layer's, are beside; backward as many gradients follow, of which the last has the last step
// beside it, so that four steps are. What is measured is shared out as the GPU would.
TEST(StepEstimate, KeysAndValuesGoRoundBesideScores) {
  TrainingSpec spec = measured_job(1, 1);
  spec.compute.layer = MeasuredLayer{300_us, 600_us, 300_us};
  spec.model.kv_heads = 8;
  spec.parallelism.context = 4;
  GroupLinks links{.context = {400_Gbps, {}}};
  const double step = 2.0 * 2048 / 4 * 8 * 256 / 50e9;
  EstimateTerm context = estimate_step(spec, links).term("context");
  EXPECT_NEAR(context.seconds, 32 * 3 * 3 * step, 1e-9);
  const PassTimes scores = layer_parts(spec, false).scores;
  const double forward = to_seconds(scores.forward) / 4;
  const double backward = to_seconds(scores.backward()) / 4;
  ASSERT_LT(backward, step);
  ASSERT_GT(forward, step / 20);
  EXPECT_NEAR(context.exposed, 32 * (3 * (step - forward) + 6 * step - 4 * backward), 1e-9);
  links.context.rate = 40'000_Gbps;
  EXPECT_EQ(estimate_step(spec, links).term("context").exposed, 0);
}

// A computation of which a part has communication beside it takes longer by what that part loses:
// at a factor of 2, half of the hidden time.
TEST(StepEstimate, CommunicationBesideItSlowsComputation) {
  TrainingSpec spec = measured_job(1, 8);
  spec.parallelism.data = 8;
  spec.overlap.gradients = true;
  spec.compute.communication_slowdown = 2;
  const StepEstimate e = estimate_step(spec, {.data = {400_Gbps, {}}});
  const EstimateTerm& data = e.term("data");
  EXPECT_NEAR(e.term("slowdown").exposed, (data.seconds - data.exposed) / 2, 1e-12);
  EXPECT_GT(e.term("slowdown").exposed, 0);
}

// Without communication, bubbles and bytes, and with an optimiser that takes no time, the step
// takes its operations at the efficiency: MFU is that, and HFU with full recomputation as well.
TEST(StepEstimate, UtilisationIsEfficiencyWhereNothingElseTakesTime) {
  TrainingSpec spec;
  spec.model = completed(model_preset(ModelSpec::Preset::kLlama2Of7b));
  spec.compute.memory_efficiency = 1;
  spec.compute.optimizer = Picoseconds();
  spec.batch.global = 4;
  const double bytes_left = 0.06;  // what moving bytes takes of the step, at most
  const StepEstimate e = estimate_step(spec, GroupLinks{});
  EXPECT_LT(e.mfu, 0.6);
  EXPECT_GT(e.mfu, 0.6 * (1 - bytes_left) * (1 - bytes_left));
  EXPECT_EQ(e.mfu, e.hfu);
  EXPECT_GT(e.flops_full_attention, e.flops_per_rank);
  EXPECT_NEAR(e.mfu * 989.4e12 * e.seconds, 4 * 4096 * model_flops(spec.model), 1e6);
  spec.recomputation = Recomputation::kFull;
  const StepEstimate again = estimate_step(spec, GroupLinks{});
  EXPECT_GT(again.hfu / again.mfu, 1.3);
  EXPECT_LT(again.hfu / again.mfu, 4.0 / 3);
}

TEST(StepEstimate, IsTheSumOfWhatIsExposed) {
  TrainingSpec spec;
  spec.model = completed(model_preset(ModelSpec::Preset::kGpt3Of175b));
  spec.parallelism = {.tensor = 8, .pipeline = 8, .data = 8};
  spec.batch.global = 512;
  const GroupLinks links{.tensor = {2966_Gbps, 2_us},
                         .context = {},
                         .expert = {},
                         .pipeline = {376_Gbps, 5_us},
                         .data = {376_Gbps, 5_us}};
  const StepEstimate e = estimate_step(spec, links);
  double sum = 0;
  double communication = 0;
  for (const EstimateTerm& term : e.terms) {
    sum += term.exposed;
    EXPECT_LE(term.exposed, term.seconds + 1e-12) << term.name;
    const bool is_exchange =
        term.name == "tensor" || term.name == "pipeline" || term.name == "data";
    if (is_exchange) communication += term.seconds;
  }
  EXPECT_EQ(e.seconds, sum);
  EXPECT_EQ(e.ranks, 512U);
  EXPECT_EQ(e.micro_batches, 64U);
  EXPECT_NEAR(e.ratio, communication / e.term("compute").seconds, 1e-12);
  EXPECT_NEAR(e.tokens_per_second * e.seconds, 512.0 * 2048, 1e-3);
  // Published steps of this model on H100s reach 40 to 50 %; efficiencies are not fitted to them.
  EXPECT_GT(e.mfu, 0.3);
  EXPECT_LT(e.mfu, 0.6);
}

}  // namespace
}  // namespace weft::collectives
