#include "simcore/fabric/capacity_bound.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

Demand demand(std::uint32_t from, std::uint32_t to, Bytes bytes, std::int64_t count = 1) {
  return {HostId(from), HostId(to), bytes, count, flow_entropy(HostId(from), HostId(to), 0)};
}

// 7 senders of 1 MB to h0: its NIC must take 7 MB at 400 Gbps, 140 us.
TEST(CapacityBound, OfAnIncastIsTheReceiversNic) {
  const Network net(leaf_spine(2, 4, 4));
  std::vector<Demand> demands;
  for (std::uint32_t from = 1; from < 8; ++from) demands.push_back(demand(from, 0, 1_MB));
  const CapacityBound bound = capacity_bound(net.fabric, net.routes, demands);
  EXPECT_EQ(bound.time, 140_us);
  EXPECT_EQ(bound.cut, "NIC ingress of h0");
}

// The same with NICs that take in 100 Gbps: 560 us. What a NIC sends is its link's: 1 MB, 20 us. A
// receive rate above the link's changes nothing.
TEST(CapacityBound, OfASlowReceiverIsItsReceiveRate) {
  const Network net(leaf_spine(2, 4, 4));
  std::vector<Demand> demands;
  for (std::uint32_t from = 1; from < 8; ++from) demands.push_back(demand(from, 0, 1_MB));
  CapacityBound bound = capacity_bound(net.fabric, net.routes, demands, 100_Gbps);
  EXPECT_EQ(bound.time, 560_us);
  EXPECT_EQ(bound.cut, "NIC receive rate of h0");
  bound = capacity_bound(net.fabric, net.routes, demands, 800_Gbps);
  EXPECT_EQ(bound.time, 140_us);
  EXPECT_EQ(bound.cut, "NIC ingress of h0");
}

// It is of NICs: inside a server 3.6 MB still take 8 us.
TEST(CapacityBound, OfScaleUpLinksDoesNotKnowTheNicsReceiveRate) {
  const Network net(clos({racks_of(2, 1, hgx_h100())}, 8));
  const std::vector<Demand> inside{demand(0, 1, 1'800'000_B), demand(0, 2, 1'800'000_B)};
  const CapacityBound bound = capacity_bound(net.fabric, net.routes, inside, 10_Gbps);
  EXPECT_EQ(bound.time, 8_us);
  EXPECT_EQ(bound.cut, "scale-up egress of gpu0");
}

// 4 hosts per leaf over one spine: 4 MB must share an uplink of 400 Gbps, 80 us; a NIC takes 20.
TEST(CapacityBound, OfAnOversubscribedLeafIsItsUplinks) {
  const Network net(leaf_spine(2, 4, 1));
  std::vector<Demand> demands;
  for (std::uint32_t i = 0; i < 4; ++i) demands.push_back(demand(i, 4 + i, 1_MB));
  const CapacityBound bound = capacity_bound(net.fabric, net.routes, demands);
  EXPECT_EQ(bound.time, 80_us);
  EXPECT_EQ(bound.cut, "tier 1 egress around leaf0");
  EXPECT_EQ(link_bound(net.fabric, net.routes, 1, demands).time, 80_us);
}

// Traffic inside a rack does not load the uplinks; counts multiply.
TEST(CapacityBound, CountsOnlyWhatCrossesTheCut) {
  const Network net(leaf_spine(2, 4, 1));
  const std::vector<Demand> demands{demand(0, 1, 1_MB, 3), demand(2, 3, 1_MB), demand(1, 4, 1_MB)};
  EXPECT_EQ(capacity_bound(net.fabric, net.routes, demands).time, 60_us);
  EXPECT_EQ(capacity_bound(net.fabric, net.routes, {}).time, 0_ps);
}

