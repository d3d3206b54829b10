#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "collectives/jobs/incast/incast.hpp"
#include "collectives/jobs/open_loop/open_loop.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Incast;
using collectives::IncastSpec;
using collectives::OpenLoop;
using collectives::OpenLoopSpec;
using collectives::published_sizes;
using collectives::SizeDistribution;
using collectives::Step;

collectives::ProgramSetting ranks_of(std::uint32_t ranks, std::uint64_t seed = 1) {
  collectives::ProgramSetting setting;
  setting.seed = seed;
  setting.ranks = ranks;
  setting.access_rates.assign(ranks, kRate);
  return setting;
}

struct Sent {
  Picoseconds time;
  std::uint32_t peer = 0;
  Bytes size;
  bool operator==(const Sent&) const = default;
};

std::vector<Sent> sent_by(const collectives::JobProgram& program, std::uint32_t rank) {
  std::vector<Sent> sent;
  Picoseconds now;
  for (const Step& step : steps_of(program, rank)) {
    if (step.kind == Step::Kind::kWaitUntil) now = step.time();
    if (step.kind == Step::Kind::kSend) sent.push_back({now, step.peer, step.bytes()});
  }
  return sent;
}

OpenLoopSpec drawn_sizes(const std::string& name, double load, Picoseconds stop) {
  OpenLoopSpec spec;
  spec.sizes = published_sizes(name);
  spec.load = load;
  spec.stop = stop;
  return spec;
}

/// The mean of the squares of sizes: over a line from a to b it is (a^2 + a b + b^2) / 3.
double square_mean(const SizeDistribution& table) {
  double sum = 0;
  SizeDistribution::Point below{table.points().front().size, 0};
  for (const SizeDistribution::Point& point : table.points()) {
    const auto a = static_cast<double>(below.size.count());
    const auto b = static_cast<double>(point.size.count());
    sum += static_cast<double>(point.parts - below.parts) / SizeDistribution::kWhole *
           (a * a + a * b + b * b) / 3;
    below = point;
  }
  return sum;
}

// A compound Poisson sum of n messages has variance n E[s^2]. Load 0.6 of 1 byte/ns on 40 ranks.
TEST(OpenLoopSizes, OfferTheLoadThatIsAskedFor) {
  for (const char* name : {"websearch", "fb-hadoop", "alistorage"}) {
    const OpenLoopSpec spec = drawn_sizes(name, 0.6, 300_ms);
    const double mean = static_cast<double>(spec.sizes->table.mean_in_thousandths()) / 1000;
    const OpenLoop program(ranks_of(40), spec);
    double bytes = 0;
    double messages = 0;
    for (std::uint32_t rank = 0; rank < 40; ++rank) {
      for (const Sent& sent : sent_by(program, rank)) {
        bytes += static_cast<double>(sent.size.count());
        messages += 1;
      }
    }
    const double expected = 40 * 0.6 * 300e6;
    const double count = expected / mean;
    EXPECT_NEAR(messages, count, 3 * std::sqrt(count)) << name;
    EXPECT_NEAR(bytes, expected, 3 * std::sqrt(count * square_mean(spec.sizes->table))) << name;
    EXPECT_NEAR(program.drawn_sends(0)->messages, count / 40, 1e-6 * count) << name;
  }
}

TEST(OpenLoopSizes, SameSeedSameSizes) {
  const OpenLoopSpec spec = drawn_sizes("fb-hadoop", 0.5, 5_ms);
  const auto reference = sent_by(OpenLoop(ranks_of(4), spec), 1);
  EXPECT_EQ(sent_by(OpenLoop(ranks_of(4), spec), 1), reference);
  EXPECT_NE(sent_by(OpenLoop(ranks_of(4, 2), spec), 1), reference);
  EXPECT_NE(sent_by(OpenLoop(ranks_of(4), spec), 2), reference);
}

