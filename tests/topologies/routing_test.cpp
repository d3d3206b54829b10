// Routes when cables have failed or links differ. Up-down: after the first link down no link goes
// up, whatever has failed, or buffers could wait for each other in a circle.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "simcore/fabric/path.hpp"
#include "simcore/fabric/spray.hpp"
#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/analysis/buffer_dependency.hpp"

namespace weft::topologies {
namespace {

using testing::ElementsAre;

NodeId node_named(const Fabric& fabric, const std::string& name) {
  const auto found = std::ranges::find(fabric.nodes, name, &Node::name);
  EXPECT_NE(found, fabric.nodes.end()) << name;
  return NodeId(static_cast<std::size_t>(found - fabric.nodes.begin()));
}

/// The ports of `from` towards `to`.
std::vector<PortId> cables(const Fabric& fabric, const std::string& from, const std::string& to) {
  std::vector<PortId> ports;
  const Node& node = fabric.node(node_named(fabric, from));
  const NodeId goal = node_named(fabric, to);
  for (std::uint32_t i = 0; i < node.port_count; ++i) {
    const PortId port(node.first_port.value() + i);
    if (fabric.peer_node(port) == goal) ports.push_back(port);
  }
  return ports;
}

Routes without(const Fabric& fabric, const TopologySpec& spec, const std::vector<PortId>& failed) {
  auto routes = build_routes(fabric, spec, failed);
  EXPECT_TRUE(routes.ok());
  return std::move(routes).value();
}

bool uses(const Fabric& fabric, const Routes& routes, HostId from, HostId to, PortId port) {
  for (const auto& step : sprayed_shares(fabric, routes, from, to)) {
    for (const PortShare& share : step) {
      if (share.port == port || fabric.port(share.port).peer == port) return true;
    }
  }
  return false;
}

// leaf1 has lost spine2: others no longer send to it over spine2, nor leaf1 over it to others, but
// everyone else still uses all four.
TEST(Routing, ALostUplinkTakesItsSpineOutOfTheWaysThatNeedIt) {
  const TopologySpec spec = leaf_spine(4, 2, 4);
  const Network net(spec);
  const auto failed = cables(net.fabric, "leaf1", "spine2");
  const Routes routes = without(net.fabric, spec, failed);
  EXPECT_EQ(census_of(net.fabric, routes, HostId(0U), HostId(2U)).paths, 3U);
  EXPECT_EQ(census_of(net.fabric, routes, HostId(2U), HostId(0U)).paths, 3U);
  EXPECT_EQ(census_of(net.fabric, routes, HostId(0U), HostId(4U)).paths, 4U);
  EXPECT_FALSE(uses(net.fabric, routes, HostId(0U), HostId(2U), failed[0]));
}

// Rows that lost a port are rows of their own; all others are still shared.
TEST(Routing, FailuresCostRowsOnlyWhereTheyAre) {
  const TopologySpec spec = leaf_spine(64, 4, 16);
  const Network net(spec);
  const Routes routes = without(net.fabric, spec, cables(net.fabric, "leaf1", "spine2"));
  EXPECT_EQ(net.routes.rows.size(), 3U * 65);
  // leaf1, the other leaves, spine2, the other spines, the hosts.
  EXPECT_EQ(routes.rows.size(), 5U * 65);
}

// A host whose only cable has failed cannot be reached; its own packets still have that cable to
// wait for.
TEST(Routing, ACutOffHostHasNoNextHops) {
  const TopologySpec spec = leaf_spine(2, 2, 2);
  const Network net(spec);
  const Routes routes = without(net.fabric, spec, cables(net.fabric, "h0", "leaf0"));
  EXPECT_TRUE(flow_path(net.fabric, routes, 1, HostId(3U), HostId(0U), 7).empty());
  EXPECT_TRUE(routes.next_hops(SwitchId(0U), HostId(0U)).empty());
  EXPECT_THAT(routes.host_ports(HostId(0U), HostId(3U)), ElementsAre(0));
}

// Dual-ToR: h0 has lost leaf0. Packets for it that are on leaf0 go up and come down to leaf1.
TEST(Routing, ADualTorHostIsReachedOverItsOtherLeaf) {
  ServerPart part = server(0, 1);
  part.nic.ports = 2;
  ClosSpec spec = clos({racks_of(2, 2, part)}, 2);
  spec.leaves = 2;
  const Network net(spec);
  const Routes routes = without(net.fabric, spec, cables(net.fabric, "h0", "leaf0"));
  EXPECT_THAT(routes.host_ports(HostId(0U), HostId(2U)), ElementsAre(1));
  EXPECT_THAT(routes.host_ports(HostId(2U), HostId(0U)), ElementsAre(0, 1));
  EXPECT_THAT(routes.host_ports(HostId(1U), HostId(0U)), ElementsAre(1)) << "the leaf both have";
  const auto from_leaf0 = routes.next_hops(SwitchId(0U), HostId(0U));
  ASSERT_EQ(from_leaf0.size(), 2U);
  for (const std::uint16_t local : from_leaf0) {
    const PortId port(net.fabric.switch_node(SwitchId(0U)).first_port.value() + local);
    EXPECT_EQ(net.fabric.node(net.fabric.peer_node(port)).tier, 2U);
  }
  // 2 own leaves x 2 spines x the one leaf that h0 still has.
  EXPECT_EQ(census_of(net.fabric, routes, HostId(2U), HostId(0U)).paths, 4U);
}

// Dual-plane: what has lost plane 0 is reached over plane 1, as planes do not meet.
TEST(Routing, ADualPlaneHostUsesThePlaneThatBothHave) {
  ServerPart part = server(0, 1);
  part.nic.ports = 2;
  ClosSpec spec = clos({racks_of(2, 2, part)}, 2);
  spec.planes = 2;
  const Network net(spec);
  EXPECT_THAT(net.routes.host_ports(HostId(3U), HostId(0U)), ElementsAre(0, 1));
  const Routes routes = without(net.fabric, spec, cables(net.fabric, "h0", "p0-leaf0"));
  EXPECT_THAT(routes.host_ports(HostId(3U), HostId(0U)), ElementsAre(1));
  EXPECT_THAT(routes.host_ports(HostId(0U), HostId(3U)), ElementsAre(1));
  EXPECT_THAT(routes.host_ports(HostId(3U), HostId(1U)), ElementsAre(0, 1));
  EXPECT_EQ(census_of(net.fabric, routes, HostId(3U), HostId(0U)).paths, 2U);
}

// A GPU that has lost one link to a scale-up switch: neither direction uses that scale-up switch
// any more.
TEST(Routing, AScaleUpSwitchThatLostAGpuIsLeftOut) {
  const TopologySpec spec = clos({racks_of(1, 1, nvl72())}, 1);
  const Network net(spec);
  const Routes routes = without(net.fabric, spec, cables(net.fabric, "gpu5", "chip3"));
  EXPECT_EQ(routes.host_ports(HostId(0U), HostId(5U)).size(), 17U);
  EXPECT_EQ(routes.host_ports(HostId(5U), HostId(0U)).size(), 17U);
  EXPECT_EQ(routes.host_ports(HostId(0U), HostId(6U)).size(), 18U);
  EXPECT_EQ(census_of(net.fabric, routes, HostId(0U), HostId(5U)).paths, 17U);
}

// Fewest links would lead over leaves: leaf0 - spine0 - leaf1 - spine1 - leaf2, where leaf0 has
// only spine0 and leaf2 only spine1. Up-down forbids it, so leaf0 and leaf2 are cut off from each
// other.
TEST(Routing, UpDownHoldsWhenFewestLinksWouldGoOverALeaf) {
  const TopologySpec spec = leaf_spine(3, 1, 2);
  const Network net(spec);
  std::vector<PortId> failed = cables(net.fabric, "leaf0", "spine1");
  const auto more = cables(net.fabric, "leaf2", "spine0");
  failed.insert(failed.end(), more.begin(), more.end());
  const Routes routes = without(net.fabric, spec, failed);
  EXPECT_TRUE(flow_path(net.fabric, routes, 1, HostId(0U), HostId(2U), 7).empty());
  EXPECT_EQ(census_of(net.fabric, routes, HostId(0U), HostId(1U)).paths, 1U);
  EXPECT_EQ(census_of(net.fabric, routes, HostId(1U), HostId(2U)).paths, 1U);
}

/// Links of the shortest paths from a host to all nodes that go up first and then down, over cables
/// that are up; SIZE_MAX where there is none. Breadth first over (node, has gone down).
std::vector<std::size_t> up_down_links(const Fabric& fabric, NodeId from,
                                       const std::vector<bool>& is_down) {
  std::vector<std::size_t> links(2 * fabric.nodes.size(), SIZE_MAX);
  std::vector<std::size_t> queue{2 * std::size_t{from.value()}};
  links[queue.front()] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node& node = fabric.nodes[queue[i] / 2];
    if (node.kind == NodeKind::kHost && i > 0) continue;
    for (std::uint32_t k = 0; k < node.port_count; ++k) {
      const PortId port(node.first_port.value() + k);
      const NodeId peer = fabric.peer_node(port);
      const bool goes_down = fabric.node(peer).tier < node.tier;
      if (is_down[port.value()] || (queue[i] % 2 == 1 && !goes_down)) continue;
      const std::size_t state = 2 * std::size_t{peer.value()} + (goes_down ? 1 : 0);
      if (links[state] != SIZE_MAX) continue;
      links[state] = links[queue[i]] + 1;
      queue.push_back(state);
    }
  }
  std::vector<std::size_t> min;
  for (std::size_t i = 0; i < links.size(); i += 2) {
    min.push_back(std::min(links[i], links[i + 1]));
  }
  return min;
}

/// With a quarter of the cables down, at random: no circle of buffers, and all pairs that the
/// search above connects have a path of that length over cables that are up. Returns the pairs
/// without.
int expect_up_down(const TopologySpec& spec) {
  const Network net(spec);
  const Fabric& fabric = net.fabric;
  int unreachable = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::vector<bool> is_down(fabric.ports.size());
    std::vector<PortId> failed;
    for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
      if (fabric.ports[p].peer.value() < p || random() % 4 != 0) continue;
      failed.emplace_back(p);
      is_down[p] = is_down[fabric.ports[p].peer.value()] = true;
    }
    const Routes routes = without(fabric, spec, failed);
    EXPECT_TRUE(find_buffer_cycles(fabric, routes).cycles.empty());
    for (std::uint32_t from = 0; from < fabric.hosts.size(); ++from) {
      const auto shortest = up_down_links(fabric, fabric.hosts[from], is_down);
      const bool is_attached = std::ranges::any_of(fabric.switches, [&](NodeId at) {
        return !fabric.node(at).is_nic && shortest[at.value()] != SIZE_MAX;
      });
      for (std::uint32_t to = 0; to < fabric.hosts.size(); ++to) {
        const std::size_t expected = shortest[fabric.hosts[to].value()];
        // What is cut off altogether waits for its own cable.
        if (to == from || (!is_attached && expected == SIZE_MAX)) continue;
        const auto path = flow_path(fabric, routes, 1, HostId(from), HostId(to), 7);
        EXPECT_EQ(path.empty() ? SIZE_MAX : path.size(), expected) << from << " to " << to;
        for (const PortId port : path) EXPECT_FALSE(is_down[port.value()]);
        unreachable += path.empty() ? 1 : 0;
      }
    }
  }
  return unreachable;
}

