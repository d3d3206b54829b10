// How many bytes a rank sends in an iteration. b, s, h, l are samples of a micro-batch, tokens of a
// sample, hidden size and layers; t, c, d, p, e tensor-, context-, data-, pipeline- and
// expert-parallel ranks; m micro-batches; 2 bytes per number. Sizes divide, and the claims are
// exact.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/training/volumes/volumes.hpp"

namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::Operation;
using collectives::PipelineSchedule;
using collectives::Recomputation;
using collectives::sent_by_rank;
using collectives::StateBytes;
using collectives::TrainingSpec;
using collectives::VolumeKind;
using collectives::VolumeTerm;

constexpr Bytes kPsi(1 << 20);
constexpr StateBytes kStates{kPsi, kPsi, 0_B, 0_B, 0_B};
constexpr std::int64_t kSamples = 2;
constexpr std::int64_t kTokens = 2048;
constexpr std::int64_t kHidden = 12288;
constexpr std::int64_t kModelLayers = 96;

/// 64 samples for each data-parallel rank, 2 at a time: m = 32.
constexpr std::int64_t kMicroBatches = 32;
TrainingSpec training(std::uint32_t tensor, std::uint32_t context, std::uint32_t pipeline,
                      std::uint32_t data) {
  TrainingSpec spec;
  spec.model.layers = kModelLayers;
  spec.model.hidden = kHidden;
  spec.model.heads = 96;
  spec.model.sequence = kTokens;
  spec.parallelism.tensor = tensor;
  spec.parallelism.context = context;
  spec.parallelism.pipeline = pipeline;
  spec.parallelism.data = data;
  spec.batch = {kSamples, 64 * data};
  return spec;
}

std::int64_t sent(const TrainingSpec& spec, VolumeKind kind, const StateBytes& states = kStates,
                  std::uint32_t pipeline_rank = 0) {
  return sent_for(volumes_of(spec, states, pipeline_rank), kind).count();
}

// 2 (d-1)/d Psi, as one all-reduce or as a reduce-scatter and an all-gather; with context
// parallelism over d c ranks.
TEST(Volume, OfGradientsIsTwiceWhatOthersHold) {
  for (const std::uint32_t d : {2U, 4U, 8U, 64U}) {
    const std::int64_t pass = kPsi.count() / d * (d - 1);
    for (const std::uint32_t zero : {0U, 1U, 2U}) {
      TrainingSpec spec = training(1, 1, 1, d);
      spec.parallelism.zero = zero;
      EXPECT_EQ(sent(spec, VolumeKind::kGradient), zero == 0 ? 2 * pass : pass);
      EXPECT_EQ(sent(spec, VolumeKind::kParameter), zero == 0 ? 0 : pass);
    }
  }
  EXPECT_EQ(sent(training(1, 2, 1, 4), VolumeKind::kGradient), 2 * kPsi.count() / 8 * 7);
  EXPECT_EQ(sent(training(8, 1, 8, 1), VolumeKind::kGradient), 0);
}

// ZeRO-3: (d-1)/d Psi for each of 2 m gathers and m scatters.
TEST(Volume, OfZero3IsOfEveryMicroBatch) {
  TrainingSpec spec = training(1, 1, 1, 8);
  spec.parallelism.zero = 3;
  for (const VolumeTerm& term : volumes_of(spec, kStates, 0)) {
    EXPECT_EQ(term.per_rank, kPsi / 8 * 7);
  }
  EXPECT_EQ(sent(spec, VolumeKind::kParameter), 2 * kMicroBatches * kPsi.count() / 8 * 7);
  EXPECT_EQ(sent(spec, VolumeKind::kGradient), kMicroBatches * kPsi.count() / 8 * 7);
}

// Over r ranks and d / r copies: (r-1)/r Psi twice, and 2 (d/r - 1)/(d/r) of Psi / r among copies.
TEST(Volume, OfHybridShardsIsAddedUpAmongCopies) {
  TrainingSpec spec = training(1, 1, 1, 32);
  spec.parallelism.zero = 1;
  spec.parallelism.shard_ranks = 8;
  EXPECT_EQ(sent(spec, VolumeKind::kGradient), kPsi.count() / 8 * 7);
  EXPECT_EQ(sent(spec, VolumeKind::kParameter), kPsi.count() / 8 * 7);
  EXPECT_EQ(sent(spec, VolumeKind::kReplica), 2 * kPsi.count() / 8 / 4 * 3);
}

