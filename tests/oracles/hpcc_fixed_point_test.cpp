// N long flows through one link of 100 Gbps under HPCC (Li et al., SIGCOMM 2019), R_AI = 50 Mbps.
//
// At rest U = N R / C and R = R eta / U + R_AI, so that R = R_AI + eta C / N: 95.05, 95.10 and
// 95.40 Gbps together for N = 1, 2 and 8, and no queue stands while that is less than the link,
// below N = (1 - eta) C / R_AI = 100. For N = 200 the steps alone are 10 % of the link; rates are C
// / N and U = 1 + q / (C T) = eta / (1 - R_AI N / C) = 1.0556: a queue of 0.0556 C T. Packets of
// 1,090 B: 1,000 B, 48 B, and 42 B of telemetry.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/shared_link.hpp"

namespace weft::testing {
namespace {

using protocols::congestion::HpccConfig;

constexpr double kHpccLink = 100e9;

protocols::PacketNetwork::Options hpcc_options(HpccConfig::Preset preset) {
  HpccConfig config = HpccConfig::from_preset(preset);
  config.minimum_rate = 100_Mbps;
  return options_with(config, 1'048_B, 48_B);
}

struct HpccCase {
  std::uint32_t flows;
  HpccConfig::Preset preset;
};

class HpccFixedPoint : public ::testing::TestWithParam<HpccCase> {};

// Within 1 % of the form. Two links of 5 us each way: a flow's share of what they hold is many
// packets, as the form takes it for.
TEST_P(HpccFixedPoint, SendsEtaAndItsStepsAndLeavesNoQueue) {
  const HpccCase& c = GetParam();
  const SharedLinkRun run({.flows = c.flows,
                           .latency = 5_us,
                           .from = 20_ms,
                           .to = 24_ms,
                           .queue_period = 100_ns,
                           .size = 4_GiB},
                          hpcc_options(c.preset));
  const double expected = 0.95 + c.flows * 50e6 / kHpccLink;
  RecordProperty("used", std::to_string(run.used()));
  RecordProperty("jain", std::to_string(run.jain()));
  RecordProperty("mean_queue", std::to_string(run.mean_queue()));
  RecordProperty("standing_queue", std::to_string(run.standing_queue(20_us)));
  EXPECT_NEAR(run.used(), expected, 0.01 * expected);
  EXPECT_NEAR(run.mean("utilization") / 4294967296.0, expected, 0.01 * expected);
  EXPECT_LE(run.standing_queue(20_us), 1'090);
  EXPECT_GE(run.jain(), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Flows, HpccFixedPoint,
                         ::testing::Values(HpccCase{1, HpccConfig::Preset::kPaper},
                                           HpccCase{2, HpccConfig::Preset::kPaper},
                                           HpccCase{8, HpccConfig::Preset::kPaper},
                                           HpccCase{1, HpccConfig::Preset::kNs3},
                                           HpccCase{2, HpccConfig::Preset::kNs3},
                                           HpccCase{8, HpccConfig::Preset::kNs3}),
                         [](const auto& test) {
                           const bool is_paper = test.param.preset == HpccConfig::Preset::kPaper;
                           return "N" + std::to_string(test.param.flows) +
                                  (is_paper ? "Paper" : "Ns3");
                         });

// Up to N = 64 the queue empties in every round trip.
TEST(HpccQueue, NoneStandsBelowWhatTheStepsFill) {
  const SharedLinkRun run({.flows = 64,
                           .latency = 20_us,
                           .from = 20_ms,
                           .to = 22_ms,
                           .spread = 100_us,
                           .queue_period = 100_ns},
                          hpcc_options(HpccConfig::Preset::kPaper));
  RecordProperty("used", std::to_string(run.used()));
  RecordProperty("standing_queue", std::to_string(run.standing_queue(80_us)));
  EXPECT_EQ(run.standing_queue(80_us), 0);
  EXPECT_NEAR(run.used(), 0.982, 0.03 * 0.982);
  EXPECT_GE(run.jain(), 0.99);
}

// Within 10 % of the queue: it is the small difference of U and 1.
TEST(HpccQueue, OfTwoHundredFlowsIsWhatTheirStepsFill) {
  const SharedLinkRun run(
      {.flows = 200, .latency = 20_us, .from = 30_ms, .to = 34_ms, .spread = 100_us, .size = 4_GiB},
      hpcc_options(HpccConfig::Preset::kPaper));
  const double filling = kHpccLink / 8 * 80.27e-6;
  RecordProperty("queue_of_filling", std::to_string(run.mean_queue() / filling));
  EXPECT_NEAR(run.mean_queue(), 0.0556 * filling, 0.1 * 0.0556 * filling);
  EXPECT_GE(run.used(), 0.995);
  EXPECT_GE(run.jain(), 0.999);
}

// The authors' ns-3 model: N flows of 1,000,000 B into one link, 1 us per link, a T of 4,160 ns.
// Eight took 642,070 to 747,940 ns, 699,063 on average, where a packet takes 87 ns instead of 87.2.
// Sixteen and twenty-four, with three and two packets of a flow in a round trip: 1,362,360 and
// 2,064,130 on average, by an event-by-event copy of that model that gives the same 699,063 for
// eight. With send times that are not moved sixteen take 5 % longer, with a window of wire bytes
// eight 2 %.
//
// The link is never idle, so that the last flow ends alike in all runs; how much earlier the others
// end is decided by which flows fall behind, and that by fractions of a nanosecond. An ACK that is
// a byte longer, 0.08 ns, moves the mean by 0.6 to 1.1 % (standard deviation of a run). ns-3 cuts
// times to whole nanoseconds, counts bytes by 128 and queues by 80: in a small model of the same
// rules each of these cuts alone moved the mean of sixteen by -0.5 to +1.9 %. Without any, and over
// ACKs of 54 to 69 B, that model has 704,035, 1,373,902 and 2,083,904 on average. So has weft
// within 0.75 %, which is 1.8 standard errors of the two means; ns-3's single figures are
// within 1.5 % of that.
struct HpccInNs3Case {
  std::uint32_t senders;
  double one_run;  ///< ns, of ns-3
  double exact;    ///< ns, of the model without cuts, on average
};

class HpccInNs3 : public ::testing::TestWithParam<HpccInNs3Case> {};

/// In ns, where a packet takes 87 ns.
double mean_completion(std::uint32_t senders, Bytes ack) {
  HpccConfig config = HpccConfig::from_preset(HpccConfig::Preset::kNs3);
  config.base_rtt = 4'160_ns;
  auto options = options_with(config, 1'048_B, 48_B);
  roce_of(options).ack_size = ack;
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= senders; ++i) {
    flows.push_back({HostId(i), HostId(0u), 1'000'000_B, 0_ps});
  }
  FlowRun run(star(senders + 1, 100'000_Mbps, 1_us), options, flows);
  double sum = 0;
  for (const Picoseconds time : run.completions()) {
    sum += to_seconds(time) * 1e9 * 87 / 87.2 / senders;
  }
  return sum;
}

TEST_P(HpccInNs3, ManyToOneTakesAsLongOnAverage) {
  constexpr int kRuns = 16;
  const HpccInNs3Case& c = GetParam();
  double sum = 0;
  double squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double mean = mean_completion(c.senders, Bytes(52 + run));
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / kRuns;
  const double deviation = std::sqrt((squares - sum * mean) / (kRuns - 1));
  RecordProperty("mean_ns", std::to_string(mean));
  RecordProperty("deviation_ns", std::to_string(deviation));
  EXPECT_LE(deviation, 0.015 * mean);
  EXPECT_NEAR(mean, c.exact, 0.0075 * c.exact);
  EXPECT_NEAR(mean, c.one_run, 0.015 * c.one_run);
}

INSTANTIATE_TEST_SUITE_P(Senders, HpccInNs3,
                         ::testing::Values(HpccInNs3Case{8, 699'063, 704'035},
                                           HpccInNs3Case{16, 1'362'360, 1'373'902},
                                           HpccInNs3Case{24, 2'064'130, 2'083'904}),
                         [](const auto& test) { return "N" + std::to_string(test.param.senders); });

}  // namespace
}  // namespace weft::testing
