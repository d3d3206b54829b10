// What is not as its likes are: a regular fabric of four servers, two leaves and two spines, with
// one thing planted. Each kind is named once, with the line of the file and what a picture marks.

#include "scenarios/checks/odd/odd_ones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/checks/odd/cabling.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::testing {
namespace {

using namespace weft::literals;
using scenarios::OddOne;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Planted {
  std::string changes{};            ///< of `fabric.changes`, a line each
  std::string head{};               ///< other keys of the file
  std::vector<std::string> lost{};  ///< cables that are left out, by their beginning
  std::vector<std::pair<std::string, std::string>> replaced{};
};

/// gpu1 and gpu2 on leaf1, gpu3 and gpu4 on leaf2; two cables from each leaf to each spine.
std::string file_of(const Planted& planted) {
  std::string text =
      "name: regular\n"
      "racks: {count: 1, servers: 4, server: {gpus: 0, nics: 4, nic: connectx-7}}\n"
      "links: {access: {length: 3m, cable: copper}, uplink: {length: 20m, cable: fibre}}\n"
      "jobs: [{name: a, type: permutation, size: 1MB}]\n" +
      planted.head +
      "fabric:\n"
      "  topology: cabled\n"
      "  switch: {part: tomahawk-5, buffer: 100MB}\n"
      "  classes:\n"
      "    - name: roce\n"
      "      flow_control: {type: pfc, threshold: dynamic, alpha: 1, headroom: 400000B}\n"
      "      ecn: {type: red, kmin: 1MB, kmax: 2MB, pmax: 0.05}\n" +
      (planted.changes.empty() ? "" : "  changes:\n" + planted.changes) +
      "  servers:\n"
      "    - {name: gpu1, nics: [m0, m1, m2, m3]}\n"
      "    - {name: gpu2, nics: [m0, m1, m2, m3]}\n"
      "    - {name: gpu3, nics: [m0, m1, m2, m3]}\n"
      "    - {name: gpu4, nics: [m0, m1, m2, m3]}\n"
      "  switches: [{name: leaf1, tier: 1}, {name: leaf2, tier: 1}, {name: spine1, tier: 2}, "
      "{name: spine2, tier: 2}]\n"
      "  cables:\n";
  const auto add = [&](const std::string& from, const std::string& to, int copy) {
    const std::string ends = "{from: " + from + ", to: " + to;
    const std::string known = ends + "#" + std::to_string(copy);
    if (std::ranges::find(planted.lost, known) != planted.lost.end()) return;
    text += "    - " + ends + ", rate: 400Gbps}  # cables.csv:" + std::to_string(copy) + "\n";
  };
  for (int server = 1; server <= 4; ++server) {
    for (int nic = 0; nic < 4; ++nic) {
      add("gpu" + std::to_string(server) + "/m" + std::to_string(nic),
          server <= 2 ? "leaf1" : "leaf2", 10 * server + nic);
    }
  }
  for (const char* leaf : {"leaf1", "leaf2"}) {
    for (const char* spine : {"spine1", "spine2"}) {
      for (int copy = 0; copy < 2; ++copy) add(leaf, spine, 100 + copy);
    }
  }
  for (const auto& [old, value] : planted.replaced) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    text.replace(at, old.size(), value);
  }
  return text;
}

struct Found {
  std::string text;  ///< of the file
  Fabric fabric;
  std::vector<OddOne> odd;

  /// The line of the file that has these words.
  [[nodiscard]] int line_of(const std::string& words) const {
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(text.find(words));
    return 1 + static_cast<int>(std::count(text.begin(), at, '\n'));
  }
  [[nodiscard]] std::vector<std::string> nodes() const {
    std::vector<std::string> names;
    for (const NodeId node : odd.front().nodes) names.push_back(fabric.node(node).name);
    return names;
  }
  /// Both ends of the cables, by name.
  [[nodiscard]] std::vector<std::string> cables() const {
    std::vector<std::string> names;
    for (const PortId port : odd.front().ports) {
      names.push_back(fabric.node(fabric.port(port).node).name + " " +
                      fabric.node(fabric.peer_node(port)).name);
    }
    return names;
  }
};

