// Memory of a rank against the formulas of Korthikanti et al. (arXiv 2205.05198) for activations
// and of Rajbhandari et al. (ZeRO, arXiv 1910.02054) for everything else. With s tokens, b samples,
// hidden size h, a heads and t tensor ranks, per layer:
//   no parallelism                    sbh (34 + 5as/h)
//   tensor                            sbh (10 + 24/t + 5as/(ht))
//   tensor and sequence               sbh/t (34 + 5as/h)
//   selective recomputation           the same without 5as/h
//   full recomputation                2sbh
// Tolerance: whole bytes, so half of one.

#include <gtest/gtest.h>

#include "collectives/training/memory/activations.hpp"
#include "collectives/training/memory/memory_use.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/model/presets.hpp"
#include "collectives/training/plan/stage_share.hpp"

namespace weft::collectives {
namespace {

constexpr double kS = 2048;
constexpr double kB = 4;
constexpr double kH = 6144;
constexpr double kA = 64;

TrainingSpec paper_job(std::uint32_t tensor, bool sequence_parallel) {
  TrainingSpec spec;
  spec.model = completed({.layers = 48,
                          .hidden = 6144,
                          .heads = 64,
                          .vocabulary = 51200,
                          .sequence = 2048,
                          .learned_positions = true,
                          .biases = true,
                          .dropout = true});
  spec.parallelism.tensor = tensor;
  spec.parallelism.sequence_parallel = sequence_parallel;
  spec.batch.micro = 4;
  spec.compute.fused_attention = false;
  return spec;
}

double activations(const TrainingSpec& spec, Recomputation recomputation) {
  return static_cast<double>(layer_activations(spec, false, recomputation).count());
}

TEST(Activations, AreThoseOfTheTableOfKorthikanti) {
  const double sbh = kS * kB * kH;
  const double scores = 5 * kA * kS / kH;
  const double t = 8;
  EXPECT_NEAR(activations(paper_job(1, false), Recomputation::kNone), sbh * (34 + scores), 0.5);
  EXPECT_NEAR(activations(paper_job(8, false), Recomputation::kNone),
              sbh * (10 + 24 / t + scores / t), 0.5);
  EXPECT_NEAR(activations(paper_job(8, true), Recomputation::kNone), sbh / t * (34 + scores), 0.5);
  EXPECT_NEAR(activations(paper_job(8, false), Recomputation::kSelective), sbh * (10 + 24 / t),
              0.5);
  EXPECT_NEAR(activations(paper_job(8, true), Recomputation::kSelective), sbh * 34 / t, 0.5);
  EXPECT_NEAR(activations(paper_job(8, false), Recomputation::kFull), 2 * sbh, 0.5);
}

// Section 4.3 of the paper: the output layer adds its inputs, 4sbh, and logits, 4sbV, divided by t;
// the embedding's mask sbh for each micro-batch under way.
TEST(Activations, OfARankAreThoseOfItsLayersAndEnds) {
  const TrainingSpec spec = paper_job(8, true);
  const double layer = activations(spec, Recomputation::kNone);
  const auto of = [&](StageShare share, double in_flight) {
    return static_cast<double>(rank_activations(spec, share, in_flight).count());
  };
  EXPECT_EQ(of({.dense_layers = 6}, 8), 48 * layer);
  EXPECT_EQ(of({.dense_layers = 6, .has_embedding = true}, 8), 48 * layer + 8 * kS * kB * kH / 8);
  EXPECT_EQ(of({.dense_layers = 6, .has_output = true}, 1),
            6 * layer + kS * kB * (4 * kH + 4 * 51200) / 8);
}

TEST(Activations, OfFullRecomputationHaveOneLayerBesides) {
  TrainingSpec spec = paper_job(1, false);
  const double layer = activations(spec, Recomputation::kNone);
  spec.recomputation = Recomputation::kFull;
  const Bytes all = rank_activations(spec, {.dense_layers = 6}, 4);
  EXPECT_EQ(static_cast<double>(all.count()), 24 * 2 * kS * kB * kH + layer);
}

// Figure 1 of ZeRO: 7.5B parameters on 64 ranks, 2 + 2 + 12 bytes each: 120 GB, 31.4 with stage 1,
// 16.6 with 2, 1.9 with 3; to the digits printed.
TEST(StateMemory, IsThatOfTheTableOfZero) {
  TrainingSpec spec;
  spec.parallelism.data = 64;
  spec.precision.gradients = NumberFormat::kFp16;
  const RankParameters parameters{.dense = 7'500'000'000, .experts = 0};
  const double expected[] = {120, 31.4, 16.6, 1.9};
  for (std::uint32_t stage = 0; stage <= 3; ++stage) {
    spec.parallelism.zero = stage;
    const double bytes = static_cast<double>(state_memory(spec, parameters).total().count());
    EXPECT_NEAR(bytes * 1e-9, expected[stage], 0.05) << stage;
  }
}

// Over 8 of the 64 ranks, stage 3: 16 * 7.5 / 8 = 15 GB.
TEST(StateMemory, OfHybridShardsIsSpreadOverTheirRanks) {
  TrainingSpec spec;
  spec.parallelism.data = 64;
  spec.parallelism.zero = 3;
  spec.parallelism.shard_ranks = 8;
  spec.precision.gradients = NumberFormat::kFp16;
  const MemoryUse use = state_memory(spec, {.dense = 7'500'000'000, .experts = 0});
  EXPECT_EQ(use.total(), Bytes(15'000'000'000));
}

// Experts over 64 of 8 * 64 ranks leave 8 that have the same ones, whatever the tensor parallelism
// of the rest.
TEST(StateMemory, OfExpertsIsSpreadOverThoseWhoHaveTheSame) {
  TrainingSpec spec;
  spec.parallelism.tensor = 8;
  spec.parallelism.data = 64;
  spec.parallelism.expert = 64;
  spec.parallelism.expert_tensor = 1;
  spec.parallelism.zero = 1;
  const Replicas ranks = replicas(spec.parallelism);
  EXPECT_EQ(ranks.dense_shards, 64);
  EXPECT_EQ(ranks.experts, 8);
  EXPECT_EQ(ranks.expert_shards, 8);
  const MemoryUse use = state_memory(spec, {.dense = 64'000, .experts = 8'000});
  EXPECT_EQ(use.parameters, Bytes(144'000));
  EXPECT_EQ(use.optimizer, Bytes(24'000));
}

// With no parallelism a rank has all parameters; with all of it the ranks together have them, and
// norms, which are not divided, t times.
TEST(RankParameters, OfAllRanksAreTheModel) {
  for (const ModelPreset& preset : model_presets()) {
    const ModelSpec model = completed(preset.model);
    ParallelismSpec plan;
    const auto all = [&] {
      RankParameters sum;
      const auto stages = stage_shares(model, plan);
      for (std::uint32_t rank = 0; rank < plan.pipeline; ++rank) {
        sum += rank_parameters(model, plan, rank_share(stages, plan, rank));
      }
      return sum;
    };
    const ModelParameters whole = model_parameters(model);
    EXPECT_EQ(all().dense + all().experts, whole.total()) << preset.name;
    plan.pipeline = 4;
    const std::uint64_t copy = shares_embedding(model) ? whole.embedding : 0;
    EXPECT_EQ(all().dense + all().experts, whole.total() + copy) << preset.name;
    plan.tensor = 8;
    plan.expert = 8;
    plan.expert_tensor = 1;
    const RankParameters rank = all();
    const double together = 8.0 * static_cast<double>(rank.dense + rank.experts);
    EXPECT_NEAR(together / static_cast<double>(whole.total() + copy), 1, 0.02) << preset.name;
  }
}

// Fewer heads of keys and values than ranks: each rank has one. h 8192, 64 heads of 128.
TEST(RankParameters, RepeatHeadsOfKeysAndValues) {
  const ModelSpec model = completed(model_preset(ModelSpec::Preset::kLlama2Of70b));
  const auto attention = [&](std::uint32_t tensor) {
    const ParallelismSpec plan{.tensor = tensor};
    const std::uint64_t hidden = 8192;
    return layer_rank_parameters(model, plan, false).dense - 2 * hidden -
           3 * hidden * (28672 / tensor);
  };
  EXPECT_EQ(attention(8), 8192U * 128 * (8 + 2 + 8));
  EXPECT_EQ(attention(16), 8192U * 128 * (4 + 2 + 4));
}

// 10 layers, of which 3 dense, over 2 ranks of 2 virtual stages: 3, 3, 2, 2 in the model's order.
TEST(StageShares, GoEvenlyOrAsListed) {
  ModelSpec model = completed(model_preset(ModelSpec::Preset::kDeepSeekV3));
  model.layers = 10;
  ParallelismSpec plan;
  plan.pipeline = 2;
  plan.virtual_stages = 2;
  const auto even = stage_shares(model, plan);
  ASSERT_EQ(even.size(), 4U);
  EXPECT_EQ(even[0].dense_layers, 3U);
  EXPECT_EQ(even[1].expert_layers, 3U);
  EXPECT_EQ(rank_share(even, plan, 0).layers(), 5U);
  plan.stage_layers = {1, 2, 3, 4};  // rank 0: 1 and 2; rank 1: 3 and 4
  const auto listed = stage_shares(model, plan);
  EXPECT_EQ(listed[1].layers(), 3U);
  EXPECT_EQ(listed[2].layers(), 2U);
  EXPECT_TRUE(listed[0].has_embedding && listed[3].has_output);
}

TEST(StageShares, OfDualPipeLieOnTwoRanks) {
  const ModelSpec model = completed(model_preset(ModelSpec::Preset::kLlama2Of7b));
  ParallelismSpec plan;
  plan.pipeline = 4;
  plan.schedule = PipelineSchedule::kDualPipe;
  const auto stages = stage_shares(model, plan);
  const StageShare first = rank_share(stages, plan, 0);
  EXPECT_EQ(first.layers(), 16U);
  EXPECT_TRUE(first.has_embedding && first.has_output);
}

TEST(MemoryUse, OfZero3HasTheLayersThatAreGathered) {
  TrainingSpec spec;
  spec.model = completed(model_preset(ModelSpec::Preset::kLlama2Of7b));
  spec.parallelism.data = 8;
  spec.parallelism.zero = 3;
  const StageShare share = rank_share(stage_shares(spec.model, spec.parallelism), {}, 0);
  const Bytes layer(2 * static_cast<std::int64_t>(layer_parameters(spec.model, false).total()));
  EXPECT_EQ(memory_use(spec, share, 1).gathered, 2 * layer);
  spec.overlap.prefetch = false;
  EXPECT_EQ(memory_use(spec, share, 1).gathered, layer);
}

}  // namespace
}  // namespace weft::collectives
