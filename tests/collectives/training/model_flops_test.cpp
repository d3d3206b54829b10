// Operations of a model against the closed forms of Megatron's papers, which count full attention.
// With B samples of s tokens, l layers of hidden size h and a vocabulary of V, per step
//   without recomputation   72 B s l h^2 (1 + s/6h + V/12lh)
//   with all of it          96 B s l h^2 (1 + s/6h + V/16lh)   (Narayanan et al., SC'21, eq. 3)
// Tolerance: rounding of doubles.

#include <gtest/gtest.h>

#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/model/presets.hpp"

namespace weft::collectives {
namespace {

constexpr double kRounding = 1e-12;

struct Shape {
  double l;
  double h;
  double s;
  double v;
};

ModelSpec gpt(const Shape& shape, bool is_causal) {
  const auto whole = [](double x) { return static_cast<std::uint32_t>(x); };
  return completed({.layers = whole(shape.l),
                    .hidden = whole(shape.h),
                    .heads = 32,
                    .vocabulary = whole(shape.v),
                    .sequence = whole(shape.s),
                    .causal_attention = is_causal});
}

double hardware_flops_of(const ModelSpec& model, Recomputation recomputation) {
  TrainingSpec spec;
  spec.model = model;
  spec.recomputation = recomputation;
  return hardware_flops(spec);
}

const Shape kShapes[] = {
    {24, 2304, 2048, 51200}, {96, 12288, 2048, 51200}, {84, 8192, 4096, 131072}};

TEST(ModelFlops, AreTheClosedFormOfMegatronWithoutRecomputation) {
  for (const Shape& x : kShapes) {
    const double form = 72 * x.l * x.h * x.h * (1 + x.s / (6 * x.h) + x.v / (12 * x.l * x.h));
    EXPECT_NEAR(model_flops(gpt(x, false)) / form, 1, kRounding);
    EXPECT_EQ(hardware_flops_of(gpt(x, false), Recomputation::kNone), model_flops(gpt(x, false)));
  }
}

TEST(ModelFlops, AreTheClosedFormOfMegatronWithFullRecomputation) {
  for (const Shape& x : kShapes) {
    const double form = 96 * x.l * x.h * x.h * (1 + x.s / (6 * x.h) + x.v / (16 * x.l * x.h));
    EXPECT_NEAR(hardware_flops_of(gpt(x, false), Recomputation::kFull) / form, 1, kRounding);
  }
}

// Selective recomputation repeats the forward pass of scores alone: 4sh per token and layer, half
// of that with a causal mask, which halves all 12sh of attention.
TEST(ModelFlops, OfAttentionAreHalvedByACausalMask) {
  for (const Shape& x : kShapes) {
    const double full = model_flops(gpt(x, false));
    EXPECT_NEAR((full - model_flops(gpt(x, true))) / (6 * x.s * x.h * x.l), 1, 1e-9);
    EXPECT_NEAR((hardware_flops_of(gpt(x, false), Recomputation::kSelective) - full) /
                    (4 * x.s * x.h * x.l),
                1, 1e-9);
  }
}

// A product with a matrix takes as long for gradients of inputs as for those of weights; scores
// have no weights, and take twice their forward pass for gradients of both factors.
TEST(ModelFlops, ComeApartByDirection) {
  const LayerFlops layer = layer_flops(gpt(kShapes[0], false), false);
  EXPECT_EQ(layer.sharded.forward, layer.sharded.backward_inputs);
  EXPECT_EQ(layer.sharded.forward, layer.sharded.backward_weights);
  EXPECT_EQ(layer.attention.backward_inputs, 2 * layer.attention.forward);
  EXPECT_EQ(layer.attention.backward_weights, 0);
}

// Without attention's scores, a token meets each active matrix once: 6 operations per entry. The
// input embedding is looked up, not multiplied by, and norms have no products: 0.1 %.
TEST(ModelFlops, OfAMixtureAreSixPerActiveParameterAndToken) {
  ModelSpec model = model_preset(ModelSpec::Preset::kDeepSeekV3);
  model.sequence = 1;
  model = completed(model);
  const ModelParameters p = model_parameters(model);
  // The output layer is met once more by the prediction of a second token.
  const auto met = static_cast<double>(p.active() - p.embedding + model.mtp_layers * p.output);
  EXPECT_NEAR(model_flops(model) / (6.0 * met), 1, 1e-3);
}

}  // namespace
}  // namespace weft::collectives
