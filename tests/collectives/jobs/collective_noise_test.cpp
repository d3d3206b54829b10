// Ranks of collectives that compute slower, on the ideal network.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/collectives/zero_load_run.hpp"

namespace weft {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::Jitter;
using collectives::JitterSpec;
using collectives::Operation;
using testing::collective;
using testing::ZeroLoadRun;

constexpr std::uint32_t kNoisyRanks = 8;

/// Every iteration computes 100 us and then waits for all: a message of 1 B to everybody.
CollectiveSpec barrier_like(std::uint32_t iterations, std::vector<JitterSpec> noise) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kOneShot, 1_B, iterations);
  spec.compute = 100_us;
  spec.noise = std::move(noise);
  return spec;
}

/// How long it takes with scale-up domains of four ranks.
Picoseconds noisy_time(const CollectiveSpec& spec) {
  collectives::JobDescription description = testing::job(kNoisyRanks, spec);
  description.layout.domain = {0, 0, 0, 0, 1, 1, 1, 1};
  const ZeroLoadRun run(testing::build({description}));
  EXPECT_TRUE(run.executor().all_finished());
  return run.outcome().end;
}

JitterSpec noise_of_ranks(std::vector<std::string> ranks) {
  JitterSpec noise;
  noise.ranks = std::move(ranks);
  return noise;
}

const Picoseconds kOneCall = testing::message_time(1_B);

TEST(CollectiveNoise, AllWaitForTheRankThatComputesSlower) {
  for (const auto& ranks : {std::vector<std::string>{"0-7"}, {"1", "5-6"}}) {
    JitterSpec noise = noise_of_ranks(ranks);
    noise.factor = 1.44;
    EXPECT_EQ(noisy_time(barrier_like(3, {noise})), 3 * (144_us + kOneCall));
  }
  // A lone slow rank waits for nobody: what the others sent has come before.
  JitterSpec noise = noise_of_ranks({"3"});
  noise.factor = 1.44;
  EXPECT_EQ(noisy_time(barrier_like(3, {noise})), 3 * 144_us + kOneCall);
}

// A server is a scale-up domain; factors of what holds for a rank multiply, and a straggler's, too.
TEST(CollectiveNoise, HoldsForTheRanksOfServers) {
  JitterSpec server;
  server.servers = {"1"};
  server.factor = 1.5;
  EXPECT_EQ(noisy_time(barrier_like(1, {server})), 150_us + kOneCall);
  JitterSpec rank = noise_of_ranks({"6"});
  rank.factor = 2;
  EXPECT_EQ(noisy_time(barrier_like(1, {server, rank})), 300_us + kOneCall);
  rank.ranks = {"2"};
  EXPECT_EQ(noisy_time(barrier_like(1, {server, rank})), 200_us + kOneCall);
  CollectiveSpec both = barrier_like(1, {server});
  both.stragglers.push_back({{"4"}, 7_us, 3, 1});
  EXPECT_EQ(noisy_time(both), 450_us + 7_us + kOneCall);
}

// Nothing is computed for 10 us every 70 us, at 20, 90, 160 ... us after the job's start. The first
// iteration meets the pauses at 20 and 90 us and is through with computing at 120 us; messages of
// the others have come by then. The second one meets that at 160 us, and is through when the next
// one begins.
TEST(CollectiveNoise, PausesAreAddedToWhatIsComputed) {
  JitterSpec noise = noise_of_ranks({"5"});
  noise.pause = collectives::PeriodicPause{70_us, 10_us, 20_us};
  EXPECT_EQ(noisy_time(barrier_like(1, {noise})), 120_us + kOneCall);
  EXPECT_EQ(noisy_time(barrier_like(2, {noise})), 230_us + kOneCall);
}

// Twice as slow from 40 to 100 us: 30 us of work are done in these 60.
TEST(CollectiveNoise, ThrottlingHoldsForATime) {
  JitterSpec noise = noise_of_ranks({"0"});
  noise.throttles = {{40_us, 60_us, 2}};
  EXPECT_EQ(noisy_time(barrier_like(1, {noise})), 130_us + kOneCall);
  EXPECT_EQ(noisy_time(barrier_like(2, {noise})), 130_us + 100_us + 2 * kOneCall);
}

// Of all ranks, the noise's jitter is the job's.
TEST(CollectiveNoise, JitterIsThatOfTheJobForSomeRanks) {
  const Jitter jitter{Jitter::Distribution::kExponential, 5_us, {}};
  JitterSpec noise;
  noise.jitter = jitter;
  CollectiveSpec of_job = barrier_like(20, {});
  of_job.jitter = jitter;
  const Picoseconds all = noisy_time(of_job);
  EXPECT_EQ(noisy_time(barrier_like(20, {noise})), all);
  noise.ranks = {"0-3"};
  const Picoseconds half = noisy_time(barrier_like(20, {noise}));
  EXPECT_LT(half, all);
  EXPECT_GT(half, noisy_time(barrier_like(20, {})));
  // Other ranks have the job's besides, unless theirs is another.
  CollectiveSpec both = of_job;
  both.noise = {noise};
  EXPECT_EQ(noisy_time(both), all);
  both.noise[0].jitter = Jitter{Jitter::Distribution::kExponential, 50_us, {}};
  EXPECT_GT(noisy_time(both), all);
}

TEST(CollectiveNoise, WithoutComputingIsRefusedUnlessItDelays) {
  const auto wrong_keys = [](const CollectiveSpec& spec) {
    std::set<std::string> keys;
    const auto result = collectives::build_workload(std::vector{testing::job(8, spec)}, {});
    if (result.ok()) return keys;
    for (const Error& error : result.errors()) keys.insert(error.where.key);
    return keys;
  };
  JitterSpec noise = noise_of_ranks({"2"});
  noise.factor = 2;
  CollectiveSpec spec = barrier_like(1, {noise});
  EXPECT_EQ(wrong_keys(spec), std::set<std::string>{});
  spec.compute = 0_ps;
  EXPECT_EQ(wrong_keys(spec), std::set<std::string>{"jobs[0].noise[0]"});
  spec.noise[0].jitter = Jitter{Jitter::Distribution::kExponential, 5_us, {}};
  EXPECT_EQ(wrong_keys(spec), std::set<std::string>{});
  EXPECT_GT(noisy_time(spec), kOneCall);
  spec.noise[0].ranks = {"6-8"};
  EXPECT_EQ(wrong_keys(spec), std::set<std::string>{"jobs[0].noise[0].ranks"});
}

}  // namespace
}  // namespace weft
