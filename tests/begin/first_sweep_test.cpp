// A first sweep is valid as it is written: every point of it is, and none has a warning of keys
// without effect.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "scenarios/checks/static_checks.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/begin/first_scenario.hpp"
#include "tools/begin/first_sweep.hpp"
#include "tools/sweep/language/load_sweep.hpp"
#include "tools/sweep/plan/points.hpp"

namespace weft::begin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using weft::testing::TemporaryFolder;

FirstScenario first_of(const std::string& machine, const std::string& job) {
  FirstScenario first;
  first.machine = machine;
  first.switch_part = "tomahawk-6";
  first.jobs = {job, "incast"};
  return first;
}

/// Loads the file and every point of it.
std::size_t count_points(const std::filesystem::path& file) {
  const auto sweep = sweep::load_sweep(file, {});
  EXPECT_TRUE(sweep.ok()) << sweep.errors().front().to_string();
  if (!sweep.ok()) return 0;
  const auto plan = sweep::make_plan(sweep.value());
  EXPECT_TRUE(plan.ok()) << plan.errors().front().to_string();
  if (!plan.ok()) return 0;
  for (const sweep::Point& point : plan.value().points()) {
    const auto loaded = sweep.value().base.load(sweep::overrides_of(sweep.value(), point));
    EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    if (!loaded.ok()) continue;
    const auto experiment = scenarios::build_experiment(loaded.value());
    EXPECT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
    if (!experiment.ok()) continue;
    // Of machines of all kinds one may have room for all ranks inside.
    std::vector<std::string> warnings = experiment.value().warnings;
    std::erase_if(warnings, [](const std::string& warning) {
      return warning.ends_with("no message leaves its scale-up domain");
    });
    EXPECT_THAT(warnings, ::testing::IsEmpty());
    EXPECT_THAT(scenarios::check_statically(experiment.value()).warnings, ::testing::IsEmpty());
  }
  return plan.value().size();
}

TEST(FirstSweep, EveryQuestionOfEveryKindOfMachineIsValidAtAllItsPoints) {
  const TemporaryFolder folder("first sweep");
  std::size_t points = 0;
  for (const std::string machine : {"hgx-h100", "dgx-2", "host-400g", "gb200-nvl72"}) {
    for (const std::string job : {"all-reduce", "training"}) {
      const FirstScenario first = first_of(machine, job);
      const auto scenario = first_scenario(first);
      ASSERT_TRUE(scenario.ok()) << machine << scenario.errors().front().to_string();
      folder.write("first.yaml", scenario.value());
      for (const std::string& what : kFirstSweeps) {
        SCOPED_TRACE(fmt::format("{} of {} on {}", what, job, machine));
        const auto sweep = first_sweep(first, what, "first.yaml");
        if (!sweep.ok()) {
          EXPECT_THAT(sweep.errors().front().message, HasSubstr("--sweep " + what + ": "));
          continue;
        }
        folder.write("first-sweep.yaml", sweep.value());
        points += count_points(folder.path() / "first-sweep.yaml");
      }
    }
  }
  EXPECT_GT(points, 200U);
}

TEST(FirstSweep, AScenarioInsideIsTheSame) {
  const TemporaryFolder folder("inlined sweep");
  const FirstScenario first = first_of("host-400g", "all-reduce");
  const std::string scenario = first_scenario(first).value();
  folder.write("inside.yaml", first_sweep(first, "ecn", inlined(scenario)).value());
  folder.write("first.yaml", scenario);
  folder.write("beside.yaml", first_sweep(first, "ecn", "first.yaml").value());
  const auto inside = sweep::load_sweep(folder.path() / "inside.yaml", {});
  const auto beside = sweep::load_sweep(folder.path() / "beside.yaml", {});
  ASSERT_TRUE(inside.ok() && beside.ok());
  EXPECT_EQ(inside.value().base.load({}).value().canonical_yaml(),
            beside.value().base.load({}).value().canonical_yaml());
}