// What does not divide is rounded up at every pass: of 10 bytes over 3 ranks, one sends 7.
TEST(Volume, IsThatOfTheRankThatSendsMost) {
  EXPECT_EQ(sent_by_rank(Operation::kReduceScatter, 10_B, 3), 7_B);
  EXPECT_EQ(sent_by_rank(Operation::kAllReduce, 10_B, 3), 14_B);
  EXPECT_EQ(sent_by_rank(Operation::kSendReceive, 10_B, 3), 10_B);
  EXPECT_EQ(sent_by_rank(Operation::kAllReduce, 10_B, 1), 0_B);
}

/// The most that a rank sends by the steps of a schedule; `size` is of a block in an all-to-all.
std::int64_t max_sent(Operation operation, Algorithm algorithm, std::uint32_t n,
                      std::int64_t size) {
  collectives::SchedulePlan plan(n, {});
  plan.operation = operation;
  plan.size = size;
  const auto schedule = make_schedule(std::move(plan), algorithm);
  std::int64_t max = 0;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    std::int64_t sum = 0;
    for (std::uint32_t lane = 0; lane < schedule->lanes(); ++lane) {
      collectives::StepStream steps = schedule->steps(rank, lane);
      for (collectives::Step step; steps.next(step);) {
        if (step.kind == collectives::Step::Kind::kSend) sum += step.amount;
      }
    }
    max = std::max(max, sum);
  }
  return max;
}

TEST(Volume, IsWhatTheStepsOfSchedulesSend) {
  for (const std::uint32_t n : {2U, 3U, 8U, 24U}) {
    for (const std::int64_t size : {4800, 4807}) {
      for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
        EXPECT_EQ(sent_by_rank(operation, Bytes(size), n).count(),
                  max_sent(operation, Algorithm::kRing, n, size));
      }
      const std::int64_t reduced = sent_by_rank(Operation::kAllReduce, Bytes(size), n).count();
      const std::int64_t by_ring = max_sent(Operation::kAllReduce, Algorithm::kRing, n, size);
      EXPECT_GE(reduced, by_ring);  // a rank keeps another part in each pass
      EXPECT_LE(reduced, by_ring + (size % n == 0 ? 0 : 2));
      EXPECT_EQ(sent_by_rank(Operation::kAllToAll, Bytes(n * size), n).count(),
                max_sent(Operation::kAllToAll, Algorithm::kPairwise, n, size));
    }
  }
}

// 4 all-reduces of 2 b s h bytes per layer and micro-batch, 6 with full recomputation; as
// reduce-scatters and all-gathers the same, and 2 gathers of inputs besides.
TEST(Volume, OfTensorParallelismIsFourAllReducesPerLayer) {
  for (const std::uint32_t t : {2U, 3U, 8U, 24U}) {
    for (const bool is_recomputed : {false, true}) {
      TrainingSpec spec = training(t, 1, 1, 1);
      if (is_recomputed) spec.recomputation = Recomputation::kFull;
      const std::int64_t pass = 2 * kSamples * kTokens * kHidden / t * (t - 1);  // of an all-gather
      const std::int64_t expected =
          kModelLayers * kMicroBatches * (is_recomputed ? 6 : 4) * 2 * pass;
      EXPECT_EQ(sent(spec, VolumeKind::kTensor), expected);
      EXPECT_EQ(sent(spec, VolumeKind::kTensorRegather), 0);
      spec.parallelism.sequence_parallel = true;
      EXPECT_EQ(sent(spec, VolumeKind::kTensor), expected);
      EXPECT_EQ(sent(spec, VolumeKind::kTensorRegather), kModelLayers * kMicroBatches * 2 * pass);
    }
  }
}