Found find(const Planted& planted) {
  Found found{file_of(planted), {}, {}};
  const auto loaded = scenarios::load_scenario_text(found.text, "regular.yaml");
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.errors().front().to_string())
                           << found.text;
  if (!loaded.ok()) return found;
  auto fabric = scenarios::build_scenario_fabric(loaded.value().scenario);
  EXPECT_TRUE(fabric.ok());
  found.fabric = std::move(fabric).value();
  found.odd = scenarios::find_odd_ones(loaded.value(), found.fabric);
  return found;
}

std::string all_of(const Found& found) {
  std::string text;
  for (const OddOne& odd : found.odd) text += scenarios::odd_one_text(odd) + "\n";
  return text;
}

TEST(OddOnes, ARegularFabricHasNone) { EXPECT_EQ(all_of(find({})), ""); }

TEST(OddOnes, ASlowCableBetweenSwitches) {
  const Found found = find({.replaced = {{"leaf2, to: spine1, rate: 400Gbps}  # cables.csv:101",
                                          "leaf2, to: spine1, rate: 200Gbps}  # cables.csv:77"}}});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_EQ(found.odd[0].text, "leaf2 to spine1 runs at 200 Gb/s; most of its likes at 400");
  EXPECT_EQ(found.odd[0].where.line, found.line_of("200Gbps"));
  EXPECT_EQ(found.odd[0].where.file, "regular.yaml");
  EXPECT_EQ(found.odd[0].from, "cables.csv:77");
  EXPECT_EQ(found.cables(), std::vector<std::string>{"leaf2 spine1"});
}

// The NIC of that name runs faster at most servers.
TEST(OddOnes, ASlowCableOfAServer) {
  const Found found = find(
      {.replaced = {{"gpu3/m1, to: leaf2, rate: 400Gbps", "gpu3/m1, to: leaf2, rate: 100Gbps"}}});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_EQ(found.odd[0].text, "gpu3/m1 to leaf2 runs at 100 Gb/s; most of its likes at 400");
  EXPECT_EQ(found.odd[0].where.line, found.line_of("100Gbps"));
  EXPECT_EQ(found.cables(), std::vector<std::string>{"gpu3/m1 leaf2"});
}

// Slower servers that have a leaf to themselves are other servers, and no finding.
TEST(OddOnes, ALeafOfSlowerServersIsNone) {
  Planted planted;
  for (const char* server : {"gpu3", "gpu4"}) {
    for (int nic = 0; nic < 4; ++nic) {
      const std::string cable =
          std::string(server) + "/m" + std::to_string(nic) + ", to: leaf2, rate: ";
      planted.replaced.emplace_back(cable + "400Gbps", cable + "200Gbps");
    }
  }
  EXPECT_EQ(all_of(find(planted)), "");
}

// The same where most leaves have faster servers, and one slow server among them.
TEST(OddOnes, OfThreeLeavesOneMayHaveSlowerServers) {
  for (const bool is_mixed : {false, true}) {
    scenarios::Cabling fabric;
    for (std::size_t leaf = 0; leaf < 3; ++leaf) {
      fabric.switches.push_back({"leaf" + std::to_string(leaf), 1});
      for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t server = 2 * leaf + i;
        fabric.servers.push_back({"gpu" + std::to_string(server), {"m0"}});
        const bool is_slow = leaf == 2 && (i == 0 || !is_mixed);
        fabric.cables.push_back({{true, server, 0},
                                 {false, leaf, 0},
                                 is_slow ? 200'000'000'000_bps : 400'000'000'000_bps,
                                 {}});
      }
    }
    const auto found = scenarios::find_odd_cables(fabric);
    ASSERT_EQ(found.size(), is_mixed ? 1U : 0U);
    if (!is_mixed) continue;
    EXPECT_EQ(found[0].text, "gpu4/m0 to leaf2 runs at 200 Gb/s; most of its likes at 400");
  }
}

TEST(OddOnes, AMissingCableBetweenSwitches) {
  const Found found = find({.lost = {"{from: leaf2, to: spine1#101"}});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_EQ(found.odd[0].text,
            "leaf2 and spine1 are joined by 1 cable; most pairs of switches by 2");
  EXPECT_EQ(found.odd[0].where.line, found.line_of("{from: leaf2, to: spine1"));
  EXPECT_EQ(found.nodes(), (std::vector<std::string>{"leaf2", "spine1"}));
}

