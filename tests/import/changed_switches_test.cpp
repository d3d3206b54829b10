// Settings of SONiC switches and ports that differ become entries of `fabric.changes`, and the
// scenario that is written has them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/odd/odd_ones.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "tests/import/support/samples.hpp"
#include "tools/import/cluster/cluster.hpp"
#include "tools/import/cluster/scenario_text.hpp"
#include "tools/import/formats.hpp"

namespace weft::import {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// What is replaced in the settings of one of the switches, all places of it or the first.
struct SwitchEdit {
  std::string device;
  std::string from;
  std::string to;
  bool everywhere = true;
};

std::string imported(const std::vector<SwitchEdit>& edits) {
  Description description;
  for (const std::string device : {"leaf01", "leaf02", "spine01", "spine02"}) {
    std::string text = sample_text("fabric/config_db-" + device + ".json");
    for (const SwitchEdit& edit : edits) {
      if (edit.device != device) continue;
      EXPECT_NE(text.find(edit.from), std::string::npos) << edit.from;
      for (std::size_t at = text.find(edit.from); at != std::string::npos;
           at = edit.everywhere ? text.find(edit.from, at + edit.to.size()) : std::string::npos) {
        text.replace(at, edit.from.size(), edit.to);
      }
    }
    read_file(InputFile("config_db-" + device + ".json", text), nullptr, description);
  }
  Cluster cluster = join(description, {});
  return scenario_text(cluster, description, {}, "cluster");
}

scenarios::Experiment built(const std::string& yaml) {
  const auto loaded = scenarios::load_scenario_text(yaml, "cluster.yaml", {});
  if (!loaded.ok()) throw std::runtime_error(loaded.errors().front().to_string());
  auto experiment = scenarios::build_experiment(loaded.value());
  if (!experiment.ok()) throw std::runtime_error(experiment.errors().front().to_string());
  return std::move(experiment).value();
}

// Leaves have cables of 5 m to servers and of 40 m to spines, and a headroom for each.
TEST(ChangedSwitches, HaveTheHeadroomOfEachPort) {
  const std::string yaml = imported({});
  EXPECT_THAT(yaml, HasSubstr("pfc_watchdog: {detection: 200ms, restoration: 200ms, action: drop, "
                              "poll: 200ms}"));
  EXPECT_THAT(yaml, Not(HasSubstr("headroom: exact")));
  EXPECT_THAT(yaml, Not(HasSubstr("not simulated")));
  const scenarios::Experiment e = built(yaml);
  const protocols::SwitchConfig& switches = e.scenario.switches;
  EXPECT_TRUE(switches.watchdog.enabled);
  std::size_t ports = 0;
  for (const NodeId at : e.fabric.switches) {
    const Node& node = e.fabric.node(at);
    if (node.network == NetworkKind::kScaleUp || node.is_nic) continue;
    for (std::uint32_t p = 0; p < node.port_count; ++p, ++ports) {
      const PortId port(node.first_port.value() + p);
      const bool is_to_host =
          e.fabric.node(e.fabric.peer_node(port)).name.find("spine") == std::string::npos &&
          node.name.find("spine") == std::string::npos;
      const protocols::TrafficClass& roce = switches.class_at(port, ClassId(1U));
      ASSERT_EQ(roce.name, "roce");
      EXPECT_EQ(roce.pfc().headroom_bytes, is_to_host ? 393'192_B : 612'140_B)
          << e.fabric.port_name(port);
    }
  }
  EXPECT_EQ(ports, 4U * 16 + 2 * 16) << "32 cables to servers, 32 to spines";
}

TEST(ChangedSwitches, HaveTheThresholdsOfTheirOwnSwitch) {
  const std::string yaml = imported(
      {{"leaf02", "\"green_min_threshold\": \"1048576\"", "\"green_min_threshold\": \"65536\""},
       {"spine02", "\"size\": \"166115492\"", "\"size\": \"200000000\""}});
  EXPECT_THAT(yaml, HasSubstr("node: spine02, buffer: 200000000B"));
  const scenarios::Experiment e = built(yaml);
  for (const NodeId at : e.fabric.switches) {
    const Node& node = e.fabric.node(at);
    if (node.network == NetworkKind::kScaleUp || node.is_nic) continue;
    EXPECT_EQ(e.scenario.switches.buffer_of(node),
              node.name == "spine02" ? 200'000'000_B : 166'115'492_B);
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      const PortId port(node.first_port.value() + p);
      EXPECT_EQ(e.scenario.switches.class_at(port, ClassId(1U)).ecn.kmin,
                node.name == "leaf02" ? 65'536_B : 1'048'576_B);
    }
  }
}

// What `weft check` says of the scenario that was written, with the place in the files.
std::string odd_ones(const std::string& yaml) {
  const auto loaded = scenarios::load_scenario_text(yaml, "cluster.yaml", {});
  if (!loaded.ok()) throw std::runtime_error(loaded.errors().front().to_string());
  const auto fabric = scenarios::build_scenario_fabric(loaded.value().scenario);
  if (!fabric.ok()) throw std::runtime_error(fabric.errors().front().to_string());
  std::string text;
  for (const auto& odd : scenarios::find_odd_ones(loaded.value(), fabric.value())) {
    text += scenarios::odd_one_text(odd) + "\n";
  }
  return text;
}

TEST(ChangedSwitches, AreOddOnesOfTheScenario) {
  EXPECT_EQ(odd_ones(imported({})), "");
  const std::string ecn = odd_ones(imported(
      {{"leaf02", "\"green_min_threshold\": \"1048576\"", "\"green_min_threshold\": \"65536\""}}));
  EXPECT_THAT(ecn, HasSubstr("leaf02: ECN of class roce 65,536 B to 2,097,152 B at 5 %"));
  EXPECT_THAT(ecn, HasSubstr("fabric.changes["));
  EXPECT_THAT(ecn, HasSubstr("config_db-leaf02.json:"));
  const std::string buffer =
      odd_ones(imported({{"spine02", "\"size\": \"166115492\"", "\"size\": \"200000000\""}}));
  EXPECT_THAT(buffer, HasSubstr("spine02: buffer 200,000,000 B, spine01 has 166,115,492 B"));
  EXPECT_THAT(buffer, HasSubstr("config_db-spine02.json:"));
  const std::string dscp = odd_ones(imported({{"leaf01", "\"26\": \"3\"", "\"26\": \"0\""}}));
  EXPECT_THAT(dscp, HasSubstr("leaf01: flow control of class roce none, leaf02 to "));
}

// MTUs are written where they differ: what most ports of a switch have, and what some have.
TEST(ChangedSwitches, HaveMtusThatDiffer) {
  EXPECT_THAT(imported({}), Not(HasSubstr("mtu:")));
  const std::string yaml = imported({{"leaf02", "\"mtu\": \"9100\"", "\"mtu\": \"5000\"", false}});
  EXPECT_THAT(yaml, HasSubstr("{node: \"leaf02\", mtu: 9100B}  # config_db-leaf02.json:"));
  EXPECT_THAT(yaml, HasSubstr("{node: \"leaf02\", to: \"gpu03/"));
  EXPECT_THAT(odd_ones(yaml), HasSubstr("leaf02 to gpu03/"));
  EXPECT_THAT(odd_ones(yaml), HasSubstr("MTU 5,000 B, "));
}

// A leaf whose RoCE pauses in priority 4 stops nobody who waits for priority 3, and is not stopped.
TEST(ChangedSwitches, DoNotObeyPausesOfAnotherPriority) {
  EXPECT_THAT(imported({}), Not(HasSubstr("honours_pause")));
  const std::string yaml = imported({{"leaf01", "\"26\": \"3\"", "\"26\": \"4\""},
                                     {"leaf01", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"4\""},
                                     {"leaf01", "|3\": {\"scheduler", "|4\": {\"scheduler"}});
  for (const char* entry : {"{node: \"leaf01\", to: \"spine02\", honours_pause: false}",
                            "{node: \"spine02\", to: \"leaf01\", honours_pause: false}",
                            "{node: \"leaf01\", to: \"gpu02/", "{node: \"gpu02/"}) {
    EXPECT_THAT(yaml, HasSubstr(entry));
  }
  EXPECT_THAT(yaml, Not(HasSubstr("{node: \"leaf02\", to: \"spine02\", honours_pause")));
  EXPECT_THAT(yaml, Not(HasSubstr("{node: \"gpu03/")));
  const scenarios::Experiment e = built(yaml);
  for (std::size_t i = 0; i < e.fabric.ports.size(); ++i) {
    const PortId port(i);
    if (e.fabric.network_of(port) == NetworkKind::kScaleUp) continue;
    const std::string ends = e.fabric.port_name(port);
    EXPECT_EQ(e.scenario.switches.honours_pause(port), ends.find("leaf01") == std::string::npos)
        << ends;
  }
  EXPECT_THAT(odd_ones(yaml), HasSubstr("pauses not obeyed"));
}

// Without ECN, WRED drops; a code point that goes to another class has the settings of that.
TEST(ChangedSwitches, DropAndMapAsTheyAreTold) {
  const std::string yaml =
      imported({{"leaf01", "\"ecn_all\"", "\"ecn_none\""},
                {"leaf02", "\"26\": \"3\"", "\"26\": \"0\""},
                {"spine01", "\"action\": \"drop\"", "\"action\": \"forward\""}});
  EXPECT_THAT(yaml, HasSubstr("wred: {min: 1048576B, max: 2097152B, probability: 0.05}"));
  const scenarios::Experiment e = built(yaml);
  for (const NodeId at : e.fabric.switches) {
    const Node& node = e.fabric.node(at);
    if (node.network == NetworkKind::kScaleUp || node.is_nic) continue;
    const protocols::TrafficClass& roce =
        e.scenario.switches.class_at(node.first_port, ClassId(1U));
    EXPECT_EQ(roce.wred.enabled, node.name == "leaf01") << node.name;
    EXPECT_EQ(roce.is_pfc(), node.name != "leaf02") << node.name;
    EXPECT_EQ(e.scenario.switches.watchdog_at(node.first_port).action ==
                  protocols::PfcWatchdogConfig::Action::kForward,
              node.name == "spine01");
  }
}

}  // namespace
}  // namespace weft::import
