// CUBIC's reaction (RFC 9438, section 4): W(t) = C (t - K)^3 + W_max with C K^3 = W_max - W(0);
// never less than Reno's window; what a reduction leaves is 0.7 of the window.

#include "protocols/congestion/cubic/cubic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace weft::protocols::congestion {
namespace {

/// A sender whose window is in use all the time; ACKs come evenly, a window of them per round trip.
struct CubicSender {
  explicit CubicSender(const CubicConfig& config, Picoseconds round_trip = 100_ms)
      : p(config), rtt(round_trip) {
    s.start(p, {.line_rate = 100'000_Mbps, .packet = 9'038_B});
    sent = s.window(p);
    s.on_ack(p, {.packets = 0, .arrived = 0, .sent = sent, .delay = rtt}, now);
  }
  void ack(bool is_marked = false) {
    now += rtt / s.window(p);
    ++arrived;
    s.on_ack(p,
             {.packets = 1, .arrived = arrived, .sent = sent, .is_marked = is_marked, .delay = rtt},
             now);
    sent = std::max(sent, arrived + s.window(p));
  }
  void run_for(Picoseconds time) {
    const Picoseconds end = now + time;
    while (now < end) ack();
  }
  /// A loss, and ACKs until the window grows again: congestion avoidance begins with the last.
  void lose() {
    s.on_loss(p, LossSignal::kNack, now);
    const std::uint32_t end = sent;
    while (arrived != end) ack();
    ack();
  }
  [[nodiscard]] double window() const { return s.window_fixed().to_double(); }

