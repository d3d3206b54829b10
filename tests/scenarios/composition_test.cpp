// Fabrics as the scenario language composes them: racks of machines from the catalogue, tiers,
// rails, planes, and where ranks go.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "topologies/analysis/summary.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using topologies::ClosSpec;

class Composition : public ::testing::Test {
 protected:
  Result<LoadedScenario> load(const std::string& text) {
    return load_scenario_text(text, "/scenario.yaml");
  }
  Scenario scenario(const std::string& text) {
    auto loaded = load(text);
    if (!loaded.ok()) {
      ADD_FAILURE() << loaded.errors().front().to_string();
      return {};
    }
    // What is printed as the resolved scenario means the same.
    auto again = load(loaded.value().resolved_yaml("test"));
    EXPECT_TRUE(again.ok()) << (again.ok() ? "" : again.errors().front().to_string()) << "\n"
                            << loaded.value().canonical_yaml();
    if (again.ok()) {
      EXPECT_EQ(again.value().canonical_yaml(), loaded.value().canonical_yaml());
    }
    return std::move(loaded).value().scenario;
  }
  std::string first_error(const std::string& text) {
    const auto loaded = load(text);
    return loaded.ok() ? "" : loaded.errors().front().to_string();
  }
  std::vector<std::uint32_t> ranks(const std::string& ranks) {
    const Scenario s = scenario(
        kServers +
        "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MB, ranks: " + ranks + "}]\n");
    std::vector<std::uint32_t> hosts;
    for (const HostId host : s.jobs.at(0).ranks) hosts.push_back(host.value());
    return hosts;
  }

  /// Two racks of two servers of two hosts.
  inline static const std::string kServers =
      "name: placement\n"
      "racks: {count: 2, servers: 2, server: {nics: 2}}\n"
      "fabric: {topology: leaf-spine, spines: 2}\n";
  inline static const std::string kJob =
      "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MB}]\n";
};

struct Machine {
  const char* name;
  std::uint32_t gpus;
  std::uint32_t switches;
  std::uint32_t cables;     ///< GPUs x links, and trunks
  std::uint32_t nic_nodes;  ///< NICs that GPUs share
};

// Links per GPU: 6 (and 6 x 8 trunks), 12, 18, 18, 18, 18; 4 of an accelerator of the pod.
constexpr Machine kMachines[] = {
    {"dgx-2", 16, 12, 16 * 6 + 48, 8},   {"dgx-a100", 8, 6, 8 * 12, 0},
    {"hgx-h100", 8, 4, 8 * 18, 0},       {"hgx-h200", 8, 4, 8 * 18, 0},
    {"hgx-b200", 8, 2, 8 * 18, 0},       {"gb200-nvl72", 72, 18, 72 * 18, 0},
    {"ualink-pod", 1024, 4, 1024 * 4, 0}};

TEST_F(Composition, MachinesOfTheCatalogueAloneHaveTheirLinks) {
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(machine.name);
    const Scenario s = scenario(
        std::string("name: a\nracks: {count: 1, servers: 1, server: {part: ") + machine.name +
        ", nics: 0, rails: one-per-nic}}\nfabric: {topology: single-domain}\n" + kJob);
    const auto fabric = topologies::build_fabric(s.topology);
    ASSERT_TRUE(fabric.ok()) << fabric.errors().front().to_string();
    const auto summary = topologies::summarize(fabric.value());
    EXPECT_EQ(summary.hosts, machine.gpus);
    EXPECT_EQ(summary.switches, machine.switches);
    EXPECT_EQ(summary.cables, machine.cables);
  }
}

// Two of them on a leaf and two spines each. A NIC of the DGX-2 serves two GPUs and is a node with
// two cables to them.
TEST_F(Composition, MachinesOfTheCatalogueHangOnAFabric) {
  for (const Machine& machine : kMachines) {
    if (machine.gpus > 100) continue;  // has no NICs
    SCOPED_TRACE(machine.name);
    const Scenario s =
        scenario(std::string("name: a\nracks: {count: 2, servers: 1, server: ") + machine.name +
                 "}\nfabric: {topology: leaf-spine, spines: 2}\n" + kJob);
    const auto fabric = topologies::build_fabric(s.topology);
    ASSERT_TRUE(fabric.ok()) << fabric.errors().front().to_string();
    const auto summary = topologies::summarize(fabric.value());
    const std::uint32_t nics = machine.nic_nodes > 0 ? machine.nic_nodes : machine.gpus;
    const std::uint32_t host_links = machine.nic_nodes > 0 ? machine.gpus : 0;
    EXPECT_EQ(summary.hosts, 2 * machine.gpus);
    EXPECT_EQ(summary.switches, 2 * (machine.switches + machine.nic_nodes + 1) + 2);
    EXPECT_EQ(summary.cables, 2 * (machine.cables + host_links + nics + 2));
  }
}

