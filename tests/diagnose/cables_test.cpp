// Where the cable of a culprit goes: as the fabric has it, with the line of the scenario, and with
// what the comment behind that line says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tools/diagnose/diagnosis.hpp"

namespace weft::diagnose {
namespace {

using ::testing::HasSubstr;

Simulator made_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  auto made = Simulator::of_text(text, "c.yaml", overrides, Twin::kHealthy);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.errors().front().to_string());
  return std::move(made).value();
}

constexpr const char* kJobs = "jobs: [{name: ar, type: all-reduce, size: 1MiB}]\n";

/// Three servers, whose second cable says nothing of itself, and whose third joins two ports.
std::string cabled_text() {
  return std::string(
             "name: three\n"
             "racks: [{count: 1, servers: 3, server: host-400g}]\n"
             "fabric:\n"
             "  topology: cabled\n"
             "  servers: [{name: n01, nics: [mlx5_0]}, {name: n02, nics: [mlx5_0]}, {name: n03, "
             "nics: [mlx5_0]}]\n"
             "  switches: [{name: leaf01}]\n"
             "  cables:\n"
             "    - {from: n01/mlx5_0, to: leaf01, rate: 400Gbps}  # eth0 to Ethernet1, "
             "cables.csv:3; rate cables.csv:3\n"
             "    - {from: n02/mlx5_0, to: leaf01, rate: 400Gbps}\n"
             "    - {from: leaf01, to: n03/mlx5_0, rate: 400Gbps}  # cables.csv:9\n") +
         kJobs;
}

TEST(Cables, OfACabledFabricHaveTheLineOfTheScenarioAndWhatIsBehindIt) {
  const Simulator healthy = made_of(cabled_text());
  const Cables& cables = healthy.cables();
  EXPECT_EQ(cables.of("n01/mlx5_0"), "to leaf01[0], c.yaml:8; eth0 to Ethernet1, cables.csv:3");
  EXPECT_EQ(cables.of("n02/mlx5_0"), "to leaf01[1], c.yaml:9");
  EXPECT_EQ(cables.of("n03/mlx5_0"), "to leaf01[2], c.yaml:10; cables.csv:9");
  EXPECT_EQ(cables.of("leaf01"), "");
}

TEST(Cables, OfATopologyAreThoseOfTheFabric) {
  const Simulator healthy =
      made_of(std::string("name: four\n"
                          "racks: {count: 2, servers: 2, server: hgx-h100}\n"
                          "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 8}\n") +
              kJobs);
  EXPECT_EQ(healthy.cables().of("gpu0"), "to leaf0[0]");
  EXPECT_EQ(healthy.cables().of("gpu21"), "to leaf1[5]");
  const Simulator rails =
      made_of(std::string("name: rails\n"
                          "racks: {count: 1, servers: 2, server: hgx-h100}\n"
                          "fabric: {topology: rail-optimised, group: 2, spines: 2}\n") +
              kJobs);
  for (const NicPlace& nic : rails.places().nics) {
    EXPECT_THAT(rails.cables().of(nic.name), HasSubstr("to ")) << nic.name;
  }
}

// A change of a link is said where the scenario says it.
TEST(Cables, OfALinkThatTheScenarioChangesHaveThatLine) {
  const Simulator healthy =
      made_of(std::string("name: four\n"
                          "racks: {count: 2, servers: 2, server: hgx-h100}\n"
                          "links:\n"
                          "  changes:\n"
                          "    - {from: gpu21, length: 30m}  # cable 4711\n"
                          "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 8}\n") +
              kJobs);
  EXPECT_EQ(healthy.cables().of("gpu21"), "to leaf1[5], c.yaml:5; cable 4711");
  EXPECT_EQ(healthy.cables().of("gpu20"), "to leaf1[4]");
}

// Of parallel cables each has the line of its own entry.
TEST(Cables, OfACustomFabricHaveTheLinesOfItsLinks) {
  const Simulator healthy = made_of(
      "name: custom\n"
      "fabric:\n"
      "  topology: custom\n"
      "  switch: spectrum-4\n"
      "  nodes:\n"
      "    - {name: a, kind: host}\n"
      "    - {name: b, kind: host}\n"
      "    - {name: s, kind: switch}\n"
      "  links:\n"
      "    - {from: a, to: s, rate: 400Gbps, length: 3m, cable: copper}\n"
      "    - {from: s, to: a, rate: 400Gbps, length: 4m, cable: copper}\n"
      "    - {from: b, to: s, rate: 400Gbps, length: 3m, cable: copper, count: 2}\n"
      "jobs: [{name: ar, type: all-reduce, size: 1MiB}]\n");
  EXPECT_EQ(healthy.cables().of("a"), "to s[0], c.yaml:10, and to s[1], c.yaml:11");
  EXPECT_EQ(healthy.cables().of("b"), "to s[2], c.yaml:12, and to s[3], c.yaml:12");
}

/// perftest on a NIC of two servers, Gb/s.
evidence::PairSeries link(const std::string& from, const std::string& to, double gigabits) {
  return {.operation = "write-bw",
          .bytes = 65'536,
          .nic = "mlx5_0",
          .values = {{.from = from, .to = to, .gigabytes_per_second = gigabits / 8}}};
}

TEST(Cables, OfTheCulpritAreInTextAndJson) {
  Simulator healthy = made_of(cabled_text());
  evidence::Measurements measured;
  measured.pairs = {link("n01", "n02", 120), link("n03", "n01", 120), link("n03", "n02", 392)};
  const Diagnosis d = diagnose(healthy, measured, nullptr, {.confirms_by_packets = false}).value();
  const auto json = to_json(d);
  const auto& causes = json[d.culprits.empty() ? "undecided" : "culprits"];
  ASSERT_FALSE(causes.empty()) << to_text(d);
  EXPECT_EQ(causes[0]["place"][0], "n01/mlx5_0") << to_text(d);
  EXPECT_EQ(causes[0]["whereabouts"][0], "");
  EXPECT_EQ(causes[0]["cables"][0], "to leaf01[0], c.yaml:8; eth0 to Ethernet1, cables.csv:3");
  EXPECT_THAT(to_text(d),
              HasSubstr("cable to leaf01[0], c.yaml:8; eth0 to Ethernet1, cables.csv:3\n"));
}

}  // namespace
}  // namespace weft::diagnose
