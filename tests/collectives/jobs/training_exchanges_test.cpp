// What training jobs exchange as frameworks have it: number formats by kind, copies of tokens per
// domain, gathers in forward passes, gradients of each micro-batch. Bytes are counted message by
// message on the ideal network and are exact.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/training/plan/token_copies.hpp"
#include "tests/collectives/jobs/training_run.hpp"
#include "tests/collectives/jobs/training_volumes.hpp"

namespace weft {
namespace {

using collectives::ExpertSpec;
using collectives::GradientSync;
using collectives::NumberFormat;
using collectives::OverlapSpec;
using collectives::RankLayout;
using collectives::TrainingSpec;
using testing::expect_volumes;
using testing::small_training;
using testing::TrainingRun;

constexpr std::int64_t kTokens = 768;
constexpr std::int64_t kHidden = 3072;

/// Of `ranks`, each with a share of 16 experts, of which a token goes to two.
TrainingSpec exchanging(std::uint32_t ranks, ExpertSpec::Exchange exchange) {
  TrainingSpec spec = small_training();
  spec.model.layers = 4;
  spec.model.experts = 16;
  spec.model.top_k = 2;
  spec.parallelism.expert = spec.parallelism.data = ranks;
  spec.batch.global = ranks;
  spec.experts.exchange = exchange;
  return spec;
}

RankLayout layout_of(std::uint32_t ranks, std::uint32_t domain) {
  RankLayout layout;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) layout.domain.push_back(rank / domain);
  return layout;
}

// A number of FP8 has a byte, and 128 of a token share a scale of four.
TEST(TrainingExchanges, OfTokensHaveTheirFormatsAndScales) {
  TrainingSpec spec = exchanging(4, ExpertSpec::Exchange::kAllToAll);
  spec.precision.exchange.dispatch = NumberFormat::kFp8;
  const TrainingRun run(spec, 4);
  ASSERT_TRUE(run.is_finished());
  // A quarter of 2 x 768 copies for each of three others, out and back, in two passes of 4 layers.
  const std::int64_t copies = kTokens * 2 / 4 * 3;
  const std::int64_t fp8 = kHidden + kHidden / 128 * 4;
  const std::int64_t bf16 = 2 * kHidden;
  EXPECT_EQ(run.sent(0, "expert"), Bytes(copies * (fp8 + bf16) * 2 * 4));
  expect_volumes(spec, 4, "fp8 out");
  spec.precision.exchange.combine = NumberFormat::kMxfp8;  // a byte for 32
  const TrainingRun both(spec, 4);
  EXPECT_EQ(both.sent(0, "expert"), Bytes(copies * (fp8 + kHidden + kHidden / 32) * 2 * 4));
}

TEST(TrainingExchanges, OfEveryKindHaveTheirFormats) {
  TrainingSpec spec = small_training();
  spec.parallelism.tensor = 2;
  spec.parallelism.context = 2;
  spec.parallelism.pipeline = 2;
  spec.parallelism.data = 2;
  spec.parallelism.sequence_parallel = true;
  spec.parallelism.zero = 1;
  spec.batch.global = 8;
  const TrainingRun plain(spec, 16);
  collectives::ExchangeFormats& sent = spec.precision.exchange;
  sent.gradients = NumberFormat::kBf16;
  sent.parameters = NumberFormat::kFp8;
  sent.tensor = NumberFormat::kFp32;
  sent.tensor_gather = NumberFormat::kFp8;
  sent.context = NumberFormat::kFp8;
  sent.pipeline = NumberFormat::kMxfp8;
  expect_volumes(spec, 16, "formats");
  const TrainingRun run(spec, 16);
  const auto ratio = [&](const std::string& name) {
    return static_cast<double>(run.sent(0, name).count()) /
           static_cast<double>(plain.sent(0, name).count());
  };
  EXPECT_NEAR(ratio("context"), (1 + 4.0 / 128) / 2, 1e-9);
  EXPECT_NEAR(ratio("forward"), (1 + 1.0 / 32) / 2, 1e-9);
  // Gradients of four bytes become two, and parameters of two a byte and a 32nd: (2 + 33/32) of 6.
  EXPECT_NEAR(ratio("shard"), (2 + 1 + 4.0 / 128) / 6, 1e-6);
}

// A copy goes to each of two domains of four once: of 16 experts eight are a domain's, so that of a
// token's two C(8, 2) of C(16, 2) sets leave it out. Inside a domain a rank has two experts.
TEST(TrainingExchanges, GoOncePerDomainAndAreForwarded) {
  for (const std::uint32_t chunks : {1U, 3U}) {
    TrainingSpec spec = exchanging(8, ExpertSpec::Exchange::kHighThroughput);
    spec.experts.chunks = chunks;
    spec.precision.exchange.dispatch = NumberFormat::kFp8;
    const RankLayout layout = layout_of(8, 4);
    const TrainingRun run(spec, 8, {}, {}, layout);
    ASSERT_TRUE(run.is_finished());
    const double to_domain = 1 - 28.0 / 120;
    const double to_rank = 1 - 91.0 / 120;
    const std::int64_t each = kHidden + kHidden / 128 * 4 + 2 * kHidden;
    const std::int64_t along = std::llround(kTokens * to_domain);
    const std::int64_t inside = std::llround(2 * kTokens * to_rank);
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      EXPECT_EQ(run.sent(rank, "expert-rail"), Bytes(along * each * 2 * 4)) << rank;
      EXPECT_EQ(run.sent(rank, "expert-domain"), Bytes(3 * inside * each * 2 * 4)) << rank;
    }
    // By link class: a ring of gradients besides, which leaves the domain at its last rank.
    const Bytes ring = run.sent(0, "data");
    EXPECT_EQ(run.sent(0, layout, false), run.sent(0, "expert-rail"));
    EXPECT_EQ(run.sent(0, layout, true), run.sent(0, "expert-domain") + ring);
    EXPECT_EQ(run.sent(3, layout, false), run.sent(3, "expert-rail") + ring);
    expect_volumes(spec, 8, "by levels", 4, 4);
  }
}

