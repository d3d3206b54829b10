#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "tools/deploy/hostlist.hpp"
#include "tools/deploy/rank_list.hpp"
#include "tools/deploy/slurm_topology.hpp"
#include "tools/deploy/switch_values.hpp"

namespace weft::deploy {
namespace {

using ::testing::HasSubstr;

scenarios::Experiment experiment_of(const std::string& yaml) {
  auto loaded = scenarios::load_scenario_text(yaml, "test.yaml");
  EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  auto built = scenarios::build_experiment(loaded.value().scenario);
  EXPECT_TRUE(built.ok()) << built.errors().front().to_string();
  return std::move(built).value();
}

std::string slurm_of(const std::string& yaml, std::uint32_t per_node = 0) {
  const auto text = slurm_topology(experiment_of(yaml).fabric, per_node);
  return text.ok() ? text.value().text : text.errors().front().to_string();
}

const std::string kTwoTiers =
    "name: a\n"
    "racks: {count: 2, servers: 2, server: hgx-h100}\n"
    "fabric: {topology: leaf-spine, spines: 2}\n"
    "jobs: [{name: j, type: all-reduce, size: 1MB}]\n";

TEST(Hostlist, HasRangesPerWidthAndNamesWithoutNumbers) {
  EXPECT_EQ(hostlist({"gpu02", "gpu01", "gpu03", "gpu07"}), "gpu[01-03,07]");
  EXPECT_EQ(hostlist({"n9", "n10", "n11"}), "n9,n[10-11]");
  EXPECT_EQ(hostlist({"login", "a1"}), "a1,login");
}

TEST(Slurm, SpinesAreOneSwitchAndLeavesHaveTheirServers) {
  EXPECT_EQ(slurm_of(kTwoTiers),
            "# Slurm topology.conf, for TopologyPlugin=topology/tree\n"
            "SwitchName=leaf0 Nodes=server[0-1]\n"
            "SwitchName=leaf1 Nodes=server[2-3]\n"
            "# tier2-0 stands for spine[0-1]\n"
            "SwitchName=tier2-0 Switches=leaf[0-1]\n");
}

TEST(Slurm, RailsOfAGroupAreOneSwitchAndItIsSaid) {
  const auto e = experiment_of(
      "name: a\n"
      "racks: {count: 2, servers: 2, server: hgx-h100}\n"
      "fabric: {topology: rail-optimised, group: 2, spines: 2}\n"
      "jobs: [{name: j, type: all-reduce, size: 1MB}]\n");
  const auto deployed = slurm_topology(e.fabric, 0);
  ASSERT_TRUE(deployed.ok());
  EXPECT_THAT(deployed.value().text, HasSubstr("# group0 stands for leaf[0-7]\n"
                                               "SwitchName=group0 Nodes=server[0-1]\n"));
  ASSERT_EQ(deployed.value().remarks.size(), 1U);
  EXPECT_THAT(deployed.value().remarks.front(), HasSubstr("NICs on several leaves"));
}

TEST(Slurm, PodsAreSwitchesBetweenLeavesAndTheTop) {
  const std::string text = slurm_of(
      "name: a\n"
      "racks: {count: 4, servers: 1, server: host-400g}\n"
      "fabric: {topology: clos, pods: 2, spines: 2, super_spines: 4}\n"
      "jobs: [{name: j, type: all-reduce, size: 1MB}]\n");
  // Every switch but the last has one parent, every node one leaf.
  std::map<std::string, int> parents;
  std::set<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("SwitchName=")) continue;
    names.insert(line.substr(11, line.find(' ') - 11));
  }
  EXPECT_EQ(names.size(), 4U + 2U + 1U) << text;
}

TEST(Slurm, RacksOfOneDomainAreBlocksOfNodes) {
  EXPECT_THAT(slurm_of("name: a\n"
                       "racks: {count: 2, servers: 1, server: gb200-nvl72}\n"
                       "fabric: {topology: rail-optimised, group: 2, spines: 1}\n"
                       "jobs: [{name: j, type: all-reduce, size: 1MB}]\n",
                       4),
              HasSubstr("BlockName=server0 Nodes=server0n[0-9],server0n[10-17]"));
}

