// Times without any delivery are noticed, and name who is blocked.

#include <gtest/gtest.h>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;

/// Two flows over a leaf-spine of 2 x 2 hosts; from 5 us on the NIC of host 2, where the first one
/// ends, pauses its switch for good. The second one, 10 kB, is through by then.
std::vector<protocols::Stall> stalls_of(Picoseconds timeout, LpPlan::Cut cut) {
  topologies::LeafSpineSpec spec;
  spec.racks = spec.servers_per_rack = 2;
  spec.spines = 1;
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.retransmit_timeout = timeout;
  options.transport = roce;
  options.switches.pause.quanta = protocols::PauseConfig::Quanta::kUntilResume;
  options.cut = cut;
  // Host ports come first; the order of ids is that of hosts.
  const Fabric fabric = topologies::build_fabric(spec).value();
  options.faults.push_back({.kind = protocols::Fault::Kind::kNicPause,
                            .port = fabric.node(fabric.hosts[2]).first_port,
                            .at = 5_us,
                            .until = protocols::Fault::kForever,
                            .classes = 0xff});
  FlowRun run(spec, options,
              {{HostId(0u), HostId(2u), 100_MB, 0_ps}, {HostId(1u), HostId(3u), 10_KB, 0_ps}});
  run.network().run_until(95_ms);
  return run.network().stalls();
}

TEST(Stall, IsNoticedAtTheNextCheckAndNamesTheBlockedFlow) {
  // Checks are at multiples of 10 ms. The first sees the deliveries of the first microseconds; from
  // there on there are none, and the last check before 95 ms is at 90 ms.
  for (const LpPlan::Cut cut : {LpPlan::Cut::kFinest, LpPlan::Cut::kOne}) {
    const std::vector<protocols::Stall> stalls = stalls_of(30_ms, cut);
    ASSERT_EQ(stalls.size(), 1u);
    EXPECT_EQ(stalls[0].since, 10_ms);
    EXPECT_EQ(stalls[0].until, 90_ms);
    EXPECT_EQ(stalls[0].blocked_count, 1u);
    EXPECT_EQ(stalls[0].blocked, std::vector<ConnectionId>{ConnectionId(0u)});
  }
}

TEST(Stall, DoesNotCountWhoGaveUp) {
  // 7 retries of 1 ms are over before the second check, and nobody is left who waits.
  EXPECT_TRUE(stalls_of(1_ms, LpPlan::Cut::kFinest).empty());
}

}  // namespace
}  // namespace weft::testing