// Inside a server 3.6 MB leave a GPU by 18 links of 200 Gbps, 8 us; outside it 1 MB by its NIC of
// 400 Gbps, 20 us. The networks do not add up.
TEST(CapacityBound, KeepsTheTwoNetworksOfAGpuApart) {
  const Network net(clos({racks_of(2, 1, hgx_h100())}, 8));
  const std::vector<Demand> inside{demand(0, 1, 1'800'000_B), demand(0, 2, 1'800'000_B)};
  CapacityBound bound = capacity_bound(net.fabric, net.routes, inside);
  EXPECT_EQ(bound.time, 8_us);
  EXPECT_EQ(bound.cut, "scale-up egress of gpu0");
  std::vector<Demand> both = inside;
  both.push_back(demand(0, 8, 1_MB));
  bound = capacity_bound(net.fabric, net.routes, both);
  EXPECT_EQ(bound.time, 20_us);
  EXPECT_EQ(bound.cut, "NIC egress of gpu0");
}

// Two switches of one tier with a 100 Gbps link between them: no tier cut sees it, the equal-cost
// group does. 2 MB at 100 Gbps are 160 us.
TEST(CapacityBound, SeesBottlenecksInsideATier) {
  CustomSpec spec;
  spec.nodes = {
      host("a"), host("b"), host("c"), host("d"), switch_of_tier("s", 1), switch_of_tier("t", 1)};
  spec.links = {link("a", "s", 1, 400_Gbps), link("b", "s", 1, 400_Gbps),
                link("c", "t", 1, 400_Gbps), link("d", "t", 1, 400_Gbps), link("s", "t")};
  const Network net(spec);
  const std::vector<Demand> demands{demand(0, 2, 1_MB), demand(1, 3, 1_MB)};
  const CapacityBound bound = capacity_bound(net.fabric, net.routes, demands);
  EXPECT_EQ(bound.time, 160_us);
  EXPECT_EQ(bound.cut, "an equal-cost group of s");
}

// Two edge switches with uplinks to spare, one entry into the third: only the destination's side
// binds. 2 x 1 MB over one cable of 100 Gbps.
TEST(CapacityBound, SeesTheEntriesOfADestination) {
  CustomSpec spec;
  spec.nodes = {host("a"),
                host("b"),
                host("c"),
                switch_of_tier("s", 1),
                switch_of_tier("t", 1),
                switch_of_tier("u", 1),
                switch_of_tier("x", 1)};
  spec.links = {link("a", "s", 1, 400_Gbps), link("b", "t", 1, 400_Gbps),
                link("c", "u", 1, 400_Gbps), link("s", "x", 4),
                link("t", "x", 4),           link("x", "u")};
  const Network net(spec);
  const std::vector<Demand> demands{demand(0, 2, 1_MB), demand(1, 2, 1_MB)};
  const CapacityBound bound = capacity_bound(net.fabric, net.routes, demands);
  EXPECT_EQ(bound.time, 160_us);
  EXPECT_EQ(bound.cut, "links into u");
}

// Two pods of two leaves; leaves have 400 Gbps up, the pod's only way to the core has 100. Two
// hosts under different leaves send 1 MB each out of the pod: 160 us at the core link, 20 at each
// leaf.
TEST(CapacityBound, OfAPodIsItsCoreLinks) {
  CustomSpec spec;
  for (const char* pod : {"0", "1"}) {
    const std::string aggregation = std::string("agg") + pod;
    spec.nodes.push_back(switch_of_tier(aggregation, 2));
    for (const char* rack : {"a", "b"}) {
      const std::string leaf = std::string("leaf") + pod + rack;
      const std::string server = std::string("h") + pod + rack;
      spec.nodes.push_back(switch_of_tier(leaf, 1));
      spec.nodes.push_back(host(server));
      spec.links.push_back(link(server, leaf, 1, 400_Gbps));
      spec.links.push_back(link(leaf, aggregation, 1, 400_Gbps));
    }
    spec.links.push_back(link(aggregation, "core"));
  }
  spec.nodes.push_back(switch_of_tier("core", 3));
  const Network net(spec);
  const std::vector<Demand> demands{demand(0, 2, 1_MB), demand(1, 3, 1_MB)};
  const CapacityBound bound = capacity_bound(net.fabric, net.routes, demands);
  EXPECT_EQ(bound.time, 160_us);
  EXPECT_EQ(bound.cut, "tier 2 egress around agg0");
}