TEST(OddOnes, AMissingCableOfAServer) {
  // GPUs whose NICs are their own; one reaches the others of its server alone.
  const std::string text =
      "name: gpus\n"
      "racks: {count: 1, servers: 2, server: hgx-h100}\n"
      "jobs: [{name: a, type: all-reduce, size: 1MB, ranks: [0, 1]}]\n"
      "fabric:\n  topology: cabled\n  servers: [{name: x},\n    {name: y}]\n"
      "  switches: [{name: leaf, tier: 1}]\n  cables:\n";
  std::string cables;
  for (const char* server : {"x", "y"}) {
    for (int nic = 0; nic < 8; ++nic) {
      if (server[0] == 'y' && nic == 5) continue;
      cables += "    - {from: " + std::string(server) + "/nic" + std::to_string(nic) +
                ", to: leaf, rate: 400Gbps, length: 3m, cable: copper}\n";
    }
  }
  const auto loaded = scenarios::load_scenario_text(text + cables, "gpus.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto fabric = scenarios::build_scenario_fabric(loaded.value().scenario);
  ASSERT_TRUE(fabric.ok()) << fabric.errors().front().to_string();
  const auto odd = scenarios::find_odd_ones(loaded.value(), fabric.value());
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0].text, "y/nic5 has no cable");
  EXPECT_EQ(odd[0].where.line, 7);
  ASSERT_EQ(odd[0].nodes.size(), 1U);
  EXPECT_EQ(fabric.value().node(odd[0].nodes[0]).name, "y/nic5");
}

TEST(OddOnes, AMiswiredCable) {
  const Found found = find({.replaced = {{"gpu2/m3, to: leaf1", "gpu2/m3, to: leaf2"}}});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_EQ(found.odd[0].text, "gpu2/m3 is on leaf2; most NICs of gpu2 are on leaf1");
  EXPECT_EQ(found.odd[0].where.line, found.line_of("gpu2/m3, to: leaf2"));
  EXPECT_EQ(found.nodes(), std::vector<std::string>{"gpu2/m3"});
  EXPECT_EQ(found.cables(), std::vector<std::string>{"gpu2/m3 leaf2"});
}

