// HPCC's reaction to telemetry (Li et al., SIGCOMM 2019, algorithm 1): of each hop
// u = txRate / C + min(q, q_before) / (C T), of which the largest is smoothed over T to U; then
// R = Rc / (U / 0.95) + R_AI where U >= 0.95 or after maxStage additive steps, else R = Rc + R_AI,
// from a reference Rc that moves once per round trip.

#include "protocols/congestion/hpcc/hpcc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weft::protocols::congestion {
namespace {

constexpr BitsPerSecond kHpccRate = 100'000_Mbps;
constexpr Picoseconds kHpccRtt = 10_us;  // 125,000 B

/// A sender whose ACKs tell of hops that send and hold what a test says.
struct HpccSender {
  explicit HpccSender(const HpccConfig& config = {}, std::size_t hops = 1)
      : p(config), reports(hops, HopReport{.rate = kHpccRate}) {
    for (std::size_t i = 0; i < hops; ++i) reports[i].port = static_cast<std::uint32_t>(i);
    h.start(p, {.line_rate = kHpccRate, .packet = 1'250_B, .base_rtt = kHpccRtt});
    acknowledge(1, 1);
  }
  /// For `time` the hop sent this share of its rate; now `waiting` bytes are queued.
  void pass(Picoseconds time, double share, std::uint32_t waiting = 0, std::size_t hop = 0) {
    reports[hop].time += time;
    const double sent = share * static_cast<double>(bytes_in(time, kHpccRate).count());
    reports[hop].sent += Bytes(std::llround(sent));
    reports[hop].waiting = waiting;
  }
  void acknowledge(std::uint32_t arrived, std::uint32_t sent) {
    h.on_ack(p, {.packets = 1, .arrived = arrived, .sent = sent, .hops = reports}, 1_ms);
  }
  [[nodiscard]] double utilization() const { return h.utilization().to_double(); }
  [[nodiscard]] double gigabits() const { return static_cast<double>(h.rate().count()) * 1e-9; }

  HpccParameters p;
  Hpcc h;
  std::vector<HopReport> reports;
};

TEST(Hpcc, TakesRateAndTheLesserOfTwoQueuesOverARoundTrip) {
  HpccSender sender;
  sender.pass(kHpccRtt, 0.8, 50'000);
  sender.acknowledge(2, 10);
  EXPECT_NEAR(sender.utilization(), 0.8, 1e-4) << "nothing waited before";
  sender.pass(kHpccRtt, 0.8, 25'000);
  sender.acknowledge(3, 10);
  EXPECT_NEAR(sender.utilization(), 0.8 + 25'000.0 / 125'000, 1e-4);
}

TEST(Hpcc, ASampleCountsForTheTimeThatItCovers) {
  HpccSender sender;
  sender.pass(kHpccRtt / 4, 0.4);
  sender.acknowledge(2, 10);
  EXPECT_NEAR(sender.utilization(), 0.75 * 1 + 0.25 * 0.4, 1e-4);
  sender.pass(3 * kHpccRtt, 0.6);
  sender.acknowledge(3, 10);
  EXPECT_NEAR(sender.utilization(), 0.6, 1e-4) << "a round trip at most";
}

TEST(Hpcc, TheFullestHopDecides) {
  HpccSender sender({}, 3);
  sender.pass(kHpccRtt, 0.5, 0, 0);
  sender.pass(kHpccRtt, 0.9, 0, 1);
  sender.pass(kHpccRtt, 0.7, 0, 2);
  sender.acknowledge(2, 10);
  EXPECT_NEAR(sender.utilization(), 0.9, 1e-4);
}

TEST(Hpcc, AnotherPortInItsPlaceHasSaidNothingYet) {
  HpccSender sender({}, 2);
  sender.pass(kHpccRtt, 0.5, 0, 0);
  sender.pass(kHpccRtt, 3.0, 0, 1);
  sender.reports[1].port = 9;
  sender.acknowledge(2, 10);
  EXPECT_NEAR(sender.utilization(), 0.5, 1e-4);
}

TEST(Hpcc, AboveItsTargetItDividesByTheExcess) {
  HpccSender sender;
  sender.pass(kHpccRtt, 1, 62'500);
  sender.pass(kHpccRtt, 1, 62'500);
  sender.acknowledge(2, 10);
  sender.pass(kHpccRtt, 1, 62'500);
  sender.acknowledge(3, 10);
  // The reference moved with the first of the two: 100 / (1 / 0.95) + 0.05.
  const double reference = 100 * 0.95 + 0.05;
  EXPECT_NEAR(sender.utilization(), 1.5, 1e-4);
  EXPECT_NEAR(sender.gigabits(), reference * 0.95 / 1.5 + 0.05, 0.01);
}

TEST(Hpcc, BelowItsTargetItAddsUntilTheStagesAreOver) {
  HpccConfig config;
  config.additive_increase = 1'000_Mbps;
  HpccSender sender(config);
  std::uint32_t arrived = 1;
  const auto round = [&](double share) {
    sender.pass(kHpccRtt, share);
    arrived += 10;
    sender.acknowledge(arrived, arrived + 5);
    return sender.gigabits();
  };
  const double start = round(4);  // far too much: a reference well below the line rate
  for (int i = 1; i <= 5; ++i) EXPECT_NEAR(round(0.5), start + i, 0.01) << i;
  EXPECT_NEAR(round(0.5), (start + 5) * 0.95 / 0.5 + 1, 0.01) << "the sixth multiplies";

  config.max_stage = 0;
  HpccSender at_once(config);
  arrived = 1;
  at_once.pass(kHpccRtt, 4);
  at_once.acknowledge(11, 15);
  const double low = at_once.gigabits();
  at_once.pass(kHpccRtt, 0.5);
  at_once.acknowledge(21, 25);
  EXPECT_NEAR(at_once.gigabits(), low * 0.95 / 0.5 + 1, 0.01);
}

TEST(Hpcc, TheReferenceMovesOncePerRoundTrip) {
  HpccSender sender;
  sender.pass(kHpccRtt, 1.9);
  sender.acknowledge(2, 20);  // a round is over: 50 Gbps and R_AI become the reference
  EXPECT_NEAR(sender.gigabits(), 50.05, 0.01);
  for (std::uint32_t i = 3; i <= 20; ++i) {
    sender.pass(kHpccRtt, 1.9);
    sender.acknowledge(i, 30);
    EXPECT_NEAR(sender.gigabits(), 50.05 / 2 + 0.05, 0.01) << "none of them compounds";
  }
}

TEST(Hpcc, PacesAtItsRateAndKeepsARoundTripOfItInFlight) {
  HpccSender sender;
  EXPECT_EQ(sender.h.window(sender.p), 100U);
  sender.pass(kHpccRtt, 1.9);
  sender.acknowledge(2, 20);
  EXPECT_EQ(sender.h.window(sender.p), 51U) << "50.05 rounded up";
  EXPECT_EQ(sender.h.on_sent(sender.p, 1'250_B, 1_us),
            1_us + transmission_time(1'250_B, sender.h.rate()));
}

}  // namespace
}  // namespace weft::protocols::congestion