TEST(Routing, UpDownHoldsUnderRandomFailures) {
  ClosSpec pods = clos({racks_of(8, 2, server(0, 1))}, 2);
  pods.pods = 4;
  pods.super_spines = 2;
  pods.super_wiring = ClosSpec::SuperSpines::kAll;
  EXPECT_GT(expect_up_down(pods), 0) << "the failures were too few to test anything";
  pods.super_wiring = ClosSpec::SuperSpines::kGroups;
  EXPECT_GT(expect_up_down(pods), 0);
}

TEST(Routing, UpDownHoldsUnderRandomFailuresWithTwoPortsPerNic) {
  ServerPart part = server(0, 1);
  part.nic.ports = 2;
  ClosSpec dual = clos({racks_of(4, 2, part)}, 2);
  dual.leaves = 2;
  EXPECT_GT(expect_up_down(dual), 0);
  dual.leaves = 1;
  dual.planes = 2;
  EXPECT_GT(expect_up_down(dual), 0);
  part = server(2, 1);
  part.nic.ports = 2;
  dual.racks = {racks_of(4, 2, part)};
  EXPECT_GT(expect_up_down(dual), 0) << "shared NICs, on two planes";
  dual.planes = 1;
  dual.leaves = 2;
  EXPECT_GT(expect_up_down(dual), 0) << "shared NICs, on two leaves";
}

