#include "topologies/clos/leaf_spine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simcore/fabric/path.hpp"
#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/analysis/summary.hpp"
#include "topologies/assembly/fabric_graph.hpp"

namespace weft::topologies {
namespace {

TEST(LeafSpine, HasTheNodesAndPortsItsSpecSays) {
  LeafSpineSpec spec = leaf_spine(4, 3, 5);
  spec.nics_per_server = 2;
  spec.links_per_pair = 2;
  const Network net(spec);
  expect_consistent(net.fabric);
  EXPECT_EQ(net.fabric.hosts.size(), 4U * 3 * 2);
  EXPECT_EQ(net.fabric.switches.size(), 4U + 5);
  EXPECT_EQ(net.fabric.ports.size(), 2U * (24 + 4 * 5 * 2));
  for (const NodeId id : net.fabric.switches) {
    const Node& node = net.fabric.node(id);
    EXPECT_EQ(node.port_count, node.tier == 1 ? 6U + 5 * 2 : 4U * 2);
  }
  EXPECT_EQ(net.fabric.host(HostId(7U)).name, "h7");
  EXPECT_EQ(net.fabric.host(HostId(7U)).group, 1);
  EXPECT_EQ(net.fabric.switch_node(SwitchId(8U)).name, "spine4");
  EXPECT_EQ(net.fabric.switch_node(SwitchId(8U)).group, -1);
}

// Downlinks first, by host; then uplinks, by spine, parallel ones side by side.
TEST(LeafSpine, NumbersPortsDownThenUp) {
  LeafSpineSpec spec = leaf_spine(2, 2, 2);
  spec.links_per_pair = 2;
  const Network net(spec);
  const auto name = [&](SwitchId at, std::uint32_t local) {
    return net.fabric.port_name(PortId(net.fabric.switch_node(at).first_port.value() + local));
  };
  EXPECT_EQ(name(SwitchId(1U), 0), "leaf1[0]->h2");
  EXPECT_EQ(name(SwitchId(1U), 1), "leaf1[1]->h3");
  EXPECT_EQ(name(SwitchId(1U), 2), "leaf1[2]->spine0[2]");
  EXPECT_EQ(name(SwitchId(1U), 3), "leaf1[3]->spine0[3]");
  EXPECT_EQ(name(SwitchId(1U), 4), "leaf1[4]->spine1[2]");
}

// A link books the pipeline of the node it ends at: access up 100 + 500, down 100 + 300 ns.
TEST(LeafSpine, BooksPipelinesAtTheReceivingEnd) {
  const Network net(leaf_spine(2, 1, 1));
  const PortId up = net.fabric.host(HostId(0U)).first_port;
  EXPECT_EQ(net.fabric.data_latency(up), 600_ns);
  EXPECT_EQ(net.fabric.data_latency(net.fabric.port(up).peer), 400_ns);
}

// Two links inside a rack; four between racks, over every spine and every pair of parallel links.
TEST(LeafSpine, EveryHostPairHasOnePathPerSpine) {
  for (const std::uint32_t parallel : {1U, 2U}) {
    LeafSpineSpec spec = leaf_spine(3, 2, 4);
    spec.links_per_pair = parallel;
    const Network net(spec);
    const FabricGraph graph(net.fabric);
    for (std::uint32_t from = 0; from < 6; ++from) {
      const auto counts = graph.path_counts_from(NodeId(from));
      const auto distances = graph.distances_from(NodeId(from));
      for (std::uint32_t to = 0; to < 6; ++to) {
        if (from == to) continue;
        const bool is_local = from / 2 == to / 2;
        const auto census = census_of(net.fabric, net.routes, HostId(from), HostId(to));
        EXPECT_EQ(census.paths, is_local ? 1U : 4U * parallel * parallel);
        EXPECT_EQ(census.fewest_links, is_local ? 2U : 4U);
        EXPECT_EQ(census.max_links, census.fewest_links);
        EXPECT_EQ(counts[to], census.paths);
        EXPECT_EQ(distances[to], census.fewest_links);
      }
    }
  }
}

// 8 hosts at 400 Gbps over 2 spines at 800 Gbps: 3200 / 1600.
TEST(LeafSpine, ReportsOversubscription) {
  LeafSpineSpec spec = leaf_spine(4, 8, 2);
  spec.uplink.rate = 800_Gbps;
  const TopologySummary summary = summarize(Network(spec).fabric);
  EXPECT_EQ(summary.hosts, 32U);
  EXPECT_EQ(summary.cables, 32U + 8);
  ASSERT_EQ(summary.tiers.size(), 2U);
  EXPECT_DOUBLE_EQ(summary.tiers[0].oversubscription, 2.0);
  EXPECT_EQ(summary.tiers[0].down, BitsPerSecond(32 * 400'000'000'000));
  EXPECT_EQ(summary.tiers[0].up, BitsPerSecond(8 * 800'000'000'000));
  EXPECT_EQ(summary.tiers[1].down, summary.tiers[0].up);
  EXPECT_DOUBLE_EQ(summary.tiers[1].oversubscription, 0.0);
}

// 128 leaves x 64 spines. All leaves share one row (all uplinks), all spines one (port g for leaf
// g), all hosts one (their link): 3 rows of 129 groups, one of them for hosts without a link. Every
// leaf knows its 32 hosts. Sets of ports are shared as well: the uplinks, 128 single ports, and a
// dummy. Full tables would have 192 x 128 entries.
TEST(LeafSpine, SharesRowsAndNextHopSets) {
  const Network net(leaf_spine(128, 32, 64));
  EXPECT_EQ(net.routes.rows.size(), 3U * 129);
  EXPECT_EQ(net.routes.direct.size(), 4096U);
  EXPECT_EQ(net.routes.local_ports.size(), 64U + 128 + 1);
  EXPECT_EQ(net.routes.next_hops(SwitchId(0U), HostId(4095U)).size(), 64U);
  EXPECT_EQ(net.routes.next_hops(SwitchId(0U), HostId(31U)).size(), 1U);
}

TEST(LeafSpine, RefusesWhatCannotBeBuilt) {
  const auto first_key = [](const LeafSpineSpec& spec) {
    const auto result = build_fabric(spec);
    return result.ok() ? std::string("built") : result.errors().front().where.key;
  };
  LeafSpineSpec spec = leaf_spine(2, 2, 0);
  EXPECT_EQ(first_key(spec), "fabric.spines");
  spec = leaf_spine(2, 2, 2);
  spec.access.rate = 0_bps;
  EXPECT_EQ(first_key(spec), "links.access.rate");
  spec = leaf_spine(2, 2, 2);
  spec.uplink.latency = Picoseconds(-1);
  EXPECT_EQ(first_key(spec), "links.uplink.latency");
  EXPECT_EQ(first_key(leaf_spine(4'000'000'000, 4'000'000'000, 4'000'000'000)), "fabric");
  EXPECT_EQ(first_key(leaf_spine(1, 65'535, 1)), "fabric");  // 65,535 down + 1 up
  EXPECT_EQ(first_key(leaf_spine(1, 65'534, 1)), "built");
}

// All leaves go up alike and only the spine tells them apart: tables of two rows for any number.
TEST(LeafSpine, RoutesManyLeavesInFewRows) {
  const Network net(leaf_spine(40'000, 1, 1));
  EXPECT_EQ(net.routes.rows.size(), 3U * 40'001);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(39'999U)).paths, 1U);
}

// 20,000 spines, each above two leaves of its own, need a row each of 40,000 groups.
TEST(LeafSpine, RefusesTablesBeyondTheirBound) {
  ClosSpec spec = clos_of(leaf_spine(40'000, 1, 1));
  spec.pods = 20'000;
  spec.super_spines = 1;
  spec.super_uplink = spec.uplink;
  const auto fabric = build_fabric(spec);
  ASSERT_TRUE(fabric.ok());
  const auto routes = build_routes(fabric.value(), spec);
  ASSERT_FALSE(routes.ok());
  EXPECT_THAT(routes.errors().front().message, testing::HasSubstr("routing tables"));
}

}  // namespace
}  // namespace weft::topologies
