// In-cast and ring all-reduce against their closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "collectives/runtime/executor.hpp"
#include "collectives/runtime/workload.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/zero_load.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;

constexpr BitsPerSecond kLinkRate = 400_Gbps;
constexpr Bytes kPacket = 4178_B;  // 4096 B payload + 82 B
constexpr Bytes kAckBytes = 86_B;

topologies::LeafSpineSpec leaf_spine(std::uint32_t racks, std::uint32_t spines) {
  topologies::LeafSpineSpec spec;
  spec.racks = racks;
  spec.servers_per_rack = 8;
  spec.spines = spines;
  spec.access = {kLinkRate, 80_ns};
  spec.uplink = {kLinkRate, 366_ns};
  spec.switch_pipeline = 500_ns;
  spec.nic_pipeline = 300_ns;
  return spec;
}

PacketNetwork::Options without_congestion_control() {
  PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.congestion_control = protocols::congestion::NoControlConfig{};
  options.transport = roce;
  options.switches.data().ecn.enabled = false;
  return options;
}

TEST(Incast, ThirtyTwoToOneTakesItsBytesOverTheBottleneckPlusOnePath) {
  // 32 senders of 1 MiB (256 full packets): the receiver's link carries 8192 packets.
  // Work-conserving as long as no paused sender can leave the bottleneck idle, that is if what is
  // queued at XON lasts for the resume loop: a resume frame behind a packet, two wires, the
  // response, a switch pipeline and the first packet, at most 84 + 2 + 2 x 366 + 1158 + 500 + 84 ns
  // = 2.56 us or 128 KB at 400 Gbps. XON 200 KB. Then last = 8192 tp + (zero-load time of one
  // packet on the longest path - tp), up to the order in which the last packets leave: 1 %, over 20
  // seeds of the ECMP hashes.
  PacketNetwork::Options options = without_congestion_control();
  options.switches.data().pfc().xoff = 240_KB;
  options.switches.data().pfc().xon = 200_KB;
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= 32; ++i) flows.push_back({HostId(i), HostId(0u), 1_MiB, 0_ps});
  const Picoseconds tp = transmission_time(kPacket, kLinkRate);
  const Picoseconds latencies = 80_ns + 366_ns + 366_ns + 80_ns + 3 * 500_ns + 300_ns;
  const Picoseconds base =
      3 * tp + latencies + 4 * transmission_time(kAckBytes, kLinkRate) + latencies;
  const double expected = to_seconds(32 * (256 * tp) + base);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.seed = seed;
    FlowRun run(leaf_spine(5, 4), options, flows);
    const std::vector<Picoseconds> times = run.completions();
    const double last = to_seconds(*std::max_element(times.begin(), times.end()));
    EXPECT_NEAR(last, expected, 0.01 * expected) << "seed " << seed;
    EXPECT_EQ(run.network().totals().buffer_drops, 0);
    EXPECT_GT(run.network().totals().pauses, 0);
  }
}

TEST(RingAllReduce, SixtyFourRanksTakeTheClosedForm) {
  // T = 2(n-1) alpha + 2(n-1)/n S/C with n = 64: alpha is the mean over the ring's edges of the
  // zero-load delivery time of one chunk less its serialisation; S/C counts what the wire carries:
  // per 4096 B a data packet of 4178 B, and the 86 B ACK of the chunk that comes the other way. No
  // two edges share a link direction (checked). 2 %: edges that end later than the mean make ranks
  // wait.
  constexpr std::uint32_t kRanks = 64;
  constexpr Bytes kSize = 32_MiB;
  const topologies::TopologySpec topology = leaf_spine(8, 8);
  const Fabric fabric = topologies::build_fabric(topology).value();
  const Routes routes = topologies::build_routes(fabric, topology).value();
  std::vector<HostId> hosts;
  for (std::uint32_t i = 0; i < kRanks; ++i) hosts.emplace_back(i);
  collectives::CollectiveSpec ring;
  ring.size = kSize;
  const std::vector<collectives::JobDescription> jobs{{"ring", 0_ps, hosts, ring, {}, {}}};
  const auto workload = collectives::build_workload(jobs, {});
  ASSERT_TRUE(workload.ok());

  const PacketNetwork::Options options = without_congestion_control();
  const Bytes chunk = kSize / kRanks;
  const std::int64_t packets = chunk / 4096_B;
  std::set<std::uint32_t> used;
  Picoseconds alphas;
  for (const Connection& c : workload.value().connections()) {
    const HostId from = workload.value().process_hosts()[c.source.value()];
    const HostId to = workload.value().process_hosts()[c.destination.value()];
    const std::uint32_t entropy = flow_entropy(from, to, queue_pair_number(c.flow_label, 0));
    const std::vector<PortId> path = flow_path(fabric, routes, options.seed, from, to, entropy);
    for (const PortId port : path) {
      EXPECT_TRUE(used.insert(port.value()).second) << "two edges share " << fabric.port_name(port);
    }
    const Framing framing{.payload = 4096_B, .header = 82_B, .ack_size = kAckBytes};
    const std::vector<PathHop> hops = hops_of(fabric, path);
    alphas += zero_load(chunk, framing, hops, hops).delivered -
              packets * transmission_time(kPacket, kLinkRate);
  }
  const double alpha = to_seconds(alphas) / kRanks;
  const double serialisation =
      static_cast<double>(packets) * to_seconds(transmission_time(kPacket + kAckBytes, kLinkRate));
  const double expected = 2 * (kRanks - 1) * (alpha + serialisation);

  PacketNetwork network(fabric, routes, options, workload.value().process_hosts(),
                        workload.value().connections());
  collectives::Executor executor(workload.value());
  network.start(executor);
  ASSERT_EQ(network.run_until(1_s), PacketNetwork::Status::kQuiescent);
  ASSERT_TRUE(executor.all_finished());
  const collectives::JobOutcome outcome = executor.outcome(0);
  EXPECT_NEAR(to_seconds(outcome.end - outcome.start), expected, 0.02 * expected);
  EXPECT_EQ(network.totals().pauses, 0);
}

}  // namespace
}  // namespace weft::testing
