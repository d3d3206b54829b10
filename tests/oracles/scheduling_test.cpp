// Shares of classes at one egress, and what a paused class does to others.

#include <gtest/gtest.h>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;
using protocols::TrafficClass;

/// Lossless classes of the given weights, lowest first; a weight of 0 is a strict class.
PacketNetwork::Options classes(const std::vector<std::uint32_t>& weights) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.classes.clear();
  for (const std::uint32_t weight : weights) {
    TrafficClass c;
    c.name = "c" + std::to_string(options.switches.classes.size());
    c.ecn.enabled = false;
    c.scheduling =
        weight == 0 ? TrafficClass::Scheduling::kStrict : TrafficClass::Scheduling::kWeighted;
    c.weight = std::max(weight, 1U);
    protocols::PfcConfig pfc;
    pfc.xoff = 200_KB;
    pfc.xon = 150_KB;
    c.flow_control = pfc;
    options.switches.classes.push_back(c);
  }
  return options;
}

/// Bytes that each class sent at `port` in 2 ms after 0.2 ms.
std::vector<double> shares(FlowRun& run, PortId port, std::size_t count) {
  run.network().run_until(200_us);
  run.network().reset_statistics();
  run.network().run_until(2200_us);
  EXPECT_TRUE(run.network().violated_invariants(false).empty());
  EXPECT_EQ(run.network().totals().buffer_drops, 0);
  std::vector<double> bytes;
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const auto counters = run.network().class_counters(port, ClassId(c));
    bytes.push_back(static_cast<double>(counters.bytes.count()));
    sum += bytes.back();
  }
  // 2 ms at 100 Gbps: the link is never idle.
  EXPECT_NEAR(sum, 25e6, 25e6 * 0.001);
  for (double& b : bytes) b /= sum;
  return bytes;
}

class Weights : public ::testing::TestWithParam<bool> {};

// MODEL.md 1.2
TEST_P(Weights, AreTheSharesUnderSaturation) {
  // Weights 1, 2, 5 and packets of different sizes per class: 1/8, 2/8 and 5/8 of the bytes. A
  // round carries 8 quanta of at least 4178 B, so 2 ms hold some 700 rounds: within 1 %. At a
  // switch, whose inputs are as fast as its output, and at a NIC.
  const bool at_nic = GetParam();
  PacketNetwork::Options options = classes({1, 2, 5});
  std::vector<Flow> flows;
  for (const ClassId c : all_classes(3)) {
    const HostId source(at_nic ? 1U : c.value() + 1U);
    flows.push_back({source, HostId(0u), 20_MB, 0_ps, c});
  }
  FlowRun run(star(4, 100_Gbps, 200_ns), options, flows);
  const PortId nic(1u);
  const PortId port = at_nic ? nic : run.fabric().port(PortId(0u)).peer;
  const std::vector<double> share = shares(run, port, 3);
  EXPECT_NEAR(share[0], 1.0 / 8, 0.01 / 8);
  EXPECT_NEAR(share[1], 2.0 / 8, 0.02 / 8);
  EXPECT_NEAR(share[2], 5.0 / 8, 0.05 / 8);
}

INSTANTIATE_TEST_SUITE_P(Where, Weights, ::testing::Values(false, true));

TEST(StrictPriority, TakesAllThatItWants) {
  // A saturated strict class leaves nothing to weighted ones but what their NICs had begun.
  FlowRun run(star(4, 100_Gbps, 200_ns), classes({1, 3, 0}),
              {{HostId(1u), HostId(0u), 40_MB, 0_ps, ClassId(0)},
               {HostId(2u), HostId(0u), 40_MB, 0_ps, ClassId(1)},
               {HostId(3u), HostId(0u), 40_MB, 0_ps, ClassId(2)}});
  const std::vector<double> share = shares(run, run.fabric().port(PortId(0u)).peer, 3);
  EXPECT_GE(share[2], 0.99);
}

TEST(StrictPriority, LeavesTheRestToBeSharedByWeight) {
  // The strict class comes over a link of 40 Gbps: 40 %. The others share 60 % one to three.
  auto topology = std::get<topologies::CustomSpec>(star(4, 100_Gbps, 200_ns));
  topology.links[3].link.rate = 40_Gbps;
  FlowRun run(topology, classes({1, 3, 0}),
              {{HostId(1u), HostId(0u), 40_MB, 0_ps, ClassId(0)},
               {HostId(2u), HostId(0u), 40_MB, 0_ps, ClassId(1)},
               {HostId(3u), HostId(0u), 40_MB, 0_ps, ClassId(2)}});
  const std::vector<double> share = shares(run, run.fabric().port(PortId(0u)).peer, 3);
  EXPECT_NEAR(share[0], 0.15, 0.0015);
  EXPECT_NEAR(share[1], 0.45, 0.0045);
  EXPECT_NEAR(share[2], 0.40, 0.0040);
}