// Of 16 experts in four groups of four, a token's lie in one: it goes to one domain of two.
TEST(TrainingExchanges, GoToFewDomainsWhereGroupsAreLimited) {
  TrainingSpec spec = exchanging(8, ExpertSpec::Exchange::kHighThroughput);
  spec.routing.groups = 4;
  const TrainingRun run(spec, 8, {}, {}, layout_of(8, 4));
  ASSERT_TRUE(run.is_finished());
  EXPECT_EQ(run.sent(0, "expert-rail"), Bytes(kTokens / 2 * 2 * 2 * kHidden * 2 * 4));
  expect_volumes(spec, 8, "groups", 4, 4);
}

// With popular experts, capacity, sharers of experts and sequences in parts the job sends what the
// copies say, out and back: what comes to a rank goes back from it.
TEST(TrainingExchanges, GoByLevelsWithAnyRouting) {
  for (const double skew : {0.0, 0.8}) {
    for (const double capacity : {0.0, 1.0}) {
      TrainingSpec spec = exchanging(8, ExpertSpec::Exchange::kHighThroughput);
      spec.routing.skew = skew;
      spec.routing.capacity = capacity;
      const TrainingRun run(spec, 8, {}, {}, layout_of(8, 4));
      ASSERT_TRUE(run.is_finished());
      TrainingSpec whole = spec;
      whole.model = collectives::completed(spec.model);
      const collectives::TokenRoutes routes = token_routes(whole, 4);
      for (std::uint32_t rank = 0; rank < 8; ++rank) {
        const std::uint32_t own = rank / 4;
        const std::int64_t copies = routes.to_domain[1 - own] + routes.to_domain[own];
        EXPECT_EQ(run.sent(rank, "expert-rail"), Bytes(copies * 2 * kHidden * 2 * 4));
        std::int64_t inside = 0;
        for (std::uint32_t other = own * 4; other < own * 4 + 4; ++other) {
          if (other != rank) inside += routes.to_rank[other] + routes.to_rank[rank];
        }
        EXPECT_EQ(run.sent(rank, "expert-domain"), Bytes(inside * 2 * kHidden * 2 * 4));
      }
    }
  }
}

// Sent at once or step by step, a copy per expert is as many bytes.
TEST(TrainingExchanges, OfLowLatencyAreCopiesPerExpert) {
  const TrainingRun steps(exchanging(8, ExpertSpec::Exchange::kAllToAll), 8, 2_us, 400_Gbps);
  const TrainingRun at_once(exchanging(8, ExpertSpec::Exchange::kLowLatency), 8, 2_us, 400_Gbps);
  ASSERT_TRUE(steps.is_finished() && at_once.is_finished());
  EXPECT_EQ(at_once.sent(0, "expert"), steps.sent(0, "expert"));
  EXPECT_LT(at_once.end(), steps.end());
}

TEST(TrainingExchanges, OfHalvesAndPairsAreAsManyBytes) {
  using Experts = OverlapSpec::Experts;
  for (const auto exchange : {ExpertSpec::Exchange::kAllToAll, ExpertSpec::Exchange::kLowLatency,
                              ExpertSpec::Exchange::kHighThroughput}) {
    for (const Experts experts : {Experts::kHalves, Experts::kPairs}) {
      for (const std::uint32_t zero : {0U, 1U, 3U}) {
        TrainingSpec spec = exchanging(8, exchange);
        spec.parallelism.data = 4;
        spec.parallelism.tensor = 2;
        spec.parallelism.sequence_parallel = true;
        spec.parallelism.expert_tensor = 1;
        spec.parallelism.zero = zero;
        spec.batch.global = 12;
        spec.overlap.experts = experts;
        spec.overlap.shared_experts = true;
        spec.model.shared_experts = 1;
        const std::string what = std::to_string(static_cast<int>(exchange)) + " " +
                                 std::to_string(static_cast<int>(experts)) + " " +
                                 std::to_string(zero);
        const bool has_levels = exchange == ExpertSpec::Exchange::kHighThroughput;
        expect_volumes(spec, 8, what, has_levels ? 4 : 1, has_levels ? 4 : 1);
      }
    }
  }
}

