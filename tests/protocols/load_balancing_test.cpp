// How switches choose among equal-cost next hops, by traffic class.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "simcore/base/id_vector.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::LoadBalancing;
using protocols::PacketNetwork;
using protocols::RoceConfig;

PacketNetwork::Options options_with(LoadBalancing balancing) {
  PacketNetwork::Options options;
  RoceConfig roce;
  roce.congestion_control = protocols::congestion::NoControlConfig{};
  roce.receiver = RoceConfig::Receiver::kAnyOrder;
  options.transport = roce;
  options.switches.data().ecn.enabled = false;
  options.switches.load_balancing = balancing;
  return options;
}

topologies::LeafSpineSpec leaf_spine(std::uint32_t servers, std::uint32_t spines) {
  topologies::LeafSpineSpec spec;
  spec.racks = 2;
  spec.servers_per_rack = servers;
  spec.spines = spines;
  spec.access = {100_Gbps, 500_ns};
  spec.uplink = {100_Gbps, 500_ns};
  return spec;
}

/// Data packets on each uplink of leaf 0, whose hosts are 0 .. servers-1.
std::vector<std::int64_t> uplink_packets(FlowRun& run, std::uint32_t servers) {
  const Node& leaf = run.fabric().switch_node(SwitchId(0u));
  std::vector<std::int64_t> packets;
  for (std::uint32_t p = servers; p < leaf.port_count; ++p) {
    packets.push_back(
        run.network().class_counters(PortId(leaf.first_port.value() + p), ClassId()).packets);
  }
  return packets;
}

std::int64_t used(const std::vector<std::int64_t>& packets) {
  return std::ranges::count_if(packets, [](std::int64_t n) { return n > 0; });
}

/// Host 0 of rack 0 sends one message to a host of rack 1.
std::vector<std::int64_t> packets_of_one_flow(LoadBalancing balancing, Bytes size) {
  FlowRun run(leaf_spine(1, 4), options_with(balancing), {{HostId(0u), HostId(1u), size, 0_ps}});
  run.completions();
  return uplink_packets(run, 1);
}

TEST(LoadBalancing, OneFlowTakesOnePathUnderEcmpAndAllWhenSprayed) {
  // 400 packets over four uplinks. At random the count of one is binomial, 100 +- 8.7: six sigma
  // are 52. In turn and by load it is 100.
  const Bytes size = 400 * 4_KiB;
  EXPECT_EQ(used(packets_of_one_flow(LoadBalancing::kFlow, size)), 1);
  EXPECT_EQ(used(packets_of_one_flow(LoadBalancing::kFlowlet, size)), 1) << "it never pauses";
  for (const std::int64_t n : packets_of_one_flow(LoadBalancing::kSpray, size)) {
    EXPECT_NEAR(static_cast<double>(n), 100, 52);
  }
  for (const std::int64_t n : packets_of_one_flow(LoadBalancing::kRoundRobin, size)) {
    EXPECT_EQ(n, 100);
  }
  // One host never fills the uplinks: its packets find them empty, and equals are taken at random.
  EXPECT_EQ(used(packets_of_one_flow(LoadBalancing::kAdaptive, size)), 4);
}

/// Posts `count` messages of one packet, `gap` apart.
class Bursts final : public ProcessHandler {
 public:
  Bursts(int count, Picoseconds gap) : count_(count), gap_(gap) {}
  void on_start(ProcessContext& context, ProcessId self) override {
    if (self.value() == 0) on_wake(context, self, 0);
  }
  void on_wake(ProcessContext& context, ProcessId, std::uint64_t sent) override {
    context.post(ConnectionId(0u), 4_KiB);
    const auto next = static_cast<std::int64_t>(sent) + 1;
    if (next < count_) context.wake_at(next * gap_, sent + 1);
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

 private:
  int count_;
  Picoseconds gap_;
};

std::int64_t paths_of_bursts(Picoseconds gap, Picoseconds flowlet_gap) {
  const auto topology = leaf_spine(1, 4);
  const Fabric fabric = topologies::build_fabric(topology).value();
  const Routes routes = topologies::build_routes(fabric, topology).value();
  LoadBalancing balancing(LoadBalancing::kFlowlet);
  balancing.gap = flowlet_gap;
  PacketNetwork network(fabric, routes, options_with(balancing), {HostId(0u), HostId(1u)},
                        {{ProcessId(0u), ProcessId(1u), 0, {}}});
  Bursts bursts(40, gap);
  network.start(bursts);
  EXPECT_EQ(network.run_until(1_s), PacketNetwork::Status::kQuiescent);
  const Node& leaf = fabric.switch_node(SwitchId(0u));
  std::int64_t paths = 0;
  for (std::uint32_t p = 1; p < leaf.port_count; ++p) {
    const PortId port(leaf.first_port.value() + p);
    paths += network.class_counters(port, ClassId()).packets > 0 ? 1 : 0;
  }
  return paths;
}

// MODEL.md 5.4
TEST(LoadBalancing, FlowletsChangePathOnlyAfterTheGap) {
  // 40 packets 20 us apart. With a gap of 21 us they are one flowlet; with one of 19 us every
  // packet draws again among four paths, of which all are drawn but for a chance of 4 x 0.75^40 =
  // 4e-5.
  EXPECT_EQ(paths_of_bursts(20_us, 21_us), 1);
  EXPECT_EQ(paths_of_bursts(20_us, 19_us), 4);
}

/// The longest completion of a permutation from rack 0 to rack 1, all at once.
Picoseconds slowest(LoadBalancing balancing, std::uint32_t servers, std::uint32_t spines,
                    Bytes size) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < servers; ++i) {
    flows.push_back({HostId(i), HostId(servers + i), size, 0_ps});
  }
  FlowRun run(leaf_spine(servers, spines), options_with(balancing), flows);
  return std::ranges::max(run.completions());
}

