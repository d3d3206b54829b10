// PowerTCP's reaction to telemetry (Addanki et al., NSDI 2022, algorithm 1): of each hop
// power = (dq/dt + tx) / C (1 + q / (C T)), of which the largest is smoothed over T; then
// w <- gamma (w_old / power + beta) + (1 - gamma) w, with w_old of T ago.

#include "protocols/congestion/powertcp/powertcp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weft::protocols::congestion {
namespace {

constexpr BitsPerSecond kPowerRate = 100'000_Mbps;
constexpr Picoseconds kPowerRtt = 10_us;  // 125,000 B

struct PowerTcpSender {
  explicit PowerTcpSender(const PowerTcpConfig& config) : p(config), report{.rate = kPowerRate} {
    s.start(p, {.line_rate = kPowerRate, .packet = 1'250_B, .base_rtt = kPowerRtt});
    acknowledge(kPowerRtt);
  }
  void pass(Picoseconds time, double share, std::uint32_t waiting) {
    report.time += time;
    const double sent = share * static_cast<double>(bytes_in(time, kPowerRate).count());
    report.sent += Bytes(std::llround(sent));
    report.waiting = waiting;
  }
  void acknowledge(Picoseconds now) { s.on_ack(p, {.packets = 1, .hops = {&report, 1}}, now); }
  [[nodiscard]] double power() const { return s.power().to_double(); }
  [[nodiscard]] double window() const { return s.window_fixed().to_double(); }

  PowerTcpParameters p;
  PowerTcp s;
  HopReport report;
};

TEST(PowerTcp, PowerIsArrivalsTimesWhatTheLinkHolds) {
  PowerTcpSender sender({.expected_flows = 100});
  sender.pass(kPowerRtt, 1, 62'500);  // 1.5 times the rate arrives, and half a round trip waits
  sender.acknowledge(2 * kPowerRtt);
  EXPECT_NEAR(sender.power(), 1.5 * 1.5, 1e-4);
  sender.pass(kPowerRtt, 1, 62'500);
  sender.acknowledge(3 * kPowerRtt);
  EXPECT_NEAR(sender.power(), 1.5, 1e-4) << "it stands";
  sender.pass(kPowerRtt / 2, 1, 0);
  sender.acknowledge(4 * kPowerRtt);
  EXPECT_NEAR(sender.power(), 0.5 * 1.5 + 0.5 * 0, 1e-4) << "nothing arrived for half of T";
}

// MODEL.md 9.10
TEST(PowerTcp, TheWindowMovesFromThatOfABaseRoundTripAgo) {
  PowerTcpSender sender({.gamma = 0.9, .expected_flows = 100});
  EXPECT_NEAR(sender.window(), 125'000, 1);
  constexpr double kStep = 1'250;
  sender.pass(kPowerRtt, 1, 0);
  sender.acknowledge(2 * kPowerRtt);
  EXPECT_NEAR(sender.window(), 125'000 + 0.9 * kStep, 1) << "a full link, no queue: beta more";
  const double old = sender.window();
  sender.pass(kPowerRtt, 2, 0);
  sender.acknowledge(3 * kPowerRtt);
  const double once = 0.9 * (old / 2 + kStep) + 0.1 * old;
  EXPECT_NEAR(sender.window(), once, 2);
  sender.pass(kPowerRtt / 2, 2, 0);
  sender.acknowledge(3 * kPowerRtt + kPowerRtt / 2);
  EXPECT_NEAR(sender.window(), 0.9 * (old / 2 + kStep) + 0.1 * once, 2) << "the same w_old";
}

TEST(PowerTcp, NeverMoreThanWhatFillsThePathAndBeta) {
  PowerTcpSender sender({.expected_flows = 10});
  for (int i = 2; i < 50; ++i) {
    sender.pass(kPowerRtt, 0.1, 0);
    sender.acknowledge(i * kPowerRtt);
  }
  EXPECT_NEAR(sender.window(), 1.1 * 125'000, 1);
  EXPECT_EQ(sender.s.window(sender.p), 110U);
  EXPECT_EQ(sender.s.on_sent(sender.p, 1'250_B, 0_ps), transmission_time(1'250_B, kPowerRate));
}

}  // namespace
}  // namespace weft::protocols::congestion