// An all-reduce of 2 b s h bytes per micro-batch where the embedding is, and one where the output
// layer is; sequence-parallel, the output layer's input is gathered once more.
TEST(Volume, OfTheVocabularyIsAtTheEndsOfPipelines) {
  const auto kind = VolumeKind::kVocabulary;
  const std::int64_t pass = kMicroBatches * 2 * kSamples * kTokens * kHidden / 8 * 7;
  TrainingSpec spec = training(8, 1, 1, 1);
  EXPECT_EQ(sent(spec, kind), 4 * pass);
  spec.parallelism.sequence_parallel = true;
  EXPECT_EQ(sent(spec, kind), 5 * pass);
  spec.parallelism.pipeline = 4;
  EXPECT_EQ(sent(spec, kind, kStates, 0), 2 * pass);
  EXPECT_EQ(sent(spec, kind, kStates, 1), 0);
  EXPECT_EQ(sent(spec, kind, kStates, 3), 3 * pass);
  spec.parallelism.schedule = PipelineSchedule::kDualPipe;  // both, of half of the micro-batches
  EXPECT_EQ(sent(spec, kind, kStates, 0), 5 * pass / 2);
  EXPECT_EQ(sent(training(1, 1, 4, 1), kind), 0);
}

// A pipeline rank has l / p of the layers, and a context-parallel one 1 / c of the tokens.
TEST(Volume, OfTensorParallelismIsOfTheRanksOwnLayersAndTokens) {
  const std::int64_t whole = sent(training(8, 1, 1, 1), VolumeKind::kTensor);
  EXPECT_EQ(sent(training(8, 1, 8, 1), VolumeKind::kTensor), whole / 8);
  EXPECT_EQ(sent(training(8, 4, 1, 1), VolumeKind::kTensor), whole / 4);
  TrainingSpec dual = training(8, 1, 8, 1);  // twice the layers, half of the micro-batches each
  dual.parallelism.schedule = PipelineSchedule::kDualPipe;
  EXPECT_EQ(sent(dual, VolumeKind::kTensor), whole / 8);
}

// 2 b s h bytes each way over each boundary, per micro-batch and virtual stage; 1 / t of it by each
// tensor-parallel rank where activations are sharded.
TEST(Volume, OfPipelinesIsActivationsOverEachBoundary) {
  TrainingSpec spec = training(8, 1, 4, 1);
  const std::int64_t boundary = kMicroBatches * 2 * kSamples * kTokens * kHidden;
  const auto forward = VolumeKind::kPipelineForward;
  const auto backward = VolumeKind::kPipelineBackward;
  EXPECT_EQ(sent(spec, forward, kStates, 0), boundary);
  EXPECT_EQ(sent(spec, backward, kStates, 0), 0);
  EXPECT_EQ(sent(spec, forward, kStates, 1), boundary);
  EXPECT_EQ(sent(spec, backward, kStates, 1), boundary);
  EXPECT_EQ(sent(spec, forward, kStates, 3), 0);
  spec.parallelism.sequence_parallel = true;
  EXPECT_EQ(sent(spec, forward, kStates, 1), boundary / 8);
  spec.parallelism.virtual_stages = 3;  // the ends lead on to the other end twice
  EXPECT_EQ(sent(spec, forward, kStates, 1), 3 * boundary / 8);
  EXPECT_EQ(sent(spec, forward, kStates, 3), 2 * boundary / 8);
  EXPECT_EQ(sent(spec, backward, kStates, 0), 2 * boundary / 8);
  spec.parallelism.virtual_stages = 1;
  spec.parallelism.schedule = PipelineSchedule::kDualPipe;  // half of them in each direction
  EXPECT_EQ(sent(spec, forward, kStates, 0), boundary / 8 / 2);
  EXPECT_EQ(sent(spec, forward, kStates, 1), boundary / 8);
  EXPECT_EQ(sent(spec, VolumeKind::kMirror, kStates, 1), kPsi.count());
}