TEST(LoadBalancing, EcmpCollidesWherePermutationsSprayed) {
  // Eight flows of 1 MiB on eight uplinks: at most one in 416 hashes parts them all (8!/8^8), so
  // some uplink has two and takes twice the time. Sprayed, all finish almost together.
  const Picoseconds alone = slowest(LoadBalancing::kFlow, 1, 8, 1_MiB);
  EXPECT_GT(to_seconds(slowest(LoadBalancing::kFlow, 8, 8, 1_MiB)), 1.9 * to_seconds(alone));
  EXPECT_LT(to_seconds(slowest(LoadBalancing::kRoundRobin, 8, 8, 1_MiB)), 1.1 * to_seconds(alone));
}

// MODEL.md 5.5
TEST(LoadBalancing, AdaptiveBeatsRandomWithFewPaths) {
  // Two uplinks for two hosts. The difference between both queues walks at random when packets do:
  // sqrt(n) packets of n. Looking at the queues keeps it within a grade of 64 KiB, or 5 us, however
  // long the message.
  const Picoseconds random = slowest(LoadBalancing::kSpray, 2, 2, 16_MiB);
  const Picoseconds adaptive = slowest(LoadBalancing::kAdaptive, 2, 2, 16_MiB);
  const Picoseconds ideal = slowest(LoadBalancing::kRoundRobin, 2, 2, 16_MiB);
  EXPECT_LT(adaptive, random);
  EXPECT_LT(to_seconds(adaptive - ideal), 0.5 * to_seconds(random - ideal));
}

TEST(LoadBalancing, EveryClassHasItsOwn) {
  // The same pair of hosts in two classes: the first keeps to one uplink, the second takes all.
  PacketNetwork::Options options = options_with(LoadBalancing::kFlow);
  options.switches.classes[ClassId(1)].load_balancing = LoadBalancing::kRoundRobin;
  roce_of(options).ack_class = protocols::kSameClass;
  FlowRun run(leaf_spine(1, 4), options,
              {{HostId(0u), HostId(1u), 400_KiB, 0_ps, ClassId(0)},
               {HostId(0u), HostId(1u), 400_KiB, 0_ps, ClassId(1)}});
  run.completions();
  const Node& leaf = run.fabric().switch_node(SwitchId(0u));
  IdArray<ClassId, int, 2> paths;
  for (std::uint32_t p = 1; p < leaf.port_count; ++p) {
    for (const ClassId c : all_classes(2)) {
      const PortId port(leaf.first_port.value() + p);
      // Besides 100 data packets, the ACKs of nobody: they go the other way.
      paths[c] += run.network().class_counters(port, c).packets > 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(paths[ClassId(0)], 1);
  EXPECT_EQ(paths[ClassId(1)], 4);
}

TEST(LoadBalancing, GoBackNSuffersWhenSprayed) {
  // Eight hosts at once, so that queues differ and packets overtake each other: a receiver that
  // takes any order needs nothing again, one that wants order makes the senders repeat much.
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 8; ++i) flows.push_back({HostId(i), HostId(8 + i), 1_MiB, 0_ps});
  const auto run_with = [&](RoceConfig::Receiver receiver) {
    PacketNetwork::Options options = options_with(LoadBalancing::kSpray);
    roce_of(options).receiver = receiver;
    FlowRun run(leaf_spine(8, 8), options, flows);
    const Picoseconds last = std::ranges::max(run.completions());
    return std::pair(last, run.network().totals().packets_retransmitted);
  };
  const auto [any_order, repeated_none] = run_with(RoceConfig::Receiver::kAnyOrder);
  const auto [in_order, repeated] = run_with(RoceConfig::Receiver::kInOrder);
  EXPECT_EQ(repeated_none, 0U);
  EXPECT_GT(repeated, 8U * 256U) << "more than every packet once more";
  EXPECT_GT(in_order, 2 * any_order);
}

TEST(LoadBalancing, ResultsDoNotDependOnTheCutIntoCells) {
  for (const LoadBalancing::Type type : {LoadBalancing::kFlowlet, LoadBalancing::kAdaptive}) {
    LoadBalancing balancing(type);
    balancing.gap = 1_us;
    balancing.entries = 3;  // flows meet in the table
    std::vector<std::vector<std::int64_t>> results;
    for (const LpPlan::Cut cut : {LpPlan::Cut::kOne, LpPlan::Cut::kFinest}) {
      PacketNetwork::Options options = options_with(balancing);
      options.cut = cut;
      options.switches.data().pfc().xoff = 40_KB;
      options.switches.data().pfc().xon = 30_KB;
      std::vector<Flow> flows;
      for (std::uint32_t i = 0; i < 24; ++i) {
        flows.push_back({HostId(i % 4), HostId(4 + i * 7 % 4), 100_KB, i * 3_us});
      }
      FlowRun run(leaf_spine(4, 3), options, flows);
      std::vector<std::int64_t> all;
      for (const Picoseconds t : run.completions()) all.push_back(t.count());
      for (const std::int64_t n : uplink_packets(run, 4)) all.push_back(n);
      results.push_back(std::move(all));
    }
    EXPECT_EQ(results[0], results[1]);
  }
}

}  // namespace
}  // namespace weft::testing