// A single size leaves the arrivals as they are: the mean is the same.
TEST(OpenLoopSizes, OneDrawnSizeIsAFixedSize) {
  OpenLoopSpec fixed;
  fixed.size = 1_KB;
  fixed.stop = 1_ms;
  OpenLoopSpec drawn = fixed;
  drawn.sizes =
      collectives::SizesSpec{"one", "", SizeDistribution({{1_KB, SizeDistribution::kWhole}})};
  EXPECT_EQ(sent_by(OpenLoop(ranks_of(4), fixed), 0), sent_by(OpenLoop(ranks_of(4), drawn), 0));
}

// Switched on for 40 us and off for 160 us on average at load 0.1: half the rate while on. Windows
// of 10 ms are 50 cycles, so their counts are nearly those of a long time: an interrupted Poisson
// process of rate l while on has an index of dispersion of 1 + 2 l w1 / (w1 + w2)^2 with w1 = 1/on
// and w2 = 1/off (W. Fischer, K. Meier-Hellstern, "The Markov-modulated Poisson process cookbook",
// Performance Evaluation 18, 1993). With l = 0.5 per us of 1 kB messages on 1 byte/ns:
// 1 + 2 * 0.5 * 0.025 / (0.025 + 0.00625)^2 = 26.6. Of windows of T the last term is less by
// (1 - (1 - e^-rT) / rT) with r = w1 + w2: 0.9968. Tolerance: the variance of 40 x 100 windows is
// known to sqrt(2 / 4000) = 2.2 %, three times that; the mean to sqrt(26.6 / 50 / 4000) of itself.
TEST(OnOffSources, HaveTheLoadAndTheBurstsOfTheirPeriods) {
  OpenLoopSpec spec;
  spec.size = 1_KB;
  spec.load = 0.1;
  spec.arrivals = OpenLoopSpec::Arrivals::kOnOff;
  spec.on = 40_us;
  spec.off = 160_us;
  spec.stop = 1_s;
  const OpenLoop program(ranks_of(40), spec);
  double sum = 0;
  double squares = 0;
  for (std::uint32_t rank = 0; rank < 40; ++rank) {
    std::vector<double> windows(100);
    for (const Sent& sent : sent_by(program, rank)) {
      windows[static_cast<std::size_t>(sent.time / 10_ms)] += 1;
    }
    for (const double count : windows) {
      sum += count;
      squares += count * count;
    }
  }
  const double mean = sum / 4000;
  const double variance = squares / 4000 - mean * mean;
  const double dispersion = 1 + 25.6 * 0.9968;
  EXPECT_NEAR(mean, 1000, 3 * 1000 * std::sqrt(dispersion / 1000 / 4000));
  EXPECT_NEAR(variance / mean, dispersion, 3 * 0.0224 * dispersion);
}

// Sources are on from the start with probability on / (on + off): 4,000 ranks, 1 ns in.
TEST(OnOffSources, BeginAsTheyGoOn) {
  OpenLoopSpec spec;
  spec.size = 1_KB;
  spec.load = 0.25;
  spec.arrivals = OpenLoopSpec::Arrivals::kOnOff;
  spec.on = 1_ms;
  spec.off = 3_ms;
  spec.stop = 20_us;  // 20 messages while on
  const OpenLoop program(ranks_of(4000), spec);
  double active = 0;
  for (std::uint32_t rank = 0; rank < 4000; ++rank) active += !sent_by(program, rank).empty();
  // Of those that are off one in 150 comes on in that time.
  EXPECT_NEAR(active, 1000 + 3000 * 0.0067, 3 * std::sqrt(4000 * 0.25 * 0.75));
}

TEST(OnOffSources, SendPeersAreThoseThatAreDrawn) {
  OpenLoopSpec spec = drawn_sizes("alistorage", 0.3, 5_ms);
  spec.arrivals = OpenLoopSpec::Arrivals::kOnOff;
  spec.on = 100_us;
  spec.off = 400_us;
  const OpenLoop program(ranks_of(20), spec);
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    std::set<std::uint32_t> peers;
    for (const Sent& sent : sent_by(program, rank)) peers.insert(sent.peer);
    EXPECT_EQ(program.send_peers({rank, 0}),
              std::vector<std::uint32_t>(peers.begin(), peers.end()));
  }
}

