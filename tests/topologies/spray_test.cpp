// Where sprayed bytes go: evenly over the next hops of every switch.

#include "simcore/fabric/spray.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

using Steps = std::vector<std::vector<PortShare>>;

Steps shares(const Network& network, std::uint32_t from, std::uint32_t to) {
  return sprayed_shares(network.fabric, network.routes, HostId(from), HostId(to));
}

double sum(const std::vector<PortShare>& step) {
  double total = 0;
  for (const PortShare& s : step) total += s.share;
  return total;
}

TEST(Spray, LeafSpineSpreadsOverAllSpinesAndJoinsAtTheLeaf) {
  const Steps steps = shares(Network(leaf_spine(2, 2, 4)), 0, 3);
  ASSERT_EQ(steps.size(), 4u);  // host, leaf, spines, leaf
  const std::size_t expected[]{1, 4, 4, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(steps[i].size(), expected[i]);
    for (const PortShare& s : steps[i]) {
      EXPECT_DOUBLE_EQ(s.share, 1.0 / static_cast<double>(expected[i]));
    }
  }
}

TEST(Spray, SharesOfEveryStepOfAFatTreeAddUpToOne) {
  const Network network(fat_tree(4));
  for (std::uint32_t to = 1; to < 16; ++to) {
    const Steps steps = shares(network, 0, to);
    ASSERT_FALSE(steps.empty());
    for (const auto& step : steps) {
      EXPECT_DOUBLE_EQ(sum(step), 1.0);
      EXPECT_TRUE(std::ranges::is_sorted(step, {}, &PortShare::port));
    }
  }
  // Another pod: 2 aggregation switches, 4 links to cores, 4 links down, 2, 1.
  const Steps far = shares(network, 0, 15);
  ASSERT_EQ(far.size(), 6u);
  EXPECT_EQ(far[2].size(), 4u);
  EXPECT_DOUBLE_EQ(far[2][0].share, 0.25);
}

TEST(Spray, AMissingLinkShiftsItsShareToTheOthers) {
  // a is attached to l0, b on l1; spines s0 and s1, but l1 has two links to s0 and one to s1: l0
  // spreads evenly over the spines, s0 over its two links.
  CustomSpec spec;
  spec.nodes = {host("a"),
                host("b"),
                switch_of_tier("l0", 1),
                switch_of_tier("l1", 1),
                switch_of_tier("s0", 2),
                switch_of_tier("s1", 2)};
  spec.links = {link("a", "l0"),  link("b", "l1"),     link("l0", "s0"),
                link("l0", "s1"), link("l1", "s0", 2), link("l1", "s1")};
  const Network network(spec);
  const Steps steps = shares(network, 0, 1);
  ASSERT_EQ(steps.size(), 4u);
  ASSERT_EQ(steps[2].size(), 3u);
  EXPECT_DOUBLE_EQ(steps[2][0].share, 0.25);
  EXPECT_DOUBLE_EQ(steps[2][1].share, 0.25);
  EXPECT_DOUBLE_EQ(steps[2][2].share, 0.5);
}

TEST(Spray, AHostReachesItselfOverNoLink) {
  EXPECT_TRUE(shares(Network(leaf_spine(2, 2, 2)), 1, 1).empty());
}

}  // namespace
}  // namespace weft::topologies
