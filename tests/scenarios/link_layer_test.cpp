// The link and switch layer in the language: classes, flow control, faults and observations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using protocols::Fault;
using protocols::PfcConfig;
using protocols::SwitchConfig;
using protocols::TrafficClass;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kWithCredits =
    std::filesystem::path(WEFT_SOURCE_DIR) / "tests/scenarios/valid";

Scenario load_link_layer(const std::string& file, const std::vector<std::string>& overrides = {}) {
  const auto result = load_scenario(kWithCredits / file, overrides);
  if (result.ok()) return result.value().scenario;
  ADD_FAILURE() << result.errors().front().to_string();
  return {};
}

/// The experiment, or its errors with their places.
Result<Experiment> build_link_layer(const std::string& file,
                                    const std::vector<std::string>& overrides = {}) {
  const auto loaded = load_scenario(kWithCredits / file, overrides);
  if (!loaded.ok()) return loaded.errors();
  auto experiment = build_experiment(loaded.value().scenario);
  if (!experiment.ok()) return loaded.value().located(experiment.errors());
  return experiment;
}

std::string link_layer_error(const std::vector<std::string>& overrides) {
  const auto experiment = build_link_layer("link-layer.yaml", overrides);
  return experiment.ok() ? "no error" : experiment.errors().front().to_string();
}

TEST(LinkLayer, WithoutClassesThereAreDataAndControl) {
  const SwitchConfig s =
      load_link_layer("incast.yaml", {"fabric.flow_control.xoff=300KB",
                                      "fabric.flow_control.xon=200KB", "fabric.ecn=none"})
          .switches;
  ASSERT_EQ(s.classes.size(), 2U);
  EXPECT_EQ(s.classes[ClassId(0)].name, "data");
  EXPECT_EQ(s.classes[ClassId(0)].pfc().xoff, 300_KB);
  EXPECT_FALSE(s.classes[ClassId(0)].ecn.enabled);
  EXPECT_EQ(s.classes[ClassId(1)].name, "control");
  EXPECT_EQ(s.classes[ClassId(1)].scheduling, TrafficClass::Scheduling::kStrict);
  EXPECT_FALSE(s.classes[ClassId(1)].is_lossless());
  EXPECT_EQ(s.cell, 192_B) << "of spectrum-4";
}

TEST(LinkLayer, ReadsEveryKeyOfSwitchesAndNics) {
  const Scenario s = load_link_layer("link-layer.yaml");
  EXPECT_EQ(s.switches.buffer, 32_MiB);
  EXPECT_EQ(s.switches.cell, 1_B);
  EXPECT_EQ(s.switches.queueing, SwitchConfig::Queueing::kInput);
  EXPECT_EQ(s.switches.arbitration, SwitchConfig::Arbitration::kRandom);
  EXPECT_EQ(s.switches.forwarding, SwitchConfig::Forwarding::kCutThrough);
  EXPECT_EQ(s.switches.cut_through_after, 128_B);
  EXPECT_EQ(s.nic.receive_rate, 300_Gbps);
  EXPECT_EQ(s.nic.receive_buffer, 2_MiB);
  EXPECT_EQ(s.nic.xoff, 1_MiB);
  EXPECT_EQ(s.nic.xon, 900_KiB);
}

