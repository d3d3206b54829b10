// What models consist of, against what is published of them.

#include <gtest/gtest.h>

#include <string>

#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/model_schema.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/model/presets.hpp"
#include "simcore/schema/validate.hpp"

namespace weft::collectives {
namespace {

using ModelName = ModelSpec::Preset;

ModelParameters parameters_of(ModelName preset) {
  return model_parameters(completed(model_preset(preset)));
}

// Totals of weights that can be downloaded are counts, and must be hit exactly.
TEST(ModelParameters, OfLlama2AreThoseOfItsWeights) {
  EXPECT_EQ(parameters_of(ModelName::kLlama2Of7b).total(), 6'738'415'616U);
  EXPECT_EQ(parameters_of(ModelName::kLlama2Of70b).total(), 68'976'648'192U);
}

// 405.85B and 46.70B: as printed, to their last digit. A dense model has no idle parameters.
TEST(ModelParameters, OfLlama31AndMixtralAreThePublishedOnes) {
  const ModelParameters llama = parameters_of(ModelName::kLlama31Of405b);
  EXPECT_NEAR(static_cast<double>(llama.total()), 405.85e9, 0.005e9);
  EXPECT_EQ(llama.active(), llama.total());
  const ModelParameters mixtral = parameters_of(ModelName::kMixtral8x7b);
  EXPECT_NEAR(static_cast<double>(mixtral.total()), 46.70e9, 0.005e9);
  EXPECT_NEAR(static_cast<double>(mixtral.active()), 12.88e9, 0.005e9);
}

// P = 12 l h^2 (1 + 13/(12h) + (V + s)/(12lh)) (Narayanan et al., SC'21, eq. 2), which leaves out
// the last norm, 2h: 174.6B, exactly but for that.
TEST(ModelParameters, OfGpt3FollowTheFormulaOfMegatron) {
  const std::uint64_t l = 96;
  const std::uint64_t h = 12288;
  const std::uint64_t formula = 12 * l * h * h + 13 * l * h + (50257 + 2048) * h;
  const std::uint64_t total = parameters_of(ModelName::kGpt3Of175b).total();
  EXPECT_EQ(total, formula + 2 * h);
  EXPECT_NEAR(static_cast<double>(total), 174.6e9, 0.05e9);
}

// The report says 671B and 37B, without multi-token prediction; the latter is rounded and does not
// say which embeddings count, 0.93B each: within 2.5 %.
TEST(ModelParameters, OfDeepSeekV3AreThoseOfItsReport) {
  ModelSpec model = model_preset(ModelName::kDeepSeekV3);
  model.mtp_layers = 0;
  const ModelParameters p = model_parameters(completed(model));
  EXPECT_NEAR(static_cast<double>(p.total()), 671e9, 0.5e9);
  EXPECT_NEAR(static_cast<double>(p.active()), 37e9, 0.025 * 37e9);
}

// Brown et al. print 13.0B for what their own numbers make 12.85B: 1.2 %.
TEST(ModelParameters, OfTheGptWith13BillionAreThoseOfItsShape) {
  EXPECT_NEAR(static_cast<double>(parameters_of(ModelName::kGpt13b).total()), 13.0e9, 0.02 * 13e9);
}

// By hand, h 8, 2 heads of 4, 1 of keys and values, 4 experts of 16, 1 shared: attention
// 8*(8+4+4) + 8*8 = 192, an expert 3*8*16 = 384, router 32, norms 16.
TEST(ModelParameters, OfALayerAreCountedByPart) {
  const ModelSpec model = completed({.layers = 2,
                                     .hidden = 8,
                                     .heads = 2,
                                     .kv_heads = 1,
                                     .vocabulary = 10,
                                     .sequence = 4,
                                     .gated_ffn = true,
                                     .experts = 4,
                                     .top_k = 2,
                                     .expert_ffn = 16,
                                     .shared_experts = 1,
                                     .dense_layers = 1});
  const LayerParameters p = layer_parameters(model, true);
  EXPECT_EQ(p.attention, 192U);
  EXPECT_EQ(p.experts, 4U * 384);
  EXPECT_EQ(p.shared_experts, 384U);
  EXPECT_EQ(p.router, 32U);
  EXPECT_EQ(p.norms, 16U);
  EXPECT_EQ(p.feed_forward, 0U);
  EXPECT_EQ(layer_parameters(model, false).feed_forward, 3U * 8 * 32);
  const ModelParameters all = model_parameters(model);
  EXPECT_EQ(all.total() - all.active(), 2U * 384);
}

TEST(Model, ZerosFollowFromOtherNumbers) {
  const ModelSpec gpt = completed(model_preset(ModelName::kGpt3Of175b));
  EXPECT_EQ(gpt.ffn, 49152U);
  EXPECT_EQ(gpt.head_size, 128U);
  EXPECT_EQ(gpt.kv_heads, 96U);
  EXPECT_EQ(completed(model_preset(ModelName::kMixtral8x7b)).expert_ffn, 14336U);
  EXPECT_EQ(completed(ModelSpec{}).head_size, 0U);
}

std::string first_key(const ModelSpec& model) {
  const auto problems = contradictions(model);
  return problems.empty() ? "" : problems.front().key;
}

ModelSpec with(void (*change)(ModelSpec&)) {
  ModelSpec model = model_preset(ModelName::kLlama2Of70b);
  change(model);
  return model;
}

TEST(Model, ContradictionsNameTheirKey) {
  EXPECT_EQ(first_key(ModelSpec{}), "layers");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.heads = 60; })), "heads");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.kv_heads = 7; })), "kv_heads");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.query_rank = 7; })), "query_rank");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.kv_rank = 7; })), "kv_heads");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.top_k = 2; })), "top_k");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.experts = 4; })), "top_k");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.experts = 4, m.top_k = 5; })), "top_k");
  EXPECT_EQ(first_key(with([](ModelSpec& m) { m.experts = 4, m.top_k = 2, m.dense_layers = 80; })),
            "dense_layers");
}

TEST(ModelSchema, EveryPresetIsAModelWithoutProblems) {
  const schema::Object<ModelSpec> keys = model_schema();
  EXPECT_EQ(keys.any().presets.size(), model_presets().size() + 1);
  for (const ModelPreset& preset : model_presets()) {
    EXPECT_TRUE(schema::problems_of(keys, preset.model).empty()) << preset.name;
    EXPECT_EQ(model_preset(preset.model.preset).layers, preset.model.layers);
  }
  EXPECT_FALSE(schema::problems_of(keys, ModelSpec{}).empty());
}

TEST(ModelSchema, TheLargestModelCanBeCounted) {
  using Limits = ModelLimits;
  const ModelSpec model{.layers = Limits::kLayers,
                        .hidden = Limits::kHidden,
                        .ffn = Limits::kFfn,
                        .heads = Limits::kHeads,
                        .head_size = Limits::kHeadSize,
                        .vocabulary = Limits::kVocabulary,
                        .sequence = Limits::kSequence,
                        .gated_ffn = true,
                        .experts = Limits::kExperts,
                        .top_k = 1,
                        .expert_ffn = Limits::kFfn,
                        .shared_experts = Limits::kExperts};
  ASSERT_TRUE(schema::problems_of(model_schema(), model).empty());
  // layers * 2 * experts * 3 * hidden * ffn = 3 * 2^(10 + 1 + 12 + 16 + 19), 0.86e18, and a little.
  EXPECT_NEAR(static_cast<double>(model_parameters(completed(model)).total()), 0.865e18, 0.002e18);
}

}  // namespace
}  // namespace weft::collectives
