// Roles, scale-up domains, rails, and the paths of a pair.

#include <gtest/gtest.h>

#include <string>

#include "tests/topologies/domain_fabrics.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/analysis/pair_paths.hpp"
#include "topologies/analysis/roles.hpp"
#include "topologies/analysis/scale_up_survey.hpp"

namespace weft::topologies {
namespace {

TEST(Roles, AreNamedAfterTheNodes) {
  const RoleTable table = find_roles(Network(fat_tree(4)).fabric);
  ASSERT_EQ(table.roles.size(), 4U);
  EXPECT_EQ(table.roles[0].name, "host");
  EXPECT_EQ(table.roles[1].name, "edge");
  EXPECT_EQ(table.roles[2].name, "agg");
  EXPECT_EQ(table.roles[3].name, "core");
  EXPECT_EQ(table.roles[2].nodes, 8U);
  EXPECT_EQ(table.roles[2].max_ports, 4U);
  EXPECT_DOUBLE_EQ(table.roles[2].oversubscription, 1.0);
  EXPECT_DOUBLE_EQ(table.roles[3].oversubscription, 0.0);
  ASSERT_EQ(table.links.size(), 3U);
  for (const LinkKind& kind : table.links) EXPECT_EQ(kind.links, 16U);
}

// A spine of tier 2 and scale-up switches of tier 1, each with its own network's capacities. 72
// GPUs per domain with 18 links each: 1,296 links.
TEST(Roles, KeepTheTwoNetworksApart) {
  const RoleTable table = find_roles(superpod_fabric());
  ASSERT_EQ(table.roles.size(), 4U);
  EXPECT_EQ(table.roles[0].name, "GPU");
  EXPECT_EQ(table.roles[0].up, 400_Gbps * 576);
  EXPECT_EQ(table.roles[0].across, 400_Gbps * 8 * 1296);
  EXPECT_EQ(table.roles[1].name, "chip");
  EXPECT_EQ(table.roles[1].nodes, 144U);
  EXPECT_EQ(table.roles[1].down, 400_Gbps * 8 * 1296);
  EXPECT_DOUBLE_EQ(table.roles[1].oversubscription, 0.0);
  EXPECT_EQ(table.roles[2].name, "leaf");
  EXPECT_DOUBLE_EQ(table.roles[2].oversubscription, 1.0);
  EXPECT_EQ(table.roles[3].name, "spine");
  ASSERT_EQ(table.links.size(), 3U);
  EXPECT_EQ(table.links[0].links, 8U * 1296);
  EXPECT_EQ(table.links[1].links, 576U);
  EXPECT_EQ(table.links[2].links, 576U);
}

TEST(Roles, CountsReadAsWords) {
  EXPECT_EQ(counted(1, "leaf"), "1 leaf");
  EXPECT_EQ(counted(3, "leaf"), "3 leaves");
  EXPECT_EQ(counted(2, "switch"), "2 switches");
  EXPECT_EQ(counted(72, "GPU"), "72 GPUs");
  EXPECT_EQ(counted(1234567, "switch"), "1,234,567 switches");
}

// 72 GPUs x 18 scale-up switches = 1,296 links; 50 GB/s each way: 129.6 TB/s in both directions
// together.
TEST(Domains, Nvl72HasThePublishedFigures) {
  const auto kinds = survey_domains(nvl72_fabric());
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].hosts, 72U);
  EXPECT_EQ(kinds[0].switches, 18U);
  EXPECT_EQ(kinds[0].links, 1296U);
  EXPECT_EQ(kinds[0].trunks, 0U);
  EXPECT_EQ(kinds[0].fewest_links_per_host, 18U);
  EXPECT_EQ(kinds[0].max_links_per_host, 18U);
  EXPECT_EQ(2 * kinds[0].host_links.count() / 8, 129'600'000'000'000);
  EXPECT_EQ(kinds[0].bisection->rate, 400_Gbps * 36 * 18);
}

TEST(Domains, EqualOnesAreOneKind) {
  const auto kinds = survey_domains(superpod_fabric());
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].domains, 8U);
  EXPECT_EQ(kinds[0].links, 1296U);
  EXPECT_EQ(kinds[0].bisection->hosts, 400_Gbps * 36 * 18);
  const auto boards = survey_domains(two_boards_fabric());
  ASSERT_EQ(boards.size(), 1U);
  EXPECT_EQ(boards[0].links, 96U);
  EXPECT_EQ(boards[0].trunks, 48U);
  EXPECT_TRUE(survey_domains(Network(fat_tree(4)).fabric).empty());
}

// 576 GPUs on 4 rails of 8 leaves.
TEST(Rails, HaveLeavesOfTheirOwn) {
  const auto rails = survey_rails(superpod_fabric());
  ASSERT_TRUE(rails.has_value());
  EXPECT_EQ(rails->rails, 4U);
  EXPECT_EQ(rails->fewest_hosts, 144U);
  EXPECT_EQ(rails->max_hosts, 144U);
  EXPECT_EQ(rails->max_edge_switches, 8U);
  EXPECT_TRUE(rails->is_separate);
  EXPECT_FALSE(survey_rails(Network(fat_tree(4)).fabric).has_value());
}

// Between racks 4 spines: 4 paths of 4 links over 1 + 4 + 4 + 1 link directions.
TEST(PairPaths, AreThoseOfTheRoutes) {
  const Network net(leaf_spine(2, 2, 4));
  const PairPaths far = pair_paths(net.fabric, net.routes, HostId(0U), HostId(3U));
  EXPECT_EQ(far.links, 4U);
  EXPECT_EQ(far.paths, 4U);
  EXPECT_EQ(far.ports.size(), 10U);
  const PairPaths near = pair_paths(net.fabric, net.routes, HostId(0U), HostId(1U));
  EXPECT_EQ(near.links, 2U);
  EXPECT_EQ(near.paths, 1U);
  EXPECT_EQ(net.fabric.port_name(near.ports[0]), "h0->leaf0[0]");
}

// Static next hops narrow the paths: from a to b by s1 - s2 - s3 only.
TEST(PairPaths, FollowStaticNextHops) {
  CustomSpec spec;
  spec.nodes = {host("a"), host("b"), switch_of_tier("s1", 1), switch_of_tier("s2", 1),
                switch_of_tier("s3", 1)};
  spec.links = {link("a", "s1"), link("b", "s3"), link("s1", "s2"), link("s2", "s3"),
                link("s1", "s3")};
  spec.next_hops = {{"s1", "b", {"s2"}}};
  const Network net(spec);
  const PairPaths paths = pair_paths(net.fabric, net.routes, HostId(0U), HostId(1U));
  EXPECT_EQ(paths.links, 4U);
  EXPECT_EQ(paths.paths, 1U);
}

// s1 and s2 send packets for b to each other forever.
TEST(PairPaths, LoopsAreNoPaths) {
  CustomSpec spec;
  spec.nodes = {host("a"), host("b"), switch_of_tier("s1", 1), switch_of_tier("s2", 1),
                switch_of_tier("s3", 1)};
  spec.links = {link("a", "s1"), link("b", "s3"), link("s1", "s2"), link("s2", "s3")};
  spec.next_hops = {{"s2", "b", {"s1"}}};
  const Network net(spec);
  const PairPaths paths = pair_paths(net.fabric, net.routes, HostId(0U), HostId(1U));
  EXPECT_EQ(paths.links, 0U);
  EXPECT_EQ(paths.paths, 0U);
  EXPECT_TRUE(paths.ports.empty());
}

}  // namespace
}  // namespace weft::topologies
