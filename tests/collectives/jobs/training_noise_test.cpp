// Ranks that compute slower, in training jobs on the ideal network.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/training/pipeline/pipeline_time.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "tests/collectives/jobs/training_run.hpp"

namespace weft {
namespace {

using collectives::JitterSpec;
using collectives::TrainingSpec;
using testing::small_training;
using testing::TrainingRun;

constexpr Picoseconds kIteration = 16 * (4_us + 8_us);  // of computing, of a rank with all layers

JitterSpec slow(std::vector<std::string> ranks, double factor) {
  JitterSpec noise;
  noise.ranks = std::move(ranks);
  noise.factor = factor;
  return noise;
}

// Every half of a layer ends with a sum over all tensor-parallel ranks, so that all are as slow as
// the slowest: 1.44 times, with free communication, for 1 rank of 8 or all of them.
TEST(TrainingNoise, ASlowRankSlowsItsTensorGroupByItsFactor) {
  for (const auto& ranks : {std::vector<std::string>{"3"}, {"0-7"}, {"0", "5-6"}}) {
    TrainingSpec spec = small_training();
    spec.parallelism.tensor = 8;
    spec.noise = {slow(ranks, 1.44)};
    const TrainingRun run(spec, 8);
    ASSERT_TRUE(run.is_finished());
    EXPECT_EQ(run.end().count(), kIteration.count() * 144 / 100);
  }
}

// Data-parallel ranks meet at the end of an iteration: it is as long as the slowest rank's.
TEST(TrainingNoise, ASlowRankSlowsAllDataRanksAtTheEnd) {
  TrainingSpec spec = small_training();
  spec.parallelism.data = 64;
  spec.batch.global = 64;
  spec.noise = {slow({"17"}, 1.44)};
  spec.iterations = 2;
  const TrainingRun run(spec, 64);
  ASSERT_TRUE(run.is_finished());
  EXPECT_EQ(run.end().count(), 2 * (kIteration.count() * 144 / 100));
  // The others wait for it, and that is put down to the data-parallel group.
  const auto& streams = run.executor().iterations(ProcessId(std::uint32_t{3})).streams(0);
  EXPECT_EQ(streams[0].busy, kIteration);
  EXPECT_EQ(streams[1].waited.count(), kIteration.count() * 44 / 100);
}

// A slow rank of a pipeline is a stage that takes longer: as the evaluator of orders has it, to the
// picosecond.
TEST(TrainingNoise, ASlowRankOfAPipelineIsASlowStage) {
  for (const std::uint32_t rank : {0U, 1U, 3U}) {
    TrainingSpec spec = small_training();
    spec.parallelism.pipeline = 4;
    spec.parallelism.stage_layers = {5, 4, 4, 3};
    spec.batch.global = 12;
    spec.noise = {slow({std::to_string(rank)}, 1.5)};
    const TrainingRun run(spec, 4);
    ASSERT_TRUE(run.is_finished());
    collectives::PipelineTimes times;
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
      const Picoseconds one =
          std::int64_t{spec.parallelism.stage_layers[stage]} * (stage == rank ? 6_us : 4_us);
      times.stages.push_back({one, one, one});
    }
    EXPECT_EQ(run.end(),
              collectives::pipeline_time(collectives::pipeline_of(spec), times).makespan);
  }
}

// Nothing is computed in a pause: an iteration of 192 us meets those at 100 and 200 us, of 10 us
// each.
TEST(TrainingNoise, PausesAreAddedToWhatIsComputed) {
  TrainingSpec spec = small_training();
  spec.parallelism.tensor = 2;
  JitterSpec noise;
  noise.pause = collectives::PeriodicPause{100_us, 10_us, 100_us};
  spec.noise = {noise};
  const TrainingRun run(spec, 2);
  ASSERT_TRUE(run.is_finished());
  // The one at 0 counts as well: pauses come before the first as after it.
  EXPECT_EQ(run.end(), kIteration + 30_us);
}

// Beside gradients that are exchanged computing takes longer, where that is asked for: what begins
// while a bucket is on its way, and nothing else. Gradients of the last layer are ready 16 forward
// passes and one backward pass after the start; from then on the network is busy forever.
TEST(TrainingNoise, CommunicationTakesFromWhatComputesBesides) {
  TrainingSpec spec = small_training();
  spec.parallelism.data = 2;
  spec.batch.global = 2;
  spec.overlap.bucket = 1_B;
  spec.compute.communication_slowdown = 1.5;
  const TrainingRun run(spec, 2, 0_us, 1_Gbps);
  ASSERT_TRUE(run.is_finished());
  const auto& streams = run.executor().iterations(ProcessId(std::uint32_t{0})).streams(0);
  // The output layer's bucket is sent first: all backward passes are slowed, but for the half that
  // begins at the very instant at which that bucket does.
  EXPECT_EQ(streams[0].busy, 16 * (4_us + 12_us) - 2_us);
}

// Random delays of each piece of work: the same for the same seed, and longer than without.
TEST(TrainingNoise, JitterIsDrawnPerPieceOfWork) {
  TrainingSpec spec = small_training();
  spec.parallelism.tensor = 4;
  JitterSpec noise;
  noise.jitter = collectives::Jitter{collectives::Jitter::Distribution::kExponential, 1_us, {}};
  spec.noise = {noise};
  const TrainingRun once(spec, 4);
  const TrainingRun again(spec, 4);
  ASSERT_TRUE(once.is_finished() && again.is_finished());
  EXPECT_EQ(once.end(), again.end());
  // 66 pieces, of which each waits for the slowest of 4: H_4 = 25 / 12 of the mean, 137.5 us in
  // all. The standard deviation of one such wait is sqrt(1 + 1/4 + 1/9 + 1/16) = 1.19 us, of the
  // sum 9.7 us: five of these.
  EXPECT_NEAR(to_seconds(once.end() - kIteration), 137.5e-6, 48.5e-6);
}

TEST(TrainingNoise, UnknownRanksAndServersAreRefused) {
  TrainingSpec spec = small_training();
  spec.parallelism.tensor = 4;
  spec.noise = {slow({"4"}, 2)};
  spec.noise.push_back({});
  spec.noise[1].servers = {"7-3"};
  collectives::Problems problems;
  collectives::Training::check(spec, 4, problems);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].key, "noise[0].ranks");
  EXPECT_EQ(problems[1].key, "noise[1].servers");
}

}  // namespace
}  // namespace weft