  CubicParameters p;
  Cubic s;
  Picoseconds rtt;
  Picoseconds now;
  std::uint32_t arrived = 0;
  std::uint32_t sent = 0;
};

CubicConfig avoiding(std::uint32_t window) {
  return {.window = {.initial = window, .slow_start_limit = window}};
}

// K = ((W_max - 0.7 W_max) / 0.4)^(1/3): 75^(1/3) s for 100 packets, 750^(1/3) s for 1,000. To a
// microsecond: the window is in units of 2^-24 packets, and times in those of 2^-24 s.
TEST(Cubic, TakesKSecondsBackToThePlateau) {
  for (const auto& [max, k] : {std::pair(100U, 4.217163), std::pair(1'000U, 9.085603)}) {
    CubicSender sender(avoiding(max));
    sender.lose();
    EXPECT_NEAR(to_seconds(sender.s.time_to_plateau()), k, 1e-6);
  }
}

TEST(Cubic, TheRootOfACubeIsTheLargestIntegerThatIsNoMore) {
  using Number = TcpWindow::Number;
  constexpr Number kC = 2 * Number::one() / 5;
  for (const Number height : {Number::unit(), Number::from_raw(1'000), Number::whole(30),
                              Number::whole(65'535), TcpWindow::kMax}) {
    const cubic_curve::Ticks root = cubic_curve::root(height, kC);
    const long double seconds = static_cast<long double>(root.count()) / (1 << 24);
    const long double exact =
        std::cbrt(static_cast<long double>(height.raw()) / static_cast<long double>(kC.raw()));
    EXPECT_NEAR(static_cast<double>(seconds), static_cast<double>(exact), 1.0 / (1 << 23));
    EXPECT_LE(seconds, exact);
  }
}

// In congestion avoidance the window follows the curve: it aims at where the curve is a round trip
// later, and gets there in that time. W_max = 1,000, so that Reno is slower throughout. Within 1 %:
// it lags by what the curve rises in about a round trip.
TEST(Cubic, FollowsTheCubicCurve) {
  CubicSender sender(avoiding(1'000));
  sender.lose();
  const double k = to_seconds(sender.s.time_to_plateau());
  const Picoseconds begin = sender.now;
  for (int second = 1; second <= 14; ++second) {
    sender.run_for(begin + second * Picoseconds(kPicosecondsPerSecond) - sender.now);
    const double x = to_seconds(sender.now - begin) - k;
    const double curve = 1'000 + 0.4 * x * x * x;
    EXPECT_NEAR(sender.window(), curve, 0.01 * curve) << second << " s";
  }
}

// A short round trip: Reno's increase of 3 (1 - 0.7) / (1 + 0.7) = 9/17 packets per round trip is
// ahead of the curve, until its window is what it was before the reduction; from then on one.
TEST(Cubic, IsNeverSlowerThanRenoWould) {
  CubicSender sender(avoiding(100), 10_us);
  sender.lose();
  EXPECT_NEAR(sender.window(), 70, 0.02);
  for (int round = 1; round <= 50; ++round) {
    sender.run_for(10_us);
    EXPECT_NEAR(sender.window(), 70 + round * 9.0 / 17, 0.35) << round;
  }
  while (sender.window() < 101) sender.ack();
  const double before = sender.window();
  for (int round = 0; round < 20; ++round) sender.run_for(10_us);
  EXPECT_NEAR(sender.window() - before, 20, 0.5);

  CubicConfig plain = avoiding(100);
  plain.reno_friendly = false;
  CubicSender alone(plain, 10_us);
  alone.lose();
  for (int round = 0; round < 50; ++round) alone.run_for(10_us);
  EXPECT_NEAR(alone.window(), 70, 0.1) << "half a millisecond of more than four seconds";
}

TEST(Cubic, AFlowThatHasLessThanBeforeMakesRoom) {
  // Two losses before the plateau is reached again: W_max is 1.7 / 2 of the window then.
  for (const bool makes_room : {true, false}) {
    CubicConfig config = avoiding(1'000);
    config.fast_convergence = makes_room;
    CubicSender sender(config);
    sender.lose();
    sender.run_for(1'000_ms);
    const double at_loss = sender.window();
    ASSERT_LT(at_loss, 1'000);
    sender.lose();
    const double plateau = makes_room ? at_loss * 0.85 : at_loss;
    EXPECT_NEAR(to_seconds(sender.s.time_to_plateau()), std::cbrt((plateau - 0.7 * at_loss) / 0.4),
                1e-4);
  }
}

TEST(Cubic, CutsOncePerWindowOfDataByMarkOrLoss) {
  CubicSender sender(avoiding(100));
  const std::uint32_t end = sender.sent;
  sender.ack(true);
  EXPECT_NEAR(sender.window(), 70, 0.01);
  sender.s.on_loss(sender.p, LossSignal::kNack, sender.now);
  while (sender.arrived != end) sender.ack(true);
  EXPECT_NEAR(sender.window(), 70, 0.01);
}

TEST(Cubic, AfterATimeOutItStartsSlowlyAndThenOnItsPlateau) {
  CubicSender sender(avoiding(100));
  sender.s.on_loss(sender.p, LossSignal::kTimeout, sender.now);
  EXPECT_EQ(sender.window(), 1);
  sender.arrived = sender.sent;
  sender.sent = sender.arrived + 1;
  while (sender.window() < 70) sender.ack();
  sender.ack();
  EXPECT_EQ(sender.s.time_to_plateau(), 0_ps) << "RFC 9438, 4.8: K is 0";
  const Picoseconds begin = sender.now;
  sender.run_for(5'000_ms);
  const double x = to_seconds(sender.now - begin);
  const double curve = 70 + 0.4 * x * x * x;
  EXPECT_NEAR(sender.window(), std::max(curve, 70 + x / 0.1 * 9 / 17), 0.03 * curve);
}

TEST(Cubic, TimeWithoutEnoughToSendDoesNotCount) {
  CubicSender sender(avoiding(1'000));
  sender.lose();
  const double before = sender.window();
  // For ten seconds, longer than K, only ten packets are in flight.
  for (int i = 0; i < 1'000; ++i) {
    sender.now += 10_ms;
    ++sender.arrived;
    sender.s.on_ack(
        sender.p,
        {.packets = 1, .arrived = sender.arrived, .sent = sender.arrived + 9, .delay = sender.rtt},
        sender.now);
  }
  EXPECT_EQ(sender.window(), before);
  sender.sent = sender.arrived + sender.s.window(sender.p);
  sender.run_for(100_ms);
  EXPECT_LT(sender.window(), before + 20) << "the curve goes on where it was";
}

}  // namespace
}  // namespace weft::protocols::congestion