TEST(LinkLayer, ClassesTakeFromTheFabricWhatTheyDoNotSay) {
  const auto c = load_link_layer("link-layer.yaml").switches.classes;
  ASSERT_EQ(c.size(), 4U);
  EXPECT_EQ(c[ClassId(0)].weight, 3U);
  EXPECT_EQ(c[ClassId(0)].pfc().threshold, PfcConfig::Threshold::kDynamic);
  EXPECT_DOUBLE_EQ(c[ClassId(0)].pfc().alpha, 0.25) << "overrides the preset";
  EXPECT_EQ(c[ClassId(0)].pfc().reserved, 4_KiB) << "of the preset";
  EXPECT_EQ(c[ClassId(0)].pfc().headroom, PfcConfig::Headroom::kExact);
  EXPECT_EQ(c[ClassId(0)].ecn.curve, protocols::EcnConfig::Curve::kStep);
  EXPECT_EQ(c[ClassId(0)].ecn.at_rate, 25_Gbps);
  EXPECT_EQ(c[ClassId(0)].ecn.mark, protocols::EcnConfig::Mark::kEnqueue);
  EXPECT_FALSE(c[ClassId(0)].egress_alpha.has_value());
  EXPECT_EQ(c[ClassId(1)].credit().buffer, 64_KiB);
  EXPECT_EQ(c[ClassId(1)].credit().block, 128_B);
  EXPECT_EQ(c[ClassId(1)].credit().update, 16_B);
  EXPECT_EQ(c[ClassId(1)].credit().processing, 10_ns);
  EXPECT_FALSE(c[ClassId(1)].ecn.enabled);
  EXPECT_EQ(c[ClassId(1)].egress_reserved, 4_KiB);
  EXPECT_EQ(c[ClassId(2)].pfc().threshold, PfcConfig::Threshold::kStatic) << "says all of its own";
  EXPECT_EQ(c[ClassId(2)].pfc().headroom, PfcConfig::Headroom::kGiven);
  EXPECT_EQ(c[ClassId(2)].pfc().headroom_bytes, 90_KB);
  EXPECT_EQ(c[ClassId(2)].ecn.curve, protocols::EcnConfig::Curve::kRed);
  EXPECT_FALSE(c[ClassId(2)].ecn.at_rate.has_value());
  EXPECT_EQ(c[ClassId(3)].scheduling, TrafficClass::Scheduling::kStrict);
  EXPECT_EQ(c[ClassId(3)].egress_alpha, 2.0);
}