// Four all-to-alls of k copies of b s / c tokens, of which (e-1)/e go to others; six with full
// recomputation. The layer's second half is no tensor-parallel one then.
TEST(Volume, OfExpertsIsFourAllToAllsPerLayer) {
  TrainingSpec spec = training(1, 2, 1, 8);
  spec.model.experts = 16;
  spec.model.top_k = 2;
  spec.model.dense_layers = 6;
  spec.parallelism.expert = 4;
  const std::int64_t each = 2 * (kSamples * kTokens / 2) * kHidden * 2 / 4 * 3;
  EXPECT_EQ(sent(spec, VolumeKind::kExpert), (kModelLayers - 6) * kMicroBatches * 4 * each);
  spec.recomputation = Recomputation::kFull;
  EXPECT_EQ(sent(spec, VolumeKind::kExpert), (kModelLayers - 6) * kMicroBatches * 6 * each);
  const StateBytes states{0_B, 0_B, kPsi, kPsi, 0_B};  // of experts: over 16 / 4 ranks
  EXPECT_EQ(sent(spec, VolumeKind::kExpertGradient, states), 2 * kPsi.count() / 4 * 3);
  spec.routing.capacity = 100.0 / 256;  // 1600 of 4096 copies, 100 instead of 256 for each expert
  EXPECT_EQ(sent(spec, VolumeKind::kExpert, states),
            (kModelLayers - 6) * kMicroBatches * 6 * (kHidden * 2 * 1600 / 4 * 3));
}

// With tensor parallelism t, a rank has 1 / t of the tokens to send, and only attention is left of
// the tensor-parallel halves; with shared experts both. Experts that are cut into u get the tokens
// of all u ranks: (u-1) times what one has, and as many sums go back, in both passes.
TEST(Volume, OfExpertsIsOfTheTensorRanksOwnTokens) {
  TrainingSpec spec = training(8, 1, 1, 4);
  spec.model.experts = 16;
  spec.model.top_k = 2;
  spec.parallelism.expert = 4;
  spec.parallelism.sequence_parallel = true;
  const std::int64_t passes = kModelLayers * kMicroBatches;
  const std::int64_t copies = 2 * (kSamples * kTokens / 8) * kHidden * 2;
  EXPECT_EQ(sent(spec, VolumeKind::kExpert), passes * 4 * (copies / 4 * 3));
  EXPECT_EQ(sent(spec, VolumeKind::kExpertTensor), passes * 4 * (7 * copies));
  const std::int64_t dense = sent(training(8, 1, 1, 4), VolumeKind::kTensor);
  EXPECT_EQ(sent(spec, VolumeKind::kTensor), dense / 2);
  spec.model.shared_experts = 1;
  EXPECT_EQ(sent(spec, VolumeKind::kTensor), dense);
  spec.parallelism.expert_tensor = 1;
  EXPECT_EQ(sent(spec, VolumeKind::kExpertTensor), 0);
}

// Keys and values of b s / c tokens, c - 1 times in each pass and layer, and their gradients as
// often in the backward pass; a tensor-parallel rank has 1 / t of the heads, but at least one.
TEST(Volume, OfContextParallelismIsKeysAndValuesOnARing) {
  TrainingSpec spec = training(4, 8, 1, 1);
  spec.model.kv_heads = 8;  // of 128: 256 numbers per rank
  const std::int64_t ring = kSamples * kTokens / 8 * 256 * 4 * 7;
  EXPECT_EQ(sent(spec, VolumeKind::kContext), kModelLayers * kMicroBatches * 2 * ring);
  EXPECT_EQ(sent(spec, VolumeKind::kContextGradient), kModelLayers * kMicroBatches * ring);
  spec.recomputation = Recomputation::kFull;
  EXPECT_EQ(sent(spec, VolumeKind::kContext), kModelLayers * kMicroBatches * 3 * ring);
  spec.parallelism.tensor = 24;  // three ranks per head
  EXPECT_EQ(sent(spec, VolumeKind::kContextGradient), kModelLayers * kMicroBatches * ring / 2);
}

TEST(Volume, OfTiedEmbeddingsIsAtTheEndsOfPipelines) {
  TrainingSpec spec = training(1, 1, 4, 1);
  StateBytes states = kStates;
  states.embedding_gradients = 1000_B;
  EXPECT_EQ(sent(spec, VolumeKind::kEmbedding, states, 0), 0);
  spec.model.tied_embeddings = true;
  EXPECT_EQ(sent(spec, VolumeKind::kEmbedding, states, 0), 1000);
  EXPECT_EQ(sent(spec, VolumeKind::kEmbedding, states, 1), 0);
  EXPECT_EQ(sent(spec, VolumeKind::kEmbedding, states, 3), 1000);
}

}  // namespace
}  // namespace weft::testing
