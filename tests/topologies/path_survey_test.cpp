#include "topologies/analysis/path_survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tests/topologies/domain_fabrics.hpp"
#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/analysis/pair_paths.hpp"

namespace weft::topologies {
namespace {

// 3 racks of 4: 3 * C(4, 2) = 18 pairs under one leaf by one path of 2 links; C(12, 2) - 18 = 48
// between racks by one path of 4 links over each of 5 spines, times 2 * 2 parallel links.
TEST(PathSurvey, LeafSpineHasOnePathPerSpineAndParallelLink) {
  LeafSpineSpec spec = leaf_spine(3, 4, 5);
  spec.links_per_pair = 2;
  const PathSurvey survey = survey_paths(Network(spec).fabric);
  ASSERT_EQ(survey.classes.size(), 2U);
  EXPECT_EQ(survey.classes[0].links, 2U);
  EXPECT_EQ(survey.classes[0].pairs, 18U);
  EXPECT_EQ(survey.classes[0].max_paths, 1U);
  EXPECT_EQ(survey.classes[1].links, 4U);
  EXPECT_EQ(survey.classes[1].pairs, 48U);
  EXPECT_EQ(survey.classes[1].fewest_paths, 20U);
  EXPECT_EQ(survey.classes[1].max_paths, 20U);
  EXPECT_EQ(survey.diameter(NetworkKind::kScaleOut), 4U);
  EXPECT_EQ(survey.diameter(NetworkKind::kScaleUp), 0U);
  EXPECT_TRUE(survey.is_complete);
}

// k = 4, 16 hosts: 8 pairs under one edge switch; 4 pods of C(4, 2) - 2 = 4 pairs over k/2 = 2
// aggregations; C(16, 2) - 4 * 6 = 96 between pods over k^2/4 = 4 cores.
TEST(PathSurvey, FatTreeHasPathsByDistance) {
  const PathSurvey survey = survey_paths(Network(fat_tree(4)).fabric);
  ASSERT_EQ(survey.classes.size(), 3U);
  const std::uint64_t expected[3][3] = {{2, 8, 1}, {4, 16, 2}, {6, 96, 4}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(survey.classes[i].links, expected[i][0]);
    EXPECT_EQ(survey.classes[i].pairs, expected[i][1]);
    EXPECT_EQ(survey.classes[i].fewest_paths, expected[i][2]);
    EXPECT_EQ(survey.classes[i].max_paths, expected[i][2]);
  }
}

// What is counted on the graph is what the routing tables offer, pair by pair.
TEST(PathSurvey, AgreesWithTheRoutes) {
  for (const TopologySpec& spec : {TopologySpec(leaf_spine(3, 2, 4)), TopologySpec(fat_tree(4))}) {
    const Network net(spec);
    std::map<std::size_t, std::pair<std::uint64_t, std::uint64_t>> by_links;  // pairs, paths
    for (std::uint32_t from = 0; from < net.fabric.hosts.size(); ++from) {
      for (std::uint32_t to = from + 1; to < net.fabric.hosts.size(); ++to) {
        const PathCensus census = census_of(net.fabric, net.routes, HostId(from), HostId(to));
        auto& entry = by_links[census.fewest_links];
        ++entry.first;
        entry.second = census.paths;
      }
    }
    const PathSurvey survey = survey_paths(net.fabric);
    ASSERT_EQ(survey.classes.size(), by_links.size());
    for (const PathClass& entry : survey.classes) {
      EXPECT_EQ(entry.pairs, by_links[entry.links].first);
      EXPECT_EQ(entry.max_paths, by_links[entry.links].second);
    }
  }
}

/// Small machines of every kind: rails, two planes, two leaves per rack, GPUs that share NICs.
std::vector<TopologySpec> small_machines() {
  ClosSpec rails = clos({racks_of(2, 2, hgx_h100())}, 3);
  rails.attachment = ClosSpec::Attachment::kRail;
  rails.group = 2;
  ServerPart two_ports = server(4, 4);
  two_ports.scale_up = scale_up(2, {3}, 200_Gbps);
  two_ports.nic.ports = 2;
  ClosSpec two_planes = clos({racks_of(3, 1, two_ports)}, 2);
  two_planes.planes = 2;
  ClosSpec two_leaves = clos({racks_of(3, 1, two_ports)}, 2);
  two_leaves.leaves = 2;
  ServerPart shared = two_ports;
  shared.nics = 2;
  ClosSpec shared_nics = clos({racks_of(3, 2, shared)}, 2);
  shared_nics.planes = 2;
  return {rails, two_planes, two_leaves, shared_nics};
}

// The same for hosts with several ports and NICs between: neither hosts nor NICs are a way from one
// leaf to another.
TEST(PathSurvey, AgreesWithTheRoutesOfMachines) {
  for (const TopologySpec& spec : small_machines()) {
    const Network net(spec);
    std::map<std::pair<NetworkKind, std::uint32_t>, PathClass> expected;
    for (std::uint32_t from = 0; from < net.fabric.hosts.size(); ++from) {
      for (std::uint32_t to = from + 1; to < net.fabric.hosts.size(); ++to) {
        const PairPaths paths = pair_paths(net.fabric, net.routes, HostId(from), HostId(to));
        ASSERT_GT(paths.links, 0U);
        PathClass& entry = expected[{paths.network, paths.links}];
        if (entry.pairs == 0) entry.fewest_paths = paths.paths;
        ++entry.pairs;
        entry.fewest_paths = std::min(entry.fewest_paths, paths.paths);
        entry.max_paths = std::max(entry.max_paths, paths.paths);
      }
    }
    const PathSurvey survey = survey_paths(net.fabric);
    EXPECT_EQ(survey.unconnected_pairs, 0U);
    ASSERT_EQ(survey.classes.size(), expected.size());
    for (const PathClass& entry : survey.classes) {
      const PathClass& by_routes = expected[{entry.network, entry.links}];
      EXPECT_EQ(entry.pairs, by_routes.pairs);
      EXPECT_EQ(entry.fewest_paths, by_routes.fewest_paths);
      EXPECT_EQ(entry.max_paths, by_routes.max_paths);
    }
  }
}

// C(72, 2) = 2,556 pairs, one hop through exactly one scale-up switch, whichever of the 18.
TEST(PathSurvey, Nvl72PairsHaveOnePathPerSwitch) {
  const PathSurvey survey = survey_paths(nvl72_fabric());
  ASSERT_EQ(survey.classes.size(), 1U);
  EXPECT_EQ(survey.classes[0].network, NetworkKind::kScaleUp);
  EXPECT_EQ(survey.classes[0].links, 2U);
  EXPECT_EQ(survey.classes[0].pairs, 2556U);
  EXPECT_EQ(survey.classes[0].fewest_paths, 18U);
  EXPECT_EQ(survey.classes[0].max_paths, 18U);
  EXPECT_EQ(survey.unconnected_pairs, 0U);
  EXPECT_EQ(survey.diameter(NetworkKind::kScaleUp), 2U);
}

// Within a board 2 * C(8, 2) = 56 pairs over one of 6 scale-up switches; across, 64 pairs over two
// scale-up switches and one of the 8 trunks between them.
TEST(PathSurvey, PathsAcrossBoardsCrossTwoSwitches) {
  const PathSurvey survey = survey_paths(two_boards_fabric());
  ASSERT_EQ(survey.classes.size(), 2U);
  EXPECT_EQ(survey.classes[0].pairs, 56U);
  EXPECT_EQ(survey.classes[0].max_paths, 6U);
  EXPECT_EQ(survey.classes[1].links, 3U);
  EXPECT_EQ(survey.classes[1].pairs, 64U);
  EXPECT_EQ(survey.classes[1].fewest_paths, 48U);
}

// 2 domains of 8 GPUs on 4 rails: pairs within a domain take its scale-up switches although their
// NICs are attached to common leaves. Between domains, the 4 rails have 2 * 2 pairs each on one
// leaf; the other 48 pairs cross one of 3 spines.
TEST(PathSurvey, PairsOfADomainTakeItsSwitches) {
  const Fabric fabric =
      PartFabric{.domains = 2, .gpus = 8, .switches = 4, .rails = 4, .spines = 3}.build();
  const PathSurvey survey = survey_paths(fabric);
  ASSERT_EQ(survey.classes.size(), 3U);
  EXPECT_EQ(survey.classes[0].network, NetworkKind::kScaleUp);
  EXPECT_EQ(survey.classes[0].pairs, 2U * 28);
  EXPECT_EQ(survey.classes[0].max_paths, 4U);
  EXPECT_EQ(survey.classes[1].network, NetworkKind::kScaleOut);
  EXPECT_EQ(survey.classes[1].links, 2U);
  EXPECT_EQ(survey.classes[1].pairs, 16U);
  EXPECT_EQ(survey.classes[1].max_paths, 1U);
  EXPECT_EQ(survey.classes[2].links, 4U);
  EXPECT_EQ(survey.classes[2].pairs, 48U);
  EXPECT_EQ(survey.classes[2].max_paths, 3U);
  const PathClass& far = survey.classes[2];
  EXPECT_NE(fabric.host(far.from).domain, fabric.host(far.to).domain);
  EXPECT_NE(fabric.host(far.from).rail, fabric.host(far.to).rail);
}

// Without spines, rails are islands: the pairs of different rails have no way but through a domain.
TEST(PathSurvey, CountsPairsWithoutAPath) {
  const Fabric fabric = PartFabric{.domains = 2, .gpus = 8, .switches = 4, .rails = 4}.build();
  EXPECT_EQ(survey_paths(fabric).unconnected_pairs, 48U);
}

// Hosts do not forward: two planes that meet in hosts only do not mix. Pairs of different leaves
// have one path per spine and plane.
TEST(PathSurvey, PlanesMeetInHostsOnly) {
  const PathSurvey survey = survey_paths(planes_fabric(2, 3, 2, 4));
  ASSERT_EQ(survey.classes.size(), 2U);
  EXPECT_EQ(survey.classes[0].max_paths, 2U);
  EXPECT_EQ(survey.classes[1].links, 4U);
  EXPECT_EQ(survey.classes[1].max_paths, 8U);
}

// 64 leaves: with a limit of 2 leaves' worth of steps, some sources stand for all, and every
// distance is still found.
TEST(PathSurvey, SamplesSourcesOfLargeFabrics) {
  const Fabric fabric = Network(leaf_spine(64, 2, 8)).fabric;
  const PathSurvey all = survey_paths(fabric);
  const PathSurvey some = survey_paths(fabric, 2ULL * (2 * 64 * 8 + 64));
  EXPECT_TRUE(all.is_complete);
  EXPECT_FALSE(some.is_complete);
  ASSERT_EQ(some.classes.size(), all.classes.size());
  EXPECT_LT(some.classes[1].pairs, all.classes[1].pairs);
  EXPECT_EQ(some.classes[1].max_paths, all.classes[1].max_paths);
}

}  // namespace
}  // namespace weft::topologies