TEST(LinkLayer, PresetsOfPfcAreThoseOfTheirNames) {
  const auto pfc = [](const std::string& name) {
    return load_link_layer("incast.yaml", {"fabric.flow_control={preset: " + name + "}"})
        .switches.data()
        .pfc();
  };
  EXPECT_EQ(pfc("default").xoff, 1_MiB);
  EXPECT_EQ(pfc("hpcc").headroom, PfcConfig::Headroom::kHpcc);
  EXPECT_DOUBLE_EQ(pfc("hpcc").alpha, 0.125);
  EXPECT_EQ(pfc("sn5600").headroom, PfcConfig::Headroom::kSn5600);
  EXPECT_DOUBLE_EQ(pfc("sn5600").alpha, 128);
  EXPECT_EQ(pfc("sn5600").reserved, 19'456_B);
}

TEST(LinkLayer, MessagesTravelInTheClassOfTheirJob) {
  const auto experiment = build_link_layer("link-layer.yaml");
  ASSERT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
  const collectives::Workload& workload = experiment.value().workload;
  std::set<std::pair<std::uint32_t, ClassId>> seen;
  for (const Connection& c : workload.connections()) {
    seen.emplace(workload.job_of(c.source), c.traffic_class);
  }
  EXPECT_THAT(seen, ElementsAre(std::pair(0U, ClassId(0)), std::pair(1U, ClassId(1))));
}

std::string describe(const Fabric& fabric, const Fault& fault) {
  return fabric.port_name(fault.port) + " " + std::to_string(static_cast<int>(fault.kind));
}

// A cable has two directions, and a pair of nodes may have several cables.
TEST(LinkLayer, FaultsAreOnBothDirectionsOfEveryCable) {
  const auto experiment = build_link_layer("link-layer.yaml");
  ASSERT_TRUE(experiment.ok());
  const Experiment& e = experiment.value();
  std::vector<std::string> faults;
  for (const Fault& fault : e.faults) faults.push_back(describe(e.fabric, fault));
  EXPECT_THAT(faults,
              ElementsAre("h1->leaf0[1] 0", "h2->leaf0[2] 0", "h7->leaf1[3] 2",
                          "leaf0[6]->spine1[0] 1", "leaf0[7]->spine1[1] 1", "leaf1[3]->h7 2",
                          "spine1[0]->leaf0[6] 1", "spine1[1]->leaf0[7] 1"));
  EXPECT_EQ(e.faults[0].classes, 0b100) << "class wide";
  EXPECT_EQ(e.faults[0].at, 1_ms);
  EXPECT_EQ(e.faults[0].until, 2_ms);
  EXPECT_EQ(e.faults[1].classes, 0b101) << "every class with PFC";
  EXPECT_EQ(e.faults[1].until, Fault::kForever);
  EXPECT_EQ(e.faults[3].rate, 100_Gbps);
}

TEST(LinkLayer, FaultsThatTheFabricDoesNotHaveAreRefusedWithTheirPlace) {
  EXPECT_THAT(
      link_layer_error({"faults[2].to=spine7"}),
      HasSubstr("--set faults[2].to=spine7: faults[2].to: `spine7` is no node of the fabric; "
                "did you mean `spine"));
  EXPECT_THAT(link_layer_error({"faults[2].to=leaf1"}),
              HasSubstr("faults[2].to: no link joins `leaf0` and `leaf1`"));
  EXPECT_THAT(link_layer_error({"faults[0].host=leaf0"}),
              HasSubstr("faults[0].host: `leaf0` is a switch; a NIC belongs to a host"));
  EXPECT_THAT(
      link_layer_error({"faults[2].rate=500Gbps"}),
      HasSubstr("faults[2].rate: 500Gbps is above the rate of leaf0[6]->spine1[0] (400Gbps)"));
}

TEST(LinkLayer, FaultsOfOneKindMayFollowButNotOverlap) {
  EXPECT_THAT(link_layer_error({"faults[4]={type: link-down, from: leaf1, at: 500us}"}),
              HasSubstr("faults[4]: overlaps faults[3] on h7->leaf1[3]"));
  EXPECT_EQ(link_layer_error({"faults[4]={type: link-down, from: leaf1, at: 1ms}"}), "no error");
  EXPECT_EQ(link_layer_error({"faults[4]={type: link-rate, from: h7, rate: 1Gbps}"}), "no error")
      << "another kind";
}

TEST(LinkLayer, ObservedPortsAndFlowsAreResolved) {
  const auto experiment = build_link_layer("link-layer.yaml");
  ASSERT_TRUE(experiment.ok());
  const Experiment& e = experiment.value();
  std::vector<std::string> ports;
  for (const PortId port : e.observation.queue_ports) ports.push_back(e.fabric.port_name(port));
  EXPECT_THAT(ports, ElementsAre("h3->leaf0[3]", "leaf0[1]->h1", "leaf0[4]->spine0[0]",
                                 "leaf0[5]->spine0[1]"));
  EXPECT_EQ(e.observation.queue_period, 1_us);
  EXPECT_EQ(e.observation.rate_flows.size(), 9U) << "8 of the permutation and 0->1";
  EXPECT_EQ(e.observation.rate_period, 20_us);
  ASSERT_EQ(e.observation.packet_flows.size(), 1U);
  const Connection& c = e.workload.connections()[e.observation.packet_flows[0].value()];
  EXPECT_EQ(e.workload.rank_of(c.source), 1U) << "h3";
  EXPECT_EQ(e.workload.rank_of(c.destination), 2U) << "h5";
  EXPECT_TRUE(e.observation.credits);
  EXPECT_TRUE(e.scenario.observe.pauses);
}

TEST(LinkLayer, PatternsOfPortsAndFlowsNameMany) {
  const auto ports = [](const std::string& words) {
    const auto e = build_link_layer("link-layer.yaml", {"observe.queues={ports: " + words + "}"});
    return e.ok() ? e.value().observation.queue_ports.size() : 0;
  };
  EXPECT_EQ(ports("all"), 32U) << "8 hosts and 8 cables between switches, both ways";
  EXPECT_EQ(ports("leaf0"), 8U);
  EXPECT_EQ(ports("\"leaf*->spine*\""), 8U);
  EXPECT_EQ(ports("\"*->h3\""), 1U);
  EXPECT_EQ(ports("[all, leaf0]"), 32U) << "each once";
  EXPECT_EQ(ports("\"leaf0[4]->spine0[0]\""), 1U);
  const auto marked = build_link_layer("link-layer.yaml", {"observe.marks=leaf0"});
  ASSERT_TRUE(marked.ok());
  EXPECT_EQ(marked.value().observation.mark_ports.size(), 8U);
  EXPECT_EQ(marked.value().observation.mark_period, 10_us);
  const auto flows = [](const std::string& words) {
    const auto e = build_link_layer("link-layer.yaml", {"observe.rates={flows: " + words + "}"});
    return e.ok() ? e.value().observation.rate_flows.size() : 0;
  };
  EXPECT_EQ(flows("b"), 6U);
  EXPECT_EQ(flows("\"b:0->*\""), 2U);
  EXPECT_EQ(flows("\"b:*->h5\""), 2U);
  EXPECT_EQ(flows("[b, \"b:*->*\", \"b:0->1\"]"), 6U) << "each once";
}

TEST(LinkLayer, WhatCannotBeObservedIsRefusedWithHelp) {
  const auto ports = [](const std::string& word) {
    return link_layer_error({"observe.queues={ports: \"" + word + "\"}"});
  };
  EXPECT_THAT(ports("laef0"), HasSubstr("`laef0` is no node of the fabric; did you mean `leaf0`?"));
  EXPECT_THAT(ports("leaf0->h7"), HasSubstr("no link joins `leaf0` and `h7`"));
  EXPECT_THAT(ports("leaf0[9]->spine0[0]"), HasSubstr("is no port of `leaf0`"));
  EXPECT_THAT(link_layer_error({"observe.marks=laef0"}),
              HasSubstr("observe.marks.ports[0]: `laef0` is no node of the fabric"));
  EXPECT_THAT(ports("x*"),
              HasSubstr("observe.queues.ports[0]: `x*` names no port; expected `all`"));
  const auto flows = [](const std::string& word) {
    return link_layer_error({"observe.rates={flows: \"" + word + "\"}"});
  };
  EXPECT_THAT(flows("c"), HasSubstr("`c` is no job; the jobs are a, b"));
  EXPECT_THAT(flows("b:0-1"), HasSubstr("names no flow; expected `b`, or two ranks or hosts"));
  EXPECT_THAT(flows("b:0->3"), HasSubstr("`3` is no rank; the job has ranks 0 to 2"));
  EXPECT_THAT(flows("b:h0->h1"), HasSubstr("`h1` is no host of job `b`"));
  EXPECT_THAT(flows("b:0->0"), HasSubstr("no message of `b` takes that path"));
}

// 32 ports, 4 classes, every nanosecond of 10 ms: 1.3 thousand million rows.
TEST(LinkLayer, TracesThatNoDiskShouldHoldAreRefused) {
  EXPECT_THAT(link_layer_error({"observe.queues={ports: all, period: 1ns}"}),
              HasSubstr("observe.queues.period: makes up to 1.3e+09 rows in 10"));
  EXPECT_THAT(link_layer_error({"observe.queues={ports: all, period: 1ns}", "run.until=none"}),
              HasSubstr("makes up to 1.3e+09 rows in 10"))
      << "an unknown end is taken for 10 ms";
  EXPECT_THAT(link_layer_error({"observe.marks={ports: all, period: 1ns}"}),
              HasSubstr("observe.marks.period: makes up to 1.3e+09 rows in 10"));
  EXPECT_THAT(link_layer_error({"observe.packets={flows: a}", "jobs[0].size=100GB"}),
              HasSubstr("observe.packets.flows: makes up to "));
}

}  // namespace
}  // namespace weft::scenarios