constexpr const char* kSuperPod = R"(
name: superpod
racks: {count: 8, servers: 1, server: gb200-nvl72}
fabric:
  topology: rail-optimised
  group: 8
  spines: 16
  links_per_pair: 9
  leaf: {switch: tomahawk-5}
jobs:
  - {name: all-reduce, type: all-reduce, algorithm: ring, size: 1GB}
)";

// 8 x NVL72, 576 GPUs on 4 rails, in 10 lines.
TEST_F(Composition, EightNvl72OnFourRails) {
  const std::string text = kSuperPod;
  EXPECT_LT(std::ranges::count(text, '\n'), 30);
  const Scenario s = scenario(text);
  EXPECT_EQ(s.jobs.at(0).ranks.size(), 576U);
  const auto fabric = topologies::build_fabric(s.topology);
  ASSERT_TRUE(fabric.ok());
  const auto summary = topologies::summarize(fabric.value());
  EXPECT_EQ(summary.hosts, 576U);
  EXPECT_EQ(summary.switches, 8U * 18 + 4 + 16);
  EXPECT_EQ(summary.cables, 8U * 1296 + 576 + 4 * 16 * 9);
  EXPECT_EQ(std::get<ClosSpec>(s.topology).spine.buffer, 0_B) << "as fabric.switch says";
  EXPECT_GT(std::get<ClosSpec>(s.topology).leaf.buffer, 0_B);
}

TEST_F(Composition, RacksOfDifferentServers) {
  const Scenario s = scenario(
      "name: mixed\n"
      "racks:\n"
      "  - {count: 2, servers: 1, server: hgx-h100}\n"
      "  - {count: 1, servers: 4, server: {part: plain, nic: {part: connectx-7, rate: 200Gbps}}}\n"
      "fabric: {topology: leaf-spine, spines: 4}\n"
      "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MB, ranks: [gpu0, gpu15, "
      "h16]}]\n");
  const auto& clos = std::get<ClosSpec>(s.topology);
  ASSERT_EQ(clos.racks.size(), 2U);
  EXPECT_EQ(clos.racks[0].access.rate, 400_Gbps);
  EXPECT_EQ(clos.racks[1].access.rate, 200_Gbps);
  EXPECT_EQ(clos.uplink.rate, 400_Gbps) << "the rate of the fastest NIC";
  EXPECT_THAT(s.jobs.at(0).ranks, ElementsAre(HostId(0U), HostId(15U), HostId(16U)));
}

TEST_F(Composition, ThreeTiersHaveLinksOfTheirOwn) {
  const Scenario s = scenario(
      "name: clos\n"
      "racks: {count: 8, servers: 4}\n"
      "links: {uplink: {rate: 800Gbps, length: 20m}, super_uplink: {length: 200m}}\n"
      "fabric:\n"
      "  topology: clos\n"
      "  spines: 2\n"
      "  pods: 4\n"
      "  super_spines: 4\n"
      "  super_spine: {switch: {part: tomahawk-5, latency: 900ns}}\n"
      "  weighted_ecmp: true\n"
      "  hash: {type: crc16, seeds: same}\n" +
      kJob);
  const auto& clos = std::get<ClosSpec>(s.topology);
  EXPECT_EQ(clos.pods, 4U);
  EXPECT_EQ(clos.super_uplink.rate, 800_Gbps) << "as the uplinks";
  EXPECT_GT(clos.super_uplink.latency, clos.uplink.latency);
  EXPECT_EQ(clos.super_spine.latency, 900_ns);
  EXPECT_TRUE(clos.routing.weighted_ecmp);
  EXPECT_EQ(clos.routing.hash.type, PathHash::Type::kCrc16);
  EXPECT_EQ(clos.routing.hash.seeds, PathHash::Seeds::kSame);
}

