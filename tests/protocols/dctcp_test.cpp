// DCTCP's reaction to ACKs (Alizadeh et al., SIGCOMM 2010, section 3.1): alpha <- (1 - g) alpha +
// g F once per window, F being the share of marked packets; W <- W (1 - alpha / 2) at a mark, once
// per window; else W + 1 per window, after slow start.

#include "protocols/congestion/dctcp/dctcp.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::protocols::congestion {
namespace {

/// A sender that always has as many packets in flight as its window allows.
struct DctcpSender {
  explicit DctcpSender(const DctcpConfig& config = {}) : p(config) {
    s.start(p, {.line_rate = 100'000_Mbps, .packet = 4'000_B, .base_rtt = 10_us});
    fill();
  }
  void fill() { sent = std::max(sent, arrived + s.window(p)); }
  void ack(bool is_marked) {
    ++arrived;
    s.on_ack(
        p, {.packets = 1, .arrived = arrived, .sent = sent, .is_marked = is_marked, .delay = 10_us},
        1_us);
    fill();
  }
  /// ACKs of all that is in flight now; the first `marked` of them with a mark.
  void round(std::uint32_t marked) {
    const std::uint32_t end = sent;
    for (std::uint32_t i = 0; arrived != end; ++i) ack(i < marked);
  }
  [[nodiscard]] double window() const { return s.window_fixed().to_double(); }
  [[nodiscard]] double alpha() const { return s.alpha_fixed().to_double(); }

  DctcpParameters p;
  Dctcp s;
  std::uint32_t arrived = 0;
  std::uint32_t sent = 0;
};

TEST(Dctcp, SlowStartDoublesTheWindowUntilTheFirstMark) {
  DctcpSender sender;
  EXPECT_EQ(sender.s.window(sender.p), 10U);
  sender.round(0);
  EXPECT_NEAR(sender.window(), 20, 1e-6);
  sender.round(0);
  EXPECT_NEAR(sender.window(), 40, 1e-6);
  sender.ack(true);
  EXPECT_NEAR(sender.window(), 40 * (1 - sender.alpha() / 2), 0.1);
  sender.round(0);
  sender.round(0);
  const double before = sender.window();
  sender.round(0);
  EXPECT_NEAR(sender.window(), before + 1, 0.05);
}

// MODEL.md 9.7
TEST(Dctcp, AlphaMovesByGTowardsTheShareOfMarkedPackets) {
  DctcpConfig config;
  config.initial_alpha = 0;
  config.slow_start_limit = 1;
  config.initial_window = 40;
  DctcpSender sender(config);
  sender.round(0);
  sender.round(0);
  EXPECT_EQ(sender.alpha(), 0);
  sender.round(sender.s.window(sender.p));
  sender.round(0);
  // Where the rounds of alpha begin within those of the test moves a few packets to the next one.
  EXPECT_NEAR(sender.alpha(), 1.0 / 16, 0.01);
  const double before = sender.alpha();
  for (int i = 0; i < 10; ++i) sender.round(0);
  EXPECT_NEAR(sender.alpha(), before * std::pow(15.0 / 16, 10), 0.005) << "decays without marks";
}

TEST(Dctcp, CutsOnceForAllThatHadBeenSentByTheFirstMark) {
  DctcpConfig config;
  config.initial_window = 64;
  DctcpSender sender(config);
  const std::uint32_t end = sender.sent;
  sender.ack(true);
  const double once = 32;
  EXPECT_NEAR(sender.window(), once, 1e-6);
  while (sender.arrived != end) sender.ack(true);
  EXPECT_NEAR(sender.window(), once, 1e-6);
  sender.fill();
  sender.ack(true);
  EXPECT_LT(sender.window(), 0.6 * once) << "the next window has marks, too";
}

TEST(Dctcp, AsInHtsimAWindowOfAcksShrinksWhileAlphaIsAboveZero) {
  DctcpConfig config = DctcpConfig::from_preset(DctcpConfig::Preset::kHtsim);
  config.slow_start_limit = 1;
  config.initial_window = 32;
  DctcpSender sender(config);
  for (int i = 0; i < 31; ++i) sender.ack(true);
  EXPECT_NEAR(sender.window(), 33, 0.05) << "a window is not over yet";
  sender.ack(true);
  EXPECT_NEAR(sender.alpha(), 1.0 / 16, 1e-6);
  EXPECT_NEAR(sender.window(), 33 * (1 - 1.0 / 32), 0.05);
  const double before = sender.window();
  sender.round(0);
  sender.round(0);
  EXPECT_LT(sender.window(), before + 1.2) << "two more without a mark, less what alpha takes";
}

TEST(Dctcp, TheWindowGrowsOnlyWhileAllOfItIsInUse) {
  DctcpSender sender;
  for (int i = 0; i < 100; ++i) {
    ++sender.arrived;
    sender.s.on_ack(sender.p, {.packets = 1, .arrived = sender.arrived, .sent = sender.arrived + 3},
                    1_us);
  }
  EXPECT_EQ(sender.s.window(sender.p), 10U) << "four were in flight";
}

TEST(Dctcp, LossIsAnsweredAsTcpDoesAndNoWindowIsLessThanAPacket) {
  DctcpSender sender;
  sender.s.on_loss(sender.p, LossSignal::kNack, 1_us);
  EXPECT_EQ(sender.s.window(sender.p), 5U);
  sender.s.on_loss(sender.p, LossSignal::kTimeout, 1_us);
  EXPECT_EQ(sender.s.window(sender.p), 1U);
  for (int i = 0; i < 50; ++i) sender.round(1);
  EXPECT_GE(sender.s.window(sender.p), 1U);
}

TEST(Dctcp, AsARateItCutsByHalfOfAlphaAndRisesOncePerRoundTrip) {
  DctcpSender sender(DctcpConfig::from_preset(DctcpConfig::Preset::kHpccNs3));
  EXPECT_EQ(sender.s.window(sender.p), 32U) << "10 us at 100 Gbps are 31.25 packets";
  sender.sent = 20;
  sender.ack(true);
  EXPECT_EQ(sender.s.rate(), 50'000_Mbps) << "alpha begins at 1";
  EXPECT_EQ(sender.s.window(sender.p), 16U);
  sender.sent = 40;
  for (int i = 0; i < 19; ++i) sender.ack(false);
  EXPECT_EQ(sender.s.rate(), 50'000_Mbps) << "not before what had been sent has arrived";
  sender.ack(false);
  EXPECT_EQ(sender.s.rate(), 50'615_Mbps);
  EXPECT_EQ(sender.s.on_sent(sender.p, 4'000_B, 0_ps), transmission_time(4'000_B, sender.s.rate()));
  EXPECT_EQ(sender.s.gap(), transmission_time(4'000_B, sender.s.rate()));
}

// HPCC's published runs set MIN_RATE to 1000 Mb/s (simulation/run.py).
TEST(Dctcp, AsARateItFallsToTheLeastOfThePreset) {
  DctcpSender sender(DctcpConfig::from_preset(DctcpConfig::Preset::kHpccNs3));
  for (int round = 0; round < 50; ++round) {
    sender.sent += 20;
    for (int i = 0; i < 20; ++i) sender.ack(true);
  }
  EXPECT_EQ(sender.s.rate(), 1'000_Mbps);
}

}  // namespace
}  // namespace weft::protocols::congestion
