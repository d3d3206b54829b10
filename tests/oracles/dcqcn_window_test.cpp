// DCQCN with a window (Li et al., HPCC, SIGCOMM 2019, section 5.1: what the rate sends in an idle
// round trip): eight hosts at 100 Gbps send to one from the same instant on, two links of 1 us.
//
// A packet of 4,178 B takes 334.24 ns at each of two hops, its ACK of 86 B 6.88 ns: a base RTT of
// 4.682 us, or 14.01 packets, so that 15 of each flow may be in flight and 8 x 15 x 4,178 =
// 501,360 B in all. No queue can be longer, whatever marks do. Without the window every host sends
// at line rate until the first mark comes back: 7/8 of 800 Gbps pile up from the first packet's
// arrival until Kmin (400 kB) has been crossed and the news has crossed two links, 2 us and more,
// which alone is another 175 kB.

#include <gtest/gtest.h>

#include "tests/support/shared_link.hpp"

namespace weft::testing {
namespace {

using protocols::congestion::DcqcnConfig;

double dcqcn_peak(DcqcnConfig::Window window) {
  DcqcnConfig dcqcn = DcqcnConfig::from_preset(DcqcnConfig::Preset::kHpccNs3);
  dcqcn.window = window;
  protocols::PacketNetwork::Options options = plain_options();
  roce_of(options).congestion_control = dcqcn;
  options.switches.data().ecn = {.enabled = true, .kmin = 400_KB, .kmax = 1600_KB, .pmax = 0.2};
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= 8; ++i) flows.push_back({HostId(i), HostId(0u), 1_MB, 0_ps});
  const topologies::TopologySpec topology = star(9, 100_Gbps, 1_us);
  const Fabric fabric = topologies::build_fabric(topology).value();
  const PortId port = fabric.port(fabric.host(HostId(0u)).first_port).peer;
  FlowRun run(fabric, topology, options, flows);
  for (const Picoseconds t : run.completions()) EXPECT_LE(to_seconds(t), 2e-3);
  return static_cast<double>(run.network().class_counters(port, ClassId()).peak_bytes.count());
}

TEST(DcqcnWindow, NoQueueIsLongerThanAllWindows) {
  constexpr double kWindows = 8 * 15 * 4'178;
  EXPECT_LE(dcqcn_peak(DcqcnConfig::Window::kBdp), kWindows);
  EXPECT_GE(dcqcn_peak(DcqcnConfig::Window::kNone), kWindows);
}

}  // namespace
}  // namespace weft::testing
