#include "topologies/custom/custom.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simcore/fabric/path.hpp"
#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// a, b on left; c on right; left and right joined directly and through top.
CustomSpec triangle() {
  CustomSpec spec;
  spec.nodes = {switch_of_tier("top", 2),
                switch_of_tier("left", 1),
                host("a"),
                switch_of_tier("right", 1),
                host("b"),
                host("c")};
  spec.links = {link("left", "a"),     link("left", "b"),   link("c", "right"),
                link("left", "right"), link("left", "top"), link("top", "right", 2)};
  return spec;
}

Errors errors_of(const CustomSpec& spec) {
  auto fabric = build_fabric(spec);
  if (!fabric) return fabric.errors();
  auto routes = build_routes(fabric.value(), spec);
  return routes.ok() ? Errors{} : routes.errors();
}

std::string first_error(const CustomSpec& spec) {
  const Errors errors = errors_of(spec);
  return errors.empty() ? "" : errors.front().to_string();
}

std::vector<std::string> names(const Fabric& fabric, const std::vector<PortId>& path) {
  std::vector<std::string> result;
  result.reserve(path.size());
  for (const PortId port : path) result.push_back(fabric.port_name(port));
  return result;
}

TEST(Custom, NumbersHostsFirstThenSwitchesByTier) {
  const Network net(triangle());
  expect_consistent(net.fabric);
  std::vector<std::string> order;
  for (const Node& node : net.fabric.nodes) order.push_back(node.name);
  EXPECT_THAT(order, ElementsAre("a", "b", "c", "left", "right", "top"));
}

TEST(Custom, RoutesOverFewestLinks) {
  const Network net(triangle());
  EXPECT_THAT(names(net.fabric, flow_path(net.fabric, net.routes, 1, HostId(0U), HostId(2U), 7)),
              ElementsAre("a->left[0]", "left[2]->right[1]", "right[0]->c"));
}

// Static next hops send a's and b's traffic for c over top, on either of its two parallel cables;
// the way back stays on the shortest path.
TEST(Custom, StaticNextHopsOverrideShortestPaths) {
  CustomSpec spec = triangle();
  spec.next_hops = {{"left", "c", {"top"}}};
  const Network net(spec);
  const auto census = census_of(net.fabric, net.routes, HostId(0U), HostId(2U));
  EXPECT_EQ(census.paths, 2U);
  EXPECT_EQ(census.fewest_links, 4U);
  EXPECT_EQ(flow_path(net.fabric, net.routes, 1, HostId(2U), HostId(0U), 7).size(), 3U);
}

// A host with static next hops is a destination group of its own: its neighbour b keeps its routes.
TEST(Custom, StaticNextHopsConcernOneHostOnly) {
  CustomSpec spec = triangle();
  spec.next_hops = {{"right", "a", {"top", "left"}}};
  const Network net(spec);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(2U), HostId(0U)).paths, 3U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(2U), HostId(1U)).paths, 1U);
}

// left sends to top, top back to left: a loop that is allowed, and has no path.
TEST(Custom, LoopsOfStaticNextHopsHaveNoPath) {
  CustomSpec spec = triangle();
  spec.next_hops = {{"left", "c", {"top"}}, {"top", "c", {"left"}}};
  const Network net(spec);
  EXPECT_TRUE(flow_path(net.fabric, net.routes, 1, HostId(0U), HostId(2U), 7).empty());
  EXPECT_TRUE(sprayed_hops(net, HostId(0U), HostId(2U)).empty());
}

TEST(Custom, NamesThePlaceOfWhatIsWrong) {
  CustomSpec spec = triangle();
  spec.links[3].to = "rigth";
  EXPECT_EQ(first_error(spec),
            "fabric.links[3].to: there is no node `rigth`; did you mean `right`?");
  spec = triangle();
  spec.links[4].to = "left";
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.links[4].to: joins `left` to itself"));
  spec = triangle();
  spec.links[2].link.rate = 0_bps;
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.links[2].rate: is 0 bit/s"));
  spec = triangle();
  spec.links[5].count = 0;
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.links[5].count: is 0"));
  spec = triangle();
  spec.nodes[4].name = "a";
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.nodes[4].name: `a` is the name of"));
  spec = triangle();
  spec.nodes[0].tier = 0;
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.nodes[0].tier: is 0"));
}

TEST(Custom, RefusesHostsWithoutALinkToASwitch) {
  CustomSpec spec = triangle();
  spec.links.erase(spec.links.begin());
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.nodes[2]: host `a` has no link"));
  spec = triangle();
  spec.links[0] = link("a", "b");
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.links[0].to: joins the hosts `a` and `b`"));
}

