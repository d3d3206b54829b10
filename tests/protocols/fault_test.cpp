// Links that fail or slow down, and NICs that pause.

#include <gtest/gtest.h>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::NetworkTotals;
using protocols::PacketNetwork;

PacketNetwork::Options soon_resending() {
  PacketNetwork::Options options = plain_options();
  roce_of(options).retransmit_timeout = 100_us;
  return options;
}

/// The port of `from` that leads to `to`.
PortId port_between(const Fabric& fabric, const std::string& from, const std::string& to) {
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    const PortId id(p);
    if (fabric.node(fabric.port(id).node).name == from &&
        fabric.node(fabric.peer_node(id)).name == to) {
      return id;
    }
  }
  return PortId::none();
}

TEST(LinkRate, ADegradedLinkCarriesItsShareWhileItLasts) {
  // 100 Gbps, at 25 Gbps from 100 to 300 us: 200 us carry what 50 us would, so the message takes
  // 150 us longer, up to a packet at either end.
  const auto topology = line(2, 100_Gbps, 1_us);
  PacketNetwork::Options options = soon_resending();
  const auto completion = [&] {
    FlowRun run(topology, options, {{HostId(0u), HostId(1u), 10_MB, 0_ps}});
    return run.completions()[0];
  };
  const Picoseconds healthy = completion();
  options.faults.push_back({.kind = Fault::Kind::kLinkRate,
                            .port = PortId(0u),
                            .at = 100_us,
                            .until = 300_us,
                            .rate = 25_Gbps});
  const Picoseconds degraded = completion();
  EXPECT_NEAR(to_seconds(degraded - healthy), 150e-6, 2 * 1.4e-6);
}

// MODEL.md 7.2
TEST(LinkLatency, DelaysWhatFollowsAndReordersNothing) {
  // 50 us more from 100 to 200 us. The link's end sees nothing for 50 us; what is sent after 200 us
  // may not overtake, and then waits for the next link, which has been idle for 50 us in all. A
  // receiver that wants order would ask for packets again if any overtook.
  const auto topology = line(2, 100_Gbps, 1_us);
  PacketNetwork::Options options = soon_resending();
  options.switches.data().pfc().xoff = 4_MB;
  options.switches.data().pfc().xon = 3_MB;
  const auto run_once = [&] {
    FlowRun run(topology, options, {{HostId(0u), HostId(1u), 10_MB, 0_ps}});
    const Picoseconds time = run.completions()[0];
    EXPECT_EQ(run.network().totals().packets_retransmitted, 0U);
    EXPECT_EQ(run.network().totals().fault_drops, 0);
    return time;
  };
  const Picoseconds healthy = run_once();
  options.faults.push_back({.kind = Fault::Kind::kLinkLatency,
                            .port = PortId(0u),
                            .at = 100_us,
                            .until = 200_us,
                            .latency = 50_us});
  EXPECT_NEAR(to_seconds(run_once() - healthy), 50e-6, 0.4e-6);
}

TEST(LinkLatency, HoldsForPausesAndCreditsToo) {
  // Credits for 64 KiB on a wire whose round trip grows from 2 to 42 us: one buffer per round trip
  // and per packet's time, so that 1 MB takes about 16 x 47 us.
  PacketNetwork::Options options = soon_resending();
  protocols::CreditConfig credits;
  credits.buffer = 64_KiB;
  options.switches.data().flow_control = credits;
  for (const std::uint32_t port : {0U, 2U}) {
    options.faults.push_back(
        {.kind = Fault::Kind::kLinkLatency, .port = PortId(port), .latency = 20_us});
  }
  const Fabric fabric = topologies::build_fabric(line(2, 100_Gbps, 1_us)).value();
  ASSERT_EQ(fabric.port(PortId(0U)).peer, PortId(2U));
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 1_MB, 0_ps}});
  const double seconds = to_seconds(run.completions()[0]);
  EXPECT_GT(seconds, 15 * 42e-6);
  EXPECT_LT(seconds, 17 * 50e-6);
}

class Outage : public ::testing::TestWithParam<bool> {};

