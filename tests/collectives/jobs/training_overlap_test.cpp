// What overlaps with what, and what of it is exposed: runs on the ideal network, against closed
// forms and against the estimate of the same plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/jobs/training/training_stage.hpp"
#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "tests/collectives/jobs/training_run.hpp"

namespace weft {
namespace {

using collectives::ExpertSpec;
using collectives::GroupLinks;
using collectives::MeasuredLayer;
using collectives::OverlapSpec;
using collectives::Recomputation;
using collectives::StepEstimate;
using collectives::TrainingSpec;
using testing::small_training;
using testing::TrainingRun;

TrainingSpec completed_spec(TrainingSpec spec) {
  spec.model = collectives::completed(spec.model);
  return spec;
}

StepEstimate estimate_of(const TrainingSpec& spec, BitsPerSecond rate) {
  const collectives::GroupLink link{rate, {}};
  return estimate_step(completed_spec(spec), GroupLinks{link, link, link, link, link});
}

// As the first forward pass comes to a bucket it waits for its gather, and the next one starts: of
// n alike, max(g, n g - (n - 1) f) of the gathers is exposed, g of each and f of a forward pass.
TEST(TrainingOverlap, OfGathersHidesThemBehindTheForwardPass) {
  for (const BitsPerSecond rate : {4000_Gbps, 400_Gbps, 40_Gbps}) {
    TrainingSpec spec = small_training();
    spec.parallelism.data = 4;
    spec.parallelism.zero = 1;
    spec.batch.global = 4;
    spec.overlap.bucket = 1_B;
    spec.overlap.gradients = false;
    const TrainingRun after(spec, 4, 0_us, rate);
    spec.overlap.parameters = true;
    const TrainingRun beside(spec, 4, 0_us, rate);
    ASSERT_TRUE(after.is_finished() && beside.is_finished());
    const TrainingSpec whole = completed_spec(spec);
    const auto stage = collectives::TrainingStage::of(whole, collectives::pipeline_of(whole), 0);
    const auto gather = [&](Bytes size) {
      return to_seconds(3 * transmission_time(Bytes((size.count() + 3) / 4), rate));
    };
    // Unit by unit: one forward pass at a time, one gather at a time.
    double computed = 0;
    double gathered = gather(stage.chunks[0].units.front().parameters);
    double all = 0;
    double passes = 0;
    const auto& units = stage.chunks[0].units;
    for (std::size_t i = 0; i < units.size(); ++i) {
      all += gather(units[i].parameters);
      passes += to_seconds(units[i].times.forward);
      const double begin = std::max(computed, gathered);
      if (i + 1 < units.size()) gathered = begin + gather(units[i + 1].parameters);
      computed = begin + to_seconds(units[i].times.forward);
    }
    EXPECT_NEAR(to_seconds(after.end() - beside.end()), all - (computed - passes), 2e-9);
    // The estimate of the same step.
    EXPECT_NEAR(to_seconds(beside.end()) / estimate_of(spec, rate).seconds, 1, 0.02);
    EXPECT_NEAR(to_seconds(after.end()) / estimate_of(
                                              [&] {
                                                TrainingSpec without = spec;
                                                without.overlap.parameters = false;
                                                return without;
                                              }(),
                                              rate)
                                              .seconds,
                1, 0.02);
  }
}

/// Eight layers with experts of measured times, on four ranks.
TrainingSpec expert_job(OverlapSpec::Experts experts) {
  TrainingSpec spec = small_training();
  spec.model.layers = 8;
  spec.model.experts = 16;
  spec.model.top_k = 2;
  spec.parallelism.expert = spec.parallelism.data = 4;
  spec.batch.global = 4;
  spec.compute.layer = MeasuredLayer{400_us, 800_us, 400_us};
  spec.overlap.experts = experts;
  // Gradients are added up at once, after everything else.
  spec.overlap.gradients = false;
  spec.overlap.bucket = Bytes(1'000'000'000'000);
  return spec;
}

/// Exchanges of a pass of a layer, out and back: 3/4 of two copies of 768 tokens each.
double tokens_in_flight(BitsPerSecond rate) {
  return 2 * 3 * to_seconds(transmission_time(Bytes(768LL * 2 / 4 * 3072 * 2), rate));
}

double seconds_without_gradients(const TrainingSpec& spec, BitsPerSecond rate) {
  const TrainingRun run(spec, spec.parallelism.data, 0_us, rate);
  EXPECT_TRUE(run.is_finished());
  const StepEstimate e = estimate_of(spec, rate);
  return to_seconds(run.end()) - e.term("data").exposed;
}

double estimated_without_gradients(const TrainingSpec& spec, BitsPerSecond rate) {
  const StepEstimate e = estimate_of(spec, rate);
  return e.seconds - e.term("data").exposed;
}

// While one half computes, tokens of the other are on their way. With much computing what is
// exposed is next to nothing: the first half's last results. With little, the exchanges follow one
// another, and what is computed before the first of them.
TEST(TrainingOverlap, OfHalvesHidesExchangesBehindComputing) {
  const TrainingSpec halves = expert_job(OverlapSpec::Experts::kHalves);
  const TrainingSpec apart = expert_job(OverlapSpec::Experts::kNone);
  const double computing = 8 * 1200e-6;
  for (const BitsPerSecond rate : {25'000_Gbps, 2000_Gbps, 800_Gbps, 400_Gbps, 50_Gbps}) {
    const double exchanges = 8 * 2 * tokens_in_flight(rate);
    EXPECT_NEAR(seconds_without_gradients(apart, rate), computing + exchanges,
                0.001 * (computing + exchanges));
    const double seconds = seconds_without_gradients(halves, rate);
    EXPECT_GE(seconds, std::max(computing, exchanges));
    EXPECT_NEAR(seconds / estimated_without_gradients(halves, rate), 1, 0.02) << rate.count();
    const double slower = std::max(computing, exchanges);
    // max(0, T_comm - T_overlap) beyond what computes, and half a layer at the ends.
    EXPECT_LE(seconds, slower + std::min(computing, exchanges) / 8) << rate.count();
  }
}

// Gradients of weights are computed while those of inputs are on their way: of a layer's backward
// pass, half a layer has them beside the way back of its tokens, and the other half beside the way
// out of the next layer's. Of a forward pass nothing is hidden, nor of the first way out.
TEST(TrainingOverlap, OfWeightsHidesExchangesOfTheBackwardPass) {
  TrainingSpec spec = expert_job(OverlapSpec::Experts::kNone);
  spec.overlap.weights = true;
  const double half = 200e-6;  // of a layer: forward, inputs or weights
  for (const BitsPerSecond rate : {25'000_Gbps, 2000_Gbps, 800_Gbps, 400_Gbps, 50_Gbps}) {
    const double way = tokens_in_flight(rate) / 2;
    const double forward = 8 * (2 * half + 2 * way);
    const double backward = way + 15 * std::max(way, half) + 8 * 2 * half + half;
    const double seconds = seconds_without_gradients(spec, rate);
    EXPECT_NEAR(seconds / (forward + backward), 1, 0.001) << rate.count();
    EXPECT_NEAR(estimated_without_gradients(spec, rate) / seconds, 1, 0.001) << rate.count();
  }
}

// Of a pair both passes are computed beside what the other one sends: gradients of weights hide
// more of it, and never more than there is.
TEST(TrainingOverlap, OfWeightsHidesMoreOfPairs) {
  for (const BitsPerSecond rate : {2000_Gbps, 400_Gbps, 200_Gbps, 100_Gbps}) {
    TrainingSpec spec = expert_job(OverlapSpec::Experts::kPairs);
    spec.batch.global = 4 * 8;
    const double together = seconds_without_gradients(spec, rate);
    spec.overlap.weights = true;
    const double apart = seconds_without_gradients(spec, rate);
    const double bound = 8 * std::max(8 * 1200e-6, 2 * 8 * tokens_in_flight(rate));
    EXPECT_LT(apart, together) << rate.count();
    EXPECT_GT(apart, bound) << rate.count();
    EXPECT_NEAR(estimated_without_gradients(spec, rate) / apart, 1, 0.1) << rate.count();
  }
}

// As much is computed, to the picosecond: what runs again has no gradients of weights, and the ends
// of the model keep theirs.
TEST(TrainingOverlap, OfWeightsComputesTheSame) {
  for (const auto recomputation : {Recomputation::kNone, Recomputation::kFull}) {
    for (const auto experts : {OverlapSpec::Experts::kNone, OverlapSpec::Experts::kHalves}) {
      TrainingSpec spec = expert_job(experts);
      spec.recomputation = recomputation;
      spec.compute.embedding = MeasuredLayer{10_us, 20_us, 20_us};
      spec.compute.output = MeasuredLayer{30_us, 70_us, 40_us};
      const TrainingRun together(spec, 4);
      spec.overlap.weights = true;
      const TrainingRun apart(spec, 4);
      ASSERT_TRUE(together.is_finished() && apart.is_finished());
      EXPECT_EQ(apart.end(), together.end());
    }
  }
}

// Where gradients of weights have passes of their own there is nothing left to put apart.
TEST(TrainingOverlap, OfWeightsIsRefusedWhereTheyHavePassesOfTheirOwn) {
  TrainingSpec spec = small_training();
  spec.parallelism.pipeline = 2;
  spec.batch.global = 4;
  spec.overlap.weights = true;
  for (const auto schedule : {collectives::PipelineSchedule::kOneForwardOneBackward,
                              collectives::PipelineSchedule::kZeroBubbleH1}) {
    spec.parallelism.schedule = schedule;
    collectives::Problems problems;
    check_plan(completed_spec(spec), 2, problems);
    const bool is_refused = schedule == collectives::PipelineSchedule::kZeroBubbleH1;
    ASSERT_EQ(problems.size(), is_refused ? 1U : 0U);
    EXPECT_EQ(is_refused ? problems[0].key : "", is_refused ? "overlap.weights" : "");
  }
}

// A pair has the forward pass of one micro-batch beside the backward pass of the one before.
TEST(TrainingOverlap, OfPairsHidesExchangesBehindTheOtherMicroBatch) {
  TrainingSpec spec = expert_job(OverlapSpec::Experts::kPairs);
  spec.batch.global = 4 * 8;
  for (const BitsPerSecond rate : {25'000_Gbps, 2000_Gbps, 50_Gbps}) {
    const double each = 8 * tokens_in_flight(rate);
    const double forward = 8 * 400e-6;
    const double backward = 8 * 800e-6;
    const double pair = std::max(forward + backward, 2 * each);
    const double expected = forward + each + 7 * pair + backward + each;
    EXPECT_NEAR(seconds_without_gradients(spec, rate) / expected, 1, 0.05) << rate.count();
    EXPECT_NEAR(estimated_without_gradients(spec, rate) / expected, 1, 0.1) << rate.count();
  }
}

// With as many micro-batches as a pipeline of pairs has ranks and more, in every schedule that has
// them, a job takes no longer than without, and no less than it computes.
TEST(TrainingOverlap, OfPairsGoesThroughPipelines) {
  for (const std::uint32_t virtual_stages : {1U, 2U}) {
    TrainingSpec spec = expert_job(OverlapSpec::Experts::kPairs);
    spec.parallelism.pipeline = 2;
    spec.parallelism.virtual_stages = virtual_stages;
    spec.batch.global = 4 * 16;
    const TrainingRun pairs(spec, 8, 0_us, 400_Gbps);
    spec.overlap.experts = OverlapSpec::Experts::kNone;
    const TrainingRun apart(spec, 8, 0_us, 400_Gbps);
    ASSERT_TRUE(pairs.is_finished() && apart.is_finished());
    EXPECT_LT(pairs.end(), apart.end());
    EXPECT_GT(pairs.end(), 16 * 4 * 1200_us);
  }
}

// Experts that all tokens go to are computed while tokens are on their way: what they take of the
// way out is hidden.
TEST(TrainingOverlap, OfSharedExpertsHidesTheWayOut) {
  TrainingSpec spec = expert_job(OverlapSpec::Experts::kNone);
  spec.model.shared_experts = 1;
  const auto shared = collectives::layer_parts(completed_spec(spec), true).shared;
  for (const BitsPerSecond rate : {25'000_Gbps, 2000_Gbps, 400_Gbps}) {
    spec.overlap.shared_experts = false;
    const double apart = seconds_without_gradients(spec, rate);
    spec.overlap.shared_experts = true;
    const double beside = seconds_without_gradients(spec, rate);
    const double out = tokens_in_flight(rate) / 2;
    const double hidden = 8 * (std::min(out, to_seconds(shared.forward)) +
                               std::min(out, to_seconds(shared.backward())));
    EXPECT_NEAR(apart - beside, hidden, 0.001 * apart) << rate.count();
    EXPECT_NEAR(beside / estimated_without_gradients(spec, rate), 1, 0.02);
  }
}

// Along rails and inside domains at once, chunk after chunk: c chunks take the slower level, and
// one chunk of the other.
TEST(TrainingOverlap, OfLevelsForwardsChunksWhileOthersCome) {
  for (const std::uint32_t chunks : {1U, 4U, 16U}) {
    TrainingSpec spec = expert_job(OverlapSpec::Experts::kNone);
    spec.parallelism.expert = spec.parallelism.data = spec.batch.global = 8;
    spec.experts.exchange = ExpertSpec::Exchange::kHighThroughput;
    spec.experts.chunks = chunks;
    collectives::RankLayout layout;
    for (std::uint32_t rank = 0; rank < 8; ++rank) layout.domain.push_back(rank / 4);
    const collectives::RankLayout layout_without_rates = layout;
    layout.domain_rate = 400_Gbps;
    const TrainingRun run(spec, 8, 0_us, 400_Gbps, layout);
    ASSERT_TRUE(run.is_finished());
    const auto routes = token_routes(completed_spec(spec), 4);
    const double copy = 2 * 3072;
    const double along = static_cast<double>(routes.to_domain[0]) * copy * 8 / 400e9;
    const double inside = 3 * static_cast<double>(routes.to_rank[0]) * copy * 8 / 400e9;
    const double way = (along + inside) / chunks + (1 - 1.0 / chunks) * std::max(along, inside);
    const TrainingRun computing(spec, 8, 0_us, BitsPerSecond(0), layout_without_rates);
    const double data = estimate_of(spec, 400_Gbps).term("data").exposed;
    const double exchanges = to_seconds(run.end()) - to_seconds(computing.end()) - data;
    EXPECT_NEAR(exchanges / (8 * 4 * way), 1, 0.02) << chunks;
  }
}

}  // namespace
}  // namespace weft
