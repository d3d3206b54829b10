// Settings that differ by switch, port and NIC in scenarios: what they name, what is refused, and
// that all results of runs are the same however they are computed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/build/changed_links.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kSettingsFabric = R"(
name: changed
racks: {count: 2, servers: 4, server: {part: host-400g, nic: {rate: 100Gbps}}}
links: {access: {rate: 100Gbps, latency: 500ns}, uplink: {rate: 100Gbps, latency: 500ns}}
fabric:
  topology: leaf-spine
  spines: 2
  flow_control: {xoff: 60KB, xon: 40KB, headroom: 200KB}
  ecn: {kmin: 20KB, kmax: 80KB}
jobs: [{name: a, type: incast, size: 300KB}]
)";

Result<Experiment> build_settings(std::vector<std::string> overrides) {
  const auto loaded = load_scenario_text(kSettingsFabric, "t.yaml", overrides);
  if (!loaded.ok()) return loaded.errors();
  auto experiment = build_experiment(loaded.value());
  if (!experiment.ok()) return loaded.value().located(experiment.errors());
  return experiment;
}
std::string error_of_changes(const std::string& changes, const std::string& more = "seed=1") {
  const auto experiment = build_settings({"fabric.changes=" + changes, more});
  return experiment.ok() ? "" : experiment.errors().front().to_string();
}
Experiment with_settings(const std::vector<std::string>& overrides) {
  auto experiment = build_settings(overrides);
  if (!experiment.ok()) throw std::runtime_error(experiment.errors().front().to_string());
  return std::move(experiment).value();
}

TEST(ChangedSettings, NameNodesAndPortsByPatterns) {
  const Experiment e =
      with_settings({"fabric.changes=[{node: leaf1, buffer: 3MB}, {node: 'leaf*', to: "
                     "'spine*', classes: [{name: data, ecn: none}]}, {node: h3, "
                     "honours_pause: false}]"});
  EXPECT_THAT(describe_changed_links(e.scenario, e.fabric),
              ElementsAre("fabric.changes[0] (leaf1): 1 node, 6 ports",
                          "fabric.changes[1] (leaf* to spine*): 2 nodes, 4 ports",
                          "fabric.changes[2] (h3): 1 node, 1 port"));
  const protocols::SwitchConfig& switches = e.scenario.switches;
  int unmarked = 0;
  int deaf = 0;
  for (std::size_t p = 0; p < e.fabric.ports.size(); ++p) {
    unmarked += switches.class_at(PortId(p), ClassId()).ecn.enabled ? 0 : 1;
    deaf += switches.honours_pause(PortId(p)) ? 0 : 1;
  }
  EXPECT_EQ(unmarked, 4);
  EXPECT_EQ(deaf, 1);
  for (const NodeId id : e.fabric.switches) {
    const Node& node = e.fabric.node(id);
    EXPECT_EQ(switches.buffer_of(node) == 3_MB, node.name == "leaf1") << node.name;
  }
}

// The last one counts, key by key.
TEST(ChangedSettings, AddUpAtAPort) {
  const Experiment e = with_settings(
      {"fabric.changes=[{node: leaf0, honours_pause: false, classes: [{name: data, ecn: none}, "
       "{name: control, egress_alpha: 2}]}, {node: leaf0, to: h1, classes: [{name: data, ecn: "
       "{kmin: 7KB, kmax: 9KB}}]}]"});
  EXPECT_EQ(e.scenario.switches.by_port.others.size(), 2U);
  const auto found =
      std::ranges::find_if(e.fabric.nodes, [](const Node& node) { return node.name == "h1"; });
  const PortId port = e.fabric.port(found->first_port).peer;
  EXPECT_FALSE(e.scenario.switches.honours_pause(port));
  EXPECT_EQ(e.scenario.switches.class_at(port, ClassId()).ecn.kmin, 7_KB);
  EXPECT_EQ(e.scenario.switches.class_at(port, ClassId(1U)).egress_alpha, 2);
}

TEST(ChangedSettings, SayWhatIsWrongWithThem) {
  EXPECT_THAT(error_of_changes("[{node: laef0, buffer: 1MB}]"),
              AllOf(HasSubstr("fabric.changes[0].node"), HasSubstr("did you mean `leaf0`?")));
  EXPECT_THAT(error_of_changes("[{node: 'lefa*', buffer: 1MB}]"),
              AllOf(HasSubstr("`lefa*` matches none"), HasSubstr("did you mean")));
  EXPECT_THAT(error_of_changes("[{node: leaf0, to: h7, honours_pause: false}]"),
              HasSubstr("no link joins `leaf0` and `h7`"));
  EXPECT_THAT(error_of_changes("[{node: leaf0}]"), HasSubstr("changes nothing; expected buffer"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, to: h0, buffer: 1MB}]"),
              HasSubstr("belongs to a whole switch"));
  EXPECT_THAT(error_of_changes("[{node: h0, pfc_watchdog: on}]"),
              HasSubstr("belongs to switches, and `h0` is a host"));
  EXPECT_THAT(error_of_changes("[{node: h0, classes: [{name: data, ecn: none}]}]"),
              HasSubstr("belongs to switches"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, classes: [{name: dat, ecn: none}]}]"),
              HasSubstr("did you mean `data`?"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, classes: [{name: data}]}]"),
              HasSubstr("changes nothing of class `data`"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, classes: [{name: data, flow_control: credit}]}]"),
              HasSubstr("credits are the same at all ports"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, classes: [{name: data, egress_limit: 9KB}]}]"),
              HasSubstr("that is for lossy classes"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, pfc_watchdog: {detection: 1ms, poll: 2ms}}]"),
              HasSubstr("poll: `2ms` is longer than 1ms"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, pfc_watchdog: on}]", "fabric.queueing=input"),
              HasSubstr("is of queues at outputs"));
  EXPECT_THAT(error_of_changes("[]", "fabric.wred={min: 3MB}"),
              HasSubstr("wred.min: `3MB` is not below max"));
}

