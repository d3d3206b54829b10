#include "topologies/build_fabric.hpp"

#include <gtest/gtest.h>

#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/analysis/summary.hpp"
#include "topologies/assembly/fabric_graph.hpp"

namespace weft::topologies {
namespace {

TEST(FatTree, HasFiveKSquaredOverFourSwitchesOfKPorts) {
  for (const std::uint32_t k : {2U, 4U, 8U}) {
    const Network net(fat_tree(k));
    expect_consistent(net.fabric);
    EXPECT_EQ(net.fabric.hosts.size(), k * k * k / 4);
    EXPECT_EQ(net.fabric.switches.size(), 5 * k * k / 4);
    for (const NodeId id : net.fabric.switches) EXPECT_EQ(net.fabric.node(id).port_count, k);
    for (const TierSummary& tier : summarize(net.fabric).tiers) {
      EXPECT_DOUBLE_EQ(tier.oversubscription, tier.tier == 3 ? 0.0 : 1.0);
    }
  }
}

TEST(FatTree, NamesSwitchesByPodAndWiresAggregationToItsCores) {
  const Network net(fat_tree(4));
  const Node& aggregation = net.fabric.switch_node(SwitchId(8U + 3));
  EXPECT_EQ(aggregation.name, "pod1-agg1");
  EXPECT_EQ(aggregation.group, 1);
  const std::uint32_t first = aggregation.first_port.value();
  EXPECT_EQ(net.fabric.port_name(PortId(first)), "pod1-agg1[0]->pod1-edge0[3]");
  EXPECT_EQ(net.fabric.port_name(PortId(first + 2)), "pod1-agg1[2]->core2[1]");
  EXPECT_EQ(net.fabric.port_name(PortId(first + 3)), "pod1-agg1[3]->core3[1]");
}

// Two links and one path under one edge switch; four links and k/2 paths inside a pod; six links
// and (k/2)^2 paths between pods.
TEST(FatTree, HasKSquaredOverFourPathsBetweenPods) {
  for (const std::uint32_t k : {4U, 6U}) {
    const Network net(fat_tree(k));
    const FabricGraph graph(net.fabric);
    const std::uint32_t half = k / 2;
    for (std::uint32_t from = 0; from < net.fabric.hosts.size(); ++from) {
      const auto counts = graph.path_counts_from(NodeId(from));
      const auto distances = graph.distances_from(NodeId(from));
      for (std::uint32_t to = 0; to < net.fabric.hosts.size(); ++to) {
        if (from == to) continue;
        const bool same_edge = from / half == to / half;
        const bool same_pod = from / (half * half) == to / (half * half);
        const auto census = census_of(net.fabric, net.routes, HostId(from), HostId(to));
        ASSERT_EQ(census.paths, same_edge ? 1U : same_pod ? half : half * half);
        ASSERT_EQ(census.fewest_links, same_edge ? 2U : same_pod ? 4U : 6U);
        ASSERT_EQ(census.max_links, census.fewest_links);
        ASSERT_EQ(counts[to], census.paths);
        ASSERT_EQ(distances[to], census.fewest_links);
      }
    }
  }
}

TEST(FatTree, RefusesOddAndHugeK) {
  EXPECT_EQ(build_fabric(fat_tree(5)).errors().front().where.key, "fabric.k");
  EXPECT_EQ(build_fabric(fat_tree(0)).errors().front().where.key, "fabric.k");
  EXPECT_FALSE(build_fabric(fat_tree(102)).ok());  // 265,302 hosts
  EXPECT_FALSE(build_fabric(fat_tree(4'000'000'000)).ok());
}

}  // namespace
}  // namespace weft::topologies
