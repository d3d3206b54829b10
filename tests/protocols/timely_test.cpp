// TIMELY's reaction to one delay (Mittal et al., SIGCOMM 2015, algorithm 1), from a rate R:
//   delay < 50 us: R + delta;  delay > 500 us: R (1 - 0.8 (1 - 500 us / delay));
//   else by the gradient, 0.875 of a new difference over 20 us: R + delta, after five increases in
//   a row R + 5 delta, where it is not above 0; otherwise R (1 - 0.8 gradient).

#include "protocols/congestion/timely/timely.hpp"

#include <gtest/gtest.h>

namespace weft::protocols::congestion {
namespace {

/// A sender at 10 Gbps; every ACK completes a segment of 64 KiB.
struct TimelySender {
  explicit TimelySender(const TimelyConfig& config = {}, Bytes packet = 64_KiB) : p(config) {
    t.start(p, {.line_rate = 10'000_Mbps, .packet = packet});
  }
  void ack(Picoseconds delay, std::uint32_t sent = 0) {
    ++arrived;
    t.on_ack(p, {.packets = 1, .arrived = arrived, .sent = sent, .delay = delay}, 1_ms);
  }
  [[nodiscard]] double megabits() const { return static_cast<double>(t.rate().count()) * 1e-6; }

  TimelyParameters p;
  Timely t;
  std::uint32_t arrived = 0;
};

TEST(Timely, ADelayAboveTheHighThresholdCutsByItsExcess) {
  for (const auto& [delay, factor] : {std::pair{1000_us, 0.6}, std::pair{2500_us, 0.36}}) {
    TimelySender sender;
    sender.ack(100_us);
    sender.ack(delay);
    EXPECT_NEAR(sender.megabits(), 10'000 * factor, 0.001);
  }
}

TEST(Timely, FiveIncreasesByDeltaThenFiveTimesAsMuch) {
  TimelySender sender;
  sender.ack(400_us);
  sender.ack(1000_us);
  // The gradient has to fall first: a delay of 400 us makes it less than 0.
  double expected = 6'000;
  for (int i = 0; i < 8; ++i) {
    expected += i < 5 ? 10 : 50;
    sender.ack(400_us - 1_us * i);
    EXPECT_NEAR(sender.megabits(), expected, 0.001) << i;
  }
  sender.ack(1000_us);
  sender.ack(300_us);
  EXPECT_NEAR(sender.megabits(), expected * 0.6 + 10, 0.001) << "the series restarts";
}

// HPCC's published runs set MIN_RATE to 1000 Mb/s (simulation/run.py).
TEST(Timely, TheLeastRateIsThatOfThePreset) {
  TimelySender paper;
  TimelySender hpcc(TimelyConfig::from_preset(TimelyConfig::Preset::kHpccNs3));
  for (std::uint32_t i = 1; i < 20; ++i) {
    paper.ack(1_s);
    hpcc.ack(1_s, i);
  }
  EXPECT_EQ(paper.t.rate(), 100_Mbps);
  EXPECT_EQ(hpcc.t.rate(), 1'000_Mbps);
}

// A new rate holds for the packet that waits where that is asked for: its gap is the new one.
TEST(Timely, TheGapFollowsTheRate) {
  TimelySender sender;
  EXPECT_EQ(sender.t.on_sent(sender.p, 10_KB, 1_us), 9_us);
  EXPECT_EQ(sender.t.gap(), 8_us);
  sender.ack(100_us);
  sender.ack(1000_us);
  EXPECT_EQ(sender.t.gap(), transmission_time(10_KB, sender.t.rate()));
  EXPECT_FALSE(Timely::needs({}).repaces);
  EXPECT_TRUE(Timely::needs({.rate_change = RateChange::kWaitingPacket}).repaces);
}

TEST(Timely, BelowTheLowThresholdItRisesWhateverTheGradient) {
  TimelySender paper;
  paper.ack(100_us);
  paper.ack(1000_us);
  TimelySender hpcc(TimelyConfig::from_preset(TimelyConfig::Preset::kHpccNs3));
  hpcc.ack(100_us);
  hpcc.ack(1000_us, 2);
  for (int i = 1; i <= 8; ++i) {
    paper.ack(20_us + 1_us * i);
    hpcc.ack(20_us + 1_us * i, 2 + static_cast<std::uint32_t>(i));
  }
  EXPECT_NEAR(paper.megabits(), 6'000 + 8 * 10, 0.001);
  EXPECT_NEAR(hpcc.megabits(), 6'000 + 5 * 100 + 3 * 500, 0.001) << "hyper-active there, too";
}

TEST(Timely, ARisingDelayCutsByItsGradient) {
  TimelySender sender;
  sender.ack(100_us);
  sender.ack(110_us);
  const double once = 10'000 * (1 - 0.8 * 0.875 * 10 / 20);
  EXPECT_NEAR(sender.megabits(), once, 0.001);
  // The smoothed difference is now 0.125 of 8.75 us and 0.875 of 4 us.
  sender.ack(114_us);
  EXPECT_NEAR(sender.megabits(), once * (1 - 0.8 * (0.125 * 8.75 + 0.875 * 4) / 20), 0.001);
}

// MODEL.md 9.6
TEST(Timely, NoGradientTakesMoreThanTheRateDownToItsLeast) {
  TimelySender sender;
  sender.ack(60_us);
  sender.ack(450_us);
  EXPECT_EQ(sender.t.rate(), 100_Mbps);
}

TEST(Timely, UpdatesPerSegmentOrPerRoundTrip) {
  TimelySender by_segment({}, 16_KiB);
  by_segment.ack(40_us);
  by_segment.ack(1000_us);
  by_segment.ack(1000_us);
  EXPECT_EQ(by_segment.t.rate(), 10'000_Mbps) << "three of four packets";
  by_segment.ack(1000_us);
  EXPECT_NEAR(by_segment.megabits(), 6'000, 0.001);

  TimelyConfig config;
  config.segment = 0_B;
  TimelySender by_round(config);
  by_round.ack(40_us, 3);
  by_round.ack(1000_us, 6);
  by_round.ack(1000_us, 6);
  EXPECT_EQ(by_round.t.rate(), 10'000_Mbps) << "three had been sent when the first came back";
  by_round.ack(1000_us, 6);
  EXPECT_NEAR(by_round.megabits(), 6'000, 0.001);
}

TEST(Timely, PacesPacketsAtItsRate) {
  TimelySender sender;
  EXPECT_EQ(sender.t.on_sent(sender.p, 1'250_B, 5_us), 6_us);
  EXPECT_EQ(sender.t.window(sender.p), kNoWindow);
}

}  // namespace
}  // namespace weft::protocols::congestion
