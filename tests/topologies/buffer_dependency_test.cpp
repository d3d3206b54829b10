#include "topologies/analysis/buffer_dependency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

using testing::ElementsAre;

BufferDependencies dependencies(const TopologySpec& spec) {
  const Network net(spec);
  return find_buffer_cycles(net.fabric, net.routes);
}

std::vector<std::string> port_names(const Fabric& fabric, const BufferCycle& cycle) {
  std::vector<std::string> names;
  for (const PortId port : cycle.ports) names.push_back(fabric.port_name(port));
  return names;
}

std::vector<std::string> destination_names(const Fabric& fabric, const BufferCycle& cycle) {
  std::vector<std::string> names;
  for (const HostId host : cycle.destinations) names.push_back(fabric.host(host).name);
  return names;
}

/// Switches s0, s1 ... with a host each, in a ring.
CustomSpec ring(std::uint32_t n) {
  CustomSpec spec;
  for (std::uint32_t i = 0; i < n; ++i) {
    spec.nodes.push_back(host("h" + std::to_string(i)));
    spec.nodes.push_back(switch_of_tier("s" + std::to_string(i), 1));
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    spec.links.push_back(link("h" + std::to_string(i), "s" + std::to_string(i)));
    spec.links.push_back(link("s" + std::to_string(i), "s" + std::to_string((i + 1) % n)));
  }
  return spec;
}

// Up, then down: a packet that came down never goes up again, so no circle can close.
TEST(BufferDependency, TreesHaveNone) {
  EXPECT_TRUE(dependencies(leaf_spine(4, 2, 3)).cycles.empty());
  LeafSpineSpec parallel = leaf_spine(3, 1, 2);
  parallel.links_per_pair = 3;
  EXPECT_TRUE(dependencies(parallel).cycles.empty());
  EXPECT_TRUE(dependencies(fat_tree(4)).cycles.empty());
  EXPECT_TRUE(dependencies(fat_tree(8)).cycles.empty());
}

// The same fat tree with all switches in one tier is not seen to be a tree at a glance, so the
// graph is built; it has no circle either.
TEST(BufferDependency, TreesHaveNoneWhateverTheirTiersAreCalled) {
  CustomSpec spec;
  for (int leaf = 0; leaf < 4; ++leaf) {
    const std::string name = "leaf" + std::to_string(leaf);
    spec.nodes.push_back(switch_of_tier(name, 1));
    spec.nodes.push_back(host("h" + std::to_string(leaf)));
    spec.links.push_back(link(name, "h" + std::to_string(leaf)));
    for (int spine = 0; spine < 3; ++spine) {
      spec.links.push_back(link(name, "spine" + std::to_string(spine)));
    }
  }
  for (int spine = 0; spine < 3; ++spine) {
    spec.nodes.push_back(switch_of_tier("spine" + std::to_string(spine), 1));
  }
  const BufferDependencies found = dependencies(spec);
  EXPECT_TRUE(found.cycles.empty());
  EXPECT_TRUE(found.is_complete);
}

// Asking every leaf about every other takes a minute.
TEST(BufferDependency, SixtyThousandLeavesAreSeenToHaveNoneAtOnce) {
  const Network net(leaf_spine(60'000, 1, 2));
  const std::clock_t begin = std::clock();
  const BufferDependencies found = find_buffer_cycles(net.fabric, net.routes);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 2);
  EXPECT_TRUE(found.cycles.empty());
  EXPECT_TRUE(found.is_complete);
}

// Clockwise and anticlockwise, s(i-1) -> s(i) waits for s(i) -> s(i+1) with packets for the host
// two switches on. Three switches have only paths of one link between switches: nothing waits.
TEST(BufferDependency, ARingOfFourIsOneEachWayAndARingOfThreeIsNone) {
  const Network net(ring(4));
  const BufferDependencies found = find_buffer_cycles(net.fabric, net.routes);
  ASSERT_EQ(found.cycles.size(), 2U);
  EXPECT_THAT(port_names(net.fabric, found.cycles[0]),
              ElementsAre("s0[1]->s1[1]", "s1[2]->s2[1]", "s2[2]->s3[2]", "s3[1]->s0[2]"));
  EXPECT_THAT(destination_names(net.fabric, found.cycles[0]), ElementsAre("h2", "h3", "h0", "h1"));
  EXPECT_THAT(port_names(net.fabric, found.cycles[1]),
              ElementsAre("s0[2]->s3[1]", "s3[2]->s2[2]", "s2[1]->s1[2]", "s1[1]->s0[1]"));
  EXPECT_EQ(found.cycles[0].entangled, 4U);
  EXPECT_TRUE(dependencies(ring(3)).cycles.empty());
}

// A ring whose routes avoid the link from s3 to s0 both ways has no circle: the cure.
TEST(BufferDependency, RoutesThatLeaveOneLinkOutBreakTheRing) {
  CustomSpec spec = ring(4);
  spec.next_hops = {{"s0", "h2", {"s1"}}, {"s0", "h3", {"s1"}}, {"s1", "h3", {"s2"}},
                    {"s3", "h1", {"s2"}}, {"s3", "h0", {"s2"}}, {"s2", "h0", {"s1"}}};
  const Network net(spec);
  const BufferDependencies found = find_buffer_cycles(net.fabric, net.routes);
  for (const BufferCycle& cycle : found.cycles) {
    ADD_FAILURE() << testing::PrintToString(port_names(net.fabric, cycle)) << " for "
                  << testing::PrintToString(destination_names(net.fabric, cycle));
  }
}

// Two switches that send packets for one host to each other: s0 -> s1 waits for s1 -> s0 and back.
// h2 hangs behind a third switch, so that both could have reached it.
TEST(BufferDependency, ARoutingLoopIsACircleOfTwo) {
  CustomSpec spec = ring(3);
  spec.next_hops = {{"s0", "h2", {"s1"}}, {"s1", "h2", {"s0"}}};
  const Network net(spec);
  const BufferDependencies found = find_buffer_cycles(net.fabric, net.routes);
  ASSERT_EQ(found.cycles.size(), 1U);
  EXPECT_THAT(port_names(net.fabric, found.cycles[0]), ElementsAre("s0[1]->s1[1]", "s1[1]->s0[1]"));
  EXPECT_THAT(destination_names(net.fabric, found.cycles[0]), ElementsAre("h2", "h2"));
}

// Dependencies come from routes that a packet can take: the loop below is on the table of two
// spines, but no leaf ever sends packets for h0 to them.
TEST(BufferDependency, OnlyRoutesThatPacketsCanTakeCount) {
  CustomSpec spec;
  for (const char* name : {"leaf0", "leaf1"}) spec.nodes.push_back(switch_of_tier(name, 1));
  for (const char* name : {"spine0", "spine1", "spine2"}) {
    spec.nodes.push_back(switch_of_tier(name, 2));
    spec.links.push_back(link("leaf0", name));
    spec.links.push_back(link("leaf1", name));
  }
  spec.links.push_back(link("spine0", "spine1"));
  for (const char* name : {"h0", "h1"}) spec.nodes.push_back(host(name));
  spec.links.push_back(link("leaf0", "h0"));
  spec.links.push_back(link("leaf1", "h1"));
  spec.next_hops = {{"spine0", "h0", {"spine1"}}, {"spine1", "h0", {"spine0"}}};
  EXPECT_EQ(dependencies(spec).cycles.size(), 1U) << "leaf1 sprays over all spines";
  spec.next_hops.push_back({"leaf1", "h0", {"spine2"}});
  EXPECT_TRUE(dependencies(spec).cycles.empty());
}

}  // namespace
}  // namespace weft::topologies
