// Telemetry in scenarios: controls that need it have it, and are refused where they cannot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

std::string telemetry_scenario(const std::string& fabric, const std::string& control) {
  return "name: told\n"
         "racks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2" +
         fabric +
         "}\n"
         "transport: {congestion_control: " +
         control +
         "}\n"
         "jobs: [{name: a, type: incast, size: 300KB}]\n";
}

Result<Experiment> build_told(const std::string& text) {
  const auto loaded = load_scenario_text(text, "t.yaml");
  if (!loaded) return loaded.errors();
  auto experiment = build_experiment(loaded.value().scenario);
  if (!experiment) return loaded.value().located(experiment.errors());
  return experiment;
}

std::string told_error(const std::string& text) {
  const auto experiment = build_told(text);
  return experiment.ok() ? "" : experiment.errors()[0].to_string();
}

TEST(TelemetryOfScenarios, IsThereWhereAControlNeedsIt) {
  for (const char* control : {"hpcc", "powertcp"}) {
    const auto experiment = build_told(telemetry_scenario("", control));
    ASSERT_TRUE(experiment.ok()) << control;
    EXPECT_TRUE(simulate(experiment.value()).jobs[0].is_finished) << control;
  }
  EXPECT_EQ(told_error(telemetry_scenario(", telemetry: none", "dcqcn")), "");
}

TEST(TelemetryOfScenarios, AControlThatDoesNotGetItIsRefused) {
  EXPECT_THAT(told_error(telemetry_scenario(", telemetry: none", "hpcc")),
              HasSubstr("fabric.telemetry: `none` takes away the telemetry of switches, which HPCC "
                        "needs"));
  EXPECT_THAT(told_error(telemetry_scenario(", queueing: input", "powertcp")),
              HasSubstr("fabric.queueing: `input` leaves no queue at an output"));
  std::string nodes = "{name: a, kind: host}, {name: b, kind: host}";
  std::string links = "{from: a, to: s1, rate: 100Gbps, length: 3m}";
  for (int i = 1; i <= 6; ++i) {
    const std::string next = i == 6 ? "b" : "s" + std::to_string(i + 1);
    nodes.append(", {name: s").append(std::to_string(i)).append(", kind: switch}");
    links.append(", {from: s").append(std::to_string(i)).append(", to: ").append(next);
    links.append(", rate: 100Gbps, length: 3m}");
  }
  const std::string text =
      "name: far\ntransport: {congestion_control: hpcc}\nfabric: {topology: "
      "custom, nodes: [" +
      nodes + "], links: [" + links + "]}\njobs: [{name: a, type: permutation, size: 1MB}]\n";
  EXPECT_THAT(told_error(text), HasSubstr("crosses 6 switches, and telemetry has room for 5"));
}

TEST(TelemetryOfScenarios, ItsBytesAreInTheIdealTimes) {
  const auto plain = build_told(telemetry_scenario("", "none"));
  const auto told = build_told(telemetry_scenario("", "hpcc"));
  ASSERT_TRUE(plain.ok() && told.ok());
  const Picoseconds without = simulate(plain.value()).jobs[0].ideal;
  const Picoseconds with = simulate(told.value()).jobs[0].ideal;
  // Packets of 4,096 B and 82 B take 42 B more on every link.
  const double ratio = static_cast<double>(with.count()) / static_cast<double>(without.count());
  EXPECT_NEAR(ratio, 1 + 42.0 / 4'178, 0.001);
}

}  // namespace
}  // namespace weft::scenarios
