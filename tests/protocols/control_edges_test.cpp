// What congestion controls and path selection do exactly at a limit, and before anything was heard.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "protocols/congestion/cubic/cubic.hpp"
#include "protocols/congestion/dcqcn/dcqcn.hpp"
#include "protocols/congestion/dctcp/dctcp.hpp"
#include "protocols/congestion/hpcc/hpcc.hpp"
#include "protocols/congestion/rccc/rccc.hpp"
#include "protocols/congestion/timely/timely.hpp"
#include "protocols/path_selection/list.hpp"
#include "protocols/path_selection/states.hpp"
#include "simcore/base/random.hpp"

namespace weft::testing {
namespace {

namespace edges_cc = protocols::congestion;
namespace edges_paths = protocols::path_selection;

/// What no control says of itself.
constexpr std::int64_t kEdgeUnsaid = -7;

template <class Control>
std::array<std::int64_t, Control::kColumns.size()> edge_sample(
    const Control& control, const typename Control::Parameters& p) {
  std::array<std::int64_t, Control::kColumns.size()> values{};
  values.fill(kEdgeUnsaid);
  control.sample(p, values);
  return values;
}

// RFC 9438, 4.6: a reduction makes the window of before it the plateau W_max.
TEST(CubicEdges, OnlyCongestionAvoidanceHasAPlateauToTellOf) {
  const edges_cc::CubicParameters p({.window = {.initial = 100, .slow_start_limit = 100}});
  edges_cc::Cubic cubic;
  cubic.start(p, {.line_rate = 100_Gbps, .packet = 9'038_B});
  EXPECT_EQ(edge_sample(cubic, p)[4], kEdgeUnsaid) << "before any ACK";
  cubic.on_ack(p, {.packets = 0, .arrived = 0, .sent = 100, .delay = 100_us}, 0_us);
  cubic.on_loss(p, edges_cc::LossSignal::kNack, 100_us);
  EXPECT_EQ(edge_sample(cubic, p)[4], kEdgeUnsaid) << "the window does not grow yet";
  // All that was in flight has arrived, and the window of 70 packets is in use.
  cubic.on_ack(p, {.packets = 100, .arrived = 100, .sent = 170, .delay = 100_us}, 200_us);
  cubic.on_ack(p, {.packets = 1, .arrived = 101, .sent = 171, .delay = 100_us}, 300_us);
  EXPECT_EQ(edge_sample(cubic, p)[4], edges_cc::Fixed<32>::whole(100).raw());
}

/// The reaction point of a queue pair at 40 Gbps, which is caught up before every call.
struct DcqcnEdge {
  explicit DcqcnEdge(const edges_cc::DcqcnConfig& config) : p(config) {
    d.start(p, {.line_rate = 40_Gbps});
  }
  void cnp(Picoseconds now) {
    d.on_timer(p, now);
    d.on_notified(p, now);
  }
  [[nodiscard]] BitsPerSecond rate(Picoseconds now) {
    d.on_timer(p, now);
    return d.rate();
  }
  [[nodiscard]] BitsPerSecond target(Picoseconds now) {
    d.on_timer(p, now);
    return d.target();
  }

  edges_cc::DcqcnParameters p;
  edges_cc::Dcqcn d;
};

edges_cc::DcqcnConfig dcqcn_edge(edges_cc::DcqcnConfig::Preset preset) {
  return edges_cc::DcqcnConfig::from_preset(preset);
}

TEST(DcqcnEdges, ACnpAtTheTimeOfACheckCountsAtTheNextOne) {
  DcqcnEdge r(dcqcn_edge(edges_cc::DcqcnConfig::Preset::kHpccNs3));
  r.cnp(10_us);  // checks are at 14 + 4 k us
  const BitsPerSecond cut = r.rate(14_us);
  EXPECT_LT(cut, 40_Gbps);
  r.cnp(18_us);
  EXPECT_EQ(r.rate(18_us), cut) << "timers go first";
  EXPECT_EQ(r.rate(22_us - 1_ps), cut);
  EXPECT_LT(r.rate(22_us), cut);
}

// A counter of 1 B for links of 400 Gbps would be 0.1 B at 40 Gbps. An increase per byte is the
// most: 100 B make 100. The first 5 leave the target as it is, and each of the other 95 raises it
// by R_AI, a tenth of 40 Mbps.
TEST(DcqcnEdges, TheByteCounterOfASlowLinkCountsEveryByte) {
  edges_cc::DcqcnConfig config = dcqcn_edge(edges_cc::DcqcnConfig::Preset::kPaper);
  config.byte_counter = 1_B;
  config.at_rate = 400_Gbps;
  DcqcnEdge r(config);
  r.cnp(0_us);
  r.cnp(50_us);
  const BitsPerSecond target = r.target(50_us);
  EXPECT_EQ(target, 20_Gbps) << "the rate after the first cut";
  r.d.on_sent(r.p, 100_B, 50_us);
  EXPECT_EQ(r.target(50_us), target + 95 * 4_Mbps);
}

// The ns-3 model: a timer of 300 us, fast recovery of one step, then 20 Mbps, then 200 Mbps.
TEST(DcqcnEdges, WithoutAByteCounterTheTimerAloneLeadsToHyperIncrease) {
  DcqcnEdge r(dcqcn_edge(edges_cc::DcqcnConfig::Preset::kHpccNs3));
  r.cnp(0_us);    // cut at 4 us, increase at 304 us
  r.cnp(310_us);  // cut at 312 us, which makes the rate the target
  const BitsPerSecond target = r.target(312_us);
  EXPECT_LT(target, 39_Gbps);
  EXPECT_EQ(r.target(612_us), target) << "fast recovery";
  EXPECT_EQ(r.target(912_us), target + 20_Mbps);
  EXPECT_EQ(r.target(1'212_us), target + 220_Mbps);
  EXPECT_EQ(r.target(1'512_us), target + 420_Mbps);
}

TEST(DctcpEdges, TheWindowFormDoesNotPace) {
  const edges_cc::DctcpParameters p{edges_cc::DctcpConfig()};
  edges_cc::Dctcp dctcp;
  dctcp.start(p, {.line_rate = 100_Gbps, .packet = 4'000_B, .base_rtt = 10_us});
  EXPECT_EQ(dctcp.on_sent(p, 4'000_B, 1_us), 0_ps);
}

TEST(DctcpEdges, BeforeTheFirstAckItTellsOfLineRateAndOfNoDelay) {
  const edges_cc::DctcpParameters p(
      edges_cc::DctcpConfig::from_preset(edges_cc::DctcpConfig::Preset::kHpccNs3));
  edges_cc::Dctcp dctcp;
  dctcp.start(p, {.line_rate = 100_Gbps, .packet = 4'000_B, .base_rtt = 10_us});
  EXPECT_EQ(edge_sample(dctcp, p)[0], BitsPerSecond(100_Gbps).count());
  EXPECT_EQ(edge_sample(dctcp, p)[3], kEdgeUnsaid);
  dctcp.on_ack(p, {.packets = 1, .arrived = 1, .sent = 10, .delay = 12_us}, 12_us);
  EXPECT_EQ(edge_sample(dctcp, p)[3], Picoseconds(12_us).count());
}

// Algorithm 1 of the paper: "if U >= eta or incStage >= maxStage" the change is multiplicative, and
// incStage begins at 0 again. Where U is eta, the factor is 1 and what is left is R_AI.
TEST(HpccEdges, AtTheTargetItselfTheSeriesOfAdditiveStepsBeginsAgain) {
  const edges_cc::HpccParameters p({.target = 0.5, .max_stage = 5, .additive_increase = 50_Mbps});
  edges_cc::Hpcc hpcc;
  hpcc.start(p, {.line_rate = 100_Gbps, .packet = 1'250_B, .base_rtt = 10_us});
  std::vector<protocols::HopReport> hops{{.rate = 100_Gbps}};
  std::uint32_t round = 1;
  hpcc.on_ack(p, {.packets = 1, .arrived = 1, .sent = 1, .hops = hops}, 0_us);
  const auto pass = [&](Bytes sent) {  // in a round trip, in which the hop may send 125,000 B
    hops[0].time += 10_us;
    hops[0].sent += sent;
    ++round;
    hpcc.on_ack(p, {.packets = 1, .arrived = round, .sent = round, .hops = hops}, 0_us);
    return hpcc.rate();
  };
  EXPECT_EQ(pass(125'000_B), 50'050_Mbps) << "half of line rate, and R_AI";
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(pass(62'500_B), 50'050_Mbps + i * 50_Mbps);
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(pass(31'250_B), 50'200_Mbps + i * 50_Mbps);
  EXPECT_EQ(pass(31'250_B), 100_Gbps) << "twice the rate is more than the line's";
}

// Periods are uniform between 0.75 and 1.25 of the one given. The mean of 1,000 deviates by
// 0.5 / sqrt(12 * 1000) = 0.005, and an end is missed by more than 0.01 once in e^20.
TEST(RcccEdges, PeriodsOfPortsAreAQuarterLongerOrShorter) {
  const edges_cc::RcccConfig config{.adapts_to_marks = true, .period = 18_us};
  const edges_cc::RcccParameters p(config);
  const auto is_over = [&](edges_cc::RcccPort port, Picoseconds now, const RandomStream& random) {
    port.gap(p, 16'384_B, 100_Gbps, now, random);
    return port.share_of_pace() != edges_cc::RcccParameters::Factor::one();
  };
  double sum = 0;
  double shortest = 2;
  double longest = 0;
  for (std::uint64_t entity = 0; entity < 1'000; ++entity) {
    const RandomStream random(1, Purpose::kGrantPeriod, entity);
    edges_cc::RcccPort port;
    port.on_credit_request(p, edges_cc::Arrival::kMarked, 0_ps,
                           random);  // all is marked: the period ends with a cut
    Picoseconds before;
    Picoseconds after = 25_us;
    while (after - before > 1_ps) {
      const Picoseconds middle = before + (after - before) / 2;
      (is_over(port, middle, random) ? after : before) = middle;
    }
    const double period = to_seconds(after) / 18e-6;
    sum += period;
    shortest = std::min(shortest, period);
    longest = std::max(longest, period);
  }
  EXPECT_NEAR(sum / 1'000, 1, 0.02);
  EXPECT_GE(shortest, 0.75 - 1e-6);
  EXPECT_LT(shortest, 0.76);
  EXPECT_LE(longest, 1.25 + 1e-6);
  EXPECT_GT(longest, 1.24);
}

// Twice what an idle path of 100 kB holds is 50 packets of 4,000 B, after which nothing is left.
TEST(RcccEdges, CreditThatIsUsedToTheLastByteLetsNothingGo) {
  const edges_cc::RcccParameters p({.speculative = 2});
  edges_cc::Rccc rccc;
  rccc.start(p, {.line_rate = 100_Gbps, .packet = 4'000_B, .base_rtt = 8_us});
  int packets = 0;
  for (; packets < 100 && rccc.may_send(); ++packets) {
    rccc.request(p, 4'000_B, 10_MB);
    rccc.on_sent(p, 4'000_B, 0_ps);
  }
  EXPECT_EQ(packets, 50);
  EXPECT_EQ(rccc.credit(), 0_B);
}

// Algorithm 1 of the paper decreases where the gradient is above 0. With all weight on the last
// difference, 1 ps over 20 us is a gradient of 5e-8, and the rate falls by 0.8 of it.
TEST(TimelyEdges, TheLeastRiseOfTheDelayDecreasesTheRate) {
  const edges_cc::TimelyParameters p({.ewma = 1});
  edges_cc::Timely timely;
  timely.start(p, {.line_rate = 10_Gbps, .packet = 64_KiB});
  std::uint32_t arrived = 0;
  const auto ack = [&](Picoseconds delay) {
    ++arrived;
    timely.on_ack(p, {.packets = 1, .arrived = arrived, .sent = arrived, .delay = delay}, 1_ms);
    return timely.rate();
  };
  EXPECT_EQ(ack(100_us), 10_Gbps);
  EXPECT_NEAR(static_cast<double>((10_Gbps - ack(100_us + 1_ps)).count()), 400, 10);
  EXPECT_EQ(ack(100_us + 1_ps), 10_Gbps) << "no rise, and the rate rises to the line's";
}

TEST(BitmapEdges, EveryQueuePairTakesTheValuesInAnOrderOfItsOwn) {
  const edges_paths::BitmapConfig p{.values = 8};
  std::set<std::uint32_t> first;
  for (std::uint64_t key = 0; key < 200; ++key) {
    edges_paths::Bitmap bitmap;
    bitmap.start(p, key);
    first.insert(bitmap.next(p, 0, 0_ps));
  }
  EXPECT_EQ(first.size(), 8U) << "some begin with each";
}

// Every ACK is a round trip here: all that was sent has arrived.
TEST(PlbEdges, TakesAnotherPathAtTheLastOfTheCongestedRoundTrips) {
  const edges_paths::Plb::Parameters p({.congested_rounds = 3, .idle_rounds = 1'000});
  edges_paths::Plb plb;
  std::uint32_t sent = 0;
  const auto path = [&] {
    ++sent;
    return plb.next(p, sent, 0_ps);
  };
  const std::uint32_t first = path();
  for (int round_trip = 1; round_trip <= 3; ++round_trip) {
    EXPECT_EQ(path(), first) << round_trip;
    plb.on_ack(p, {.value = first, .is_marked = true, .arrived = sent, .sent = sent}, 0_ps);
  }
  EXPECT_NE(path(), first);
}

TEST(EntropyEdges, AFixedChoiceIsTheDefaultAndAlwaysTakesTheFirstValue) {
  edges_paths::ChoiceStates states;
  const edges_paths::ChoiceRef fixed = states.add(edges_paths::ChoiceConfig(), false);
  EXPECT_TRUE(fixed.is_fixed());
  EXPECT_TRUE(edges_paths::ChoiceRef().is_fixed());
  const std::uint32_t entropy =
      states.next(fixed, protocols::QueuePairId(0u), 17, 5, 1_us, [] { return 0U; });
  EXPECT_EQ(entropy, edges_paths::with_value(17, 0));
}

}  // namespace
}  // namespace weft::testing