// Every cut is a set of links with a total load; with each flow on one path, the busiest link of
// the tightest cut takes at least the cut's time. So no choice of paths beats the bound.
TEST(CapacityBound, IsNeverAboveTheBusiestLinkOfAnyHashedPaths) {
  std::mt19937_64 random(5);
  LeafSpineSpec small = leaf_spine(4, 4, 3);
  small.uplink.rate = 100_Gbps;
  FatTreeSpec tree = fat_tree(4);
  tree.uplink.rate = 200_Gbps;
  for (const TopologySpec& spec : {TopologySpec(small), TopologySpec(tree)}) {
    const Network net(spec);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      std::vector<Demand> demands;
      for (std::uint64_t i = 0; i < 1 + random() % 60; ++i) {
        const auto from = static_cast<std::uint32_t>(random() % 16);
        const auto to = static_cast<std::uint32_t>((from + 1 + random() % 15) % 16);
        demands.push_back(demand(from, to, Bytes(static_cast<std::int64_t>(random() % 1'000'000))));
      }
      EXPECT_LE(capacity_bound(net.fabric, net.routes, demands).time,
                link_bound(net.fabric, net.routes, seed, demands).time);
    }
  }
}

// One hop per step: the links of the two hosts, four in the middle. Latencies:
// 100+500, 200+500 twice, 100+300 ns.
TEST(Path, SprayedPacketsShareOnlyTheHostsLinks) {
  const Network net(leaf_spine(2, 2, 4));
  const auto hops = sprayed_hops(net, HostId(0U), HostId(3U));
  ASSERT_EQ(hops.size(), 4U);
  const std::uint32_t links[] = {1, 4, 4, 1};
  const Picoseconds latency[] = {600_ns, 700_ns, 700_ns, 400_ns};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(hops[i].links, links[i]);
    EXPECT_EQ(hops[i].latency, latency[i]);
    EXPECT_EQ(hops[i].rate, 400_Gbps);
  }
  EXPECT_TRUE(sprayed_hops(net, HostId(1U), HostId(1U)).empty());
}

// a to c by a slow-but-near and a fast-but-far spine: the hop takes the fastest rate and the
// smallest total latency, so that no sprayed packet beats it.
TEST(Path, SprayedHopsTakeTheBestOfUnlikePaths) {
  CustomSpec spec;
  spec.nodes = {host("a"),
                host("c"),
                switch_of_tier("s", 1),
                switch_of_tier("t", 1),
                switch_of_tier("near", 2),
                switch_of_tier("far", 2)};
  spec.links = {link("a", "s"),
                link("c", "t"),
                link("s", "near"),
                link("near", "t"),
                link("s", "far", 1, 400_Gbps),
                link("far", "t", 1, 400_Gbps)};
  spec.links[4].link.latency = 5_us;
  const Network net(spec);
  const auto hops = sprayed_hops(net, HostId(0U), HostId(1U));
  ASSERT_EQ(hops.size(), 4U);
  Picoseconds latency;
  for (const PathHop& hop : hops) latency += hop.latency;
  EXPECT_EQ(latency, 4_us);
  EXPECT_EQ(hops[1].rate, 400_Gbps);
  EXPECT_EQ(hops[1].links, 2U);
}

// With every host pair of a fat tree and several flows: the links join up from host to host.
TEST(Path, FlowPathsAreConnectedAndEndAtTheDestination) {
  const Network net(fat_tree(4));
  for (std::uint32_t from = 0; from < 16; ++from) {
    for (std::uint32_t to = 0; to < 16; ++to) {
      const auto path =
          flow_path(net.fabric, net.routes, 9, HostId(from), HostId(to), from * 31 + to);
      if (from == to) {
        EXPECT_TRUE(path.empty());
        continue;
      }
      ASSERT_FALSE(path.empty());
      NodeId at(from);
      for (const PortId port : path) {
        EXPECT_EQ(net.fabric.port(port).node, at);
        at = net.fabric.peer_node(port);
      }
      EXPECT_EQ(at, NodeId(to));
      EXPECT_EQ(hops_of(net.fabric, path).size(), path.size());
    }
  }
}

}  // namespace
}  // namespace weft::topologies
