// Latency with cut-through, in closed form.

#include <gtest/gtest.h>

#include "simcore/fabric/zero_load.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;
using protocols::SwitchConfig;

PacketNetwork::Options cut_through(bool with_credits) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.data().ecn.enabled = false;
  options.switches.forwarding = SwitchConfig::Forwarding::kCutThrough;
  options.switches.cut_through_after = 64_B;
  if (with_credits) options.switches.data().flow_control = protocols::CreditConfig{};
  return options;
}

Picoseconds delivery(const topologies::TopologySpec& topology,
                     const PacketNetwork::Options& options, Bytes size) {
  FlowRun run(topology, options, {{HostId(0u), HostId(1u), size, 0_ps}});
  EXPECT_EQ(run.network().run_until(1_s), PacketNetwork::Status::kQuiescent);
  EXPECT_TRUE(run.network().violated_invariants(true).empty());
  return *run.messages()[0].delivered;
}

class CutThrough : public ::testing::TestWithParam<bool> {};

TEST_P(CutThrough, APacketPaysItsTransmissionOnceAndItsHeaderPerSwitch) {
  // h links: h d + (h-1) t(64 B) + t(packet), to the picosecond, with PFC and with credits.
  const Picoseconds packet = transmission_time(4178_B, 100_Gbps);
  const Picoseconds header = transmission_time(64_B, 100_Gbps);
  for (std::uint32_t links = 1; links <= 6; ++links) {
    const auto topology = links == 1 ? line(2, 100_Gbps, 300_ns) : line(links, 100_Gbps, 300_ns);
    const auto h = static_cast<std::int64_t>(std::max(links, 2U));
    EXPECT_EQ(delivery(topology, cut_through(GetParam()), 4096_B),
              h * 300_ns + (h - 1) * header + packet);
  }
}

// MODEL.md 5.1
TEST_P(CutThrough, StoresWhereTheNextLinkIsFasterAndNotWhereItIsSlower) {
  // 100 -> 400 Gbps: the fast link waits for the last bit. 400 -> 100 Gbps: the slow one begins
  // with the header and takes its own time.
  const auto path = [](BitsPerSecond first, BitsPerSecond second) {
    auto spec = std::get<topologies::CustomSpec>(line(2, first, 300_ns));
    spec.links[1].link.rate = second;
    return spec;
  };
  const Picoseconds slow = transmission_time(4178_B, 100_Gbps);
  const Picoseconds fast = transmission_time(4178_B, 400_Gbps);
  EXPECT_EQ(delivery(path(100_Gbps, 400_Gbps), cut_through(GetParam()), 4096_B),
            600_ns + slow + fast);
  EXPECT_EQ(delivery(path(400_Gbps, 100_Gbps), cut_through(GetParam()), 4096_B),
            600_ns + transmission_time(64_B, 400_Gbps) + slow);
}

TEST_P(CutThrough, LoneMessagesTakeTheirZeroLoadTime) {
  // Trains of packets, odd last packets, rates that rise and fall along the path: the model of the
  // zero-load time follows packet by packet.
  for (const std::int64_t bytes : {1, 4096, 10'000, 123'457}) {
    for (int shape = 0; shape < 4; ++shape) {
      auto spec = std::get<topologies::CustomSpec>(line(4, 100_Gbps, 250_ns));
      if (shape == 1) spec.links[1].link.rate = 400_Gbps;
      if (shape == 2) spec.links[2].link.rate = 25_Gbps;
      if (shape == 3) spec.links[0].link.rate = 200_Gbps;
      std::vector<PathHop> hops;
      for (const auto& link : spec.links) hops.push_back({link.link.rate, link.link.latency});
      const Framing framing{
          .payload = 4096_B, .header = 82_B, .ack_size = 0_B, .cut_through = 64_B};
      EXPECT_EQ(delivery(spec, cut_through(GetParam()), Bytes(bytes)),
                zero_load(Bytes(bytes), framing, hops, {}).delivered)
          << bytes << " B, shape " << shape;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FlowControl, CutThrough, ::testing::Values(false, true));

}  // namespace
}  // namespace weft::testing
