#include "tools/topo/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/topo/fabrics.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

std::string text_of(const TopologySpec& spec) {
  const Network net(spec);
  return topo::report_text(topo::report_on(net.fabric, net.routes, "it"));
}
nlohmann::json json_of(const TopologySpec& spec) {
  const Network net(spec);
  return nlohmann::json::parse(
      topo::report_json(net.fabric, topo::report_on(net.fabric, net.routes, "it")));
}

// 32 hosts and 16 uplinks at 400 Gbps: 2:1, half of the bisection.
TEST(Report, SaysWhatALeafSpineIs) {
  const std::string text = text_of(topologies::leaf_spine(4, 8, 4));
  for (const char* part :
       {"32 hosts, 4 leaves, 4 spines, 48 links", "2:1", "host - leaf", "leaf - spine", "h0 to h8",
        "diameter of scale-out: 4 links",
        "bisection bandwidth 3.2 Tbps per direction, 50 % of what half the hosts can send",
        "by maximum flow", "no circle of buffer dependencies"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

// The published figures: 1,296 links, 129.6 TB/s; 900 GB/s per GPU and direction, of which half of
// them have 32.4 TB/s.
TEST(Report, SaysWhatAnNvl72Is) {
  const std::string text = text_of(lone_nvl72());
  for (const char* part :
       {"72 GPUs, 18 chips", "1 scale-up domain of 72 GPUs and 18 scale-up switches",
        "1,296 links of 400 Gbps, 18 per GPU", "900 GB/s per GPU", "129.6 TB/s",
        "bisection bandwidth 32.4 TB/s per direction, 100 %", "diameter of scale-up: 2 links"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  const nlohmann::json json = json_of(lone_nvl72());
  EXPECT_EQ(json["paths"]["classes"][0]["pairs"], 72 * 71 / 2);
  EXPECT_EQ(json["paths"]["classes"][0]["paths"], nlohmann::json({18, 18}));
  EXPECT_EQ(json["bisection"], nullptr);
}

TEST(Report, SaysWhichRailsASuperpodHas) {
  const std::string text = text_of(superpod());
  EXPECT_THAT(text, HasSubstr("576 GPUs, 144 chips, 16 leaves, 9 spines"));
  EXPECT_THAT(text, HasSubstr("4 rails of 144 hosts on 4 edge switches each"));
  EXPECT_THAT(text, HasSubstr("8 scale-up domains of 72 GPUs"));
  EXPECT_THAT(text, HasSubstr("100 % of what half the hosts can send"));
}

// Shortest paths around a ring close no circle of six, next hops that all go the same way do.
TEST(Report, NamesCirclesOfBufferDependencies) {
  auto spec = std::get<topologies::CustomSpec>(ring());
  for (int at = 0; at < 6; ++at) {
    for (int to = 0; to < 6; ++to) {
      if (at == to) continue;
      spec.next_hops.push_back({"s" + std::to_string(at),
                                "h" + std::to_string(to),
                                {"s" + std::to_string((at + 1) % 6)}});
    }
  }
  EXPECT_THAT(text_of(spec), HasSubstr("lossless traffic can deadlock"));
  EXPECT_THAT(text_of(spec), HasSubstr("s0["));
  EXPECT_EQ(json_of(spec)["buffer_dependencies"]["cycles"].size(), 1U);
}

TEST(Report, JsonHoldsTheWholeGraph) {
  for (const auto& [name, spec] : all_fabrics()) {
    const Network net(spec);
    const nlohmann::json json = nlohmann::json::parse(
        topo::report_json(net.fabric, topo::report_on(net.fabric, net.routes, name)));
    EXPECT_EQ(json["name"], name);
    EXPECT_EQ(json["nodes"].size(), net.fabric.nodes.size()) << name;
    std::uint64_t links = 0;
    for (const auto& bundle : json["graph"]) links += bundle[2].get<std::uint64_t>();
    EXPECT_EQ(2 * links, net.fabric.ports.size()) << name;
    std::uint64_t pairs = json["paths"]["unconnected_pairs"].get<std::uint64_t>();
    for (const auto& entry : json["paths"]["classes"]) pairs += entry["pairs"].get<std::uint64_t>();
    const std::uint64_t hosts = net.fabric.hosts.size();
    EXPECT_EQ(pairs, hosts * (hosts - 1) / 2) << name;
  }
}

}  // namespace
}  // namespace weft::testing