TEST(Slurm, ServersByNameKeepTheirNames) {
  EXPECT_THAT(slurm_of("name: a\n"
                       "racks: {count: 1, servers: 2, server: {nics: 1}}\n"
                       "fabric:\n"
                       "  topology: cabled\n"
                       "  servers: [{name: east}, {name: west}]\n"
                       "  switches: [{name: tor}]\n"
                       "  cables: [{from: east/nic0, to: tor}, {from: west/nic0, to: tor}]\n"
                       "jobs: [{name: j, type: all-reduce, size: 1MB}]\n"),
              HasSubstr("SwitchName=tor Nodes=east,west\n"));
}

const std::string kPlaced =
    "name: a\n"
    "racks: {count: 2, servers: 1, server: hgx-h100}\n"
    "fabric: {topology: leaf-spine, spines: 2}\n"
    "jobs:\n"
    "  - {name: first, type: all-reduce, size: 1MB, ranks: [0, 8, 1, 9]}\n"
    "  - {name: second, type: all-reduce, size: 1MB, ranks: [11, 10]}\n";

TEST(Ranks, StandWithTheirNodeAndGpu) {
  EXPECT_EQ(rank_list(experiment_of(kPlaced)).text,
            "job,rank,node,gpu\n"
            "first,0,server0,0\n"
            "first,1,server1,0\n"
            "first,2,server0,1\n"
            "first,3,server1,1\n"
            "second,0,server1,3\n"
            "second,1,server1,2\n");
}

// A launcher gives the first rank of a node its first GPU; where the scenario does not, it is said.
TEST(Hostfile, NamesTheNodeOfEachRankAndSaysWhichGpusAreNotInOrder) {
  const auto e = experiment_of(kPlaced);
  const auto first = host_file(e, "first");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first.value().text, "server0\nserver1\nserver0\nserver1\n");
  EXPECT_TRUE(first.value().remarks.empty());
  const auto second = host_file(e, "second");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second.value().text, "server1\nserver1\n");
  ASSERT_EQ(second.value().remarks.size(), 1U);
  EXPECT_THAT(second.value().remarks.front(),
              HasSubstr("ranks on server1 are its GPUs 3, 2 in this order: set "
                        "CUDA_VISIBLE_DEVICES=3,2"));
}

TEST(Hostfile, IsOfOneJobThatIsThere) {
  const auto e = experiment_of(kPlaced);
  const auto none = host_file(e, "");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.errors().front().message,
              HasSubstr("2 jobs; name one by --job: `first`, `second`"));
  const auto other = host_file(e, "third");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.errors().front().message, HasSubstr("no job `third`: `first`, `second`"));
  EXPECT_EQ(host_file(experiment_of(kTwoTiers), "").value().text.substr(0, 16),
            "server0\nserver0\n");
}

TEST(SwitchValues, HaveNeededHeadroomBesideWhatIsSetAside) {
  const auto e = experiment_of(
      "name: a\n"
      "racks: {count: 2, servers: 2, server: host-400g}\n"
      "links: {uplink: {length: 300m, cable: fibre}}\n"
      "fabric:\n"
      "  topology: leaf-spine\n"
      "  spines: 1\n"
      "  switch: {part: spectrum-4, cell: 1B}\n"
      "  flow_control: {type: pfc, headroom: 60KB}\n"
      "jobs: [{name: j, type: all-reduce, size: 1MB}]\n");
  const auto deployed = switch_values(e);
  ASSERT_TRUE(deployed.ok());
  std::map<std::string, std::int64_t> needed;
  std::istringstream lines(deployed.value().text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(",headroom_needed,");
    if (at != std::string::npos) needed[line.substr(0, at)] = std::stoll(line.substr(at + 17));
  }
  ASSERT_EQ(needed.size(), 2U * 3 + 2);
  // 300 m are 295 m more than a cable to a server: two times their delay at 400 Gb/s, 5 ns per
  // metre.
  std::int64_t lowest = INT64_MAX;
  std::int64_t highest = 0;
  for (const auto& [port, bytes] : needed) {
    lowest = std::min(lowest, bytes);
    highest = std::max(highest, bytes);
  }
  EXPECT_NEAR(static_cast<double>(highest - lowest), 2 * 297 * 5e-9 * 400e9 / 8, 20'000);
  EXPECT_THAT(deployed.value().remarks, ::testing::Contains(HasSubstr("less headroom than")));
  EXPECT_THAT(deployed.value().text, HasSubstr(",headroom,60000,bytes,scenario"));
}

/// Values of a parameter, by line: `switch,port,class`.
std::map<std::string, std::int64_t> values_of(const std::string& csv, const std::string& name) {
  std::map<std::string, std::int64_t> values;
  std::istringstream lines(csv);
  const std::string parameter = "," + name + ",";
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(parameter);
    if (at == std::string::npos) continue;
    values[line.substr(0, at)] = std::stoll(line.substr(at + parameter.size()));
  }
  return values;
}

