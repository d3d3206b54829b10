// How long a rank computes. Of a layer with hidden size h, tokens n = b s / c and tensor
// parallelism t, forward: n (24 h^2 + 4 s h) / t operations over peak and efficiency, and bytes
// over bandwidth and efficiency. Tolerance: times are whole picoseconds.

#include <gtest/gtest.h>

#include <string>

#include "collectives/training/compute/compute_schema.hpp"
#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/presets.hpp"
#include "simcore/schema/validate.hpp"

namespace weft::collectives {
namespace {

using namespace weft::literals;  // NOLINT: units

TrainingSpec gpt_job(std::uint32_t tensor) {
  TrainingSpec spec;
  spec.model = completed({.layers = 48,
                          .hidden = 6144,
                          .heads = 64,
                          .vocabulary = 51200,
                          .sequence = 2048,
                          .causal_attention = false,
                          .learned_positions = true,
                          .biases = true,
                          .dropout = true});
  spec.parallelism.tensor = tensor;
  spec.batch.micro = 4;
  spec.compute.gpu = "a100-sxm-80";
  return spec;
}

TEST(Gpus, HaveAllThatComputingAsks) {
  for (const Gpu& gpu : gpus()) {
    EXPECT_TRUE(peak_flops(gpu, NumberFormat::kBf16)) << gpu.name;
    EXPECT_GT(gpu.bandwidth.count(), 8'000'000'000'000) << gpu.name;
    EXPECT_GE(gpu.memory, Bytes(40'000'000'000)) << gpu.name;
    EXPECT_FALSE(gpu.source.empty()) << gpu.name;
    EXPECT_EQ(find_gpu(gpu.name), &gpu);
  }
  EXPECT_EQ(*peak_flops(*find_gpu("h100-sxm"), NumberFormat::kBf16), 989.4e12);
  EXPECT_EQ(find_gpu("abacus"), nullptr);
}

TEST(Gpus, AreRefusedByNameAndByFormat) {
  ComputeSpec compute;
  PrecisionSpec precision;
  EXPECT_TRUE(compute_problems(compute, precision).empty());
  precision.compute = NumberFormat::kMxfp8;
  EXPECT_EQ(compute_problems(compute, precision).at(0).message,
            "does not compute in mxfp8; it has fp32, tf32, bf16, fp16, fp8");
  compute.gpu = "abacus";
  EXPECT_TRUE(compute_problems(compute, precision).at(0).message.starts_with("is unknown"));
}

// Bytes forward, without sequence parallelism: between the blocks 10 h whole, the activation
// function 2 * 4h / t, two bytes each.
TEST(ComputeTime, OfALayerIsItsOperationsAndItsBytes) {
  for (const std::uint32_t t : {1U, 8U}) {
    const TrainingSpec spec = gpt_job(t);
    const double n = 4.0 * 2048;
    const double h = 6144;
    const double flops = n * (24 * h * h + 4 * 2048 * h) / t;
    const double bytes = 2 * n * (10 * h + 8 * h / t);
    const double seconds = flops / (312e12 * 0.6) + bytes / (2039e9 * 0.8);
    EXPECT_NEAR(to_seconds(layer_time(spec, false).forward), seconds, 1e-12);
  }
}

// Gradients of weights: the 24 h^2 alone. Of inputs: these, 8 s h for scores, and the bytes 12 h
// whole and 3 * 4h / t.
TEST(ComputeTime, ComesApartByDirection) {
  const TrainingSpec spec = gpt_job(8);
  const double n = 4.0 * 2048;
  const double h = 6144;
  const PassTimes times = layer_time(spec, false);
  const double weights = n * 24 * h * h / 8 / (312e12 * 0.6);
  EXPECT_NEAR(to_seconds(times.backward_weights), weights, 1e-12);
  const double scores = n * 8 * 2048 * h / 8 / (312e12 * 0.6);
  const double bytes = 2 * n * (12 * h + 12 * h / 8);
  EXPECT_NEAR(to_seconds(times.backward_inputs), weights + scores + bytes / (2039e9 * 0.8), 1e-12);
  EXPECT_EQ(times.recomputed, Picoseconds());
}

// Korthikanti et al. (arXiv 2205.05198, table 4) measured 7.7 ms for this layer with its two
// all-reduces of 2 b s h bytes, each 2 (7/8) of that over NVLink 3, 300 GB/s at best, and scores in
// memory: what the default efficiencies give is within 15 %, which is no more than a check of their
// size.
TEST(ComputeTime, OfAKnownLayerIsOfTheMeasuredSize) {
  TrainingSpec spec = gpt_job(8);
  spec.compute.fused_attention = false;
  const double all_reduces = 2 * 2 * 7.0 / 8 * (2.0 * 4 * 2048 * 6144) / 300e9;
  EXPECT_NEAR(to_seconds(layer_time(spec, false).forward) + all_reduces, 7.7e-3, 0.15 * 7.7e-3);
}

TEST(ComputeTime, OfRecomputationIsTheForwardPassOrItsAttention) {
  TrainingSpec spec = gpt_job(8);
  spec.recomputation = Recomputation::kFull;
  const PassTimes full = layer_time(spec, false);
  EXPECT_EQ(full.recomputed, full.forward);
  spec.recomputation = Recomputation::kSelective;
  const double scores = 4.0 * 2048 * 4 * 2048 * 6144 / 8 / (312e12 * 0.6);
  EXPECT_NEAR(to_seconds(layer_time(spec, false).recomputed), scores, 1e-12);
}

TEST(ComputeTime, OfWhatIsDividedBySequenceAndContext) {
  TrainingSpec spec = gpt_job(8);
  const Work whole = layer_work(spec, false).forward;
  spec.parallelism.sequence_parallel = true;
  const Work divided = layer_work(spec, false).forward;
  EXPECT_NEAR(divided.bytes, 2 * 4.0 * 2048 * 18 * 6144 / 8, 1);
  EXPECT_EQ(divided.flops, whole.flops);
  spec.parallelism.context = 2;
  const Work half = layer_work(spec, false).forward;
  EXPECT_EQ(half.flops, whole.flops / 2);
  EXPECT_EQ(half.wide_flops, whole.wide_flops / 2) << "half of the queries, all of the keys";
}

// A token goes to as many experts wherever they are.
TEST(ComputeTime, OfExpertsDoesNotDependOnWhereTheyAre) {
  TrainingSpec spec;
  spec.model = completed(model_preset(ModelSpec::Preset::kMixtral8x7b));
  const Work alone = layer_work(spec, true).forward;
  spec.parallelism.expert = 8;
  spec.parallelism.data = 8;
  EXPECT_EQ(layer_work(spec, true).forward.flops, alone.flops);
}

// Eight bits halve the time of products but not that of attention and logits.
TEST(ComputeTime, InEightBitsLeavesAttentionInSixteen) {
  TrainingSpec spec = gpt_job(1);
  spec.compute.gpu = "h100-sxm";
  const Work narrow{.flops = 1e15, .wide_flops = 0, .bytes = 0};
  const Work wide{.flops = 0, .wide_flops = 1e15, .bytes = 0};
  const Picoseconds before = time_of(narrow, spec);
  EXPECT_EQ(time_of(wide, spec), before);
  spec.precision.compute = NumberFormat::kFp8;
  EXPECT_EQ(time_of(wide, spec), before);
  EXPECT_NEAR(to_seconds(time_of(narrow, spec)) / to_seconds(before), 0.5, 1e-4);
}

TEST(ComputeTime, TakesMeasuredLayersAsTheyAre) {
  TrainingSpec spec = gpt_job(8);
  spec.compute.layer = MeasuredLayer{7_ms, 12_ms, 5_ms};
  spec.recomputation = Recomputation::kFull;
  const PassTimes times = layer_time(spec, false);
  EXPECT_EQ(times.forward, 7_ms);
  EXPECT_EQ(times.backward_inputs, 7_ms);
  EXPECT_EQ(times.backward_weights, 5_ms);
  EXPECT_EQ(times.backward(), 19_ms);
  EXPECT_GT(output_time(spec).forward, Picoseconds());
}

// Adam with 32-bit copies reads gradient, copy and two moments, writes the last three and the
// parameter: 4 + 2 * 12 + 2 = 30 bytes.
TEST(ComputeTime, OfTheOptimizerIsWhatItReadsAndWrites) {
  TrainingSpec spec = gpt_job(8);
  EXPECT_EQ(optimizer_bytes(spec.precision), 30);
  EXPECT_NEAR(to_seconds(optimizer_time(spec, 1e9)), 30e9 / (2039e9 * 0.8), 1e-12);
  spec.compute.optimizer = 3_ms;
  EXPECT_EQ(optimizer_time(spec, 1e9), 3_ms);
}

TEST(ComputeSchema, DefaultsHaveNoProblems) {
  EXPECT_TRUE(schema::problems_of(compute_schema(), ComputeSpec{}).empty());
  EXPECT_TRUE(schema::problems_of(precision_schema(), PrecisionSpec{}).empty());
  ComputeSpec wrong;
  wrong.layer = MeasuredLayer{7_ms, 5_ms, 6_ms};
  EXPECT_EQ(schema::problems_of(compute_schema(), wrong).at(0).key, "layer.backward_weights");
}

// A table by kind of layer and direction, whatever the GPU.
TEST(ComputeTime, IsMeasuredByKindOfLayer) {
  TrainingSpec spec = gpt_job(1);
  spec.model.experts = 8;
  spec.model.top_k = 2;
  spec.compute.layer = MeasuredLayer{10_us, 20_us, 8_us};
  EXPECT_EQ(layer_time(spec, true).forward, 10_us);
  spec.compute.expert_layer = MeasuredLayer{30_us, 50_us, 20_us};
  EXPECT_EQ(layer_time(spec, false).forward, 10_us);
  EXPECT_EQ(layer_time(spec, true).forward, 30_us);
  EXPECT_EQ(layer_time(spec, true).backward_inputs, 30_us);
  EXPECT_EQ(layer_time(spec, true).backward_weights, 20_us);
}

}  // namespace
}  // namespace weft::collectives
