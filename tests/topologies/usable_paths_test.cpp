// Usable paths are those that some entropy takes: what `usable_paths` works out for all values of
// the hash at once must be what flows of many entropies take one by one.

#include "topologies/routing/usable_paths.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "simcore/fabric/path.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

constexpr PathHash kSame{.type = PathHash::Type::kMix, .seeds = PathHash::Seeds::kSame};
constexpr PathHash kCrc{.type = PathHash::Type::kCrc16, .seeds = PathHash::Seeds::kPerSwitch};

std::uint64_t paths_taken(const Network& net, HostId from, HostId to) {
  std::set<std::vector<PortId>> taken;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    taken.insert(flow_path(net.fabric, net.routes, 7, from, to, flow_entropy(from, to, i)));
  }
  return taken.size();
}

ClosSpec clos_of(std::uint32_t spines, std::uint32_t super_spines, PathHash hash) {
  ClosSpec spec = clos({racks_of(4, 1, server(0, 1))}, spines);
  spec.pods = 2;
  spec.super_spines = super_spines;
  spec.routing.hash = hash;
  return spec;
}

// In a fat tree of k = 4, of 2 x 2 paths between pods 2 remain: the core that the edge's choice
// leads to.
TEST(UsablePaths, OfAFatTreeWithEqualSeedsAreThoseOfOneTier) {
  FatTreeSpec spec = fat_tree(4);
  spec.routing.hash = kSame;
  const Network net(spec);
  const HostId from(0U);
  EXPECT_EQ(usable_paths(net.fabric, net.routes, {net.routes.hash, 1}, from, HostId(15U)),
            (UsablePaths{4, 2}));
  EXPECT_EQ(usable_paths(net.fabric, net.routes, {net.routes.hash, 1}, from, HostId(2U)),
            (UsablePaths{2, 2}));
  EXPECT_EQ(usable_paths(net.fabric, net.routes, {net.routes.hash, 1}, from, HostId(1U)),
            (UsablePaths{1, 1}));
  const auto found = survey_usable_paths(net.fabric, net.routes, {net.routes.hash, 1},
                                         representative_pairs(net.fabric, 1'000));
  EXPECT_EQ(found.pairs, 56U);  // of 8 edges
  EXPECT_EQ(found.reduced, 48U);
  EXPECT_EQ(found.of_worst, (UsablePaths{4, 2}));
  // Edge to aggregation and back, aggregation to core and back: 16 each. Half of those between
  // aggregation and core are idle.
  EXPECT_EQ(found.links, 64U);
  EXPECT_EQ(found.idle_links, 16U);
}

TEST(UsablePaths, AreThoseThatFlowsTake) {
  ClosSpec weighted = clos_of(4, 8, kSame);
  weighted.routing.weighted_ecmp = true;
  ClosSpec dual = clos_of(3, 6, kSame);
  dual.leaves = 2;
  dual.racks.front().server.nic.ports = 2;
  for (const ClosSpec& spec : {clos_of(4, 16, kSame), clos_of(4, 12, kSame), clos_of(3, 15, kSame),
                               clos_of(4, 16, kCrc), clos_of(3, 15, kCrc), weighted, dual}) {
    const Network net(spec);
    const HostId to(3U);
    EXPECT_EQ(usable_paths(net.fabric, net.routes, {net.routes.hash, 7}, HostId(0U), to).usable,
              paths_taken(net, HostId(0U), to))
        << spec.spines << " " << spec.super_spines;
  }
}

TEST(UsablePaths, AreAllWithASeedPerSwitch) {
  const Network net(clos_of(4, 16, PathHash{}));
  EXPECT_EQ(usable_paths(net.fabric, net.routes, {net.routes.hash, 1}, HostId(0U), HostId(3U)),
            (UsablePaths{16, 16}));
  EXPECT_EQ(paths_taken(net, HostId(0U), HostId(3U)), 16U);
  EXPECT_FALSE(may_polarise(PathHash{}));
}

}  // namespace
}  // namespace weft::topologies