// A pool that is never empty holds what each port may take beyond its own part, of all ports at
// once: no more than its headroom, and no more than can arrive.
TEST(SwitchValues, SayWhatAHeadroomPoolNeeds) {
  const auto e = experiment_of(
      "name: a\n"
      "racks: {count: 2, servers: 2, server: host-400g}\n"
      "links: {uplink: {length: 300m, cable: fibre}}\n"
      "fabric:\n"
      "  topology: leaf-spine\n"
      "  spines: 1\n"
      "  switch: {part: spectrum-4, cell: 1B, buffer: 50MB, headroom_pool: 300KB}\n"
      "  flow_control: {type: pfc, headroom: 200KB, headroom_reserved: 10KB}\n"
      "  changes:\n"
      "    - {node: spine0, headroom_pool: 900KB}\n"
      "    - {node: leaf0, to: h0, classes: [{name: data, flow_control: {type: pfc, headroom: "
      "50KB, "
      "headroom_reserved: 20KB, xoff: 77KB, xon: 60KB}, ecn: {type: step, kmin: 44KB}}]}\n"
      "jobs: [{name: j, type: all-reduce, size: 1MB}]\n");
  const auto deployed = switch_values(e);
  ASSERT_TRUE(deployed.ok());
  const std::string& csv = deployed.value().text;
  EXPECT_THAT(csv, HasSubstr("leaf0,,,buffer,50000000,bytes,scenario\n"));
  EXPECT_THAT(csv, HasSubstr("leaf0,,,headroom_pool,300000,bytes,scenario\n"));
  EXPECT_THAT(csv, HasSubstr("spine0,,,headroom_pool,900000,bytes,scenario\n"));
  // What one port has of its own, and no other.
  const auto headroom = values_of(csv, "headroom");
  EXPECT_EQ(std::ranges::count(headroom, 50'000, [](const auto& one) { return one.second; }), 1);
  EXPECT_EQ(values_of(csv, "pfc_xoff").at("leaf0,leaf0[0]->h0,data"), 77'000);
  EXPECT_EQ(values_of(csv, "ecn_min").at("leaf0,leaf0[0]->h0,data"), 44'000);
  const auto needed = values_of(csv, "headroom_needed");
  const auto reserved = values_of(csv, "headroom_reserved");
  std::map<std::string, std::int64_t> pools;
  for (const auto& [port, bytes] : needed) {
    pools[port.substr(0, port.find(',')) + ",,"] +=
        std::min(bytes, headroom.at(port)) - reserved.at(port);
  }
  EXPECT_EQ(values_of(csv, "headroom_pool_needed"), pools);
  EXPECT_GT(pools.at("leaf0,,"), 300'000 / 3);
  EXPECT_THAT(
      deployed.value().remarks,
      ::testing::Contains(HasSubstr("a smaller headroom pool than all ports need at once")));
}

TEST(SwitchValues, NeedALosslessClass) {
  const auto e = experiment_of(
      "name: a\n"
      "racks: {count: 1, servers: 2, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1, flow_control: none}\n"
      "jobs: [{name: j, type: all-reduce, size: 1MB}]\n");
  EXPECT_FALSE(switch_values(e).ok());
}

}  // namespace
}  // namespace weft::deploy