TEST(TrainingExchanges, OfGradientsAreOncePerStepOrMicroBatch) {
  for (const GradientSync sync : {GradientSync::kStep, GradientSync::kMicroBatch}) {
    for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) {
      for (const bool overlaps : {false, true}) {
        TrainingSpec spec = small_training();
        spec.parallelism.data = 4;
        spec.parallelism.zero = zero;
        spec.parallelism.gradient_sync = sync;
        spec.batch.global = 12;
        spec.overlap.gradients = overlaps;
        expect_volumes(spec, 4, "zero " + std::to_string(zero));
        spec.parallelism.pipeline = 2;
        expect_volumes(spec, 8, "pipeline, zero " + std::to_string(zero));
        if (zero == 0) continue;
        spec.parallelism.pipeline = 1;
        spec.parallelism.shard_ranks = 2;
        expect_volumes(spec, 4, "hybrid zero " + std::to_string(zero));
      }
    }
  }
}

// Parameters that a rank keeps after a forward pass it does not gather for the backward pass; with
// a pipeline some forward passes find them, too.
TEST(TrainingExchanges, OfParametersThatAreKeptAreFewer) {
  TrainingSpec spec = small_training();
  spec.parallelism.data = 4;
  spec.parallelism.zero = 3;
  spec.batch.global = 12;
  const TrainingRun gives_up(spec, 4);
  spec.parallelism.reshard_after_forward = false;
  const TrainingRun keeps(spec, 4);
  // Three micro-batches: 6 gathers and 3 sums of twice as many bytes each, or 3 and 3.
  EXPECT_NEAR(static_cast<double>(keeps.sent(0, "shard").count()) /
                  static_cast<double>(gives_up.sent(0, "shard").count()),
              (3.0 + 6) / (6 + 6), 1e-6);
  expect_volumes(spec, 4, "kept");
  spec.parallelism.pipeline = 4;
  for (const auto schedule : {collectives::PipelineSchedule::kGpipe,
                              collectives::PipelineSchedule::kOneForwardOneBackward,
                              collectives::PipelineSchedule::kZeroBubbleH1}) {
    spec.parallelism.schedule = schedule;
    expect_volumes(spec, 16, "kept in a pipeline " + std::to_string(static_cast<int>(schedule)));
  }
}

TEST(TrainingExchanges, OfUpdatedParametersAreAsManyInTheForwardPass) {
  for (const std::uint32_t zero : {1U, 2U}) {
    TrainingSpec spec = exchanging(4, ExpertSpec::Exchange::kAllToAll);
    spec.parallelism.pipeline = 2;
    spec.parallelism.expert = 2;
    spec.parallelism.zero = zero;
    spec.batch.global = 16;
    spec.overlap.parameters = true;
    expect_volumes(spec, 8, "gathered forward");
    spec.parallelism.virtual_stages = 2;
    spec.iterations = 1;
    expect_volumes(spec, 8, "gathered forward, interleaved");
  }
}

/// What is wrong with a plan, by key.
std::string problem_of(const TrainingSpec& spec, std::uint32_t ranks) {
  collectives::Problems problems;
  collectives::Training::check(spec, ranks, problems);
  return problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
}

TEST(TrainingExchanges, ThatAreNotPossibleAreRefusedWithAReason) {
  TrainingSpec spec = exchanging(4, ExpertSpec::Exchange::kHighThroughput);
  spec.routing.groups = 4;
  spec.routing.skew = 1;
  EXPECT_NE(problem_of(spec, 4).find("routing.groups: with `skew`"), std::string::npos);
  spec.routing.skew = 0;
  spec.routing.top_groups = 5;
  EXPECT_NE(problem_of(spec, 4).find("is 5 of 4 groups"), std::string::npos);
  spec.routing = {};
  spec.overlap.experts = OverlapSpec::Experts::kPairs;
  spec.parallelism.schedule = collectives::PipelineSchedule::kGpipe;
  EXPECT_NE(problem_of(spec, 4).find("overlap.experts: is pairs"), std::string::npos);
  spec.parallelism.schedule = collectives::PipelineSchedule::kOneForwardOneBackward;
  spec.overlap.experts = OverlapSpec::Experts::kHalves;
  spec.model.sequence = 767;
  EXPECT_NE(problem_of(spec, 4).find("overlap.experts: 2 does not divide"), std::string::npos);
  // Five and three of a group of eight ranks in a domain.
  RankLayout uneven = layout_of(8, 4);
  uneven.domain[4] = 0;
  collectives::ProgramSetting setting;
  setting.ranks = 8;
  const auto program = collectives::Training::make(
      setting, exchanging(8, ExpertSpec::Exchange::kHighThroughput), uneven);
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.errors().front().message.find("has 3 ranks in one scale-up domain"),
            std::string::npos);
  EXPECT_EQ(program.errors().front().where.key, "experts.exchange");
}

}  // namespace
}  // namespace weft
