#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "collectives/jobs/incast/incast.hpp"
#include "collectives/jobs/open_loop/open_loop.hpp"
#include "collectives/jobs/permutation/permutation.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Incast;
using collectives::IncastSpec;
using collectives::OpenLoop;
using collectives::OpenLoopSpec;
using collectives::Permutation;
using collectives::PermutationSpec;
using collectives::ProgramSetting;
using collectives::Step;

ProgramSetting setting(std::uint32_t ranks, std::uint64_t seed = 1, std::uint32_t number = 0) {
  ProgramSetting setting;
  setting.seed = seed;
  setting.job = number;
  setting.ranks = ranks;
  setting.access_rates.assign(ranks, kRate);
  return setting;
}

std::vector<Picoseconds> delays(const collectives::JobProgram& program, std::uint32_t rank) {
  std::vector<Picoseconds> delays;
  for (const Step& step : steps_of(program, rank)) {
    if (step.kind == Step::Kind::kDelay) delays.push_back(step.time());
  }
  return delays;
}

// 64 senders x 100 rounds uniform in [0, J): the mean is J/2 with standard deviation
// J / sqrt(12 n). Three of them.
TEST(IncastJitter, IsUniformPerSenderAndRound) {
  const Incast program(setting(65), {64, 1_KiB, 100, 1_us});
  double sum = 0;
  std::set<Picoseconds> distinct;
  for (std::uint32_t rank = 0; rank < 64; ++rank) {
    const auto jitter = delays(program, rank);
    ASSERT_EQ(jitter.size(), 100U);
    for (const Picoseconds j : jitter) {
      EXPECT_GE(j, 0_ps);
      EXPECT_LT(j, 1_us);
      sum += static_cast<double>(j.count());
      distinct.insert(j);
    }
  }
  EXPECT_NEAR(sum / 6400, 5e5, 3 * 1e6 / std::sqrt(12.0 * 6400));
  EXPECT_GT(distinct.size(), 6300U) << "6400 draws from 10^6 meet about 20 times";
}

TEST(IncastJitter, FollowsSeedJobAndRankOnly) {
  const IncastSpec spec{64, 1_KiB, 10, 1_us};
  const auto reference = delays(Incast(setting(65), spec), 5);
  EXPECT_EQ(delays(Incast(setting(65), spec), 5), reference);
  EXPECT_EQ(delays(Incast(setting(999), spec), 5), reference) << "other ranks do not matter";
  EXPECT_NE(delays(Incast(setting(65, 2), spec), 5), reference);
  EXPECT_NE(delays(Incast(setting(65, 1, 1), spec), 5), reference);
  EXPECT_NE(delays(Incast(setting(65), spec), 6), reference);
}

TEST(PermutationJitter, StaysWithinItsBound) {
  const Permutation program(setting(100), {1_KiB, 3_us});
  for (std::uint32_t rank = 0; rank < 100; ++rank) {
    ASSERT_EQ(delays(program, rank).size(), 1U);
    EXPECT_GE(delays(program, rank)[0], 0_ps);
    EXPECT_LT(delays(program, rank)[0], 3_us);
  }
}

TEST(Permutation, IsADerangementForEverySeedAndSize) {
  for (std::uint32_t n = 2; n < 40; ++n) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto order =
          collectives::random_derangement(n, RandomStream(seed, Purpose::kPermutation, 0));
      std::vector<bool> is_hit(n);
      for (std::uint32_t i = 0; i < n; ++i) {
        ASSERT_NE(order[i], i);
        is_hit[order[i]] = true;
      }
      EXPECT_EQ(std::count(is_hit.begin(), is_hit.end(), true), n);
    }
  }
}

// There are 9 derangements of 4. Over 9,000 seeds each comes 1,000 times; chi-square with 8 degrees
// of freedom exceeds 26.12 with probability 0.001.
TEST(Permutation, EveryDerangementIsEquallyLikely) {
  std::map<std::vector<std::uint32_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 9000; ++seed) {
    ++counts[collectives::random_derangement(4, RandomStream(seed, Purpose::kPermutation, 0))];
  }
  ASSERT_EQ(counts.size(), 9U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1e3;
  EXPECT_LT(chi_square, 26.12);
}

TEST(Permutation, TakesDestinationsAsGiven) {
  const Permutation program(setting(4), {1_KiB, 0_ps}, {1, 2, 3, 0});
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const auto steps = steps_of(program, rank);
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0].peer, (rank + 1) % 4);
    EXPECT_EQ(steps[1].peer, (rank + 3) % 4);
  }
}

OpenLoopSpec open_loop(OpenLoopSpec::Arrivals arrivals, Picoseconds stop) {
  OpenLoopSpec spec;
  spec.size = 1_KB;  // 1 us on the link: a mean gap of 2 us at half the load
  spec.load = 0.5;
  spec.arrivals = arrivals;
  spec.stop = stop;
  return spec;
}

struct Arrivals {
  std::vector<std::int64_t> times;
  std::vector<std::uint32_t> peers;
};

Arrivals arrivals_of(const OpenLoop& program, std::uint32_t rank) {
  Arrivals arrivals;
  for (const Step& step : steps_of(program, rank)) {
    if (step.kind == Step::Kind::kWaitUntil) arrivals.times.push_back(step.amount);
    if (step.kind == Step::Kind::kSend) arrivals.peers.push_back(step.peer);
  }
  EXPECT_EQ(arrivals.times.size(), arrivals.peers.size());
  return arrivals;
}

