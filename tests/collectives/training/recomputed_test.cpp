// What each module of Megatron-Core's selective recomputation repeats, by closed form: operations,
// bytes through memory, bytes kept, and what is exchanged once more.
#include "collectives/training/spec/recomputed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/kernels.hpp"
#include "collectives/training/compute/traffic.hpp"
#include "collectives/training/memory/activations.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/volumes/volumes.hpp"

namespace weft::collectives {
namespace {

using Modules = std::vector<std::string>;

constexpr double kTokens = 512;
constexpr double kWidth = 512;
constexpr double kInner = 2048;
constexpr double kExpertInner = 256;
constexpr double kChosen = 4;
constexpr double kFlops = 312e12 * 0.6;
constexpr double kMemory = 2039e9 * 0.8;

/// Two tensor ranks, sequence-parallel, that share 16 experts; the first layer is dense.
TrainingSpec latent_job(const Modules& modules) {
  TrainingSpec spec;
  spec.model = completed({.layers = 3,
                          .hidden = 512,
                          .ffn = 2048,
                          .heads = 8,
                          .head_size = 64,
                          .vocabulary = 1024,
                          .sequence = 512,
                          .gated_ffn = true,
                          .experts = 16,
                          .top_k = 4,
                          .expert_ffn = 256,
                          .shared_experts = 1,
                          .dense_layers = 1,
                          .kv_rank = 128,
                          .query_rank = 256,
                          .rope_head_size = 32,
                          .value_head_size = 64});
  spec.parallelism.tensor = 2;
  spec.parallelism.sequence_parallel = true;
  spec.parallelism.expert = 2;
  spec.parallelism.expert_tensor = 1;
  spec.compute.gpu = "a100-sxm-80";
  if (modules.empty()) return spec;
  spec.recomputation = Recomputation::kSelective;
  spec.recomputed_modules = modules;
  return spec;
}

constexpr double kShare = kTokens / 2;  // of a rank
constexpr double kUpMatrices = 256.0 * 8 * 96 + 128.0 * 8 * 128;
constexpr double kMoeMatrices = 3 * kWidth * kExpertInner * (kChosen + 1) + kWidth * 16;

TEST(Recomputed, OfSingleModulesTakesTheirOperationsAndBytes) {
  const auto again = [](const Modules& modules, bool has_experts) {
    return to_seconds(layer_time(latent_job(modules), has_experts).recomputed);
  };
  const double norms = kShare * 2 * 2 * kWidth * 2 / kMemory;
  EXPECT_NEAR(again({"layernorm"}, false), norms, 2e-12);
  EXPECT_NEAR(again({"layernorm"}, true), norms, 2e-12);
  const double up = kShare * 2 * kUpMatrices / kFlops + kShare * 2 * 9 * 32 * 2 / kMemory;
  EXPECT_NEAR(again({"mla_up_proj"}, true), up, 2e-12);
  const double activation = kShare * 3 * kChosen * kExpertInner * 2 / kMemory;
  EXPECT_NEAR(again({"moe_act"}, true), activation, 2e-12);
  EXPECT_EQ(again({"moe_act"}, false), 0);
  const double mlp = kShare * 2 * 3 * kWidth * kInner / kFlops + kShare * 3 * kInner * 2 / kMemory;
  EXPECT_NEAR(again({"mlp"}, false), mlp, 2e-12);
  EXPECT_EQ(again({"mlp"}, true), 0);
  const double moved = 3 * (kChosen + 1) * kExpertInner * 2 + 4 * kChosen * kWidth * 2;
  const double moe = kShare * 2 * kMoeMatrices / kFlops + kShare * moved / kMemory;
  EXPECT_NEAR(again({"moe"}, true), moe, 2e-12);
  EXPECT_EQ(again({"moe"}, false), 0);
  // Together they take the sum; what runs again as a whole repeats its activation function once.
  EXPECT_NEAR(again({"layernorm", "mla_up_proj", "moe", "moe_act"}, true), norms + up + moe, 4e-12);
}

// Only what is a pass of its own, with its exchanges, is apart from the backward pass.
TEST(Recomputed, OfHalvesIsAPassOfItsOwn) {
  for (const bool by_shapes : {false, true}) {
    TrainingSpec spec = latent_job({"layernorm", "mla_up_proj", "mlp", "moe"});
    if (by_shapes) spec.compute.kernels.model = KernelSpec::Model::kRoofline;
    for (const bool has_experts : {false, true}) {
      const PassTimes times = layer_time(spec, has_experts);
      const LayerParts parts = layer_parts(spec, has_experts);
      TrainingSpec only = spec;
      only.recomputed_modules = {has_experts ? "moe" : "mlp"};
      EXPECT_EQ(times.apart, layer_time(only, has_experts).recomputed);
      EXPECT_EQ(parts.attention.apart, Picoseconds(0));
      EXPECT_GT(parts.attention.recomputed, Picoseconds(0));
      EXPECT_LT(parts.attention.recomputed, times.recomputed - times.apart);
      if (has_experts) {
        EXPECT_EQ(parts.shared.apart, parts.shared.forward);
      }
    }
  }
}

// By shapes of kernels, a half that runs again takes what it took, but for the norm before and the
// sum after it.
TEST(Recomputed, ByShapesTakesWhatItTookBefore) {
  TrainingSpec spec = latent_job({"mlp", "moe"});
  spec.compute.kernels.model = KernelSpec::Model::kRoofline;
  const double launch = to_seconds(spec.compute.kernels.launch);
  for (const bool has_experts : {false, true}) {
    const PassTimes times = layer_time(spec, has_experts);
    const PassTimes attention = layer_parts(spec, has_experts).attention;
    const double norm_and_sum = kShare * (2 + 3) * kWidth * 2 / kMemory + 2 * launch;
    EXPECT_NEAR(to_seconds(times.apart),
                to_seconds(times.forward - attention.forward) - norm_and_sum, 3e-12);
  }
  const LayerProducts products = layer_products(spec, true, 1);
  ASSERT_EQ(products.latent_up.size(), 2U);
  spec.recomputed_modules = {"mla_up_proj"};
  const double bytes = kShare * (2 * 9 * 32 + 2 * 8 * 128 + 8 * 32) * 2;
  EXPECT_NEAR(to_seconds(layer_time(spec, true).recomputed),
              product_times(products.latent_up, spec).forward + bytes / kMemory + 2 * launch,
              3e-12);
}

TEST(Recomputed, ModulesCountAsOperationsOfTheHardware) {
  const double none = hardware_flops(latent_job({}));
  const auto more = [&](const Modules& m) { return hardware_flops(latent_job(m)) - none; };
  EXPECT_NEAR(more({"layernorm", "moe_act"}), 0, 1);
  EXPECT_NEAR(more({"mla_up_proj"}) / (3 * 2 * kUpMatrices), 1, 1e-9);
  EXPECT_NEAR(more({"mlp"}) / (2 * 3 * kWidth * kInner), 1, 1e-9);
  EXPECT_NEAR(more({"moe"}) / (2 * 2 * kMoeMatrices), 1, 1e-9);
  EXPECT_NEAR(more({"core_attn"}) / (3 * 512 * 8 * (64 + 32 + 64)), 1, 1e-9);
}

TEST(Recomputed, ModulesKeepLess) {
  const auto less = [](const Modules& modules, bool has_experts) {
    const auto kept = [&](const TrainingSpec& spec) {
      return static_cast<double>(layer_activations(spec, has_experts, spec.recomputation).count());
    };
    return kept(latent_job({})) - kept(latent_job(modules));
  };
  EXPECT_EQ(less({"layernorm"}, false), kShare * 2 * 2 * kWidth);
  EXPECT_EQ(less({"mla_up_proj"}, true), kShare * 2 * 8 * (96 + 96 + 64));
  EXPECT_EQ(less({"moe_act"}, true), kShare * 2 * kChosen * kExpertInner);
  EXPECT_EQ(less({"moe_act"}, false), 0);
  EXPECT_EQ(less({"mlp"}, false), kShare * 2 * 3 * kInner);
  EXPECT_EQ(less({"mlp"}, true), 0);
  const double moe = kShare * 2 * (3 * (kChosen + 1) * kExpertInner + 2 * kChosen * kWidth);
  EXPECT_EQ(less({"moe"}, true), moe);
  EXPECT_EQ(less({"core_attn"}, true), kShare * 4 * 8);
  // While it runs again, one layer's half is there.
  const StageShare share{.expert_layers = 2};
  const auto of_rank = [&](const TrainingSpec& spec) {
    return static_cast<double>(rank_activations(spec, share, 3).count());
  };
  EXPECT_EQ(of_rank(latent_job({})) - of_rank(latent_job({"moe"})), (3 * 2 - 1) * moe);
}

// `mlp` and `moe` repeat sums of tensor-parallel ranks, `moe` ways of tokens; others nothing.
TEST(Recomputed, HalvesRepeatTheirExchanges) {
  const auto sent = [](const Modules& modules, VolumeKind kind) {
    return static_cast<double>(sent_for(volumes_of(latent_job(modules), {}, 0, {}), kind).count());
  };
  const double sums = sent({}, VolumeKind::kTensor);
  const double tokens = sent({}, VolumeKind::kExpert);
  ASSERT_GT(tokens, 0);
  // Three layers of two halves each, twice; shared experts are summed up like a dense half.
  EXPECT_NEAR(sent({"mlp"}, VolumeKind::kTensor) / sums, 13.0 / 12, 1e-9);
  EXPECT_NEAR(sent({"moe"}, VolumeKind::kTensor) / sums, 14.0 / 12, 1e-9);
  EXPECT_EQ(sent({"moe"}, VolumeKind::kExpert) / tokens, 1.5);
  for (const char* const module : {"core_attn", "layernorm", "mla_up_proj", "moe_act"}) {
    EXPECT_EQ(sent({module}, VolumeKind::kTensor), sums) << module;
    EXPECT_EQ(sent({module}, VolumeKind::kExpert), tokens) << module;
  }
  EXPECT_EQ(sent({"mlp"}, VolumeKind::kExpert), tokens);
}

// Three layers send keys and values round a ring of four once forward and once backward; scores
// that run again are a third time. Nothing else sends them again.
TEST(Recomputed, SendsKeysAgainWithScores) {
  const auto sent = [](const Modules& modules, VolumeKind kind) {
    TrainingSpec spec = latent_job(modules);
    spec.parallelism.context = 4;
    return static_cast<double>(sent_for(volumes_of(spec, {}, 0, {}), kind).count());
  };
  const double keys = sent({"layernorm"}, VolumeKind::kContext);
  ASSERT_GT(keys, 0);
  EXPECT_EQ(sent({"core_attn"}, VolumeKind::kContext) / keys, 1.5);
  EXPECT_EQ(sent({"mlp", "moe", "moe_act", "mla_up_proj"}, VolumeKind::kContext), keys);
  EXPECT_EQ(sent({"core_attn"}, VolumeKind::kContextGradient),
            sent({"layernorm"}, VolumeKind::kContextGradient));
}

// A measured forward pass is repeated by the share that the GPU would have; what runs again within
// a measured backward pass is in it.
TEST(Recomputed, OfMeasuredLayersIsAShareOfThem) {
  TrainingSpec spec = latent_job({"moe", "layernorm"});
  const PassTimes gpu = layer_time(spec, true);
  spec.compute.layer = MeasuredLayer{1_ms, 2_ms, 1_ms};
  const PassTimes times = layer_time(spec, true);
  EXPECT_NEAR(to_seconds(times.apart), 1e-3 * to_seconds(gpu.apart) / to_seconds(gpu.forward),
              2e-12);
  EXPECT_EQ(times.recomputed, times.apart);
  EXPECT_EQ(times.backward_inputs, 1_ms);
}

std::string first_problem(const TrainingSpec& spec) {
  const auto problems = module_problems(spec);
  return problems.empty() ? "" : problems.front().message.substr(0, 30);
}

TEST(Recomputed, WithoutAListIsOfScores) {
  TrainingSpec spec = latent_job({"core_attn"});
  const RecomputedModules named = recomputed_modules(spec);
  spec.recomputed_modules.clear();
  EXPECT_EQ(recomputed_modules(spec), named);
  EXPECT_TRUE(named.core_attention && !named.norms && !named.everything);
  spec.recomputation = Recomputation::kNone;
  spec.recomputed_modules = {"moe"};
  EXPECT_EQ(recomputed_modules(spec), RecomputedModules());
}

TEST(Recomputed, ModulesThatThereAreNotAreRefused) {
  EXPECT_EQ(first_problem(latent_job({"mlp", "moe", "moe_act", "mla_up_proj"})), "");
  TrainingSpec spec = latent_job({"mla_up_proj"});
  spec.model.kv_rank = 0;
  EXPECT_EQ(first_problem(spec), "names mla_up_proj; the model h");
  spec = latent_job({"mlp"});
  spec.model.dense_layers = 0;
  EXPECT_EQ(first_problem(spec), "names mlp; all layers of the m");
  spec = latent_job({"moe_act"});
  spec.model.experts = 0;
  EXPECT_EQ(first_problem(spec), "names moe_act; the model has n");
  spec.recomputed_modules = {"moe"};
  EXPECT_EQ(first_problem(spec), "names moe; the model has no ex");
  spec = latent_job({"moe"});
  spec.overlap.experts = OverlapSpec::Experts::kPairs;
  EXPECT_EQ(first_problem(spec), "names moe, which has a forward");
  spec.recomputed_modules = {"moe_act"};
  EXPECT_EQ(first_problem(spec), "");
  spec.recomputed_modules = {"attention"};
  ASSERT_EQ(recomputation_problems(spec).size(), 1U);
  std::vector<schema::Problem> problems;
  check_plan(latent_job({"moe"}), 2, problems);
  EXPECT_TRUE(problems.empty());
}

}  // namespace
}  // namespace weft::collectives
