// Swift's reaction to one ACK (Kumar et al., SIGCOMM 2020, algorithm 1 and section 3.3):
//   delay < target: w <- w + ai n / w (w >= 1) or w + ai n (w < 1);
//   else at most once per round trip: w <- w max(1 - beta (delay - target) / delay, 1 - max_mdf);
//   target = base + hops h + clamp(fs_alpha / sqrt(w) - fs_beta, 0, range),
// with fs_alpha = range / (1 / sqrt(0.1) - 1 / sqrt(100)) = 32.656 us and fs_beta = 3.2656 us.

#include "protocols/congestion/swift/swift.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::protocols::congestion {
namespace {

constexpr Picoseconds kRtt = 10_us;

/// A sender at 100 Gbps with packets of 4,000 B: 31.25 of them fill the idle path.
struct Sender {
  explicit Sender(const SwiftConfig& config = {}, std::uint32_t hops = 0) : p(config) {
    s.start(p, {.line_rate = 100_Gbps, .packet = 4'000_B, .base_rtt = kRtt, .hops = hops});
  }
  void ack(Picoseconds delay, Picoseconds now) { s.on_ack(p, {.packets = 1, .delay = delay}, now); }
  [[nodiscard]] double window() const { return s.window_fixed().to_double(); }

  SwiftParameters p;
  Swift s;
};

TEST(Swift, StartsWithWhatFillsTheIdlePath) { EXPECT_NEAR(Sender().window(), 31.25, 1e-6); }

TEST(Swift, TargetFallsWithTheRootOfTheWindowAndRisesWithHops) {
  const Sender sender({}, 3);
  const double scaling = 32.656 / std::sqrt(31.25) - 3.2656;
  EXPECT_NEAR(to_seconds(sender.s.target_delay(sender.p)) * 1e6, 20 + 3 * 20 / 6.55 + scaling,
              0.001);
}

TEST(Swift, AWindowOfAcksBelowTheTargetAddsOnePacket) {
  Sender sender;
  const double before = sender.window();
  for (int i = 0; i < 31; ++i) sender.ack(15_us, 1_us * i);
  EXPECT_NEAR(sender.window(), before + 31 / before, 0.02);
}

TEST(Swift, ADelayAboveTheTargetTakesItsShareOncePerRoundTrip) {
  Sender sender;
  const double before = sender.window();
  const double target = to_seconds(sender.s.target_delay(sender.p)) * 1e6;
  sender.ack(30_us, 100_us);
  const double once = before * (1 - 0.8 * (30 - target) / 30);
  EXPECT_NEAR(sender.window(), once, 1e-3);
  sender.ack(30_us, 129_us);
  EXPECT_NEAR(sender.window(), once, 1e-3) << "a round trip of 30 us is not over";
  sender.ack(30_us, 130_us);
  EXPECT_LT(sender.window(), once - 1);
}

TEST(Swift, NoDecreaseTakesMoreThanHalf) {
  Sender sender;
  const double before = sender.window();
  sender.ack(10_ms, 1_ms);
  EXPECT_NEAR(sender.window(), before / 2, 1e-6);
}

TEST(Swift, LessThanAPacketInFlightIsPacedOverRoundTrips) {
  Sender sender;
  Picoseconds now;
  for (int i = 0; i < 8; ++i) sender.ack(1_ms, now += 2_ms);  // far above every target: halves
  EXPECT_NEAR(sender.window(), 31.25 / 256, 1e-3);
  EXPECT_EQ(sender.s.window(sender.p), 1U) << "one packet may always be in flight";
  const Picoseconds next = sender.s.on_sent(sender.p, 4'000_B, now);
  EXPECT_NEAR(to_seconds(next - now), 1e-3 * 256 / 31.25, 1e-6);
  const double before = sender.window();
  sender.ack(10_us, now);
  EXPECT_NEAR(sender.window(), before + 1, 1e-6) << "additive per packet below one";
}

TEST(Swift, TimeoutsInARowEndAtTheLeastWindow) {
  Sender sender;
  Picoseconds now;
  for (int i = 1; i < 5; ++i) sender.s.on_loss(sender.p, LossSignal::kTimeout, now += 1_ms);
  EXPECT_NEAR(sender.window(), 31.25 / 16, 1e-3);
  sender.s.on_loss(sender.p, LossSignal::kTimeout, now += 1_ms);
  EXPECT_NEAR(sender.window(), 0.001, 1e-6);
}

TEST(Swift, AMedianLearnsNothingOfFewCongestedPaths) {
  // Every fourth of the packets takes a path with 1 ms of delay, the others wait for nothing: the
  // last delay alone cuts the window at each of them that comes a round trip after the last, the
  // median of five never, since two of any five in a row are slow at most.
  SwiftConfig config;
  Sender last(config);
  config.median_of = 5;
  Sender median(config);
  for (int i = 0; i < 400; ++i) {
    const Picoseconds delay = i % 4 == 3 ? 1_ms : 15_us;
    last.ack(delay, 1_ms * i);
    median.ack(delay, 1_ms * i);
  }
  EXPECT_LT(last.window(), 4);
  EXPECT_GT(median.window(), 31.25);
}

// MODEL.md 9.5
TEST(Swift, TheMedianIsOfTheLastDelays) {
  SwiftSamples samples;
  const auto us_of = [&](int delay) {
    return to_seconds(samples.add(Picoseconds(delay * 1'000'000LL), 3)) * 1e6;
  };
  EXPECT_NEAR(us_of(10), 10, 0.002);
  EXPECT_NEAR(us_of(30), 30, 0.002) << "the higher of two";
  EXPECT_NEAR(us_of(20), 20, 0.002);
  EXPECT_NEAR(us_of(50), 30, 0.002) << "of 30, 20, 50";
  EXPECT_NEAR(us_of(5), 20, 0.002) << "of 20, 50, 5";
}

TEST(Swift, TheWindowNeverExceedsWhatTheLargestTargetCanUse) {
  Sender sender;
  for (int i = 0; i < 100'000; ++i) sender.ack(10_us, 1_us * i);
  EXPECT_NEAR(sender.window(), 120e-6 * 100e9 / 8 / 4'000, 1e-3);
}

}  // namespace
}  // namespace weft::protocols::congestion