// NIC k of every server belongs on leaf k: two of one server are swapped.
TEST(OddOnes, TwoCablesThatAreSwapped) {
  scenarios::Cabling rails;
  for (const char* leaf : {"leaf0", "leaf1", "leaf2", "leaf3", "leaf4", "leaf5"}) {
    rails.switches.push_back({leaf, 1});
  }
  for (std::size_t server = 0; server < 4; ++server) {
    rails.servers.push_back({"gpu" + std::to_string(server), {"a", "b", "c", "d", "e", "f"}});
    for (std::size_t nic = 0; nic < 6; ++nic) {
      const std::size_t leaf = server == 2 && (nic == 1 || nic == 2) ? 3 - nic : nic;
      rails.cables.push_back({{true, server, nic}, {false, leaf, 0}, 400'000'000'000_bps, {}});
    }
  }
  const auto found = scenarios::find_odd_cables(rails);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "gpu2/b is on leaf2; the same NIC of gpu0 is on leaf1");
  EXPECT_EQ(found[1].text, "gpu2/c is on leaf1; the same NIC of gpu0 is on leaf2");
}

/// Servers in pairs under a leaf of their own, with eight NICs each, and the leaf of some changed.
scenarios::Cabling pairs_under_leaves(
    std::size_t servers, const std::map<std::pair<std::size_t, std::size_t>, std::size_t>& moved) {
  scenarios::Cabling fabric;
  for (const char* leaf : {"leaf0", "leaf1", "leaf2", "other"}) {
    fabric.switches.push_back({leaf, 1});
  }
  for (std::size_t server = 0; server < servers; ++server) {
    fabric.servers.push_back(
        {"gpu" + std::to_string(server), {"a", "b", "c", "d", "e", "f", "g", "h"}});
    for (std::size_t nic = 0; nic < 8; ++nic) {
      const auto at = moved.find({server, nic});
      const std::size_t leaf = at == moved.end() ? server / 2 : at->second;
      fabric.cables.push_back({{true, server, nic}, {false, leaf, 0}, 400'000'000'000_bps, {}});
    }
  }
  return fabric;
}

// Two leaves of two servers each: half of the servers have a NIC that is not with its others.
TEST(OddOnes, CablesOfTwoServersThatAreSwapped) {
  const auto found = scenarios::find_odd_cables(pairs_under_leaves(4, {{{0, 0}, 1}, {{2, 0}, 0}}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "gpu0/a is on leaf1; most NICs of gpu0 are on leaf0");
  EXPECT_EQ(found[1].text, "gpu2/a is on leaf0; most NICs of gpu2 are on leaf1");
}

// The last NIC of every server is on a switch where no server is at home: it is meant so.
TEST(OddOnes, ANicThatAllServersHaveApart) {
  EXPECT_TRUE(scenarios::find_odd_cables(
                  pairs_under_leaves(4, {{{0, 7}, 3}, {{1, 7}, 3}, {{2, 7}, 3}, {{3, 7}, 3}}))
                  .empty());
}

// Most leaves reach both spines.
TEST(OddOnes, ALeafThatMissesASpine) {
  scenarios::Cabling fabric;
  for (std::size_t i = 0; i < 5; ++i) fabric.switches.push_back({"leaf" + std::to_string(i), 1});
  fabric.switches.push_back({"spine0", 2});
  fabric.switches.push_back({"spine1", 2});
  for (std::size_t leaf = 0; leaf < 5; ++leaf) {
    for (const std::size_t spine : {5U, 6U}) {
      if (leaf == 3 && spine == 6) continue;
      fabric.cables.push_back({{false, leaf, 0}, {false, spine, 0}, {}, {}});
    }
  }
  const auto found = scenarios::find_odd_cables(fabric);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "leaf3 has no cable to spine1, which 4 of 5 leaves have");
}

std::string roce(const std::string& keys) { return "classes: [{name: roce, " + keys + "}]}"; }

TEST(OddOnes, ALeafWithOtherThresholds) {
  const Found found =
      find({.changes = "    - {node: \"*\", to: leaf1, honours_pause: true}\n"
                       "    - {node: spine2, " +
                       roce("ecn: {type: red, kmin: 100KB, kmax: 200KB, pmax: 0.05}") +
                       "  # config_db-spine02.json:165\n"});
  // Two spines differ: which of them is meant, nothing says.
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_THAT(found.odd[0].text, StartsWith("spine2: ECN of class roce 100,000 B to 200,000 B at "
                                            "5 %, spine1 to leaf1 has 1,000,000 B to 2,000,000 B"));
  EXPECT_THAT(found.odd[0].text, HasSubstr("which of them is meant?"));
  EXPECT_EQ(found.odd[0].where.key, "fabric.changes[1]");
  EXPECT_EQ(found.odd[0].where.line, found.line_of("node: spine2"));
  EXPECT_EQ(found.odd[0].from, "config_db-spine02.json:165");
  EXPECT_EQ(found.nodes(), std::vector<std::string>{"spine2"});
}

TEST(OddOnes, APortWithAnotherThreshold) {
  const Found found =
      find({.changes = "    - {node: leaf1, to: gpu2/m1, " +
                       roce("flow_control: {type: pfc, threshold: dynamic, alpha: 0.5, headroom: "
                            "400000B}") +
                       "\n"});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_THAT(found.odd[0].text,
              StartsWith("leaf1 to gpu2/m1: XOFF threshold of class roce alpha 0.5, "));
  EXPECT_THAT(found.odd[0].text, HasSubstr(", leaf2 to gpu3/m0 has alpha 1: the odd one out"));
  EXPECT_EQ(found.odd[0].where.line, found.line_of("alpha: 0.5"));
  EXPECT_EQ(found.cables(), std::vector<std::string>{"leaf1 gpu2/m1"});
}

// A code point that comes to a class without PFC at one switch is a lossy class there.
TEST(OddOnes, AClassThatIsLossyAtOnePort) {
  const Found found =
      find({.changes = "    - {node: leaf2, to: gpu4/m0, " + roce("flow_control: none") + "\n"});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_THAT(found.odd[0].text, StartsWith("leaf2 to gpu4/m0: flow control of class roce none, "));
  EXPECT_THAT(found.odd[0].text, HasSubstr("has PFC: the odd one out"));
  EXPECT_EQ(found.odd[0].where.line, found.line_of("flow_control: none"));
}

TEST(OddOnes, PausesThatOnePortDoesNotObey) {
  const Found found = find({.changes = "    - {node: leaf2, to: spine1, honours_pause: false}\n"});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_THAT(found.odd[0].text, StartsWith("leaf2 to spine1: pauses not obeyed, "));
  EXPECT_EQ(found.cables().size(), 2U);  // both cables to that spine
}

TEST(OddOnes, ASwitchWithAnotherBufferOrWatchdog) {
  const Found buffer = find({.changes = "    - {node: leaf2, buffer: 50MB}\n"});
  ASSERT_EQ(buffer.odd.size(), 1U) << all_of(buffer);
  EXPECT_EQ(buffer.odd[0].text,
            "leaf2: buffer 50,000,000 B, leaf1 has 100,000,000 B: which of them is meant?");
  EXPECT_EQ(buffer.odd[0].where.line, buffer.line_of("50MB"));
  const Found dog = find(
      {.changes = "    - {node: leaf2, to: spine2, pfc_watchdog: {detection: 200ms, restoration: "
                  "200ms}}\n"});
  ASSERT_EQ(dog.odd.size(), 1U) << all_of(dog);
  EXPECT_THAT(dog.odd[0].text, StartsWith("leaf2 to spine2: PFC watchdog after 200 ms"));
}

// 3 m of copper at 400 Gbps: (2 x 15 ns of cable, 4 transceivers, 905 quanta) x 50 B/ns and packets
// are far above 20,480 B, whatever the pipeline of the switch.
TEST(OddOnes, HeadroomBelowWhatTheCableNeeds) {
  const Found found =
      find({.changes = "    - {node: leaf1, to: gpu1/m0, " +
                       roce("flow_control: {type: pfc, threshold: dynamic, alpha: 1, headroom: "
                            "20480B}") +
                       "\n"});
  ASSERT_EQ(found.odd.size(), 2U) << all_of(found);  // and it differs from its peers
  EXPECT_THAT(found.odd[0].text, StartsWith("leaf1 to gpu1/m0: headroom 20,480 B < "));
  EXPECT_THAT(found.odd[0].text, HasSubstr("class roce loses packets in spite of PFC"));
  EXPECT_EQ(found.odd[0].where.line, found.line_of("20480B"));
  EXPECT_THAT(found.odd[1].text, HasSubstr("headroom for 400 Gbps"));
}

// With 100 MB and alpha 1, one port alone pauses at 50 MB.
TEST(OddOnes, EcnAboveXoff) {
  EXPECT_EQ(all_of(find({.replaced = {{"kmax: 2MB", "kmax: 50MB"}}})), "");
  const Found found = find({.replaced = {{"kmax: 2MB", "kmax: 50001KB"}}});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_THAT(found.odd[0].text,
              HasSubstr("ECN's maximum 50,001,000 B is above XOFF, 50,000,000 B at most"));
  EXPECT_EQ(found.odd[0].where.line, found.line_of("name: roce"));
  const Found one =
      find({.changes = "    - {node: leaf2, to: spine1, " +
                       roce("flow_control: {type: pfc, threshold: static, xoff: 900KB, xon: 800KB, "
                            "headroom: 400000B}") +
                       "\n"});
  ASSERT_FALSE(one.odd.empty());
  EXPECT_THAT(one.odd[0].text, HasSubstr("leaf2 to spine1: ECN's minimum 1,000,000 B is above "
                                         "XOFF, 900,000 B at most"));
  EXPECT_EQ(one.odd[0].where.line, one.line_of("xoff: 900KB"));
}

// Two leaves differ: the one where the class is lossy is named, and what follows from that is not.
TEST(OddOnes, OfTwoLeavesTheLossyOne) {
  for (const char* leaf : {"leaf1", "leaf2"}) {
    const Found found = find({.changes = std::string("    - {node: ") + leaf + ", " +
                                         roce("flow_control: none, ecn: none") + "\n"});
    ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
    EXPECT_THAT(found.odd[0].text,
                StartsWith(std::string(leaf) + ": flow control of class roce none, "));
    EXPECT_EQ(found.odd[0].where.line, found.line_of("flow_control: none"));
    EXPECT_EQ(found.nodes(), std::vector<std::string>{leaf});
  }
}

TEST(OddOnes, MtusThatDiffer) {
  const Found ends = find({.changes = "    - {node: \"*\", mtu: 9100B}\n"
                                      "    - {node: leaf1, to: spine2, mtu: 5000B}\n"});
  ASSERT_EQ(ends.odd.size(), 1U) << all_of(ends);
  EXPECT_EQ(ends.odd[0].text,
            "MTU 5,000 B at leaf1 to spine2, 9,100 B at the other end of 2 cables: larger packets "
            "are lost in one direction");
  EXPECT_EQ(ends.odd[0].where.line, ends.line_of("5000B"));
  EXPECT_EQ(ends.cables().size(), 2U);
  // Both ends of the cables of one NIC: it differs from its peers.
  const Found peers = find({.changes = "    - {node: \"*\", mtu: 9100B}\n"
                                       "    - {node: gpu3/m3, mtu: 5000B}\n"
                                       "    - {node: leaf2, to: gpu3/m3, mtu: 5000B}\n"});
  ASSERT_EQ(peers.odd.size(), 1U) << all_of(peers);
  EXPECT_THAT(peers.odd[0].text, StartsWith("leaf2 to gpu3/m3: MTU 5,000 B, "));
  EXPECT_EQ(peers.odd[0].where.key, "fabric.changes[2]");
}

// A run from whose beginning a cable is slow has a slow cable; later it is an incident.
TEST(OddOnes, FaultsThatLast) {
  const Found found =
      find({.head = "faults:\n  - {type: link-rate, from: gpu3/m1, rate: 200Gbps}  # topo.xml:81\n"
                    "  - {type: link-rate, from: gpu3/m2, rate: 200Gbps, at: 1ms}\n"});
  ASSERT_EQ(found.odd.size(), 1U) << all_of(found);
  EXPECT_EQ(scenarios::odd_one_text(found.odd[0]),
            "gpu3/m1 runs at 200 Gbps of 400 Gbps (regular.yaml:6: faults[0]; topo.xml:81)");
  EXPECT_EQ(found.cables(), std::vector<std::string>{"gpu3/m1 leaf2"});
}

// Three tiers whose switches all hash with one seed: what a leaf chose, the next tier chooses
// again.
TEST(OddOnes, HashesThatPolarise) {
  for (const char* seeds : {"same", "per-switch"}) {
    const std::string text =
        std::string("name: three\nracks: {count: 8, servers: 4, server: host-400g}\n") +
        "jobs: [{name: a, type: permutation, size: 1MB}]\n" +
        "fabric:\n  topology: clos\n  pods: 4\n  spines: 2\n  super_spines: 4\n" +
        "  hash: {seeds: " + seeds + "}\n";
    const auto loaded = scenarios::load_scenario_text(text, "three.yaml");
    ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    const auto fabric = scenarios::build_scenario_fabric(loaded.value().scenario);
    ASSERT_TRUE(fabric.ok());
    const auto routes = topologies::build_routes(fabric.value(), loaded.value().scenario.topology);
    ASSERT_TRUE(routes.ok());
    const auto found = scenarios::find_polarised(loaded.value(), fabric.value(), routes.value());
    EXPECT_EQ(found.has_value(), std::string(seeds) == "same");
    if (!found) continue;
    EXPECT_THAT(found->text, StartsWith("hashes polarise: traffic from "));
    EXPECT_EQ(found->where.line, 9);
    EXPECT_EQ(found->nodes.size(), 1U);
  }
}

// What the file says of a changed link is where it is changed.
TEST(OddOnes, AChangedLinkNamesItsChange) {
  const Found found = find({.replaced = {{"links: {access",
                                          "links: {changes: [{from: leaf1, to: "
                                          "spine1, rate: 100Gbps}], access"}}});
  ASSERT_EQ(found.odd.size(), 2U) << all_of(found);
  EXPECT_EQ(found.odd[0].where.key, "links.changes[0]");
  EXPECT_EQ(found.odd[0].where.line, 3);
}

}  // namespace
}  // namespace weft::testing