TEST(FirstSweep, WhatCannotVaryIsRefusedWithTheReason) {
  FirstScenario first = first_of("ualink-pod", "all-reduce");
  first.count = 1;
  EXPECT_THAT(first_sweep(first, "ecn", "x.yaml").errors().front().message,
              HasSubstr("`ualink-pod` has no NIC"));
  EXPECT_THAT(first_sweep(first_of("dgx-2", "incast"), "machine", "x").errors().front().message,
              HasSubstr("no other server has as many"));
  first = first_of("hgx-h100", "training");
  first.jobs = {"training"};
  EXPECT_THAT(first_sweep(first, "size", "x.yaml").errors().front().message,
              HasSubstr("a training job has no size"));
  first.oversubscription = 2;
  EXPECT_THAT(first_sweep(first, "load-balancing", "x.yaml").errors().front().message,
              HasSubstr("a leaf has one uplink"));
  EXPECT_THAT(first_sweep(first, "ecm", "x.yaml").errors().front().message,
              HasSubstr("did you mean `ecn`?"));
}

// Whether a rack that is one domain is worth its price is the first question of many.
TEST(FirstSweep, MachinesAreServersAndRacksOfAsManyGpus) {
  const TemporaryFolder folder("machines sweep");
  for (const auto& [machine, count] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"hgx-h100", 4},
                                                          {"hgx-b200", 8},
                                                          {"hgx-h100", 32},
                                                          {"hgx-b300", 9},
                                                          {"gb200-nvl72", 1},
                                                          {"gb300-nvl72", 4}}) {
    for (const std::string job : {"all-reduce", "training"}) {
      SCOPED_TRACE(fmt::format("{} of {}, {}", count, machine, job));
      FirstScenario first = first_of(machine, job);
      first.jobs = {job};
      first.count = count;
      folder.write("first.yaml", first_scenario(first).value());
      const std::string text = first_sweep(first, "machine", "first.yaml").value();
      EXPECT_THAT(text, HasSubstr("gb200-nvl72"));
      EXPECT_THAT(text, HasSubstr("hgx-h100"));
      folder.write("first-sweep.yaml", text);
      EXPECT_GT(count_points(folder.path() / "first-sweep.yaml"), 4U);
    }
  }
}

TEST(FirstSweep, ARackIsCutToTheGpusThatThereAre) {
  FirstScenario first = first_of("hgx-b200", "all-reduce");
  first.count = 8;
  const std::string text = first_sweep(first, "machine", "x.yaml").value();
  EXPECT_THAT(text, HasSubstr("{part: gb200-nvl72, gpus: 64, nics: 64}"));
  EXPECT_THAT(text, ::testing::ContainsRegex("racks.count, name: machines, values: .8, .*, 1, 1"));
  first.storage = "roce";
  EXPECT_THAT(first_sweep(first, "machine", "x.yaml").value(), Not(HasSubstr("nvl72")));
  first.storage.clear();
  first.fabric = "leaf-spine";
  EXPECT_THAT(first_sweep(first, "machine", "x.yaml").value(), Not(HasSubstr("nvl72")));
}

TEST(FirstSweep, OversubscriptionsAreThoseOfTheSameLeaves) {
  FirstScenario first = first_of("host-400g", "all-reduce");
  first.count = 16;  // two leaves of 8
  const std::string text = first_sweep(first, "oversubscription", "x.yaml").value();
  EXPECT_THAT(text, HasSubstr("values: [1, 2, 4, 8]}\n"));
  EXPECT_THAT(text, HasSubstr("{path: fabric.spines, values: [8, 4, 2, 2]}"));
  EXPECT_THAT(text, HasSubstr("values: [400Gbps, 400Gbps, 400Gbps, 200Gbps]"));
}

}  // namespace
}  // namespace weft::begin