// All has been sent by the begin of the last round; its messages take alpha + S / rate.
TEST(PeriodicIncast, BeginsItsRoundsAtTheirTimes) {
  IncastSpec spec;
  spec.size = 2_KB;
  spec.rounds = 5;
  spec.period = 10_us;
  const Incast program(ranks_of(9), spec);
  for (std::uint32_t rank = 1; rank < 9; ++rank) {
    const auto sent = sent_by(program, rank);
    ASSERT_EQ(sent.size(), 5U);
    for (std::size_t round = 0; round < 5; ++round) {
      EXPECT_EQ(sent[round].time, static_cast<std::int64_t>(round) * 10_us);
    }
  }
  const ZeroLoadRun run(build({job(9, spec)}));
  ASSERT_TRUE(run.executor().finished(0));
  EXPECT_EQ(run.outcome().end, 40_us + message_time(2_KB) + kBack);
}

// 8 senders of 2 kB at a load of 0.4 of 1 byte/ns: 16,000 bytes in 40 us.
TEST(PeriodicIncast, HasAPeriodByItsLoad) {
  IncastSpec spec;
  spec.size = 2_KB;
  spec.rounds = 3;
  spec.load = 0.4;
  const auto sent = sent_by(Incast(ranks_of(9), spec), 4);
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[2].time, 80_us);
  spec.members = IncastSpec::Members::kDrawn;
  spec.senders = 4;
  spec.rounds = 100;
  // 8,000 bytes, of nine links' 0.4 * 9 bytes/ns.
  const Incast drawn(ranks_of(9), spec);
  for (std::uint32_t rank = 0; rank < 9; ++rank) {
    for (const Sent& one : sent_by(drawn, rank)) {
      EXPECT_NEAR(std::remainder(static_cast<double>(one.time.count()), 8e6 / 3.6), 0, 200)
          << "2 kB each to a picosecond, 400 times";
    }
  }
}

// 2,000 rounds among 9: each rank receives 222 of them, and chi-square with 8 degrees of freedom
// exceeds 26.12 with probability 0.001; senders are 4 of the others, as likely.
TEST(DrawnIncast, TakesAnyReceiverAndAnySenders) {
  IncastSpec spec;
  spec.size = 1_B;
  spec.rounds = 2000;
  spec.period = 1_us;
  spec.senders = 4;
  spec.members = IncastSpec::Members::kDrawn;
  const Incast program(ranks_of(9), spec);
  std::vector<double> received(9);
  std::vector<double> sends(9);
  std::map<Picoseconds, std::set<std::uint32_t>> receivers;
  std::map<Picoseconds, std::uint32_t> senders;
  for (std::uint32_t rank = 0; rank < 9; ++rank) {
    for (const Sent& sent : sent_by(program, rank)) {
      EXPECT_NE(sent.peer, rank);
      sends[rank] += 1;
      received[sent.peer] += 0.25;
      receivers[sent.time].insert(sent.peer);
      ++senders[sent.time];
    }
  }
  ASSERT_EQ(receivers.size(), 2000U);
  for (const auto& [time, of_round] : receivers) EXPECT_EQ(of_round.size(), 1U);
  for (const auto& [time, of_round] : senders) EXPECT_EQ(of_round, 4U);
  double chi_square = 0;
  for (std::uint32_t rank = 0; rank < 9; ++rank) {
    chi_square += std::pow(received[rank] - 2000.0 / 9, 2) / (2000.0 / 9);
    EXPECT_NEAR(sends[rank], 8000.0 / 9, 4 * std::sqrt(8000.0 / 9)) << rank;
  }
  EXPECT_LT(chi_square, 26.12);
}

// Every rank ends: it has received all that was sent to it.
TEST(DrawnIncast, EndsWithTheLastRound) {
  IncastSpec spec;
  spec.size = 1_KB;
  spec.rounds = 50;
  spec.period = 10_us;
  spec.senders = 7;
  spec.members = IncastSpec::Members::kDrawn;
  const ZeroLoadRun run(build({job(9, spec)}));
  ASSERT_TRUE(run.executor().finished(0));
  EXPECT_EQ(run.outcome().messages, 350);
  EXPECT_EQ(run.outcome().end, 490_us + message_time(1_KB) + kBack);
}

}  // namespace
}  // namespace weft::testing
