// TCP on a link that it fills: what a sawtooth leaves unused, how flows share, and DCTCP's fixed
// point.
//
// Segments of 1,500 B on the wire, 10 Gbps, a round trip of 99.1 us: B = 82.6 segments.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/shared_link.hpp"

namespace weft::testing {
namespace {

namespace congestion = protocols::congestion;

constexpr BitsPerSecond kTcpRate = 10'000_Mbps;
constexpr double kTcpBdp = 10e9 * 99.1e-6 / 8 / 1'500;
constexpr double kTcpFraction = 4294967296.0;  // samples of windows are in units of 2^-32

protocols::PacketNetwork::Options tcp_under(const congestion::ControlConfig& control) {
  protocols::PacketNetwork::Options options;
  protocols::TcpConfig tcp;
  tcp.mtu = 1'462_B;
  tcp.congestion_control = control;
  options.transport = tcp;
  options.switches.data().ecn.enabled = false;
  options.switches.data().flow_control = protocols::NoFlowControl{};
  return options;
}

/// Two links of 24.4 us each way, and 1.2 and 0.3 us for a segment on them.
SharedLink tcp_link(std::uint32_t flows) {
  return {.flows = flows,
          .rate = kTcpRate,
          .sender_rate = 40'000_Mbps,
          .latency = 24'400_ns,
          .from = 50_ms,
          .to = 200_ms,
          .size = 4_GiB};
}

struct Marks {
  const char* name;
  congestion::ControlConfig control;
  double left;      ///< of the window by a mark
  double increase;  ///< packets per round trip
  double threshold;
};

class MarkedSawtooth : public ::testing::TestWithParam<Marks> {};

// One flow that is marked above K: its window rises to W = B + K and a round trip more until the
// mark is back, and falls to a share of that once. A round trip at w takes B / C, or w / C where
// the queue holds the rest. So of the link it uses the sum of w over the sum of max(w, B). Within 2
// %: windows are whole, and the round trip in which nothing grows is not in it.
TEST_P(MarkedSawtooth, UsesOfTheLinkWhatTheSawtoothDoes) {
  const Marks& p = GetParam();
  auto options = tcp_under(p.control);
  const auto threshold = static_cast<std::int64_t>(p.threshold);
  options.switches.data().ecn = marks_above(threshold * 1'500_B);
  const SharedLinkRun run(tcp_link(1), options);
  const double max = kTcpBdp + p.threshold + 1 + p.increase;
  double sent = 0;
  double time = 0;
  for (double w = p.left * max; w <= max; w += p.increase) {
    sent += w;
    time += std::max(w, kTcpBdp);
  }
  RecordProperty("used", std::to_string(run.used()));
  EXPECT_NEAR(run.used(), sent / time, 0.02);
  const std::vector<double> windows = run.sums("window_packets");
  const auto [min, greatest] = std::ranges::minmax(windows);
  EXPECT_NEAR(greatest / kTcpFraction, max, 0.03 * max);
  EXPECT_NEAR(min / kTcpFraction, p.left * max, 0.03 * max);
}

// For CUBIC 9 / 17 packets per round trip, as Reno's increase is there (RFC 9438, 4.3).
INSTANTIATE_TEST_SUITE_P(
    Tcp, MarkedSawtooth,
    ::testing::Values(Marks{"newreno_5", congestion::NewRenoConfig{}, 0.5, 1, 5},
                      Marks{"newreno_40", congestion::NewRenoConfig{}, 0.5, 1, 40},
                      Marks{"cubic_5", congestion::CubicConfig{}, 0.7, 9.0 / 17, 5},
                      Marks{"cubic_20", congestion::CubicConfig{}, 0.7, 9.0 / 17, 20}),
    [](const auto& test) { return test.param.name; });

// Flows of one round trip share a link equally on average, by marks and by losses: additive
// increase and multiplicative decrease lead there (Chiu and Jain, 1989). Over 0.4 s, some hundred
// sawteeth.
TEST(TcpShares, EquallyByMarksAndByLosses) {
  for (const bool is_marked : {true, false}) {
    for (const auto& control : {congestion::ControlConfig(congestion::NewRenoConfig{}),
                                congestion::ControlConfig(congestion::CubicConfig{})}) {
      auto options = tcp_under(control);
      if (is_marked) {
        options.switches.data().ecn = marks_above(40 * 1'500_B);
      } else {
        options.switches.buffer = 100 * 1'500_B;
      }
      SharedLink link = tcp_link(2);
      link.to = 450_ms;
      const SharedLinkRun run(link, options);
      const std::string name = congestion::title_of(control);
      RecordProperty(name + (is_marked ? "_marks" : "_losses"), std::to_string(run.jain()));
      EXPECT_GE(run.jain(), 0.95) << name << (is_marked ? " by marks" : " by losses");
      EXPECT_GE(run.used(), 0.9);
    }
  }
}

struct DctcpFlows {
  std::uint32_t flows;
  std::uint32_t ack_every;
};

class DctcpOverTcp : public ::testing::TestWithParam<DctcpFlows> {};

// DCTCP's fixed point (Alizadeh et al., SIGCOMM 2010, section 3.3;
// tests/oracles/dctcp_fixed_point), with TCP's segments and acknowledgements, which say exactly
// what was marked (RFC 8257, 3.2): Qmax = K + N within 10 % and a segment, and alpha within 10 %.
// With an ACK per two segments two arrive at the rate of the sender, one after the other: where the
// window is above W* by one, only the second of the two finds more than K, so that fewer are
// marked, and alpha is less than the form's.
TEST_P(DctcpOverTcp, HasTheSameFixedPoint) {
  const auto& [flows, ack_every] = GetParam();
  constexpr double kThreshold = 40;
  auto options =
      tcp_under(congestion::DctcpConfig::from_preset(congestion::DctcpConfig::Preset::kPaper));
  std::get<protocols::TcpConfig>(options.transport).ack_every = ack_every;
  options.switches.data().ecn = marks_above(40 * 1'500_B);
  options.switches.data().ecn.mark = protocols::EcnConfig::Mark::kEnqueue;
  const SharedLinkRun run(tcp_link(flows), options);
  const double window = (kTcpBdp + kThreshold) / flows;
  double alpha = 0.5;
  for (int i = 0; i < 100; ++i) {
    alpha = std::sqrt((2 * window + 1) / ((window + 1) * (window + 1)) / (1 - alpha / 4));
  }
  const double peak = run.peak_queue() / 1'500;
  const double seen = run.mean("alpha") / kTcpFraction;
  RecordProperty("peak_packets", std::to_string(peak));
  RecordProperty("alpha", std::to_string(seen));
  EXPECT_NEAR(peak, kThreshold + flows, 0.1 * (kThreshold + flows) + 1);
  EXPECT_GE(run.used(), 0.9999);
  EXPECT_GE(run.jain(), 0.99);
  if (ack_every == 1) {
    EXPECT_NEAR(seen, alpha, 0.1 * alpha);
  } else {
    EXPECT_LT(seen, alpha);
    EXPECT_GT(seen, 0.6 * alpha);
  }
}

INSTANTIATE_TEST_SUITE_P(Flows, DctcpOverTcp,
                         ::testing::Values(DctcpFlows{1, 1}, DctcpFlows{2, 1}, DctcpFlows{3, 1},
                                           DctcpFlows{1, 2}, DctcpFlows{2, 2}),
                         [](const auto& test) {
                           return "N" + std::to_string(test.param.flows) + "_every" +
                                  std::to_string(test.param.ack_every);
                         });

}  // namespace
}  // namespace weft::testing
