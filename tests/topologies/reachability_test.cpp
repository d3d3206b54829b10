// Reachability is counted over next hops. Hosts never forward: what only hosts join is apart.

#include "topologies/analysis/reachability.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {
namespace {

HostId named(const Network& net, const std::string& name) {
  for (std::uint32_t i = 0; i < net.fabric.hosts.size(); ++i) {
    if (net.fabric.host(HostId(i)).name == name) return HostId(i);
  }
  ADD_FAILURE() << "no host " << name;
  return HostId(0U);
}

CustomSpec spec_of(const std::vector<std::string>& hosts, const std::vector<std::string>& switches,
                   const std::vector<std::pair<std::string, std::string>>& links) {
  CustomSpec spec;
  for (const std::string& name : hosts) spec.nodes.push_back(host(name));
  for (const std::string& name : switches) spec.nodes.push_back(switch_of_tier(name, 1));
  for (const auto& [from, to] : links) spec.links.push_back(link(from, to));
  return spec;
}

/// Two switches that the host b joins.
CustomSpec three_hosts() {
  return spec_of({"a", "b", "c"}, {"s1", "s2"},
                 {{"a", "s1"}, {"b", "s1"}, {"b", "s2"}, {"c", "s2"}});
}

TEST(Reachability, HostsJoinNothing) {
  const Network net(three_hosts());
  Reachability reach(net.fabric, net.routes);
  const HostId a = named(net, "a");
  const HostId b = named(net, "b");
  const HostId c = named(net, "c");
  EXPECT_EQ(reach.unreachable().count, 1U);
  EXPECT_EQ(reach.end_of(a, c), RouteEnd::kNoNextHop);
  EXPECT_EQ(reach.end_of(c, a), RouteEnd::kNoNextHop);
  EXPECT_EQ(reach.reason(a, c), "s1 has no next hop for c");
  for (const HostId other : {a, c}) {
    EXPECT_EQ(reach.end_of(b, other), RouteEnd::kDelivered);
    EXPECT_EQ(reach.end_of(other, b), RouteEnd::kDelivered);
    EXPECT_EQ(reach.end_of_responses(other, b), RouteEnd::kDelivered);
  }
}

// BCube(2, 1): servers that differ in both digits meet at servers only. 2 of 6 pairs.
TEST(Reachability, OfBCubeNeedsServersThatForward) {
  const Network net(spec_of({"h00", "h01", "h10", "h11"}, {"l0a", "l0b", "l1a", "l1b"},
                            {{"h00", "l0a"},
                             {"h01", "l0a"},
                             {"h10", "l0b"},
                             {"h11", "l0b"},
                             {"h00", "l1a"},
                             {"h10", "l1a"},
                             {"h01", "l1b"},
                             {"h11", "l1b"}}));
  Reachability reach(net.fabric, net.routes);
  EXPECT_EQ(reach.unreachable().count, 2U);
  EXPECT_EQ(reach.end_of(named(net, "h00"), named(net, "h11")), RouteEnd::kNoNextHop);
  EXPECT_EQ(reach.end_of(named(net, "h00"), named(net, "h10")), RouteEnd::kDelivered);
}

TEST(Reachability, IsWholeInFabricsOfEveryKind) {
  ClosSpec planes = clos({racks_of(4, 2, server(0, 2))}, 2);
  planes.planes = 2;
  planes.racks.front().server.nic.ports = 2;
  const TopologySpec specs[] = {leaf_spine(2, 2, 2), fat_tree(4), planes,
                                clos({racks_of(2, 2, hgx_h100())}, 4),
                                clos({racks_of(2, 1, dgx_2())}, 4)};
  for (const TopologySpec& spec : specs) {
    const Network net(spec);
    EXPECT_EQ(Reachability(net.fabric, net.routes).unreachable().count, 0U) << spec.index();
    // Large tables are looked through instead.
    EXPECT_TRUE(Reachability(net.fabric, net.routes, 0).unreachable().is_complete);
  }
}

// Two rails without spines, two GPUs of either server on one each: across rails and servers there
// is no path, 2 pairs; inside a server scale-up joins what rails do not.
TEST(Reachability, OfADomainIsThatOfItsScaleUpNetwork) {
  CustomSpec spec = spec_of({"a0", "a1", "b0", "b1"}, {"rail0", "rail1", "chip-a", "chip-b"},
                            {{"a0", "rail0"},
                             {"b0", "rail0"},
                             {"a1", "rail1"},
                             {"b1", "rail1"},
                             {"a0", "chip-a"},
                             {"a1", "chip-a"},
                             {"b0", "chip-b"},
                             {"b1", "chip-b"}});
  const auto domain = [&](std::size_t node, std::int32_t number, bool is_scale_up_switch) {
    spec.nodes[node].domain = number;
    if (is_scale_up_switch) spec.nodes[node].network = NetworkKind::kScaleUp;
  };
  for (const std::size_t node : {0, 1}) domain(node, 0, false);
  for (const std::size_t node : {2, 3}) domain(node, 1, false);
  domain(6, 0, true);
  domain(7, 1, true);
  const Network net(spec);
  Reachability reach(net.fabric, net.routes);
  EXPECT_EQ(reach.unreachable().count, 2U);
  EXPECT_EQ(reach.end_of(named(net, "a0"), named(net, "a1")), RouteEnd::kDelivered);
  EXPECT_EQ(reach.end_of(named(net, "a0"), named(net, "b0")), RouteEnd::kDelivered);
  EXPECT_EQ(reach.end_of(named(net, "a0"), named(net, "b1")), RouteEnd::kNoNextHop);
}

/// Two hosts at the ends of a chain of `switches` switches.
CustomSpec row_of(std::size_t switches) {
  CustomSpec spec;
  spec.nodes = {host("a"), host("b")};
  for (std::size_t i = 0; i < switches; ++i) {
    spec.nodes.push_back(switch_of_tier("s" + std::to_string(i), 1));
    if (i > 0) spec.links.push_back(link("s" + std::to_string(i - 1), "s" + std::to_string(i)));
  }
  spec.links.push_back(link("a", "s0"));
  spec.links.push_back(link("b", "s" + std::to_string(switches - 1)));
  return spec;
}

// A packet lives for 64 links.
TEST(Reachability, EndsWithTheTtl) {
  for (const auto& [switches, end] :
       {std::pair(63, RouteEnd::kDelivered), std::pair(64, RouteEnd::kLoop)}) {
    const Network net(row_of(static_cast<std::size_t>(switches)));
    EXPECT_EQ(Reachability(net.fabric, net.routes).end_of(HostId(0U), HostId(1U)), end) << switches;
  }
}

TEST(Reachability, FindsNextHopsThatGoRound) {
  CustomSpec spec = row_of(3);
  spec.next_hops = {{"s1", "b", {"s0"}}};
  const Network net(spec);
  Reachability reach(net.fabric, net.routes);
  EXPECT_EQ(reach.end_of(HostId(0U), HostId(1U)), RouteEnd::kLoop);
  EXPECT_EQ(reach.end_of(HostId(1U), HostId(0U)), RouteEnd::kDelivered);
  EXPECT_EQ(reach.unreachable().count, 1U);
}

// Data for b go by s3, and so do the responses, from where the next hop for a leads back; data of b
// go by s2, which is nearer.
TEST(Reachability, OfResponsesBeginsWhereDataArrive) {
  CustomSpec spec = spec_of({"a", "b"}, {"s1", "s2", "s3", "s4", "s5"},
                            {{"a", "s1"},
                             {"b", "s2"},
                             {"b", "s3"},
                             {"s1", "s2"},
                             {"s1", "s5"},
                             {"s5", "s3"},
                             {"s3", "s4"}});
  spec.next_hops = {{"s1", "b", {"s5"}}, {"s3", "a", {"s4"}}};
  const Network net(spec);
  Reachability reach(net.fabric, net.routes);
  const HostId a = named(net, "a");
  const HostId b = named(net, "b");
  EXPECT_EQ(reach.end_of(a, b), RouteEnd::kDelivered);
  EXPECT_EQ(reach.end_of(b, a), RouteEnd::kDelivered);
  EXPECT_EQ(reach.end_of_responses(a, b), RouteEnd::kLoop);
  EXPECT_EQ(reach.end_of_responses(b, a), RouteEnd::kDelivered);
}

TEST(Reachability, FindsATableThatSendsToAnotherHost) {
  Network net(leaf_spine(2, 2, 1));
  Routes::NextHops& wrong = net.routes.direct[net.routes.switches[0].direct];
  wrong = net.routes.direct[net.routes.switches[0].direct + 1];
  Reachability reach(net.fabric, net.routes);
  EXPECT_EQ(reach.end_of(HostId(2U), HostId(0U)), RouteEnd::kWrongHost);
  EXPECT_EQ(reach.end_of(HostId(2U), HostId(1U)), RouteEnd::kDelivered);
}

/// As a scenario would say it, but for what `specification` gives.
template <class Spec>
struct Keys {
  static constexpr const char* kName = "keys";
  static constexpr LinkRoles kRoles = LinkRoles::kNone;
  static schema::Object<Keys> schema();
  [[nodiscard]] std::vector<SwitchUse> switch_uses() const { return {}; }
  [[nodiscard]] Spec specification(const FabricParts& parts) const;
};
struct WithoutRule {};
struct WithRule {
  static constexpr RoutingRule kRoutingRule = RoutingRule::kShortest;
};

TEST(RoutingRules, AreRequiredOfEveryTopology) {
  EXPECT_FALSE(Topology<Keys<WithoutRule>>);
  EXPECT_TRUE(Topology<Keys<WithRule>>);
}

}  // namespace
}  // namespace weft::topologies
