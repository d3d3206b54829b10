#include "tools/sweep/language/load_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/language/conditions.hpp"

namespace weft::testing {
namespace {

using sweep::Plan;
using sweep::Sweep;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string tiny(const std::string& rest) {
  return std::string("name: tiny\n") + kTinyScenario + rest;
}

/// The values of one parameter over the points, or the errors.
std::vector<std::string> column(const Result<Sweep>& sweep, std::size_t parameter) {
  if (!sweep.ok()) return {sweep.errors().front().to_string()};
  const Result<Plan> plan = sweep::make_plan(sweep.value());
  if (!plan.ok()) return {plan.errors().front().to_string()};
  std::vector<std::string> texts;
  for (const auto& point : plan.value().points()) texts.push_back(point.values[parameter].text);
  return texts;
}

TEST(LoadSweep, WhatIsAskedAboutIsToldFromWhatIsChosen) {
  for (const char* path :
       {"jobs[0].size", "jobs[12].senders", "jobs[0].stragglers[1].late", "faults[0].at",
        "faults[0].bit_error_rate", "links.uplink.bit_error_rate", "links.uplink.length",
        "links.changes[0].rate", "jobs[0].batch.global", "jobs[0].load"}) {
    EXPECT_TRUE(sweep::is_condition(path)) << path;
  }
  for (const char* path :
       {"jobs[0].algorithm", "jobs[0]", "jobs", "jobs[0].parallelism.tensor", "jobs[0].batch.micro",
        "links.uplink.rate", "fabric.spines", "fabric.changes[0].buffer", "name", "transport",
        "racks.count", "racks.size", "jobs[0].transport.window"}) {
    EXPECT_FALSE(sweep::is_condition(path)) << path;
  }
}

TEST(LoadSweep, ListsAndRangesCrossWithTheLastAxisFastest) {
  const Folder folder;
  const auto sweep =
      load(folder, tiny("axes:\n"
                        "  - {path: fabric.spines, values: [1, 2]}\n"
                        "  - {path: fabric.ecn.pmax, from: 0.1, to: 0.3, steps: 3}\n"));
  EXPECT_THAT(column(sweep, 0), ElementsAre("1", "1", "1", "2", "2", "2"));
  EXPECT_THAT(column(sweep, 1), ElementsAre("0.1", "0.2", "0.3", "0.1", "0.2", "0.3"));
}

TEST(LoadSweep, LogarithmicRangesAreExactAndKeepTheirUnits) {
  const Folder folder;
  const auto sweep = load(
      folder,
      tiny("axes: [{path: fabric.ecn.kmin, from: 100KB, to: 1600KB, steps: 5, scale: log}]\n"));
  EXPECT_THAT(column(sweep, 0), ElementsAre("100KB", "200KB", "400KB", "800KB", "1600KB"));
  EXPECT_EQ(sweep.value().parameters[0].unit, "B");
}

TEST(LoadSweep, RangesOfWholeNumbersHaveNoneTwice) {
  const Folder folder;
  const auto sweep =
      load(folder, tiny("axes: [{path: fabric.spines, from: 1, to: 4, steps: 7}]\n"));
  EXPECT_THAT(column(sweep, 0), ElementsAre("1", "2", "3", "4"));
}

TEST(LoadSweep, ZipsAdvanceTogetherAndPointsAreExplicit) {
  const Folder folder;
  const auto sweep =
      load(folder, tiny("axes:\n"
                        "  - zip:\n"
                        "      - {path: fabric.spines, values: [1, 2]}\n"
                        "      - {path: links.uplink.rate, values: [800Gbps, 400Gbps]}\n"
                        "points:\n"
                        "  - {\"jobs[0].size\": 1KiB, run.control_latency: 1us}\n"
                        "  - {\"jobs[0].size\": 2KiB, run.control_latency: 2us}\n"));
  EXPECT_THAT(column(sweep, 0), ElementsAre("1", "1", "2", "2"));
  EXPECT_THAT(column(sweep, 1), ElementsAre("800Gbps", "800Gbps", "400Gbps", "400Gbps"));
  EXPECT_THAT(column(sweep, 2), ElementsAre("1KiB", "2KiB", "1KiB", "2KiB"));
  EXPECT_THAT(column(sweep, 3), ElementsAre("1us", "2us", "1us", "2us"));
}

TEST(LoadSweep, ValuesMayBeMapsAndAxesHaveNames) {
  const Folder folder;
  const auto sweep = load(folder, tiny("axes:\n"
                                       "  - {path: fabric.flow_control, name: fc, values: [{type: "
                                       "pfc, xoff: 1MB, xon: 1MB}, none]}\n"));
  EXPECT_THAT(column(sweep, 0), ElementsAre("{type: pfc, xoff: 1MB, xon: 1MB}", "none"));
  EXPECT_EQ(sweep.value().parameters[0].name, "fc");
}

TEST(LoadSweep, SeedsAreReplicasOfOneConfiguration) {
  const Folder folder;
  const auto sweep =
      load(folder, tiny("axes: [{path: fabric.spines, values: [1, 2]}]\nseeds: 3\n"));
  EXPECT_THAT(column(sweep, 1), ElementsAre("1", "2", "3", "1", "2", "3"));
  std::vector<std::int64_t> configurations;
  const auto plan = sweep::make_plan(sweep.value());
  for (const auto& point : plan.value().points()) configurations.push_back(point.configuration);
  EXPECT_THAT(configurations, ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(column(load(folder, tiny("seeds: [7, 9]\n")), 0), ElementsAre("7", "9"));
}

TEST(LoadSweep, ConstraintsDropPointsByNamesPathsAndDefaults) {
  const Folder folder;
  const std::string axes =
      "axes:\n"
      "  - {path: fabric.ecn.kmin, values: [100KB, 400KB]}\n"
      "  - {path: fabric.ecn.kmax, values: [200KB, 800KB]}\n";
  // 400 KB >= 200 KB drops one of four.
  EXPECT_THAT(column(load(folder, tiny(axes + "constraints: [kmin < kmax]\n")), 0),
              ElementsAre("100KB", "100KB", "400KB"));
  // The buffer of spectrum-4 is a default: far above all of these.
  EXPECT_THAT(column(load(folder, tiny(axes + "constraints: [kmin < kmax, kmax < 0.01 * "
                                              "fabric.switch.buffer]\n")),
                     1),
              ElementsAre("200KB", "800KB", "800KB"));
  const auto all = load(folder, tiny(axes + "constraints: [kmin > 1GB]\n"));
  EXPECT_THAT(column(all, 0), ElementsAre(HasSubstr("no point is left: each of the 4")));
  EXPECT_THAT(column(load(folder, tiny(axes + "constraints: [kmin < 1ms]\n")), 0),
              ElementsAre(HasSubstr("`kmin < 1ms` compares B with s")));
}

TEST(LoadSweep, RandomSamplesKeepTheirRangesAndFollowTheSeed) {
  const Folder folder;
  const auto text = [](int seed) {
    return tiny(
        "axes:\n"
        "  - {path: fabric.ecn.kmin, from: 10KB, to: 1000KB, scale: log}\n"
        "  - {path: fabric.ecn.kmax, from: 10KB, to: 1000KB}\n"
        "  - {path: fabric.spines, values: [1, 2]}\n"
        "constraints: [kmin < kmax]\n"
        "strategy: {type: random, samples: 50, seed: " +
        std::to_string(seed) + "}\n");
  };
  const auto first = load(folder, text(1));
  ASSERT_TRUE(first.ok()) << first.errors().front().to_string();
  const auto plan = sweep::make_plan(first.value());
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan.value().size(), 50U);
  std::set<std::string> spines;
  int below_median = 0;
  for (const auto& point : plan.value().points()) {
    EXPECT_LT(*point.values[0].number, *point.values[1].number);
    EXPECT_GE(*point.values[0].number, 10e3);
    EXPECT_LE(*point.values[1].number, 1000e3);
    if (*point.values[0].number < 100e3) ++below_median;
    spines.insert(point.values[2].text);
  }
  EXPECT_EQ(spines.size(), 2U);
  // Half of a logarithmic range lies below 100 KB, and the constraint favours small ones: of 50, at
  // least 20 with a probability beyond 0.999.
  EXPECT_GE(below_median, 20);
  EXPECT_EQ(column(load(folder, text(1)), 0), column(first, 0));
  EXPECT_NE(column(load(folder, text(2)), 0), column(first, 0));
}

// Checking every one as `weft check` does would take minutes. Values of both ends are looked at.
TEST(LoadSweep, AMillionPointsArePlannedInSecondsAndWrongValuesAreFound) {
  const Folder folder;
  const auto text = [](const char* last) {
    return tiny(
        "axes:\n"
        "  - {path: \"jobs[0].size\", from: 1KB, to: 1MB, steps: 1000}\n"
        "  - {path: fabric.ecn.pmax, from: 0.001, to: 1, steps: 500}\n"
        "  - {path: fabric.spines, values: [2, " +
        std::string(last) + "]}\n");
  };
  const std::clock_t begin = std::clock();
  const auto sweep = load(folder, text("4"));
  ASSERT_TRUE(sweep.ok()) << first_error(sweep);
  const auto plan = sweep::make_plan(sweep.value());
  ASSERT_TRUE(plan.ok()) << first_error(plan);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10);
  ASSERT_EQ(plan.value().size(), 1'000'000U);
  EXPECT_EQ(plan.value().point(0).values[0].text, "1KB");
  EXPECT_EQ(plan.value().point(999'999).values[0].text, "1MB");
  const auto wrong = load(folder, text("none"));
  EXPECT_THAT(first_error(sweep::make_plan(wrong.value())), HasSubstr("none"));
}

TEST(LoadSweep, OverridesReachTheScenarioAndTheSweep) {
  const Folder folder;
  const std::string text = tiny("axes: [{path: fabric.spines, values: [1, 2]}]\nseeds: 5\n");
  const auto sweep = load(folder, text, {"jobs[0].size=1KiB", "sweep.seeds=2"});
  EXPECT_EQ(column(sweep, 0).size(), 4U);
  EXPECT_THAT(sweep.value().base_text, HasSubstr("size: 1KiB"));
}

struct Wrong {
  const char* rest;
  const char* message;
};

class WrongSweep : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongSweep, IsRefusedWithPlaceAndAdvice) {
  const Folder folder;
  const auto sweep = load(folder, tiny(GetParam().rest));
  const std::string error =
      sweep.ok() ? first_error(sweep::make_plan(sweep.value())) : first_error(sweep);
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

// The scenario takes lines 2 to 7; what follows begins on line 8.
INSTANTIATE_TEST_SUITE_P(
    LoadSweep, WrongSweep,
    ::testing::Values(
        Wrong{"axes: [{path: fabric.ecn.kmn, values: [1KB]}]\n",
              "sweep.yaml:8:40: fabric.ecn.kmn: unknown key `kmn`"},
        Wrong{"axes: [{path: fabric.ecn.kmn, values: [1KB]}]\n", "did you mean `kmin`?"},
        Wrong{"axes: [{path: fabric.spines, values: [2, two]}]\n",
              "sweep.yaml:8:42: fabric.spines: `two` is not a whole number"},
        Wrong{"axes: [{path: fabric.spines, value: [2]}]\n", "did you mean `values`?"},
        Wrong{"axes: [{path: fabric.spines}]\n", "an axis needs values, or from, to and steps"},
        Wrong{"axes: [{path: fabric.spines, from: 1, to: 4}]\n", "needs a number of steps"},
        Wrong{"axes: [{path: fabric.ecn.kmin, from: 1KB, to: 4us, steps: 2}]\n",
              "not the kind of quantity"},
        Wrong{"axes: [{path: fabric.ecn.kmin, from: 0B, to: 4KB, steps: 2, scale: log}]\n",
              "must begin and end above zero"},
        Wrong{"axes: [{path: fabric.spines, values: [1]}, {path: fabric.spines, values: [2]}]\n",
              "is varied twice"},
        Wrong{"axes: [{zip: [{path: fabric.spines, values: [1]}, {path: seed, values: [1, 2]}]}]\n",
              "zipped paths have equally many"},
        Wrong{"points: [{fabric.spines: 1}, {seed: 2}]\n", "lacks `fabric.spines`"},
        Wrong{"seeds: [1, 1]\n", "has a seed twice"},
        Wrong{"seeds: many\n", "`many` is not a whole number"},
        Wrong{"seeds: 2\nconstraints: [sed < 2]\n", "did you mean `seed`?"},
        Wrong{"seeds: 2\nobjectives: [jobs.perm.jct_second]\n",
              "did you mean `jobs.perm.jct_seconds`?"},
        Wrong{"", "a sweep varies something"},
        Wrong{"axes: [{path: fabric.ecn.kmin, values: [9MB]}]\n",
              "is not below kmax (3200KB) (at kmin=9MB)"},
        Wrong{"strategy: {type: bisect, path: fabric.switch.buffer, low: 2MB, high: 1MB, "
              "tolerance: 1KB, condition: network.buffer_drops == 0}\n",
              "is not above low"},
        Wrong{"strategy: {type: bisect, path: fabric.switch.buffer, low: 1MB, high: 2MB, "
              "tolerance: 1KB, condition: network.bufer_drops == 0}\n",
              "did you mean `network.buffer_drops`?"},
        Wrong{"axes: [{path: seed, from: 1, to: 9000, steps: 9000}, {path: run.until, from: 1us, "
              "to: 9000us, steps: 9000}]\n",
              "makes more than 1000000 points"}));

TEST(LoadSweep, AScenarioIsNotASweep) {
  const Folder folder;
  EXPECT_THAT(
      first_error(sweep::load_sweep(std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml", {})),
      HasSubstr("is a scenario, not a sweep"));
  EXPECT_THAT(first_error(load(folder, "name: x\nscenario: nowhere.yaml\nseeds: 2\n")),
              HasSubstr("there is no such file"));
}

TEST(LoadSweep, EveryShippedSweepIsValid) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/scenarios/sweeps")) {
    const auto sweep = sweep::load_sweep(entry.path(), {});
    ASSERT_TRUE(sweep.ok()) << first_error(sweep);
    const auto plan = sweep::make_plan(sweep.value());
    EXPECT_TRUE(plan.ok()) << first_error(plan);
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(LoadSweep, SchemaNamesEveryKey) {
  const auto schema = sweep::sweep_json_schema().value();
  for (const char* key :
       {"name", "scenario", "axes", "points", "seeds", "constraints", "objectives", "strategy"}) {
    EXPECT_TRUE(schema.at("properties").contains(key)) << key;
  }
}

}  // namespace
}  // namespace weft::testing
