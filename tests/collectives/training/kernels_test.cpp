// How long matrix products take by their shape, against the arithmetic of tiles, waves and bytes.

#include "collectives/training/compute/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/model/presets.hpp"

namespace weft {
namespace {

using collectives::attention_time;
using collectives::KernelSpec;
using collectives::layer_parts;
using collectives::layer_products;
using collectives::layer_time;
using collectives::MatrixProduct;
using collectives::ModelSpec;
using collectives::PassTimes;
using collectives::product_time;
using collectives::TrainingSpec;

/// On an H100 of 132 multiprocessors that does 600 of its 989.4 10^12 operations per second.
TrainingSpec on_h100(KernelSpec::Model model) {
  TrainingSpec spec;
  spec.compute.kernels.model = model;
  spec.compute.gemm_efficiency = 600 / 989.4;
  spec.compute.memory_efficiency = 1;
  return spec;
}

/// A tile of m x n results from k, and what it takes besides.
double tile_time(double m, double n, double k) { return 2 * m * n * k / (600e12 / 132) + 1e-6; }

TEST(Kernels, OfOneEfficiencyTakeTheirOperations) {
  const MatrixProduct product{.m = 100, .n = 200, .k = 300};
  EXPECT_DOUBLE_EQ(product_time(product, on_h100(KernelSpec::Model::kConstant)),
                   2.0 * 100 * 200 * 300 / 600e12);
}

// 8,192 cubed: 32 x 64 tiles of 256 x 128 are 15.5 waves of 132, so 16.
TEST(Kernels, TakeWholeWavesOfWholeTiles) {
  const TrainingSpec spec = on_h100(KernelSpec::Model::kRoofline);
  const MatrixProduct large{.m = 8192, .n = 8192, .k = 8192};
  EXPECT_NEAR(product_time(large, spec), 16 * tile_time(256, 128, 8192), 1e-12);
  // 11 x 12 tiles are one wave, and a column more makes two: of those that fit best.
  const MatrixProduct full{.m = 11 * 256, .n = 12 * 128, .k = 8192};
  EXPECT_NEAR(product_time(full, spec), tile_time(256, 128, 8192), 1e-12);
  const MatrixProduct more{.m = 11 * 256, .n = 12 * 128 + 1, .k = 8192};
  EXPECT_GT(product_time(more, spec), 1.2 * product_time(full, spec));
  EXPECT_LE(product_time(more, spec), 2 * product_time(full, spec));
}

// With 16 rows an H100 reads 8,192 x 8,192 weights of two bytes for longer than it multiplies.
TEST(Kernels, TakeNoLessThanTheirBytes) {
  const TrainingSpec spec = on_h100(KernelSpec::Model::kRoofline);
  const MatrixProduct thin{.m = 16, .n = 8192, .k = 8192};
  const double bytes = 2.0 * (8192.0 * 8192 + 16 * 8192 + 16 * 8192);
  EXPECT_NEAR(product_time(thin, spec), bytes / 3350e9, 1e-12);
}

// Experts of 2,880 and dense layers of 18,432: the efficiency of a shape is that of its tiles.
TEST(Kernels, AreSlowerForSmallMatrices) {
  const TrainingSpec spec = on_h100(KernelSpec::Model::kRoofline);
  const auto rate = [&](const MatrixProduct& p) { return p.flops() / product_time(p, spec); };
  const double dense = rate({.m = 4096, .n = 2 * 18432, .k = 7168});
  const double expert = rate({.m = 256, .n = 2 * 2880, .k = 2880, .count = 2});
  EXPECT_LE(dense, 600e12);
  EXPECT_GT(dense, 0.9 * 600e12);
  EXPECT_LT(expert, 0.9 * dense);
  // Experts of a rank are dealt out together: twice as many fill the last wave better.
  EXPECT_LE(product_time({.m = 256, .n = 2880, .k = 2880, .count = 16}, spec),
            16 * product_time({.m = 256, .n = 2880, .k = 2880}, spec));
}

// Two multiprocessors of a B200 do a tile of 512 x 128 together.
TEST(Kernels, HaveTilesOfTwoMultiprocessorsOnBlackwell) {
  TrainingSpec spec = on_h100(KernelSpec::Model::kRoofline);
  spec.compute.gpu = "b200";
  const MatrixProduct full{.m = 37 * 512, .n = 256, .k = 8192};  // 74 tiles, of 74 pairs
  const double rate = 2250e12 * spec.compute.gemm_efficiency / 74;
  EXPECT_NEAR(product_time(full, spec), 2 * 512 * 128 * 8192.0 / rate + 1e-6, 1e-12);
}

TEST(Kernels, ThatWereMeasuredTakeWhatWasMeasured) {
  TrainingSpec spec = on_h100(KernelSpec::Model::kMeasured);
  spec.compute.kernels.products = {{.m = 4096, .n = 4096, .k = 4096, .time = 250_us},
                                   {.m = 512, .n = 4096, .k = 4096, .time = 50_us}};
  EXPECT_DOUBLE_EQ(product_time({.m = 4096, .n = 4096, .k = 4096}, spec), 250e-6);
  EXPECT_DOUBLE_EQ(product_time({.m = 512, .n = 4096, .k = 4096}, spec), 50e-6);
  // Half way between, in octaves, the mean of both rates; an octave from one and two from the other
  // four fifths of the near one's.
  const double fast = 2 * std::pow(4096.0, 3) / 250e-6;
  const double slow = 2 * 512.0 * 4096 * 4096 / 50e-6;
  const MatrixProduct near{.m = 1024, .n = 4096, .k = 4096};
  EXPECT_NEAR(near.flops() / product_time(near, spec), 0.8 * slow + 0.2 * fast, 1);
}

ModelSpec preset(ModelSpec::Preset name, std::uint32_t sequence) {
  ModelSpec model = collectives::model_preset(name);
  model.sequence = sequence;
  return collectives::completed(model);
}

// The products of a layer are its operations: of dense layers, of heads that share keys, of latent
// attention, and of experts; with tensor and expert parallelism their share of it.
TEST(Kernels, OfALayerAreItsOperations) {
  for (const auto name : {ModelSpec::Preset::kGpt3Of175b, ModelSpec::Preset::kLlama31Of405b,
                          ModelSpec::Preset::kMixtral8x7b, ModelSpec::Preset::kDeepSeekV3}) {
    for (const std::uint32_t tensor : {1U, 4U}) {
      TrainingSpec spec = on_h100(KernelSpec::Model::kRoofline);
      spec.model = preset(name, 4096);
      spec.parallelism.tensor = tensor;
      spec.parallelism.sequence_parallel = tensor > 1;
      const bool has_experts = spec.model.experts > 0;
      if (has_experts) {
        spec.parallelism.data = spec.parallelism.expert = 8;
        spec.parallelism.expert_tensor = 1;
      }
      const collectives::LayerProducts products = layer_products(spec, has_experts, 1);
      double sum = 0;
      for (const auto* part : {&products.attention, &products.feed_forward, &products.shared}) {
        for (const MatrixProduct& p : *part) sum += p.flops();
      }
      const collectives::LayerFlops flops = layer_flops(spec.model, has_experts);
      const double expected = 4096.0 / tensor * (flops.sharded.forward + flops.replicated.forward);
      EXPECT_NEAR(sum / expected, 1, 1e-9) << static_cast<int>(name) << " " << tensor;
    }
  }
}

// Attention and shared experts are parts of a layer; with one efficiency their times are of the
// operations and bytes that they have of it.
TEST(Kernels, OfPartsAddUpToALayer) {
  for (const auto model : {KernelSpec::Model::kConstant, KernelSpec::Model::kRoofline}) {
    TrainingSpec spec = on_h100(model);
    spec.model = preset(ModelSpec::Preset::kDeepSeekV3, 4096);
    spec.parallelism.data = spec.parallelism.expert = 8;
    const PassTimes whole = layer_time(spec, true);
    const collectives::LayerParts parts = layer_parts(spec, true);
    TrainingSpec without = spec;
    without.model.shared_experts = 0;
    const PassTimes rest = layer_time(without, true);
    EXPECT_NEAR(to_seconds(whole.forward - rest.forward), to_seconds(parts.shared.forward),
                0.02 * to_seconds(parts.shared.forward) + 1e-11);
    EXPECT_LT(parts.attention.forward + parts.shared.forward, whole.forward);
    // A dense layer of the same model has the same attention.
    EXPECT_EQ(layer_parts(spec, false).attention.forward, parts.attention.forward);
    EXPECT_EQ(layer_parts(spec, false).shared.forward, Picoseconds(0));
  }
}

// A layer by shapes takes no less than by one efficiency, and its halves of a micro-batch more.
TEST(Kernels, OfHalvesAreLessEfficient) {
  TrainingSpec spec = on_h100(KernelSpec::Model::kRoofline);
  spec.model = preset(ModelSpec::Preset::kMixtral8x7b, 2048);
  spec.parallelism.data = spec.parallelism.expert = 8;
  const Picoseconds whole = layer_time(spec, true).total();
  spec.overlap.experts = collectives::OverlapSpec::Experts::kHalves;
  EXPECT_GT(layer_time(spec, true).total(), whole);
  spec.overlap.experts = {};
  spec.compute.kernels.model = KernelSpec::Model::kConstant;
  EXPECT_LT(layer_time(spec, true).total(), whole);
}

// Blocks of 128 queries of 32 heads, 32 each: 1,024 blocks are 7.76 waves of 132.
TEST(Kernels, OfAttentionHaveWaves) {
  TrainingSpec spec = on_h100(KernelSpec::Model::kRoofline);
  spec.model = preset(ModelSpec::Preset::kMixtral8x7b, 4096);
  EXPECT_NEAR(attention_time(1e12, spec), 2e-6 + 1e12 / 600e12 * 8 * 132 / 1024, 1e-12);
}

}  // namespace
}  // namespace weft
