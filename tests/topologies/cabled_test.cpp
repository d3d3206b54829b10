#include "topologies/cabled/cabled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/clos/clos.hpp"

namespace weft::topologies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two servers of two GPUs and NICs in a scale-up domain, one leaf each, one spine.
CabledSpec two_servers() {
  RackSpec rack{.count = 2, .servers = 1};
  rack.server.gpus = rack.server.nics = 2;
  rack.server.scale_up.emplace();
  rack.access = {400_Gbps, 100_ns};
  CabledSpec spec;
  spec.racks = {rack};
  spec.servers = {{"a", {"x", "y"}}, {"b", {}}};
  spec.switches = {{"top", {}, {}}, {"left", {}, {}}, {"right", {}, {}}};
  const LinkSpec access{400_Gbps, 100_ns};
  const LinkSpec uplink{200_Gbps, 200_ns};
  spec.cables = {{"a/x", "left", access},     {"left", "a/y", access},
                 {"b/nic0", "right", access}, {"b/nic1", "right", access},
                 {"left", "top", uplink, 2},  {"top", "right", uplink, 2}};
  return spec;
}

std::string first_error(const CabledSpec& spec) {
  const auto built = build(spec);
  return built.ok() ? "" : built.errors().front().to_string();
}

std::vector<std::string> names_of(const Fabric& fabric) {
  std::vector<std::string> names;
  for (const Node& node : fabric.nodes) names.push_back(node.name);
  return names;
}

TEST(Cabled, NamesHostsAfterTheirNicsAndFindsTiers) {
  const Network net(two_servers());
  expect_consistent(net.fabric);
  EXPECT_THAT(names_of(net.fabric), ElementsAre("a/x", "a/y", "b/nic0", "b/nic1", "a/switch0",
                                                "b/switch0", "left", "right", "top"));
  EXPECT_EQ(net.fabric.nodes[6].tier, 1U);
  EXPECT_EQ(net.fabric.nodes[8].tier, 2U);
}

TEST(Cabled, IsTheLeafSpineFabricThatItsCablesMake) {
  const CabledSpec cabled = two_servers();
  ClosSpec clos;
  clos.racks = cabled.racks;
  clos.spines = 1;
  clos.links_per_pair = 2;
  clos.uplink = {200_Gbps, 200_ns};
  const auto by_name = build(cabled);
  const auto by_count = build(clos);
  ASSERT_TRUE(by_name.ok() && by_count.ok());
  ASSERT_EQ(by_name.value().nodes.size(), by_count.value().nodes.size());
  ASSERT_EQ(by_name.value().ports.size(), by_count.value().ports.size());
  for (std::size_t i = 0; i < by_name.value().ports.size(); ++i) {
    const Port& a = by_name.value().ports[i];
    const Port& b = by_count.value().ports[i];
    EXPECT_EQ(a.peer, b.peer) << i;
    EXPECT_EQ(a.rate, b.rate) << i;
    EXPECT_EQ(a.wire_latency, b.wire_latency) << i;
    EXPECT_EQ(a.edge_latency, b.edge_latency) << i;
  }
}

TEST(Cabled, NicsThatAreNodesKeepTheirNamesAndGpusHaveNumbers) {
  CabledSpec spec = two_servers();
  spec.racks[0].server.host_link.rate = 200_Gbps;  // less than the cable carries
  const Network net(spec);
  EXPECT_THAT(names_of(net.fabric),
              ElementsAre("a/gpu0", "a/gpu1", "b/gpu0", "b/gpu1", "a/switch0", "b/switch0", "a/x",
                          "a/y", "b/nic0", "b/nic1", "left", "right", "top"));
  EXPECT_EQ(net.fabric.nodes[10].tier, 2U);
}

TEST(Cabled, ANicWithoutACableIsLeftToTheScaleUpNetwork) {
  CabledSpec spec = two_servers();
  spec.cables.erase(spec.cables.begin());
  EXPECT_THAT(first_error(spec), IsEmpty());
}

TEST(Cabled, RefusesNamesAndCablesThatCannotBe) {
  const auto error = [](auto change) {
    CabledSpec spec = two_servers();
    change(spec);
    return first_error(spec);
  };
  EXPECT_THAT(error([](CabledSpec& s) { s.cables[0].from = "a/z"; }),
              HasSubstr("fabric.cables[0].from: there is no node `a/z`; did you mean `a/x`?"));
  EXPECT_THAT(error([](CabledSpec& s) { s.cables[1].to = "a/x"; }),
              HasSubstr("`a/x` has more cables than its NIC has ports (`nic.ports`)"));
  EXPECT_THAT(error([](CabledSpec& s) { s.cables[0].to = "b/nic0"; }),
              HasSubstr("joins the NICs `a/x` and `b/nic0`"));
  EXPECT_THAT(error([](CabledSpec& s) { s.cables[4].to = "left"; }),
              HasSubstr("joins `left` to itself"));
  EXPECT_THAT(error([](CabledSpec& s) { s.servers.pop_back(); }),
              HasSubstr("fabric.servers: names 1 server; the racks have 2"));
  EXPECT_THAT(error([](CabledSpec& s) { s.servers[0].nics = {"x"}; }),
              HasSubstr("fabric.servers[0].nics: has 1 name; the server has 2 NICs"));
  EXPECT_THAT(error([](CabledSpec& s) {
                s.servers[1].name = "a", s.servers[1].nics = {"x", "q"};
              }),
              HasSubstr("fabric.servers[1]: `a/x` is a name of another node already"));
  EXPECT_THAT(error([](CabledSpec& s) { s.switches[1].name = "top"; }),
              HasSubstr("fabric.switches[1].name: `top` is the name of a switch already"));
  EXPECT_THAT(error([](CabledSpec& s) { s.cables[0].link.rate = 0_bps; }),
              HasSubstr("fabric.cables[0]"));
}

}  // namespace
}  // namespace weft::topologies