// Two cables of 400 Gbps and one of 100 Gbps to the other switch: 4, 4 and 1 of 9 parts, against a
// third each without weights.
TEST(Routing, WeightedEcmpSharesInProportionToRates) {
  CustomSpec spec;
  spec.nodes = {host("a"), host("b"), switch_of_tier("s", 1), switch_of_tier("t", 1)};
  spec.links = {link("a", "s"), link("b", "t"), link("s", "t", 2, 400_Gbps),
                link("s", "t", 1, 100_Gbps)};
  const Network equal(spec);
  EXPECT_THAT(equal.routes.next_hops(SwitchId(0U), HostId(1U)), ElementsAre(1, 2, 3));
  spec.routing.weighted_ecmp = true;
  const Network net(spec);
  EXPECT_THAT(net.routes.next_hops(SwitchId(0U), HostId(1U)),
              ElementsAre(1, 1, 1, 1, 2, 2, 2, 2, 3));
  const auto shares = sprayed_shares(net.fabric, net.routes, HostId(0U), HostId(1U));
  ASSERT_EQ(shares.size(), 3U);
  ASSERT_EQ(shares[1].size(), 3U);
  EXPECT_NEAR(shares[1][0].share, 4.0 / 9, 1e-12);
  EXPECT_NEAR(shares[1][2].share, 1.0 / 9, 1e-12);
  // Flows follow: of 9,000 the slow cable gets 1,000 +- 4 standard deviations of 30.
  int slow = 0;
  for (std::uint32_t entropy = 0; entropy < 9000; ++entropy) {
    const auto path = flow_path(net.fabric, net.routes, 1, HostId(0U), HostId(1U), entropy);
    slow += net.fabric.port(path[1]).rate == 100_Gbps ? 1 : 0;
  }
  EXPECT_NEAR(slow, 1000, 120);
}

// Rates without a common measure: at most 64 parts for the fastest.
TEST(Routing, WeightsAreBounded) {
  CustomSpec spec;
  spec.nodes = {host("a"), host("b"), switch_of_tier("s", 1), switch_of_tier("t", 1)};
  spec.links = {link("a", "s"), link("b", "t"), link("s", "t", 1, BitsPerSecond(399'999'999'989)),
                link("s", "t", 1, 100_Gbps)};
  spec.routing.weighted_ecmp = true;
  const Network net(spec);
  EXPECT_EQ(net.routes.next_hops(SwitchId(0U), HostId(1U)).size(), 64U + 16);
}

}  // namespace
}  // namespace weft::topologies
