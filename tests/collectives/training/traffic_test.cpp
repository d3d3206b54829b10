// Bytes that kernels between matrix products move, counted by hand for a dense layer, one of
// experts and one of latent attention; and what they take.

#include "collectives/training/compute/traffic.hpp"

#include <gtest/gtest.h>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/kernels.hpp"
#include "collectives/training/compute/work.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft {
namespace {

using collectives::ExpertSpec;
using collectives::GradientSync;
using collectives::KernelSpec;
using collectives::layer_traffic;
using collectives::LayerTraffic;
using collectives::loss_traffic;
using collectives::MatrixProduct;
using collectives::NumberFormat;
using collectives::product_time;
using collectives::Recomputation;
using collectives::Traffic;
using collectives::TrainingSpec;

constexpr double kBandwidth = 3350e9;  // of an H100, bytes per second

/// A layer of h = 1,024 with 16 heads of 64, sequences of 512; on all of the bandwidth.
TrainingSpec job(KernelSpec::Model model) {
  TrainingSpec spec;
  spec.model.layers = 2;
  spec.model.hidden = 1024;
  spec.model.heads = 16;
  spec.model.vocabulary = 1000;
  spec.model.sequence = 512;
  spec.model = collectives::completed(spec.model);
  spec.compute.memory_efficiency = 1;
  spec.compute.kernels.model = model;
  return spec;
}

/// GPT as Megatron-LM had it in 2021: biases, dropout, positions that are learned, and scores of
/// attention in memory.
TrainingSpec dense_job(KernelSpec::Model model = KernelSpec::Model::kRoofline) {
  TrainingSpec spec = job(model);
  spec.model.biases = spec.model.dropout = spec.model.learned_positions = true;
  spec.compute.fused_attention = false;
  return spec;
}

/// Eight experts of 512, two per token and rank, and one that every token goes to; all with gates.
TrainingSpec expert_job() {
  TrainingSpec spec = job(KernelSpec::Model::kRoofline);
  spec.model.gated_ffn = true;
  spec.model.experts = 8;
  spec.model.top_k = 2;
  spec.model.expert_ffn = 512;
  spec.model.shared_experts = 1;
  spec.parallelism.data = spec.parallelism.expert = 4;
  return spec;
}

void expect_bytes(const Traffic& traffic, double forward, double backward) {
  EXPECT_DOUBLE_EQ(traffic.forward, forward);
  EXPECT_DOUBLE_EQ(traffic.backward, backward);
}

// h numbers are 2,048 bytes. Two norms: 2 and 3 passes each; two sums: 3 and 3. Two dropouts: masks
// of 1,024 bytes either way, and backward 2 passes. Two biases: a pass of gradients.
TEST(KernelTraffic, BetweenHalvesOfADenseLayer) {
  expect_bytes(layer_traffic(dense_job(), false).between, 2 * (2 + 3) * 2048 + 2 * 1024,
               2 * (3 + 3) * 2048 + 2 * 1024 + 2 * 2 * 2048 + 2 * 2048);
  expect_bytes(layer_traffic(dense_job(KernelSpec::Model::kConstant), false).between,
               2 * (2 + 3) * 2048, 2 * (3 + 3) * 2048);
}

// 16 heads have 512 scores each: 16,384 bytes. Softmax: 2 and 3 passes; dropout: 2 and 2, and masks
// of 8,192 bytes. Biases of queries, keys and values: a pass of 3 h.
TEST(KernelTraffic, OfScoresThatLeaveTheChip) {
  TrainingSpec spec = dense_job();
  expect_bytes(layer_traffic(spec, false).attention, 4 * 16384 + 8192, 5 * 16384 + 8192 + 3 * 2048);
  EXPECT_DOUBLE_EQ(collectives::repeated_score_bytes(spec), 4 * 16384 + 8192);
  spec.model.dropout = spec.model.biases = false;
  expect_bytes(layer_traffic(spec, false).attention, 2 * 16384, 3 * 16384);
  EXPECT_DOUBLE_EQ(collectives::repeated_score_bytes(spec), 2 * 16384);
  spec.compute.fused_attention = true;
  expect_bytes(layer_traffic(spec, false).attention, 0, 0);
  EXPECT_DOUBLE_EQ(collectives::repeated_score_bytes(spec), 0);
}

// 4 h are 8,192 bytes: GeLU 2 and 3 passes, and one of gradients for its bias.
TEST(KernelTraffic, OfADenseFeedForward) {
  const LayerTraffic layer = layer_traffic(dense_job(), false);
  expect_bytes(layer.feed_forward, 2 * 8192, 3 * 8192 + 8192);
  expect_bytes(layer.routing, 0, 0);
  expect_bytes(layer.latent, 0, 0);
}

// Eight scores are 32 bytes in 32 bits: the softmax reads and writes them, and writes a byte each;
// backward it reads two and writes one. What router and experts read has two gradients, and with
// the shared expert three; its result is added to the others'.
TEST(KernelTraffic, OfARouter) {
  TrainingSpec spec = expert_job();
  expect_bytes(layer_traffic(spec, true).routing, 2 * 32 + 8 + 3 * 2048, 3 * 32 + 2 * 3 * 2048);
  spec.model.shared_experts = 0;
  expect_bytes(layer_traffic(spec, true).routing, 2 * 32 + 8, 3 * 32 + 3 * 2048);
  expect_bytes(layer_traffic(spec, false).routing, 0, 0);
}

// Three experts' 512 are 3,072 bytes: with gates 3 and 5 passes. Two copies are 4,096 bytes: in the
// order of experts and back, read and written; in an all-to-all in that of ranks, too.
TEST(KernelTraffic, OfExpertsAndTheirTokens) {
  TrainingSpec spec = expert_job();
  const double function = 3072;
  const double copies = 4096;
  const auto permuted = [&](double times) { return times * 2 * copies; };
  expect_bytes(layer_traffic(spec, true).feed_forward, 3 * function + permuted(4),
               5 * function + permuted(4));
  spec.experts.exchange = ExpertSpec::Exchange::kHighThroughput;
  expect_bytes(layer_traffic(spec, true).feed_forward, 3 * function + permuted(2),
               5 * function + permuted(2));
  // Two ranks that share experts have the copies of both.
  spec.parallelism.expert_tensor = 2;
  expect_bytes(layer_traffic(spec, true).feed_forward, 3 * function + permuted(4),
               5 * function + permuted(4));
  spec.parallelism.expert_tensor = 1;
  // Of eight ranks each has one expert, so that the order of ranks is that of experts.
  spec.experts.exchange = ExpertSpec::Exchange::kAllToAll;
  spec.parallelism.data = spec.parallelism.expert = 8;
  expect_bytes(layer_traffic(spec, true).feed_forward, 3 * function + permuted(2),
               5 * function + permuted(2));
}

// With one efficiency copies are put in the order of experts and back, whatever exchanges them.
TEST(KernelTraffic, OfTokensWithOneEfficiency) {
  TrainingSpec spec = expert_job();
  spec.compute.kernels.model = KernelSpec::Model::kConstant;
  expect_bytes(layer_traffic(spec, true).feed_forward, 3 * 3072 + 4 * 4096, 5 * 3072 + 4 * 4096);
}

// 16 queries and 4 keys of 64 numbers, 2,560 bytes: rotated, and with norms of heads 2 and 3
// passes.
TEST(KernelTraffic, OfRotationsAndNormsOfHeads) {
  TrainingSpec spec = job(KernelSpec::Model::kRoofline);
  spec.model.kv_heads = 4;
  expect_bytes(layer_traffic(spec, false).attention, 2 * 2560, 2 * 2560);
  spec.model.head_norms = true;
  expect_bytes(layer_traffic(spec, false).attention, 4 * 2560, 5 * 2560);
  expect_bytes(collectives::last_norm_traffic(spec), 2 * 2048, 3 * 2048);
}

// A norm, a sum and rotations; unfused a second product of scores, softmax and dropout. A norm, a
// sum and a function; the choice of experts, in their order and back, in that of ranks and back.
TEST(KernelTraffic, IsMovedByKernels) {
  TrainingSpec spec = dense_job();
  EXPECT_EQ(collectives::attention_kernels(spec), 6);
  spec.model.dropout = false;
  EXPECT_EQ(collectives::attention_kernels(spec), 5);
  spec.compute.fused_attention = true;
  EXPECT_EQ(collectives::attention_kernels(spec), 3);
  spec.model.kv_rank = 64;
  EXPECT_EQ(collectives::attention_kernels(spec), 6);
  EXPECT_EQ(collectives::feed_forward_kernels(spec, false), 3);
  EXPECT_EQ(collectives::output_kernels(spec), 2);
  spec.compute.fused_loss = false;
  EXPECT_EQ(collectives::output_kernels(spec), 7);
  TrainingSpec mixture = expert_job();
  EXPECT_EQ(collectives::feed_forward_kernels(mixture, true), 8);
  mixture.experts.exchange = ExpertSpec::Exchange::kHighThroughput;
  EXPECT_EQ(collectives::feed_forward_kernels(mixture, true), 6);
  EXPECT_EQ(collectives::shared_expert_kernels(mixture, true), 2);
  EXPECT_EQ(collectives::shared_expert_kernels(mixture, false), 0);
}

// Latent queries of 96 and keys of 64 have norms. 16 heads read 64 + 64 numbers of keys and values,
// and write these and 32 that are rotated; queries and a key of 32 are rotated.
TEST(KernelTraffic, OfLatentAttention) {
  TrainingSpec spec = job(KernelSpec::Model::kRoofline);
  spec.model.query_rank = 96;
  spec.model.kv_rank = 64;
  spec.model.rope_head_size = 32;
  const LayerTraffic layer = layer_traffic(spec, false);
  expect_bytes(layer.latent, 2 * 2 * 160, 3 * 2 * 160);
  const double rotated = 2.0 * 2 * 17 * 32;
  const double joined = 2.0 * 16 * (128 + 128 + 32);
  expect_bytes(layer.attention, rotated + joined, rotated + joined);
}

// Values of 48 numbers: 16 heads read 64 + 48 and write these and 32 that are rotated.
TEST(KernelTraffic, OfLatentValuesOfTheirOwnSize) {
  TrainingSpec spec = job(KernelSpec::Model::kRoofline);
  spec.model.kv_rank = 64;
  spec.model.rope_head_size = 32;
  spec.model.value_head_size = 48;
  const double rotated = 2.0 * 2 * 17 * 32;
  const double joined = 2.0 * 16 * (112 + 112 + 32);
  expect_bytes(layer_traffic(spec, false).attention, rotated + joined, rotated + joined);
}

// Gradients of biases are a pass over gradients of queries, keys and values: of 16 heads and of 4;
// and of 16 with 32 rotated numbers besides in queries and keys, and 48 in values.
TEST(KernelTraffic, OfBiasesOfQueriesKeysAndValues) {
  const auto of_biases = [](TrainingSpec spec) {
    const Traffic without = layer_traffic(spec, false).attention;
    spec.model.qkv_biases = true;
    const Traffic with = layer_traffic(spec, false).attention;
    EXPECT_DOUBLE_EQ(with.forward, without.forward);
    return with.backward - without.backward;
  };
  TrainingSpec spec = job(KernelSpec::Model::kRoofline);
  spec.model.kv_heads = 4;
  EXPECT_DOUBLE_EQ(of_biases(spec), 2.0 * (16 * 64 + 4 * (64 + 64)));
  spec.model.kv_heads = 16;
  spec.model.kv_rank = 64;
  spec.model.rope_head_size = 32;
  spec.model.value_head_size = 48;
  EXPECT_DOUBLE_EQ(of_biases(spec), 2.0 * 16 * (96 + 96 + 48));
}

// With a gate an activation function has two inputs: 3 and 5 passes, and two biases.
TEST(KernelTraffic, OfAGatedFeedForwardWithBiases) {
  TrainingSpec spec = dense_job();
  spec.model.gated_ffn = true;
  expect_bytes(layer_traffic(spec, false).feed_forward, 3 * 8192, (5 + 2) * 8192);
}

// A logit in 16 bits. Fused: read, and written in 32; read, and written. Else 9 passes in 32 bits
// forward and 3 backward.
TEST(KernelTraffic, OfALossInSeparateKernels) {
  TrainingSpec spec = job(KernelSpec::Model::kRoofline);
  expect_bytes(loss_traffic(spec), 1000 * 6, 1000 * 6);
  spec.compute.fused_loss = false;
  expect_bytes(loss_traffic(spec), 1000 * (2 + 9 * 4), 1000 * (3 * 4 + 2));
  spec.compute.kernels.model = KernelSpec::Model::kConstant;
  expect_bytes(loss_traffic(spec), 1000 * 6, 1000 * 6);
}

// Row and positions: 2 and 3 passes, backward one each; dropout 2 and 2 and masks.
TEST(KernelTraffic, OfAnEmbedding) {
  expect_bytes(collectives::embedding_traffic(dense_job()), (2 + 3 + 2) * 2048 + 1024,
               (1 + 1 + 2) * 2048 + 1024);
  expect_bytes(collectives::embedding_traffic(dense_job(KernelSpec::Model::kConstant)), 2 * 2048,
               2048);
}

// Four tensor-parallel ranks have all of what lies between halves, and a quarter of the rest; with
// sequence parallelism a quarter of both.
TEST(KernelTraffic, IsDividedAsTensorsAre) {
  TrainingSpec spec = dense_job();
  const LayerTraffic layer = layer_traffic(spec, false);
  const double inside = layer.attention.forward + layer.feed_forward.forward;
  spec.parallelism.tensor = 4;
  EXPECT_DOUBLE_EQ(layer_work(spec, false).forward.bytes,
                   512 * (layer.between.forward + inside / 4));
  spec.parallelism.sequence_parallel = true;
  EXPECT_DOUBLE_EQ(layer_work(spec, false).forward.bytes, 128 * (layer.between.forward + inside));
  spec.parallelism.context = 2;
  EXPECT_DOUBLE_EQ(layer_work(spec, false).forward.bytes, 64 * (layer.between.forward + inside));
}

// What dropout adds to a layer is its bytes at the bandwidth of memory; recomputing scores repeats
// what lies between their products.
TEST(KernelTraffic, TakesItsBytesOverTheBandwidth) {
  TrainingSpec spec = dense_job();
  spec.model.biases = false;
  spec.recomputation = Recomputation::kSelective;
  spec.compute.kernels.launch = {};
  const auto with = layer_time(spec, false);
  spec.model.dropout = false;
  const auto without = layer_time(spec, false);
  const double forward = 2 * 1024 + 2 * 16384 + 8192;
  const double backward = 2 * 1024 + 4 * 2048 + 2 * 16384 + 8192;
  EXPECT_NEAR(to_seconds(with.forward - without.forward), 512 * forward / kBandwidth, 2e-12);
  EXPECT_NEAR(to_seconds(with.backward_inputs - without.backward_inputs),
              512 * backward / kBandwidth, 2e-12);
  EXPECT_NEAR(to_seconds(with.recomputed - without.recomputed),
              512 * (2.0 * 16384 + 8192) / kBandwidth, 2e-12);
  EXPECT_EQ(with.backward_weights, without.backward_weights);
}

// Products of scores with a head of 64 take longer to write and read them than to compute: forward
// twice, backward four times. With the mask half of the operations are for nothing.
TEST(KernelTraffic, OfProductsOfScores) {
  TrainingSpec spec = dense_job();
  spec.compute.kernels.launch = {};
  const double bytes = 512 * 16384.0;
  EXPECT_NEAR(collectives::attention_time(1, spec, 2), 2 * bytes / kBandwidth, 1e-15);
  EXPECT_NEAR(collectives::attention_time(1, spec, 4), 4 * bytes / kBandwidth, 1e-15);
  const double masked = collectives::attention_time(1e12, spec, 2);
  spec.model.causal_attention = false;
  EXPECT_NEAR(masked, 2 * collectives::attention_time(1e12, spec, 2), 1e-12);
  spec.compute.fused_attention = true;
  EXPECT_NEAR(masked, 2 * collectives::attention_time(1e12, spec, 2), 1e-12);
}

// Of 16 rows: 8,192 x 8,192 gradients are read and written in 32 bits; where each micro-batch's are
// reduced, they are written in 16.
TEST(KernelTraffic, OfGradientsThatAreAddedUp) {
  TrainingSpec spec = job(KernelSpec::Model::kRoofline);
  const double inputs = 2.0 * 2 * 16 * 8192;
  const double results = 8192.0 * 8192;
  MatrixProduct product{.m = 8192, .n = 8192, .k = 16, .is_gradient = true};
  EXPECT_NEAR(product_time(product, spec), (inputs + 8 * results) / kBandwidth, 1e-12);
  spec.precision.gradients = NumberFormat::kBf16;
  EXPECT_NEAR(product_time(product, spec), (inputs + 4 * results) / kBandwidth, 1e-12);
  spec.parallelism.gradient_sync = GradientSync::kMicroBatch;
  EXPECT_NEAR(product_time(product, spec), (inputs + 2 * results) / kBandwidth, 1e-12);
  spec.parallelism.gradient_sync = GradientSync::kAuto;
  spec.parallelism.zero = 3;
  EXPECT_NEAR(product_time(product, spec), (inputs + 2 * results) / kBandwidth, 1e-12);
  spec.parallelism.zero = 0;
  product.is_gradient = false;
  EXPECT_NEAR(product_time(product, spec), (inputs + 2 * results) / kBandwidth, 1e-12);
}

}  // namespace
}  // namespace weft
