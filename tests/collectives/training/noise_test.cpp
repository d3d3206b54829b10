// What slow factors, pauses and throttling make of work, in closed form and against a count of
// every picosecond; and what waiting for the slowest of many costs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/jitter/jitter.hpp"
#include "collectives/jitter/jitter_spec.hpp"
#include "collectives/jitter/rank_jitter.hpp"
#include "simcore/base/random.hpp"

namespace weft::testing {
namespace {

using collectives::Jitter;
using collectives::JitterSpec;
using collectives::PeriodicPause;
using collectives::RankJitter;
using collectives::Throttle;
using collectives::time_taken;

RankJitter slow_by(double factor) {
  RankJitter noise;
  noise.factor = factor;
  return noise;
}

TEST(Noise, MakesWorkLongerByItsFactor) {
  EXPECT_EQ(time_taken({}, 5_us, 100_us), 100_us);
  for (const Picoseconds start : {0_ps, 17_ns, 3_s}) {
    EXPECT_EQ(time_taken(slow_by(1.44), start, 100_us), 144_us);
    EXPECT_EQ(time_taken(slow_by(1.44), start, 100_us, 6_us), 150_us);
    EXPECT_EQ(time_taken(slow_by(1.44), start, 1_ps), 2_ps);
    EXPECT_EQ(time_taken(slow_by(0.5), start, 1_s), 500_ms);
  }
}

// One microsecond of every ten is a pause: n times 9 us of work from the end of a pause take the
// pauses between, n - 1; from its beginning one more.
TEST(Noise, WaitsForPauses) {
  RankJitter noise;
  noise.pause = PeriodicPause{10_us, 1_us, 3_us};
  for (const std::int64_t n : {1, 2, 1000}) {
    EXPECT_EQ(time_taken(noise, 4_us, 9_us * n), 9_us * n + 1_us * (n - 1));
    EXPECT_EQ(time_taken(noise, 3_us, 9_us * n), 10_us * n);
    EXPECT_EQ(time_taken(noise, 3_us - 1_ps, 9_us * n), 10_us * n);
  }
  EXPECT_EQ(time_taken(noise, 2_us, 1_us), 1_us);  // done as the pause begins
  EXPECT_EQ(time_taken(noise, 2_us, 1_us + 1_ps), 2_us + 1_ps);
  EXPECT_EQ(time_taken(noise, 3_us, 0_us), 0_us);
  for (const Picoseconds start : {0_us, 3_us, 3'500_ns, 9_us}) {
    EXPECT_EQ(time_taken(noise, start, 25_us), time_taken(noise, start + 70_us, 25_us));
  }
}

// Twice as long from 100 to 200 us. From 50 us: 50 us of work before, 50 in the throttled span.
TEST(Noise, IsSlowerWhileThrottled) {
  RankJitter noise;
  noise.throttles = {{100_us, 100_us, 2}};
  EXPECT_EQ(time_taken(noise, 0_us, 100_us), 100_us);
  EXPECT_EQ(time_taken(noise, 50_us, 70_us), 50_us + 2 * 20_us);
  EXPECT_EQ(time_taken(noise, 50_us, 100_us), 150_us);
  EXPECT_EQ(time_taken(noise, 50_us, 120_us), 150_us + 20_us);
  EXPECT_EQ(time_taken(noise, 150_us, 30_us), 50_us + 5_us);
  EXPECT_EQ(time_taken(noise, 200_us, 30_us), 30_us);
}

/// Work done in one picosecond from `time` on, in sixtieths.
std::int64_t done_in_one(const RankJitter& noise, std::int64_t time) {
  if (noise.pause) {
    const std::int64_t period = noise.pause->period.count();
    const std::int64_t into = ((time - noise.pause->phase.count()) % period + period) % period;
    if (into < noise.pause->length.count()) return 0;
  }
  for (const Throttle& throttle : noise.throttles) {
    const std::int64_t into = time - throttle.start.count();
    if (into >= 0 && into < throttle.length.count()) return std::lround(60 / throttle.factor);
  }
  return 60;
}

/// Throttles by 2, 3, 4 or 5 and pauses within some hundred picoseconds, at random.
RankJitter random_noise(std::uint64_t seed) {
  const RandomStream random(seed, Purpose::kTestScenario, 0);
  const auto below = [&random](std::uint64_t counter, std::uint64_t n) {
    return static_cast<std::int64_t>(random.below(counter, n));
  };
  RankJitter noise;
  if (below(0, 3) > 0) {
    const std::int64_t length = below(1, 12);
    noise.pause = {Picoseconds(length + 1 + below(2, 20)), Picoseconds(length),
                   Picoseconds(below(3, 50))};
  }
  std::int64_t start = 0;
  for (int i = 0; i < below(4, 4); ++i) {
    start += below(10 + 3 * i, 40);
    const std::int64_t length = below(11 + 3 * i, 40);
    noise.throttles.push_back(
        {Picoseconds(start), Picoseconds(length), static_cast<double>(2 + below(12 + 3 * i, 4))});
    start += length;
  }
  return noise;
}

// Each throttled span rounds what was done in it down to a millionth of a picosecond, which can
// move an end by one picosecond.
TEST(Noise, IsWhatACountOfEveryPicosecondSays) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RankJitter noise = random_noise(seed);
    std::vector<schema::Problem> problems;
    check_noise(noise, problems);
    ASSERT_TRUE(problems.empty());
    for (std::int64_t start = 0; start < 200; start += 7) {
      std::int64_t done = 0;
      std::int64_t time = start;
      for (std::int64_t nominal = 0; nominal < 60; ++nominal) {
        for (; done < 60 * nominal; ++time) done += done_in_one(noise, time);
        const Picoseconds taken = time_taken(noise, Picoseconds(start), Picoseconds(nominal));
        EXPECT_NEAR(static_cast<double>(taken.count()), static_cast<double>(time - start), 1)
            << "seed " << seed << ", start " << start << ", nominal " << nominal;
      }
    }
  }
}

TEST(Noise, NeverLetsLaterWorkEndEarlier) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RankJitter noise = random_noise(seed);
    for (std::int64_t nominal = 0; nominal < 50; nominal += 3) {
      Picoseconds last;
      for (std::int64_t start = 0; start < 250; ++start) {
        const Picoseconds taken = time_taken(noise, Picoseconds(start), Picoseconds(nominal));
        EXPECT_GE(Picoseconds(start) + taken, last);
        EXPECT_LE(taken, time_taken(noise, Picoseconds(start), Picoseconds(nominal + 1)));
        last = Picoseconds(start) + taken;
      }
    }
  }
}