TEST(OpenLoop, MeanGapIsMessageTimeOverLoad) {
  OpenLoopSpec spec = open_loop(OpenLoopSpec::Arrivals::kConstant, 1_ms);
  EXPECT_EQ(mean_gap(spec, kRate), 2_us);
  EXPECT_EQ(mean_gap(spec, 400_Gbps), 40_ns);
  spec.load = 0.3;
  EXPECT_EQ(mean_gap(spec, 400_Gbps), Picoseconds(66'667)) << "20 ns / 0.3, to the nearest";
  spec.load = 1e-300;
  EXPECT_GT(mean_gap(spec, 1_bps), 1_s) << "saturates";
}

// 50 ranks for 10 ms at one message per 2 us: 250,000 expected, and as a Poisson count +- 500.
// Gaps of a Poisson process have a coefficient of variation of 1 (its own deviation 1/sqrt(n)), and
// neighbours are not correlated: the coefficient is 0 +- 1/sqrt(n).
TEST(OpenLoop, PoissonArrivalsHaveTheRateAndTheSpreadOfTheirName) {
  const OpenLoop program(setting(50), open_loop(OpenLoopSpec::Arrivals::kPoisson, 10_ms));
  double n = 0;
  double sum = 0;
  double squares = 0;
  double products = 0;
  for (std::uint32_t rank = 0; rank < 50; ++rank) {
    std::int64_t last = 0;
    double last_gap = 2e6;
    for (const std::int64_t time : arrivals_of(program, rank).times) {
      ASSERT_GE(time, last);
      ASSERT_LT(time, (10_ms).count());
      const auto gap = static_cast<double>(time - last);
      last = time;
      n += 1;
      sum += gap;
      squares += gap * gap;
      products += (gap - 2e6) * (last_gap - 2e6);
      last_gap = gap;
    }
  }
  EXPECT_NEAR(n, 250'000, 3 * std::sqrt(250'000));
  const double mean = sum / n;
  EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 1, 3 / std::sqrt(n));
  EXPECT_NEAR(products / n / (2e6 * 2e6), 0, 3 / std::sqrt(n));
}

TEST(OpenLoop, ConstantArrivalsAreOneGapApartAtAPhaseOfTheirOwn) {
  const OpenLoop program(setting(20), open_loop(OpenLoopSpec::Arrivals::kConstant, 1_ms));
  std::set<std::int64_t> phases;
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    const auto times = arrivals_of(program, rank).times;
    ASSERT_EQ(times.size(), 500U) << "1 ms / 2 us, whatever the phase";
    EXPECT_LT(times[0], (2_us).count());
    phases.insert(times[0]);
    for (std::size_t i = 1; i < times.size(); ++i) {
      EXPECT_EQ(times[i] - times[i - 1], (2_us).count());
    }
  }
  EXPECT_EQ(phases.size(), 20U);
}

// 5,000 messages to 9 other ranks: chi-square with 8 degrees of freedom exceeds 26.12 with
// probability 0.001.
TEST(OpenLoop, DestinationsAreUniformOverTheOtherRanks) {
  const OpenLoop program(setting(10), open_loop(OpenLoopSpec::Arrivals::kConstant, 10_ms));
  std::vector<double> counts(10);
  for (const std::uint32_t peer : arrivals_of(program, 4).peers) counts[peer] += 1;
  EXPECT_EQ(counts[4], 0);
  const double expected = 5000.0 / 9;
  double chi_square = 0;
  for (std::uint32_t i = 0; i < 10; ++i) {
    if (i != 4) chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 26.12);
}

// 20 messages reach some of 49 other ranks, 500 reach all but for 49 e^-10.
TEST(OpenLoop, SendPeersAreThoseThatAreDrawn) {
  for (const auto kind : {OpenLoopSpec::Arrivals::kPoisson, OpenLoopSpec::Arrivals::kConstant}) {
    for (const Picoseconds stop : {40_us, 1_ms}) {
      const OpenLoop program(setting(50), open_loop(kind, stop));
      const auto drawn = arrivals_of(program, 7).peers;
      const std::set<std::uint32_t> distinct(drawn.begin(), drawn.end());
      EXPECT_EQ(program.send_peers({7, 0}),
                std::vector<std::uint32_t>(distinct.begin(), distinct.end()));
    }
  }
}

// A picosecond apart, what rounding to picoseconds does shows: 4 % more messages. Tolerance: three
// standard deviations of a Poisson count.
TEST(OpenLoop, ExpectsAsManyMessagesAsArrive) {
  OpenLoopSpec spec = open_loop(OpenLoopSpec::Arrivals::kPoisson, 100_ns);
  spec.size = 1_B;
  spec.load = 1;
  for (const std::int64_t picoseconds : {1, 2, 100}) {
    ProgramSetting fast = setting(2);
    fast.access_rates.assign(2, BitsPerSecond(8'000'000'000'000 / picoseconds));
    const OpenLoop program(fast, spec);
    const double expected = program.drawn_sends(0)->messages;
    EXPECT_NEAR(expected, static_cast<double>(arrivals_of(program, 0).times.size()),
                3 * std::sqrt(expected));
  }
}

TEST(OpenLoop, NothingArrivesFromTheStopOn) {
  const OpenLoop program(setting(2), open_loop(OpenLoopSpec::Arrivals::kPoisson, 0_ps));
  EXPECT_TRUE(arrivals_of(program, 0).times.empty());
}

TEST(OpenLoop, SameSeedSameArrivals) {
  const auto spec = open_loop(OpenLoopSpec::Arrivals::kPoisson, 1_ms);
  const auto reference = arrivals_of(OpenLoop(setting(4), spec), 1);
  EXPECT_EQ(arrivals_of(OpenLoop(setting(4), spec), 1).times, reference.times);
  EXPECT_NE(arrivals_of(OpenLoop(setting(4, 2), spec), 1).times, reference.times);
  EXPECT_NE(arrivals_of(OpenLoop(setting(4), spec), 2).times, reference.times);
}

}  // namespace
}  // namespace weft::testing