// MODEL.md 7.1
TEST_P(Outage, LosesWhatIsUnderWayAndTheTransportRecovers) {
  // s1 - s2 is down from 50 to 200 us. What is on it and what comes for it is lost, counted apart
  // from buffer drops, and sent again after the time-out of 100 us; everything arrives in the end,
  // with PFC and with credits.
  PacketNetwork::Options options = soon_resending();
  if (GetParam()) {
    protocols::CreditConfig credits;
    credits.buffer = 256_KiB;
    options.switches.data().flow_control = credits;
  }
  const auto topology = line(3, 100_Gbps, 1_us);
  const Fabric fabric = topologies::build_fabric(topology).value();
  options.faults.push_back({.kind = Fault::Kind::kLinkDown,
                            .port = port_between(fabric, "s1", "s2"),
                            .at = 50_us,
                            .until = 200_us});
  FlowRun run(topology, options,
              {{HostId(0u), HostId(1u), 2_MB, 0_ps}, {HostId(1u), HostId(0u), 2_MB, 0_ps}});
  const std::vector<Picoseconds> times = run.completions();
  const NetworkTotals totals = run.network().totals();
  EXPECT_GT(totals.fault_drops, 10);
  EXPECT_EQ(totals.buffer_drops, 0);
  EXPECT_GT(totals.packets_retransmitted, 0u);
  // 167 us of transmission, 150 us of outage, and at most two time-outs beyond its end.
  for (const Picoseconds time : times) {
    EXPECT_GT(time, 300_us);
    EXPECT_LT(time, 700_us);
  }
}

TEST_P(Outage, OfAHostsOwnLinkMakesItsNicWait) {
  // The NIC holds what it has while its link is down: no loss but what was under way, at most what
  // the wire and the switch hold for it.
  PacketNetwork::Options options = soon_resending();
  if (GetParam()) options.switches.data().flow_control = protocols::CreditConfig{};
  options.faults.push_back(
      {.kind = Fault::Kind::kLinkDown, .port = PortId(0u), .at = 0_ps, .until = 80_us});
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 100_KB, 10_us}});
  const Picoseconds time = run.completions()[0];
  EXPECT_EQ(run.network().totals().fault_drops, 0);
  EXPECT_GT(time, 70_us);
  EXPECT_LT(time, 90_us);
}

INSTANTIATE_TEST_SUITE_P(FlowControl, Outage, ::testing::Values(false, true));

TEST(NicPause, HoldsItsPeerForItsTime) {
  // The receiver pauses from 20 to 120 us: the message takes 100 us longer, less what queued up at
  // the switch and leaves at line rate; the pause is one interval, whose cause is the NIC itself.
  PacketNetwork::Options options = soon_resending();
  options.switches.pause.response = 0_ps;
  options.faults.push_back(
      {.kind = Fault::Kind::kNicPause, .port = PortId(1u), .at = 20_us, .until = 120_us});
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 1_MB, 0_ps}});
  const Picoseconds time = run.completions()[0];
  FlowRun healthy(line(2, 100_Gbps, 1_us), soon_resending(),
                  {{HostId(0u), HostId(1u), 1_MB, 0_ps}});
  EXPECT_NEAR(to_seconds(time - healthy.completions()[0]), 100e-6, 2e-6);
  bool found = false;
  for (const protocols::PauseInterval& pause : run.network().pauses()) {
    if (pause.port != run.fabric().port(PortId(1u)).peer) continue;
    found = true;
    EXPECT_TRUE(pause.cause.is_none());
    EXPECT_NEAR(to_seconds(pause.end - pause.start), 100e-6, 1e-9);
  }
  EXPECT_TRUE(found);
}

// MODEL.md 6.1
TEST(NicReceiveRate, PausesTheNetworkAndLosesNothing) {
  // A NIC that takes in 25 Gbps of a 100 Gbps link with 256 KB of buffer: its pauses make the
  // message last four times as long, and nothing is dropped.
  PacketNetwork::Options options = soon_resending();
  options.nic.receive_rate = 25_Gbps;
  options.nic.receive_buffer = 256_KB;
  options.nic.xoff = 128_KB;
  options.nic.xon = 96_KB;
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 4_MB, 0_ps}});
  const Picoseconds time = run.completions()[0];
  const double packets = 4e6 / 4096;
  EXPECT_NEAR(to_seconds(time), packets * 4178 * 8 / 25e9, 0.01 * packets * 4178 * 8 / 25e9);
  EXPECT_EQ(run.network().totals().buffer_drops, 0);
  EXPECT_GT(run.network().totals().pauses, 3);
}

TEST(NicReceiveRate, WithoutPausesABufferThatIsTooSmallDrops) {
  PacketNetwork::Options options = soon_resending();
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.nic.receive_rate = 25_Gbps;
  options.nic.receive_buffer = 64_KB;
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 400_KB, 0_ps}});
  run.completions();
  EXPECT_GT(run.network().totals().buffer_drops, 0);
}

}  // namespace
}  // namespace weft::testing
