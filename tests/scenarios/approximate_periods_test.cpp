#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"

/// How a scenario asks for approximate periods, and what cannot go together with them.
namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

constexpr const char* kJob = "{name: a, type: all-reduce, algorithm: ring, size: 1MiB}";

std::string text(const std::string& run, const std::string& job = kJob,
                 const std::string& rest = "") {
  return "name: periods\nracks: {count: 1, servers: 4}\nfabric: {topology: leaf-spine, spines: 1}\n"
         "run: " +
         run + "\njobs: [" + job + "]\n" + rest;
}

std::string error_of_periods(const std::string& scenario) {
  const auto loaded = load_scenario_text(scenario, "t.yaml");
  return loaded.ok() ? "no error" : loaded.errors().front().to_string();
}

TEST(PeriodsOfScenarios, AreSimulatedUnlessAskedFor) {
  for (const char* run : {"{}", "{reuse: on}", "{reuse: {mode: on}}"}) {
    const auto loaded = load_scenario_text(text(run), "t.yaml");
    ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    EXPECT_EQ(loaded.value().scenario.run.reuse.periods, Periods::kSimulated);
  }
  EXPECT_EQ(load_scenario_text(text("{reuse: on}"), "t.yaml").value().scenario.run.reuse.mode,
            Reuse::kOn);
}

TEST(PeriodsOfScenarios, GoAroundByTheResolvedScenario) {
  const auto loaded = load_scenario_text(
      text("{reuse: {mode: on, periods: approximate, tolerance: 2.5 %}}"), "t.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto again = load_scenario_text(loaded.value().resolved_yaml("test"), "t.yaml");
  ASSERT_TRUE(again.ok()) << again.errors().front().to_string();
  EXPECT_EQ(again.value().canonical_yaml(), loaded.value().canonical_yaml());
  for (const auto* l : {&loaded, &again}) {
    const ReuseSpec& reuse = l->value().scenario.run.reuse;
    EXPECT_EQ(reuse.mode, Reuse::kOn);
    EXPECT_EQ(reuse.periods, Periods::kApproximate);
    EXPECT_DOUBLE_EQ(reuse.tolerance, 0.025);
  }
}

TEST(PeriodsOfScenarios, NameWhatIsWrong) {
  EXPECT_THAT(error_of_periods(text("{reuse: {periods: aproximate}}")),
              HasSubstr("t.yaml:4:24: run.reuse.periods: `aproximate` is not known; expected one "
                        "of simulated, approximate; did you mean `approximate`?"));
  EXPECT_THAT(error_of_periods(text("{reuse: {period: approximate}}")),
              HasSubstr("t.yaml:4:15: run.reuse.period: unknown key `period`"));
  EXPECT_THAT(error_of_periods(text("{reuse: {periods: approximate, tolerance: 60 %}}")),
              HasSubstr("run.reuse.tolerance: `60 %` is out of range; expected a number from 0 to "
                        "0.5"));
  EXPECT_THAT(error_of_periods(text("{reuse: {periods: approximate, tolerance: much}}")),
              HasSubstr("run.reuse.tolerance: `much` is not a number"));
}

TEST(PeriodsOfScenarios, RefuseWhatTheyCannotTell) {
  struct Case {
    std::string scenario;
    const char* error;
  };
  const std::string ask = "reuse: {periods: approximate}";
  const std::vector<Case> cases{
      {text("{" + ask + ", warmup: 1ms}"), "t.yaml:4:46: run.warmup: counts from a time on"},
      {text("{" + ask + ", until: 1ms}"), "t.yaml:4:45: run.until: may cut periods"},
      {text("{reuse: {mode: audit, periods: approximate}}"),
       "t.yaml:4:21: run.reuse.mode: simulates everything"},
      {text("{" + ask + "}", kJob, "observe: {blame: true}\n"), "observe.blame: follows packets"},
      {text("{" + ask + "}", kJob, "observe: {pauses: true}\n"), "observe.pauses: would miss"},
      {text("{" + ask + "}", kJob,
            "faults: [{type: switch-down, switch: spine0, at: 1us, until: 2us}]\n"),
       "t.yaml:6:9: faults: break the periods"},
      {text("{" + ask + "}", std::string(kJob) + ", {name: b, type: incast, size: 1MiB}"),
       "t.yaml:4:24: run.reuse.periods: is `approximate`, which needs one job by itself; there are "
       "2"},
      {text("{" + ask + "}", "{name: b, type: incast, size: 1MiB}"),
       "run.reuse.periods: is `approximate`; a job of type `incast` has neither rounds nor "
       "iterations"}};
  for (const Case& c : cases)
    EXPECT_THAT(error_of_periods(c.scenario), HasSubstr(c.error)) << c.scenario;
}

}  // namespace
}  // namespace weft::scenarios