TEST_F(Composition, FatTreesHostServers) {
  const Scenario s =
      scenario("name: tree\nfabric: {topology: fat-tree, k: 8, server: {nics: 2}}\n" + kJob);
  EXPECT_EQ(s.jobs.at(0).ranks.size(), 128U);
  EXPECT_TRUE(topologies::build_fabric(s.topology).ok());
  EXPECT_THAT(
      first_error("name: tree\nfabric: {topology: fat-tree, k: 8, server: {nics: 3}}\n" + kJob),
      HasSubstr("fabric.server: has 3 NIC ports; an edge switch has 4 ports for servers"));
  EXPECT_THAT(first_error("name: tree\nfabric: {topology: fat-tree, k: 8, planes: 2}\n" + kJob),
              HasSubstr("has NICs of 1 port; a NIC has ports to 2 planes"));
}

TEST_F(Composition, DualPlaneAndDualTorNeedNicsWithTwoPorts) {
  const std::string fabric =
      "name: dual\nracks: {count: 2, servers: 2, server: {nic: {ports: 2}}}\n"
      "fabric: {topology: leaf-spine, spines: 2, ";
  for (const char* kind : {"planes: 2", "leaves: 2"}) {
    std::string text = fabric;
    text.append(kind).append("}\n").append(kJob);
    const Scenario s = scenario(text);
    EXPECT_TRUE(topologies::build_fabric(s.topology).ok());
  }
}

TEST_F(Composition, ADomainAloneNeedsNoScaleOut) {
  const Scenario s = scenario(
      "name: rack\nracks: {count: 1, servers: 1, server: gb200-nvl72}\n"
      "fabric: {topology: single-domain}\n" +
      kJob);
  const auto fabric = topologies::build_fabric(s.topology);
  ASSERT_TRUE(fabric.ok());
  EXPECT_EQ(fabric.value().ports.size(), 2U * 1296);
  EXPECT_THAT(
      first_error("name: rack\nracks: {count: 1, servers: 1}\nlinks: {access: {rate: 1Gbps}}\n"
                  "fabric: {topology: single-domain}\n" +
                  kJob),
      HasSubstr("links.access: has no meaning with `topology: single-domain`"));
}

TEST_F(Composition, RefusesSuperUplinksWithoutSuperSpines) {
  EXPECT_THAT(first_error("name: a\nracks: {count: 2, servers: 2}\n"
                          "links: {super_uplink: {rate: 1Gbps}}\n"
                          "fabric: {topology: leaf-spine, spines: 2}\n" +
                          kJob),
              HasSubstr("links.super_uplink: has no meaning here"));
}

// Hosts 0 ... 3 are rack 0 (servers 0, 1 and 2, 3), 4 ... 7 rack 1.
TEST_F(Composition, RanksArePlacedInTheOrderAskedFor) {
  EXPECT_THAT(ranks("all"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(ranks("{order: striped}"), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(ranks("{order: striped-servers}"), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(ranks("{hosts: [5, 0, 4, 3], order: by-rack}"), ElementsAre(0, 3, 5, 4));
  EXPECT_THAT(ranks("{hosts: [5, 0, 4, 3], order: given}"), ElementsAre(5, 0, 4, 3));
  EXPECT_THAT(ranks("{order: striped, count: 3}"), ElementsAre(0, 4, 1));
  const std::vector<std::uint32_t> random = ranks("{order: random}");
  EXPECT_THAT(random, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(random, ::testing::Not(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)));
  EXPECT_EQ(ranks("{random: 8}"), random) << "one seed, one shuffle";
}

TEST_F(Composition, RefusesPlacementsThatDoNotFit) {
  const auto error = [&](const std::string& ranks) {
    return first_error(
        kServers +
        "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MB, ranks: " + ranks + "}]\n");
  };
  EXPECT_THAT(error("{order: striped, count: 9}"), HasSubstr("asks for 9 hosts; there are 8"));
  EXPECT_THAT(error("{order: stripes}"), HasSubstr("jobs[0].ranks.order"));
  EXPECT_THAT(error("[gpu0]"),
              HasSubstr("`gpu0` names no host; there are the hosts 0 to 7 (h0 to"));
}

}  // namespace
}  // namespace weft::scenarios
