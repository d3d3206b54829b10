// Multi-token prediction (DeepSeek-AI, arXiv 2412.19437, section 2.2): a layer more, a lookup and a
// projection before it, and the output layer once more.
#include <gtest/gtest.h>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/memory/activations.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/model/presets.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/volumes/volumes.hpp"

namespace weft::collectives {
namespace {

TrainingSpec predicting_job(std::uint32_t mtp_layers) {
  TrainingSpec spec;
  spec.model = completed({.layers = 4,
                          .hidden = 512,
                          .ffn = 2048,
                          .heads = 8,
                          .vocabulary = 1024,
                          .sequence = 512,
                          .mtp_layers = mtp_layers});
  spec.compute.gpu = "a100-sxm-80";
  return spec;
}

// deepseek-ai/DeepSeek-V3, README_WEIGHTS: 11.5B of its own, besides the shared embedding and
// output layer: to the digits printed.
TEST(Prediction, OfDeepSeekV3HasThePublishedParameters) {
  const ModelParameters p =
      model_parameters(completed(model_preset(ModelSpec::Preset::kDeepSeekV3)));
  EXPECT_NEAR(static_cast<double>(p.mtp), 11.5e9, 0.15e9);
  EXPECT_EQ(model_parameters(completed(model_preset(ModelSpec::Preset::kLlama2Of70b))).mtp, 0U);
}

TEST(Prediction, AddsALayerAProjectionAndTheOutputLayer) {
  const ModelSpec one = predicting_job(1).model;
  const ModelSpec none = predicting_job(0).model;
  const double h = 512;
  const double layer = layer_flops(none, false).total();
  EXPECT_NEAR(model_flops(one) - model_flops(none), layer + 6 * (1024 * h + 2 * h * h), 1);
  EXPECT_EQ(model_parameters(one).total() - model_parameters(none).total(),
            layer_parameters(none, false).total() + 2 * 512 * 512 + 3 * 512);
  // As time, besides the layer and the output layer: products, a lookup and two norms.
  const PassTimes joint = joint_time(predicting_job(1));
  const PassTimes lookup = embedding_time(predicting_job(1));
  const double products = 512 * 2 * 2 * h * h / (312e12 * 0.6);
  EXPECT_NEAR(to_seconds(joint.forward - lookup.forward),
              products + 512 * 2 * h * 2 * 2 / (2039e9 * 0.8), 2e-12);
  EXPECT_NEAR(to_seconds(joint.backward_weights - lookup.backward_weights), products, 2e-12);
}

TEST(Prediction, IsInTheLastStageWhichHasACopyOfTheEmbedding) {
  TrainingSpec spec = predicting_job(1);
  spec.parallelism.pipeline = 2;
  const auto shares = stage_shares(spec.model, spec.parallelism);
  EXPECT_EQ(shares[0].layers(), 2U);
  EXPECT_EQ(shares[1].layers(), 3U);
  EXPECT_EQ(shares[1].mtp_layers, 1U);
  const auto held = [&](const ModelSpec& model, const StageShare& share) {
    return rank_parameters(model, spec.parallelism, share).dense;
  };
  StageShare without = shares[1];
  without.mtp_layers = 0;
  const std::uint64_t joint = 2 * 512 * 512 + 3 * 512;
  EXPECT_EQ(held(spec.model, shares[1]) - held(spec.model, without), joint + 1024 * 512);
  StageShare alone = shares[1];
  alone.has_embedding = true;
  StageShare alone_without = alone;
  alone_without.mtp_layers = 0;
  EXPECT_EQ(held(spec.model, alone) - held(spec.model, alone_without), joint);
  ModelSpec tied = spec.model;
  tied.tied_embeddings = true;
  EXPECT_EQ(held(tied, shares[1]) - held(tied, without), joint);
  // Logits and inputs once more, and both norms of the projection.
  const auto kept = [&](const StageShare& share) {
    return static_cast<double>(rank_activations(spec, share, 1).count());
  };
  EXPECT_EQ(kept(shares[1]) - kept(without), 512 * (4 * 512 * 2 + 2 * 512 * 2 + 1024 * 4));
}

// One sum of a lookup and one of the output layer's gradients, and the layer's four.
TEST(Prediction, SendsWhatItsPartsSend) {
  TrainingSpec spec = predicting_job(0);
  spec.parallelism.tensor = 2;
  const auto sent = [&](VolumeKind kind, std::uint32_t rank) {
    StateBytes states;
    states.embedding_gradients = 1000_B;
    return sent_for(volumes_of(spec, states, rank, {}), kind).count();
  };
  const std::int64_t sum = 2 * 512 * 512;  // an all-reduce of two ranks
  const std::int64_t tensor = sent(VolumeKind::kTensor, 0);
  EXPECT_EQ(sent(VolumeKind::kVocabulary, 0), 2 * sum);
  spec.model.mtp_layers = 1;
  EXPECT_EQ(sent(VolumeKind::kVocabulary, 0), 4 * sum);
  EXPECT_EQ(sent(VolumeKind::kTensor, 0) - tensor, 4 * sum);
  EXPECT_EQ(sent(VolumeKind::kEmbedding, 0), 0);
  spec.parallelism.pipeline = 2;
  EXPECT_EQ(sent(VolumeKind::kVocabulary, 0), sum);
  EXPECT_EQ(sent(VolumeKind::kVocabulary, 1), 3 * sum);
  EXPECT_EQ(sent(VolumeKind::kEmbedding, 1), 1000) << "gradients of both copies are added up";
}

TEST(Prediction, IsPartOfTheStep) {
  const auto computed = [](std::uint32_t mtp_layers) {
    return estimate_step(predicting_job(mtp_layers), GroupLinks{}).term("compute").seconds;
  };
  const TrainingSpec spec = predicting_job(2);
  const double each = to_seconds(layer_time(spec, false).total() + output_time(spec).total() +
                                 joint_time(spec).total());
  EXPECT_NEAR(computed(1) - computed(0), each, 1e-11);
  EXPECT_NEAR(computed(2) - computed(0), 2 * each, 1e-11);
}

}  // namespace
}  // namespace weft::collectives
