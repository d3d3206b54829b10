// NSCC's steps (UE specification 1.0, 3.6.13) by scripted ACKs. At 100 Gbps and a base round trip
// of 12 us the bandwidth-delay product is 150,000 B, so that a = 1; the target is 9 us with
// trimming, so that b = 0.75. A full window acknowledged in a round trip brings alpha x target =
// 4 x 4,096 x a x b = 12,288 B at no delay, 5 x 4,096 x a = 20,480 B at the target without marks,
// and eta = 0.15 x 4,096 x a = 614.4 B in any case. Tolerance: the rounding of each step, 1 B.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "protocols/congestion/nscc/nscc.hpp"

namespace weft::testing {
namespace {

using protocols::congestion::FlowStart;
using protocols::congestion::LossSignal;
using protocols::congestion::Nscc;
using protocols::congestion::NsccConfig;
using protocols::congestion::NsccParameters;

struct NsccRow {
  BitsPerSecond rate;
  Picoseconds rtt;
  bool trims;
  double target_us;
  double proportional;
  double fair;
  double steady;
  double quick_delay_us;
  std::int64_t gate;
  std::int64_t max_window;
};

class NsccScript {
 public:
  explicit NsccScript(const NsccRow& row = {100'000_Mbps, 12_us, true, 9, 0, 0, 0, 0, 0, 0},
                      const NsccConfig& config = {}, Bytes payload = 4'096_B)
      : parameters(config), rtt_(row.rtt) {
    control.start(parameters,
                  {.line_rate = row.rate,
                   .packet = payload + (config.preset == NsccConfig::Preset::kHtsim ? 64_B : 96_B),
                   .payload = payload,
                   .base_rtt = row.rtt,
                   .trims = row.trims});
    control.on_packet(parameters, Bytes(0), now);
  }
  /// A window's worth of bytes is acknowledged in a round trip, in parts of `packets`.
  void acknowledge(Bytes bytes, Picoseconds delay, bool is_marked, int parts = 30) {
    const Bytes part = bytes / parts;
    for (int i = 0; i < parts; ++i) {
      now += (rtt_ + 1_ns) / parts;
      control.on_packet(parameters, part, now);
      control.on_answer(parameters,
                        {.fresh = part, .is_marked = is_marked, .round_trip = rtt_ + delay}, now);
    }
  }
  /// Makes the window small enough to grow.
  void shrink_to(Bytes window) {
    while (control.window() > window) {
      control.on_missing(parameters, std::min(control.window() - window, 4'096_B),
                         LossSignal::kTimeout);
    }
  }

  NsccParameters parameters;
  Nscc control;
  Picoseconds now = 1_ms;

 private:
  Picoseconds rtt_;
};

const NsccRow kNsccRows[] = {
    {100'000_Mbps, 12_us, true, 9, 12'288, 20'480, 614.4, 36, 28'125, 225'000},
    {400'000_Mbps, 8_us, true, 6, 21'845, 54'613, 1'638, 24, 75'000, 600'000},
    {800'000_Mbps, 5_us, true, 3.75, 17'067, 68'267, 2'048, 15, 93'750, 750'000},
    {100'000_Mbps, 12_us, false, 12, 16'384, 20'480, 614.4, 48, 28'125, 225'000},
};

/// What a window of about half the largest gains in a round trip in which it is acknowledged once,
/// without what it gains in any case.
double nscc_gain(const NsccRow& row, Picoseconds delay) {
  NsccScript s(row);
  s.shrink_to(Bytes(row.max_window / 2));
  const Bytes before = s.control.window();
  s.acknowledge(before, delay, false, 1);
  return static_cast<double>((s.control.window() - before).count()) - row.steady;
}

// MODEL.md 15.9
TEST(UecOracle, N1_StepsPerRoundTripAreThoseOfTheTable) {
  for (const NsccRow& row : kNsccRows) {
    const NsccScript s(row);
    EXPECT_EQ(s.control.max_window().count(), row.max_window);
    EXPECT_NEAR(to_seconds(s.control.target()) * 1e6, row.target_us, 1e-5);
    // At 1 us of delay, which is no longer none, the share (target - 1 us) / target is left.
    const double share = (row.target_us - 1) / row.target_us;
    EXPECT_NEAR(nscc_gain(row, 1_us), row.proportional * share, 2) << row.max_window;
    EXPECT_NEAR(nscc_gain(row, s.control.target()), row.fair, 2) << row.max_window;
    EXPECT_NEAR(nscc_gain(row, 0_ps), row.proportional, 2) << row.max_window;
  }
}

TEST(UecOracle, N1_AfterAWindowWithoutDelayItGrowsByAQuarterPerRoundTrip) {
  NsccScript s;
  s.shrink_to(60'000_B);
  s.acknowledge(s.control.window() + 1_B, 0_ps, false, 1);  // the first such round trip
  for (int i = 0; i < 3; ++i) {
    const Bytes before = s.control.window();
    s.acknowledge(before, 0_ps, false, 1);
    EXPECT_NEAR(static_cast<double>(s.control.window().count()),
                1.25 * static_cast<double>(before.count()) + 614.4, 2);
  }
}

// With gain 1 the average is the sample.
TEST(UecOracle, N2_DecreasesByTheExcessOncePerRoundTrip) {
  NsccConfig config;
  config.delay_gain = 1;
  const double kFactors[][2] = {{1.25, 0.84}, {1.5, 0.7333333}, {2, 0.6}, {2.5, 0.52}, {3, 0.5}};
  for (const auto& [targets, factor] : kFactors) {
    NsccScript s({100'000_Mbps, 12_us, true, 9, 0, 0, 0, 0, 0, 0}, config);
    const auto delay = Picoseconds(static_cast<std::int64_t>(targets * 9e6));
    s.now += 13_us;
    const Bytes before = s.control.window();
    const protocols::congestion::ContextAck ack{
        .fresh = 4'192_B, .is_marked = true, .round_trip = 12_us + delay};
    s.control.on_answer(s.parameters, ack, s.now);
    // As the period of a change is over, too, eta is added.
    EXPECT_NEAR(static_cast<double>(s.control.window().count()),
                factor * static_cast<double>(before.count()) + 614.4, 2)
        << targets;
    const Bytes after = s.control.window();
    s.control.on_answer(s.parameters, ack, s.now + 11_us);
    EXPECT_EQ(s.control.window(), after) << "within a round trip";
  }
}

// The gate of quick adapt is a largest window / 8 = 28,125 B in a period of round trip + target.
TEST(UecOracle, N3_QuickAdaptActsBelowItsGateAndTakesWhatArrived) {
  for (const std::int64_t arrived : {28'124, 28'125}) {
    NsccScript s;
    s.control.on_packet(s.parameters, 225'000_B, s.now);
    s.control.on_answer(s.parameters, {.fresh = 100_B, .round_trip = 12_us}, s.now);  // opens it
    s.control.on_answer(s.parameters, {.fresh = Bytes(arrived), .round_trip = 12_us},
                        s.now + 20_us);
    const Bytes before = s.control.window();
    s.control.on_nack(s.parameters, 4'192_B, false, s.now + 21_us);
    if (arrived < 28'125) {
      EXPECT_EQ(s.control.window().count(), arrived);
    } else {
      EXPECT_EQ(s.control.window(), before - 4'192_B) << "an ordinary cut";
    }
  }
}

TEST(UecOracle, N3_AfterItMarkedAnswersToWhatWasInFlightAreIgnored) {
  NsccScript s;
  s.control.on_packet(s.parameters, 150'000_B, s.now);
  s.control.on_answer(s.parameters, {.fresh = 100_B, .round_trip = 12_us}, s.now);
  s.control.on_answer(s.parameters, {.fresh = 20'000_B, .round_trip = 12_us}, s.now + 20_us);
  s.control.on_nack(s.parameters, 4'192_B, true, s.now + 21_us);
  EXPECT_EQ(s.control.window(), 20'000_B) << "what arrived";
  const std::int64_t left = s.control.in_flight().count();
  ASSERT_EQ(left, 150'000 - 100 - 20'000 - 4'192);
  for (std::int64_t i = 0; i < left / 4'192; ++i) {
    s.control.on_nack(s.parameters, 4'192_B, true, s.now + 22_us);
    EXPECT_EQ(s.control.window(), 20'000_B);
  }
  s.control.on_nack(s.parameters, 4'192_B, true, s.now + 23_us);
  EXPECT_EQ(s.control.window(), Bytes(20'000 - 4'192)) << "what was sent since";
}

TEST(UecOracle, N5_AMeasuredRoundTripBelowTheConfiguredOneShrinksTheLargestWindow) {
  NsccConfig config;
  config.base_rtt = 12_us;
  NsccScript s({100'000_Mbps, 10_us, true, 9, 0, 0, 0, 0, 0, 0}, config);
  EXPECT_EQ(s.control.max_window(), 225'000_B);
  s.control.on_answer(s.parameters, {.fresh = 4'192_B, .round_trip = 8_us}, s.now + 1_us);
  EXPECT_EQ(s.control.max_window(), 150'000_B);
  EXPECT_EQ(s.control.base_rtt(), 8_us);
  EXPECT_LE(s.control.window(), 150'000_B);
  EXPECT_EQ(s.control.target(), 9_us) << "steps and target are those of the configured one";
}

// Marked answers without delay leave the window alone, so that eta is all it gains: once per
// period.
TEST(Nscc, GrowsByEtaOncePerPeriod) {
  for (const std::int64_t round_trips : {1, 3}) {
    NsccConfig config;
    if (round_trips > 1) config.adjust_period = round_trips * 12_us;
    NsccScript s({100'000_Mbps, 12_us, true, 9, 0, 0, 0, 0, 0, 0}, config);
    s.shrink_to(60'000_B);
    const Bytes before = s.control.window();
    for (int i = 0; i < 12; ++i) s.acknowledge(30'000_B, 0_ps, true, 1);
    EXPECT_NEAR(static_cast<double>((s.control.window() - before).count()),
                614.4 * 12 / static_cast<double>(round_trips), 1);
  }
}

// As in N3, where what arrives is below the gate.
TEST(Nscc, WithoutQuickAdaptALossCutsTheWindowByItsPacket) {
  NsccConfig config;
  config.quick_adapt = false;
  NsccScript s({100'000_Mbps, 12_us, true, 9, 0, 0, 0, 0, 0, 0}, config);
  s.control.on_packet(s.parameters, 225'000_B, s.now);
  s.control.on_answer(s.parameters, {.fresh = 100_B, .round_trip = 12_us}, s.now);
  s.control.on_answer(s.parameters, {.fresh = 100_B, .round_trip = 12_us}, s.now + 20_us);
  const Bytes before = s.control.window();
  s.control.on_nack(s.parameters, 4'192_B, false, s.now + 21_us);
  EXPECT_EQ(s.control.window(), before - 4'192_B);
}

// Where switches trim, only a given delay does.
TEST(Nscc, QuickAdaptIsSetOffByItsDelay) {
  for (const Picoseconds delay : {5_us, 5_us + 1_ns}) {
    NsccConfig config;
    config.quick_delay = 5_us;
    NsccScript s({100'000_Mbps, 12_us, true, 9, 0, 0, 0, 0, 0, 0}, config);
    s.control.on_packet(s.parameters, 225'000_B, s.now);
    s.control.on_answer(s.parameters, {.fresh = 100_B, .round_trip = 12_us}, s.now);
    s.control.on_answer(s.parameters, {.fresh = 20'000_B, .round_trip = 12_us + delay},
                        s.now + 21_us);
    EXPECT_EQ(s.control.window() == 20'000_B, delay > 5_us);
  }
}

TEST(Nscc, CountsEveryByteInFlightOnce) {
  NsccScript s;
  s.control.on_packet(s.parameters, 4'192_B, s.now);
  s.control.on_missing(s.parameters, 4'192_B, LossSignal::kTimeout);
  EXPECT_EQ(s.control.in_flight(), 0_B);
  s.control.on_answer(s.parameters, {.fresh = 4'192_B}, s.now);
  EXPECT_EQ(s.control.in_flight(), Bytes(-4'192)) << "it had arrived after all";
  s.control.on_found(s.parameters, 4'192_B);
  EXPECT_EQ(s.control.in_flight(), 0_B);
}

TEST(Nscc, MaySendAsLongAsAFullPacketFits) {
  NsccScript s;
  s.control.on_packet(s.parameters, Bytes(225'000 - 4'096), s.now);
  EXPECT_TRUE(s.control.may_send(s.parameters, 4'192_B));
  s.control.on_packet(s.parameters, 1_B, s.now);
  EXPECT_FALSE(s.control.may_send(s.parameters, 100_B)) << "3.6.13: inflight + MTU <= cwnd";
  NsccConfig htsim;
  htsim.preset = NsccConfig::Preset::kHtsim;
  NsccScript peer({100'000_Mbps, 12_us, true, 9, 0, 0, 0, 0, 0, 0}, htsim);
  peer.control.on_packet(peer.parameters, Bytes(225'000 - 100), peer.now);
  EXPECT_TRUE(peer.control.may_send(peer.parameters, 100_B)) << "uec.cpp: inflight + packet";
}

}  // namespace
}  // namespace weft::testing