TEST(ChangedSettings, WarnOfClassesThatAreLosslessAtSomePortsOnly) {
  EXPECT_THAT(with_settings({"seed=1"}).warnings, IsEmpty());
  EXPECT_THAT(
      with_settings(
          {"fabric.changes=[{node: leaf0, to: h2, classes: [{name: data, flow_control: none}]}]"})
          .warnings,
      Contains(AllOf(HasSubstr("class data has PFC, but not at leaf0[2]->h2"),
                     Not(HasSubstr("more ports")))));
  EXPECT_THAT(with_settings({"fabric.changes=[{node: 'h*', honours_pause: false}]"}).warnings,
              Contains(HasSubstr("not obeyed at h0->leaf0[0] and 7 more ports")));
  EXPECT_THAT(with_settings({"fabric.changes=[{node: leaf0, to: spine1, classes: [{name: data, "
                             "flow_control: {xoff: 60KB, xon: 40KB, headroom: 1KB}}]}]"})
                  .warnings,
              Contains(AllOf(HasSubstr("can drop although it has PFC"),
                             HasSubstr("spine1[0]->leaf0"), HasSubstr("(1 port has too little)"))));
  EXPECT_THAT(
      with_settings({"fabric.changes=[{node: leaf1, classes: [{name: data, ecn: {kmin: 70KB, "
                     "kmax: 80KB}}]}]"})
          .warnings,
      Contains(HasSubstr("class data marks at leaf1[0]->h4 only after PFC has paused")));
}

// What h1 sends has a transport of its own; what it receives has that of its sender.
TEST(ChangedSettings, GiveHostsCongestionControlsOfTheirOwn) {
  const Experiment e = with_settings({"fabric.changes=[{node: h1, congestion_control: none}]"});
  ASSERT_EQ(e.scenario.more_transports.size(), 1U);
  for (const Connection& c : e.workload.connections()) {
    const HostId from = e.workload.process_hosts()[c.source.value()];
    const bool is_changed = e.fabric.host(from).name == "h1";
    EXPECT_EQ(c.transport, is_changed ? 1 : 0);
  }
  EXPECT_NE(simulate(e).digest(), simulate(with_settings({"seed=1"})).digest());
  EXPECT_THAT(error_of_changes("[{node: h1, congestion_control: none}]", "transport=tcp"),
              HasSubstr("is of what is sent by RoCE"));
  EXPECT_THAT(error_of_changes("[{node: leaf0, congestion_control: none}]"),
              HasSubstr("belongs to hosts, and `leaf0` is a switch"));
  EXPECT_THAT(
      error_of_changes("[{node: h1, congestion_control: swift}]", "transport.ack.every=message"),
      HasSubstr("does not go with the transport"));
}

TEST(ChangedSettings, CanBeTakenOut) {
  const auto loaded = load_scenario_text(
      kSettingsFabric, "t.yaml",
      std::vector<std::string>{"fabric.changes=[{node: h1, honours_pause: false}]"});
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(removable_parts("changed-settings", loaded.value()),
              ElementsAre("fabric.changes[0]"));
  EXPECT_THAT(overrides_without("changed-settings", loaded.value()).value(),
              ElementsAre("fabric.changes=[]"));
}

/// All that an operator's fabric has, at once.
std::vector<std::string> all_settings_at_once() {
  const std::string changes =
      "fabric.changes=[{node: leaf0, classes: [{name: data, flow_control: none, wred: {min: 20KB, "
      "max: 90KB, weight: 2}, ecn: none}]}, {node: spine1, to: leaf1, classes: [{name: data, "
      "flow_control: {xoff: 20KB, xon: 10KB}}], pfc_watchdog: none}, {node: h5, honours_pause: "
      "false}]";
  const std::string faults =
      "faults=[{type: nic-pause, host: h4, at: 10us, until: 150us}, {type: link-down, from: leaf0, "
      "to: spine0, at: 50us, until: 90us}]";
  return {"fabric.pfc_watchdog={detection: 20us, restoration: 20us, poll: 10us}", changes, faults,
          "transport={type: roce, recovery: selective-repeat}",
          "jobs=[{name: a, type: incast, size: 300KB}, {name: b, type: permutation, size: 900KB}]"};
}

TEST(ChangedSettings, GiveTheSameBitsOnAnyNumberOfThreads) {
  const Experiment e = with_settings(all_settings_at_once());
  const Results one = simulate(e, {}, nullptr, {.threads = 1});
  EXPECT_GT(one.totals.wred_drops, 0);
  EXPECT_GT(one.totals.pause_storms, 0);
  for (const std::uint32_t threads : {2U, 3U}) {
    EXPECT_EQ(simulate(e, {}, nullptr, {.threads = threads}).digest(), one.digest()) << threads;
  }
  const Results general =
      simulate(e, {}, nullptr, {}, {}, {.extra_features = protocols::GeneralPath::kFeatures});
  EXPECT_EQ(general.digest(), one.digest());
  EXPECT_EQ(general.totals.wred_drops, one.totals.wred_drops);
  EXPECT_EQ(general.totals.watchdog_drops, one.totals.watchdog_drops);
}

}  // namespace
}  // namespace weft::scenarios