TEST(Noise, OfDaysIsExact) {
  RankJitter noise;
  noise.pause = PeriodicPause{1_s, 250_ms, 0_s};
  noise.throttles = {{3000_s, 4000_s, 3}};
  // 3000 s do 2250 s of work; 4000 s do 1000 s; the rest is done at three quarters of the pace.
  EXPECT_EQ(time_taken(noise, 0_s, 3250_s + 75'000_s), 7000_s + 100'000_s);
}

TEST(NoiseSpecs, AddUpForARank) {
  const std::vector<JitterSpec> specs = {
      {.factor = 1.1},
      {.servers = {"1"}, .factor = 2},
      {.ranks = {"3", "9"}, .factor = 3},
  };
  const std::vector<std::uint32_t> two_servers = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto noise = noise_by_rank(specs, two_servers);
  EXPECT_DOUBLE_EQ(noise[0].factor, 1.1);
  EXPECT_DOUBLE_EQ(noise[9].factor, 1.1 * 2 * 3);
  EXPECT_DOUBLE_EQ(noise[3].factor, 1.1 * 3);
}

// Of two throttles that meet, the product holds where both do.
TEST(NoiseSpecs, MultiplyThrottlesThatMeet) {
  RankJitter first;
  first.throttles = {{0_us, 100_us, 2}};
  RankJitter second;
  second.throttles = {{50_us, 100_us, 4}};
  const RankJitter both = combined(first, second);
  ASSERT_EQ(both.throttles.size(), 3U);
  EXPECT_EQ(both.throttles[1].start, 50_us);
  EXPECT_EQ(both.throttles[1].factor, 8);
  EXPECT_EQ(both.throttles[2].length, 50_us);
  // 25 us of work, then 50 us / 8, then a quarter of the pace.
  EXPECT_EQ(time_taken(both, 0_us, 32'500_ns), 50_us + 50_us + 5_us);
}

TEST(Noise, IsRefusedByTheKeyThatSaysWhy) {
  RankJitter noise;
  noise.factor = 0;
  noise.pause = PeriodicPause{1_us, 1_us, 0_us};
  noise.throttles = {{10_us, 5_us, 2}, {12_us, 5_us, 2}};
  std::vector<schema::Problem> problems;
  check_noise(noise, problems);
  std::vector<std::string> keys;
  keys.reserve(problems.size());
  for (const schema::Problem& problem : problems) keys.push_back(problem.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"factor", "pause.period", "throttles[1].start"}));
}

/// The mean over iterations of what the slowest of n ranks takes beyond the nominal.
double mean_of_slowest(const Jitter& jitter, std::uint32_t n, int iterations) {
  double sum = 0;
  for (int i = 0; i < iterations; ++i) {
    Picoseconds slowest;
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const RandomStream random(7, Purpose::kCollectiveJitter, rank);
      const Picoseconds delay = draw_delay(jitter, random.bits(static_cast<std::uint64_t>(i)));
      slowest = std::max(slowest, time_taken({}, 0_ps, 1_ms, delay));
    }
    sum += to_seconds(slowest - 1_ms);
  }
  return sum / iterations;
}

// The expectation of the largest of n exponential delays of mean theta is theta H_n, its variance
// theta^2 times the sum of 1 / k^2 to n, below (1.283 theta)^2. Tolerance: four standard errors.
TEST(Noise, ExponentialCostsAHarmonicNumber) {
  constexpr int kIterations = 3000;
  const Jitter jitter{Jitter::Distribution::kExponential, 10_us, 0_us};
  for (const auto& [n, harmonic] :
       std::vector<std::pair<std::uint32_t, double>>{{8, 2.718}, {64, 4.744}, {512, 6.817}}) {
    EXPECT_NEAR(mean_of_slowest(jitter, n, kIterations), 1e-5 * harmonic,
                4 * 1e-5 * 1.283 / std::sqrt(kIterations));
  }
}

// The largest of n normal delays is above the mean by 1.423, 2.387 and 3.043 standard deviations
// for 8, 72 and 512 (the integral of n x phi(x) Phi(x)^(n-1), to three digits). The largest itself
// deviates by less than 0.62 of one for 8 and more. Tolerance: four standard errors.
TEST(Noise, NormalCostsTheExpectationOfTheLargest) {
  constexpr int kIterations = 3000;
  const Jitter jitter{Jitter::Distribution::kNormal, 100_us, 10_us};
  for (const auto& [n, expected] :
       std::vector<std::pair<std::uint32_t, double>>{{8, 1.423}, {72, 2.387}, {512, 3.043}}) {
    EXPECT_NEAR(mean_of_slowest(jitter, n, kIterations), 1e-4 + 1e-5 * expected,
                4 * 1e-5 * 0.62 / std::sqrt(kIterations));
  }
}

}  // namespace
}  // namespace weft::testing