/// Two GPUs behind one scale-up switch, each with a NIC port on the leaf.
CustomSpec two_gpus() {
  CustomSpec spec;
  spec.nodes = {switch_of_tier("leaf", 1), switch_of_tier("chip", 1), host("a"), host("b")};
  spec.nodes[1].network = NetworkKind::kScaleUp;
  for (const std::size_t i : {1U, 2U, 3U}) spec.nodes[i].domain = 7;
  spec.links = {link("a", "chip", 2), link("b", "chip", 2), link("a", "leaf"), link("b", "leaf")};
  return spec;
}

TEST(Custom, MayHaveScaleUpDomains) {
  const Network net(two_gpus());
  expect_consistent(net.fabric);
  EXPECT_EQ(net.fabric.host(HostId(0U)).domain, 0);
  EXPECT_EQ(net.fabric.switch_node(SwitchId(0U)).name, "chip") << "before the leaf of its tier";
  EXPECT_THAT(net.routes.host_ports(HostId(0U), HostId(1U)), ElementsAre(0, 1));
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(1U)).paths, 4U);
}

TEST(Custom, RefusesNetworksThatMeetOutsideOfHosts) {
  CustomSpec spec = two_gpus();
  spec.links.push_back(link("chip", "leaf"));
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.links[4].to: joins `chip` and `leaf`, which"));
  spec = two_gpus();
  spec.nodes[3].domain = 8;
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.links[1].to: joins `b` and `chip`; a scale-up"));
  spec = two_gpus();
  spec.nodes[1].domain = -1;
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.nodes[1].domain: is missing"));
  spec = two_gpus();
  spec.links.erase(spec.links.begin());
  EXPECT_THAT(first_error(spec), HasSubstr("fabric.nodes[2]: host `a` is in a scale-up domain"));
}

TEST(Custom, RefusesFabricsInPieces) {
  CustomSpec spec = triangle();
  spec.nodes.push_back(switch_of_tier("island", 1));
  EXPECT_EQ(first_error(spec), "fabric: the fabric is not in one piece: no path from a to island");
  spec.nodes = {switch_of_tier("alone", 1)};
  spec.links.clear();
  EXPECT_EQ(first_error(spec), "fabric: the fabric has no hosts");
}

TEST(Custom, RefusesTooManyPorts) {
  CustomSpec spec = triangle();
  spec.links[5].count = 65'535;  // right has two more
  EXPECT_THAT(first_error(spec), HasSubstr("switch right needs 65537 ports"));
  spec.links[5].count = 4'294'967'295;
  EXPECT_THAT(first_error(spec), HasSubstr("ports; at most 5000000 are supported"));
}

TEST(Custom, RefusesStaticNextHopsThatDoNotFit) {
  const auto with = [](CustomSpec::NextHopEntry entry) {
    CustomSpec spec = triangle();
    spec.next_hops = {{"top", "a", {"left"}}, std::move(entry)};
    return first_error(spec);
  };
  EXPECT_THAT(with({"lefd", "c", {"top"}}), HasSubstr("fabric.next_hops[1].at: there is no node"));
  EXPECT_THAT(with({"a", "c", {"left"}}), HasSubstr("fabric.next_hops[1].at: `a` is not a switch"));
  EXPECT_THAT(with({"left", "top", {"top"}}), HasSubstr("[1].to: `top` is not a host"));
  EXPECT_THAT(with({"left", "c", {}}), HasSubstr("fabric.next_hops[1].via: is empty"));
  EXPECT_THAT(with({"left", "c", {"top", "a"}}), HasSubstr("[1].via[1]: `a` is not a switch"));
  EXPECT_THAT(with({"left", "c", {"left"}}), HasSubstr("[1].via[0]: `left` is not a neighbour"));
  EXPECT_THAT(with({"left", "a", {"top"}}), HasSubstr("[1].at: `a` is attached to `left`"));
  EXPECT_THAT(with({"top", "a", {"right"}}), HasSubstr("`top` has next hops for `a` already"));
}

TEST(Custom, ReportsAllErrorsTogether) {
  CustomSpec spec = triangle();
  spec.links[0].from = "x";
  spec.links[1].link.rate = 0_bps;
  spec.links[2].count = 0;
  EXPECT_EQ(errors_of(spec).size(), 3U);
}

}  // namespace
}  // namespace weft::topologies
