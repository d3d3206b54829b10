// In-casts under RCCC on a star without losses (Ultra Ethernet Specification 1.0.1, RCCC).
//
// Notation: N senders, L the rate of all links, R the base round trip, B = L R, sigma = 1.5 B what
// a sender may send unasked, g = 0.99 the pace of grants, W wire bytes of all messages.
//
// Senders send N sigma unasked and then what is granted. The first grants answer the first packets,
// so that granted data come to the switch from R later on at g L:
//   came(t) = N sigma + g L (t - R),  left(t) = L t,
//   queue(t) = (N sigma - B) - (1 - g) L (t - R).
// The queue is never more than N sigma, and what was sent unasked lasts for (N sigma - B) over
// (1 - g) L, so that all of an in-cast of less than that passes at line rate: it ends W / L and a
// path after it began. Longer ones continue at g L with quanta for a queue.
//
// Tolerances: packets are whole and the last packet of a sender overdraws its credit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/shared_link.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;
using protocols::congestion::RcccConfig;

constexpr double kDataPacket = 4'178;

PacketNetwork::Options rccc_on(Bytes buffer) {
  PacketNetwork::Options options = options_with(RcccConfig(), 4'178_B, 82_B);
  options.switches.buffer = buffer;
  options.switches.data().flow_control = protocols::NoFlowControl{};
  return options;
}

/// Of a full packet and its ACK of 1 B over two links of 1 us at `rate`, in seconds.
double base_rtt(double rate) { return 2 * kDataPacket * 8 / rate + 4e-6; }

class RcccInCast : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RcccInCast, EndsWhenItsBytesHavePassedAtLineRate) {
  const std::uint32_t n = GetParam();
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= n; ++i) {
    flows.push_back({HostId(i), HostId(0u), Bytes(1'000'000), 0_ps});
  }
  const auto topology = star(n + 1, 100_Gbps, 1_us);
  const Fabric fabric = topologies::build_fabric(topology).value();
  const PortId port = fabric.port(fabric.host(HostId(0u)).first_port).peer;
  FlowRun run(topology, rccc_on(64_MB), flows);
  const std::vector<Picoseconds> times = run.completions();
  const double last = to_seconds(*std::ranges::max_element(times));
  const double first = to_seconds(*std::ranges::min_element(times));

  const double wire = n * (1e6 + 245 * 82);
  const double expected = wire * 8 / 100e9 + base_rtt(100e9);
  EXPECT_NEAR(last, expected, 0.01 * expected);
  EXPECT_GT(first, 0.95 * expected) << "fair: all end together";
  const double unasked = 1.5 * base_rtt(100e9) * 100e9 / 8;
  const auto peak =
      static_cast<double>(run.network().class_counters(port, ClassId(0)).peak_bytes.count());
  EXPECT_LE(peak, n * (unasked + kDataPacket));
  EXPECT_GE(peak, n * unasked - unasked / 1.5 - n * kDataPacket);
  RecordProperty("last_us", std::to_string(last * 1e6));
  RecordProperty("peak", std::to_string(peak));
}

INSTANTIATE_TEST_SUITE_P(Senders, RcccInCast, ::testing::Values(2, 4, 8));

struct RcccShare {
  std::uint32_t flows;
  BitsPerSecond rate;
};

class RcccShares : public ::testing::TestWithParam<RcccShare> {};

TEST_P(RcccShares, LongFlowsShareThePaceOfGrantsEquallyWithoutAQueue) {
  // At 100 Gbps what 16 senders sent unasked is gone after (24 - 1) R / 0.01 = 25 ms.
  const auto [flows, rate] = GetParam();
  const SharedLinkRun run({.flows = flows,
                           .rate = rate,
                           .latency = 2'500_ns,
                           .from = 40_ms,
                           .to = 60_ms,
                           .sample_period = {}},
                          rccc_on(64_MB));
  // A quantum per 1.324 us at 100 Gbps, and per 0.331 us at 400.
  EXPECT_NEAR(run.used(), 0.99, 0.0005);
  EXPECT_GE(run.jain(), 0.9999);
  EXPECT_LT(run.peak_queue(), flows * 16'384.0);
  EXPECT_LT(run.mean_queue(), 3 * 16'384.0);
  RecordProperty("used", std::to_string(run.used()));
  RecordProperty("mean_queue", std::to_string(run.mean_queue()));
  RecordProperty("peak_queue", std::to_string(run.peak_queue()));
}

INSTANTIATE_TEST_SUITE_P(Flows, RcccShares,
                         ::testing::Values(RcccShare{2, 100_Gbps}, RcccShare{4, 100_Gbps},
                                           RcccShare{8, 100_Gbps}, RcccShare{16, 100_Gbps},
                                           RcccShare{8, 400_Gbps}),
                         [](const auto& test) {
                           return "N" + std::to_string(test.param.flows) + "At" +
                                  std::to_string(test.param.rate.count() / 1'000'000'000) + "G";
                         });

TEST(RcccHtsim, InCastsEndAsThoseOfUetHtsim) {
  // uet-htsim 40ccb05, RCCC, 1 MB from each of 2 and 8 hosts, 4,086 B in packets of 4,150, two
  // links of 1 us at 100 Gbps, trimming: the last one ends after 166.85 and 654.92 us. Here nothing
  // is trimmed, so that no byte is sent twice; both keep the link busy from the first to the last.
  for (const auto& [senders, htsim] : {std::pair(2U, 166.85e-6), std::pair(8U, 654.92e-6)}) {
    PacketNetwork::Options options = options_with(RcccConfig(), 4'150_B, 64_B);
    roce_of(options).ack_size = 64_B;
    options.switches.buffer = 64_MB;
    options.switches.data().flow_control = protocols::NoFlowControl{};
    std::vector<Flow> flows;
    for (std::uint32_t i = 1; i <= senders; ++i) {
      flows.push_back({HostId(i), HostId(0u), Bytes(1'000'000), 0_ps});
    }
    FlowRun run(star(senders + 1, 100_Gbps, 1_us), options, flows);
    const double last = to_seconds(std::ranges::max(run.completions()));
    RecordProperty("last_us_of_" + std::to_string(senders), std::to_string(last * 1e6));
    EXPECT_NEAR(last, htsim, 0.01 * htsim) << senders;
  }
}

}  // namespace
}  // namespace weft::testing