TEST(PausedClasses, NeverDelayAHigherOne) {
  // Host 0 holds class 0 paused forever; its sender and the switch are full of such packets. The
  // packets of class 1 on the same links take their zero-load time, to the picosecond: nothing of
  // class 0 moves, and nothing of it is ever before them. Pauses of the two hosts are over by then.
  PacketNetwork::Options options = classes({1, 0});
  options.faults.push_back(
      {.kind = protocols::Fault::Kind::kNicPause, .port = PortId(0u), .classes = 0b01});
  std::vector<Flow> flows{{HostId(1u), HostId(0u), 5_MB, 20_us, ClassId(0)}};
  for (std::int64_t i = 0; i < 20; ++i) {
    flows.push_back({HostId(1u), HostId(0u), 4096_B, 500_us + i * 3_us, ClassId(1)});
  }
  FlowRun run(star(2, 100_Gbps, 200_ns), options, flows);
  run.network().run_until(1_ms);
  const Picoseconds alone = 2 * (transmission_time(4178_B, 100_Gbps) + 200_ns);
  std::size_t seen = 0;
  for (const protocols::MessageOutcome& m : run.messages()) {
    if (m.connection.value() == 0) {
      EXPECT_FALSE(m.delivered);
      continue;
    }
    ++seen;
    EXPECT_EQ(m.delivered - m.posted, alone);
  }
  EXPECT_EQ(seen, 20u);
  EXPECT_GT(run.network().queue_bytes(run.fabric().port(PortId(0u)).peer), 200_KB);
}

TEST(CreditClasses, ShareALinkWithLossyAndPfcClasses) {
  // Three kinds of flow control side by side, equal weights: a third each, and no drop but in the
  // lossy class, whose egress queue is limited.
  PacketNetwork::Options options = classes({1, 1, 1});
  options.switches.classes[ClassId(1)].flow_control = protocols::CreditConfig{};
  options.switches.classes[ClassId(2)].flow_control = protocols::NoFlowControl{};
  options.switches.classes[ClassId(2)].egress_alpha = 0.01;
  FlowRun run(star(4, 100_Gbps, 200_ns), options,
              {{HostId(1u), HostId(0u), 40_MB, 0_ps, ClassId(0)},
               {HostId(2u), HostId(0u), 40_MB, 0_ps, ClassId(1)},
               {HostId(3u), HostId(0u), 40_MB, 0_ps, ClassId(2)}});
  run.network().run_until(2_ms);
  EXPECT_TRUE(run.network().violated_invariants(false).empty())
      << run.network().violated_invariants(false).front();
  EXPECT_EQ(run.network().port_counters(run.fabric().port(PortId(1u)).peer).buffer_drops, 0);
  EXPECT_EQ(run.network().port_counters(run.fabric().port(PortId(2u)).peer).buffer_drops, 0);
  EXPECT_GT(run.network().port_counters(run.fabric().port(PortId(3u)).peer).buffer_drops, 100);
  const PortId port = run.fabric().port(PortId(0u)).peer;
  for (const ClassId c : all_classes(3)) {
    EXPECT_NEAR(static_cast<double>(run.network().class_counters(port, c).bytes.count()), 25e6 / 3,
                1e5);
  }
}

// MODEL.md 2.6
TEST(CreditClasses, HaveTheirBufferOutOfTheSwitchs) {
  // A switch of 1 MB with 4 ports of 200 KB of credits leaves 200 KB to the lossy class, whose two
  // senders overload one egress: never more than that is held.
  PacketNetwork::Options options = classes({1, 1});
  protocols::CreditConfig credits;
  credits.buffer = Bytes(200'000);
  options.switches.classes[ClassId(0)].flow_control = credits;
  options.switches.classes[ClassId(1)].flow_control = protocols::NoFlowControl{};
  options.switches.buffer = 1_MB;
  FlowRun run(star(4, 100_Gbps, 200_ns), options,
              {{HostId(1u), HostId(0u), 2_MB, 0_ps, ClassId(1)},
               {HostId(2u), HostId(0u), 2_MB, 0_ps, ClassId(1)}});
  run.network().run_until(1_ms);
  EXPECT_TRUE(run.network().violated_invariants(false).empty());
  EXPECT_GT(run.network().totals().buffer_drops, 100);
  EXPECT_LE(run.network().buffer_peak(SwitchId(0u)), 200_KB);
  EXPECT_GT(run.network().buffer_peak(SwitchId(0u)), 190_KB);
}

}  // namespace
}  // namespace weft::testing
