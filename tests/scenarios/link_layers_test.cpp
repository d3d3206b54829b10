// What follows from what the switches speak: Ethernet has PFC, ECN marks and DCQCN unless said
// otherwise, InfiniBand credits and none of these.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "protocols/config/credit_loop.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using protocols::TrafficClass;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kLayered = R"(
name: small
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 2}
jobs: [{name: a, type: permutation, size: 64KiB}]
)";

LoadedScenario load_layers(const std::vector<std::string>& overrides) {
  auto loaded = load_scenario_text(kLayered, "t.yaml", overrides);
  if (loaded.ok()) return std::move(loaded).value();
  ADD_FAILURE() << loaded.errors().front().to_string();
  return {};
}

std::string layers_error(const std::vector<std::string>& overrides) {
  const auto loaded = load_scenario_text(kLayered, "t.yaml", overrides);
  return loaded.ok() ? "no error" : loaded.errors().front().to_string();
}

bool has_dcqcn(const Scenario& s) {
  const auto& control = std::get<protocols::RoceConfig>(s.transport).congestion_control;
  return std::holds_alternative<protocols::congestion::DcqcnConfig>(control);
}

const std::string kQuantum = "fabric.switch=quantum-2";

TEST(LinkLayers, EthernetHasPfcMarksAndDcqcn) {
  const Scenario s = load_layers({}).scenario;
  EXPECT_TRUE(s.switches.data().is_pfc());
  EXPECT_TRUE(s.switches.data().ecn.enabled);
  EXPECT_FALSE(s.switches.classes[ClassId(1)].is_lossless());
  EXPECT_TRUE(has_dcqcn(s));
}

// IBTA volume 1, 7.9: a receiver grants at most 2048 blocks of 64 B per virtual lane.
TEST(LinkLayers, InfiniBandHasCreditsAndNeitherMarksNorDcqcn) {
  for (const char* part : {"quantum-2", "quantum-x800"}) {
    SCOPED_TRACE(part);
    const Scenario s = load_layers({std::string("fabric.switch=") + part}).scenario;
    ASSERT_EQ(s.switches.classes.size(), 2U);
    for (const TrafficClass& c : s.switches.classes) {
      ASSERT_TRUE(c.is_credit()) << c.name;
      EXPECT_EQ(c.credit().buffer, protocols::kCreditsByLoop);
      EXPECT_EQ(c.credit().block, 64_B);
      EXPECT_FALSE(c.ecn.enabled);
    }
    EXPECT_FALSE(has_dcqcn(s));
  }
}

TEST(LinkLayers, SwitchesOfEveryTierCount) {
  EXPECT_TRUE(load_layers({"fabric.leaf.switch=quantum-2", "fabric.spine.switch=quantum-x800"})
                  .scenario.switches.data()
                  .is_credit())
      << "fabric.switch, of which there is none, is an Ethernet switch";
  EXPECT_THAT(layers_error({"fabric.leaf.switch=quantum-2"}),
              HasSubstr("fabric.leaf.switch: is an InfiniBand switch, and fabric.switch is an "
                        "Ethernet switch; no cable joins the two"));
  EXPECT_THAT(layers_error({kQuantum, "fabric.spine.switch=spectrum-4"}),
              HasSubstr("fabric.spine.switch: is an Ethernet switch, and fabric.switch is an "
                        "InfiniBand switch"));
  EXPECT_EQ(
      layers_error({kQuantum, "fabric.spine.switch={part: spectrum-4, link_layer: infiniband}"}),
      "no error");
}

TEST(LinkLayers, WhatTheFileSaysHolds) {
  const Scenario pfc = load_layers({kQuantum, "fabric.flow_control=pfc"}).scenario;
  EXPECT_TRUE(pfc.switches.data().is_pfc());
  EXPECT_FALSE(has_dcqcn(pfc));
  const Scenario dcqcn =
      load_layers({kQuantum, "fabric.ecn=red", "transport.congestion_control=dcqcn"}).scenario;
  EXPECT_TRUE(dcqcn.switches.data().is_credit());
  EXPECT_TRUE(dcqcn.switches.data().ecn.enabled);
  EXPECT_TRUE(has_dcqcn(dcqcn));
}

// Without a type, keys are those of the default of the link layer, of the fabric and of a class.
TEST(LinkLayers, KeysWithoutATypeAreThoseOfTheDefault) {
  EXPECT_EQ(load_layers({kQuantum, "fabric.flow_control.buffer=64KiB"})
                .scenario.switches.data()
                .credit()
                .buffer,
            64_KiB);
  EXPECT_EQ(load_layers({kQuantum, "fabric.classes=[{name: vl, flow_control: {buffer: 32KiB}}]"})
                .scenario.switches.data()
                .credit()
                .buffer,
            32_KiB);
  EXPECT_THAT(layers_error({kQuantum, "fabric.flow_control.xoff=64KiB"}),
              HasSubstr("unknown key `xoff`; the keys of `type: credit` are"));
  EXPECT_THAT(layers_error({"fabric.flow_control.buffer=64KiB"}),
              HasSubstr("unknown key `buffer`; the keys of `type: pfc` are"));
}

TEST(LinkLayers, TheResolvedScenarioSaysWhy) {
  const LoadedScenario loaded = load_layers({kQuantum});
  const std::string text = loaded.resolved_yaml("1");
  const auto line_with = [&text](const std::string& key) {
    const std::size_t at = text.find(key);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_THAT(line_with("link_layer:"), HasSubstr("# default: quantum-2: NVIDIA QM9700"));
  EXPECT_THAT(line_with("type: credit"), HasSubstr("# default: InfiniBand has credits"));
  EXPECT_THAT(line_with("ecn: none"), HasSubstr("# default: no DCQCN reads marks on InfiniBand"));
  EXPECT_THAT(line_with("congestion_control: none"),
              HasSubstr("# default: DCQCN belongs to RoCEv2"));
  const auto again = load_scenario_text(text, "again.yaml");
  ASSERT_TRUE(again.ok()) << again.errors().front().to_string();
  EXPECT_EQ(again.value().canonical_yaml(), loaded.canonical_yaml());
}

TEST(LinkLayers, DcqcnWithoutMarksIsWarnedOf) {
  const auto warnings = [](const std::vector<std::string>& overrides) {
    return build_experiment(load_layers(overrides).scenario).value().warnings;
  };
  EXPECT_THAT(warnings({kQuantum}), IsEmpty());
  EXPECT_THAT(warnings({kQuantum, "transport.congestion_control=dcqcn"}),
              ElementsAre(HasSubstr("DCQCN is on and no class is marked")));
}

// PFC was what they warned of, which InfiniBand does not have.
TEST(LinkLayers, ShippedScenariosOnInfiniBandWarnOfNothing) {
  const std::filesystem::path folder = std::filesystem::path(WEFT_SOURCE_DIR) / "scenarios";
  for (const char* name : {"all-reduce-1024.yaml", "nccl-h100-16-nodes.yaml",
                           "nccl-nvl72-two-racks.yaml", "superpod.yaml"}) {
    SCOPED_TRACE(name);
    const auto loaded = load_scenario(folder / name);
    ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    EXPECT_TRUE(loaded.value().scenario.switches.data().is_credit());
    const auto experiment = build_experiment(loaded.value().scenario);
    ASSERT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
    EXPECT_THAT(experiment.value().warnings, IsEmpty());
  }
}

}  // namespace
}  // namespace weft::scenarios
