// Sweeps that estimate all their points and simulate the best.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/report/choice_report.hpp"
#include "tools/sweep/report/export.hpp"
#include "tools/sweep/report/statistics.hpp"
#include "tools/sweep/report/summarize.hpp"
#include "tools/sweep/run/coordinator.hpp"
#include "tools/sweep/run/process_pool.hpp"

namespace weft::testing {
namespace {

using sweep::ChoicePoint;
using sweep::Table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Eight GPUs and a model of which copies of 96 GB do not fit into 80: layers of 12 H^2 parameters
/// of 16 B (two each of parameters and gradients, twelve of the optimiser).
constexpr const char* kTrainingScenario =
    "scenario:\n"
    "  name: tiny\n"
    "  racks: {count: 1, servers: 1, server: hgx-h100}\n"
    "  fabric: {topology: rail-optimised, group: 1, spines: 1, switch: spectrum-4}\n"
    "  transport: {type: roce, congestion_control: none}\n"
    "  jobs:\n"
    "    - name: t\n"
    "      type: training\n"
    "      model: {layers: 8, hidden: 8192, heads: 64, vocabulary: 64, sequence: 16}\n"
    "      parallelism: {tensor: 8}\n"
    "      batch: {global: 8}\n"
    "      precision: {gradients: bf16}\n";

/// Tensor of 1, 2, 4, 8 ranks, and data of the rest; 16 of 8 ranks are refused. The slice is small
/// enough to be simulated in a moment.
constexpr const char* kPlans =
    "axes:\n"
    "  - zip:\n"
    "      - {path: \"jobs[0].parallelism.tensor\", values: [1, 2, 4, 8, 16], name: tensor}\n"
    "      - {path: \"jobs[0].parallelism.data\", values: [8, 4, 2, 1, 1], name: data}\n";
constexpr const char* kChoose =
    "choose:\n"
    "  best: 2\n"
    "  by: estimate.jobs.t.step_seconds\n"
    "  slice: [\"jobs[0].model.hidden=512\", \"jobs[0].model.layers=2\"]\n";

std::string plans(const std::string& rest = kChoose) {
  return std::string("name: plans\n") + kTrainingScenario + kPlans + rest;
}

struct Chosen {
  Errors errors;
  bool is_complete = false;
  sweep::Progress progress;
  Table table;
};

Chosen choose_in(
    const Folder& folder, const std::string& text, std::size_t processes = 2,
    const sweep::SweepObserver& observer = [](const sweep::Progress&) { return true; }) {
  const auto loaded = load(folder, text);
  EXPECT_TRUE(loaded.ok()) << first_error(loaded);
  const sweep::Plan plan = sweep::make_plan(loaded.value()).value();
  auto store = sweep::Store::open(folder.path() / "out", loaded.value(), plan, {});
  EXPECT_TRUE(store.ok()) << first_error(store);
  sweep::ProcessPool pool(processes, {}, sweep::PointRunner(loaded.value()));
  sweep::Coordinator coordinator(loaded.value(), plan, *store.value(), pool);
  Chosen ran;
  ran.errors = coordinator.run(observer);
  ran.is_complete = coordinator.is_complete();
  ran.progress = coordinator.progress();
  store.value().reset();
  ran.table = sweep::read_table(folder.path() / "out").value();
  return ran;
}

std::vector<std::string> states(const Table& table) {
  std::vector<std::string> all;
  for (const Table::Row& row : table.rows) all.push_back(sweep::state_of(row));
  return all;
}

TEST(Choice, EstimatesAllSimulatesTheBestAndKeepsWhyOthersCannotBe) {
  const Folder folder;
  const Chosen ran = choose_in(folder, plans());
  EXPECT_TRUE(ran.errors.empty());
  EXPECT_TRUE(ran.is_complete);
  EXPECT_EQ(ran.progress.failed, 0U);
  // 8 layers of 12 * 8192^2 parameters of 16 B are 103 GB on one GPU, and a part of it on others.
  EXPECT_THAT(states(ran.table),
              ElementsAre("over memory", "estimated", "simulated", "simulated", "refused"));
  EXPECT_THAT(ran.table.rows[0].message, HasSubstr("a GPU of job t needs "));
  EXPECT_THAT(ran.table.rows[4].message, HasSubstr("16"));
  EXPECT_FALSE(ran.table.rows[4].metric("estimate.jobs.t.step_seconds").has_value());
}

TEST(Choice, TakesTheBestEstimatesOfWhatCanRun) {
  const Folder folder;
  const Table table = choose_in(folder, plans()).table;
  const std::vector<ChoicePoint> points = sweep::choice_points(table);
  ASSERT_EQ(points.size(), 5U);
  EXPECT_LT(*points[0].estimate, *points[1].estimate);
  EXPECT_LT(*points[1].estimate, *points[2].estimate);
  EXPECT_TRUE(points[0].simulated && points[1].simulated);
  EXPECT_FALSE(points[2].simulated);
  EXPECT_EQ(points[3].row->status, "over memory");
  EXPECT_EQ(points[4].row->status, "refused");
}

// What is simulated has a quarter of the layers and a sixteenth of the width: its own estimate is
// what stands beside it.
TEST(Choice, ComparesASliceWithTheEstimateOfTheSlice) {
  const Folder folder;
  const Table table = choose_in(folder, plans()).table;
  const std::vector<ChoicePoint> points = sweep::choice_points(table);
  const ChoicePoint& best = points.at(0);
  ASSERT_TRUE(best.slice_estimate && best.simulated);
  EXPECT_LT(*best.slice_estimate, 0.5 * *best.estimate);
  EXPECT_DOUBLE_EQ(*best.ratio(), *best.simulated / *best.slice_estimate);
  EXPECT_NEAR(*best.ratio(), 1, 0.5);
}

TEST(Choice, WithoutASliceComparesWithWhatItIsChosenBy) {
  const Folder folder;
  const std::string small = "choose: {best: 1, by: estimate.jobs.t.step_seconds}\n";
  const auto loaded = load(folder, plans(small), {"jobs[0].model.hidden=512"});
  ASSERT_TRUE(loaded.ok()) << first_error(loaded);
  const sweep::PointRunner runner(loaded.value());
  const sweep::Point point = sweep::make_plan(loaded.value()).value().point(3);
  const sweep::Report report = runner(runner.task_of(point));
  EXPECT_EQ(report.status, sweep::Status::kDone) << report.message;
  for (const auto& [name, value] : report.metrics) EXPECT_FALSE(sweep::is_estimate(name)) << name;
}

TEST(Choice, ByTheLargestTakesTheLargest) {
  const Folder folder;
  const Chosen ran =
      choose_in(folder, plans("choose: {best: 1, by: estimate.jobs.t.step_seconds, goal: max, "
                              "slice: [\"jobs[0].model.hidden=512\"]}\n"));
  EXPECT_THAT(states(ran.table),
              ElementsAre("over memory", "simulated", "estimated", "estimated", "refused"));
}

TEST(Choice, OfNoneIsEstimatesAlone) {
  const Folder folder;
  const Chosen ran =
      choose_in(folder, plans("choose: {best: 0, by: estimate.jobs.t.step_seconds}\n"), 2);
  EXPECT_TRUE(ran.is_complete);
  EXPECT_THAT(states(ran.table),
              ElementsAre("over memory", "estimated", "estimated", "estimated", "refused"));
}

TEST(Choice, TakesAllSeedsOfAConfiguration) {
  const Folder folder;
  const Chosen ran = choose_in(folder, plans(std::string(kChoose) + "seeds: 2\n"));
  EXPECT_THAT(states(ran.table),
              ElementsAre("over memory", "over memory", "estimated", "estimated", "simulated",
                          "simulated", "simulated", "simulated", "refused", "refused"));
}

TEST(Choice, GoesOnWhereItWasToTheSameResults) {
  const Folder whole;
  const Table expected = choose_in(whole, plans()).table;
  const Folder folder;
  std::size_t sessions = 0;
  Chosen ran;
  while (!ran.is_complete && sessions < 50) {
    ran = choose_in(folder, plans(), 1, [](const sweep::Progress& p) { return p.ran == 0; });
    ++sessions;
  }
  EXPECT_EQ(ran.table.digest(), expected.digest());
  EXPECT_EQ(sweep::export_csv(ran.table), sweep::export_csv(expected));
  EXPECT_GT(sessions, 3U);
}

TEST(Choice, IsTheSameForAnyNumberOfProcesses) {
  const Folder one;
  const Folder many;
  EXPECT_EQ(sweep::export_csv(choose_in(one, plans(), 1).table),
            sweep::export_csv(choose_in(many, plans(), 4).table));
}

TEST(Choice, IsToldInTextCsvAndJson) {
  const Folder folder;
  const Table table = choose_in(folder, plans()).table;
  const std::string text = sweep::choice_text(table, 10);
  EXPECT_THAT(text, HasSubstr("the best 2 by estimate.jobs.t.step_seconds are simulated"));
  EXPECT_THAT(text, HasSubstr("point 0: over memory: a GPU of job t needs"));
  EXPECT_THAT(text, HasSubstr("point 4: refused: "));
  EXPECT_THAT(sweep::choice_text(table, 2), HasSubstr("and 3 more points"));
  EXPECT_THAT(sweep::summary_text(table, {}).value(), HasSubstr("1 over memory, 1 refused"));
  EXPECT_THAT(sweep::export_csv(table), HasSubstr("estimate,slice_estimate,simulated,ratio,state"));
  const auto json = nlohmann::json::parse(sweep::export_json(table));
  EXPECT_EQ(json.at("choice").at("points").at(0).at("state"), "simulated");
  EXPECT_TRUE(json.at("choice").at("points").at(4).at("estimate").is_null());
  EXPECT_EQ(json.at("choice").at("points").at(4).at("state"), "refused");
}

// Main effects and rankings of estimates have all points that could run, of results those that did.
TEST(Choice, RanksEstimatesOfAllThatCanRun) {
  const Folder folder;
  const Table table = choose_in(folder, plans()).table;
  const sweep::Objective estimate{"e", "estimate.jobs.t.step_seconds", sweep::Goal::kMin};
  const sweep::Objective result{"r", "training.t.step_seconds.mean", sweep::Goal::kMin};
  EXPECT_EQ(sweep::ranking(table, estimate).size(), 3U);
  EXPECT_EQ(sweep::ranking(table, result).size(), 2U);
}

TEST(Choice, PointsOfASliceAreExportedWithIt) {
  const Folder folder;
  const Table table = choose_in(folder, plans()).table;
  const auto scenario = sweep::point_scenario(folder.path() / "out", 3);
  ASSERT_TRUE(scenario.ok()) << first_error(scenario);
  EXPECT_THAT(scenario.value(), HasSubstr("hidden: 512"));
}

TEST(Choice, SaysWhatIsWrongWithIt) {
  const Folder folder;
  const auto error = [&folder](const std::string& rest) {
    return first_error(load(folder, plans(rest)));
  };
  EXPECT_THAT(error("choose: {best: 2, by: estimate.jobs.t.step_second}\n"),
              HasSubstr("choose.by: `estimate.jobs.t.step_second` is not an estimate"));
  EXPECT_THAT(error("choose: {best: 2, by: estimate.jobs.t.step_second}\n"),
              HasSubstr("did you mean `estimate.jobs.t.step_seconds`?"));
  EXPECT_THAT(error("choose: {best: 2, by: training.t.step_seconds.mean}\n"),
              HasSubstr("is not an estimate"));
  EXPECT_THAT(error("choose: {best: 2, by: estimate.jobs.t.mfu, gaol: max}\n"),
              HasSubstr("did you mean `goal`?"));
  EXPECT_THAT(error("choose: {by: estimate.jobs.t.mfu}\n"), HasSubstr("best"));
  EXPECT_THAT(error("choose:\n  best: 2\n  by: estimate.jobs.t.mfu\n"
                    "  slice: [\"jobs[0].model.layrs=2\"]\n"),
              HasSubstr("choose.slice[0]"));
  EXPECT_THAT(error("choose: {best: 2, by: estimate.jobs.t.mfu}\n"
                    "strategy: {type: bisect, path: \"jobs[0].batch.global\", low: 1, high: 4, "
                    "tolerance: 1, condition: network.buffer_drops == 0}\n"),
              HasSubstr("choose: has no meaning beside a bisection"));
}

// A file whose points are all refused is a mistake in the file.
TEST(Choice, OfNothingThatCanRunIsRefused) {
  const Folder folder;
  const auto loaded = load(folder, plans(std::string(kChoose) + "constraints: [tensor == 16]\n"));
  ASSERT_TRUE(loaded.ok()) << first_error(loaded);
  EXPECT_THAT(first_error(sweep::make_plan(loaded.value())), HasSubstr("16"));
}

// What its header says of estimates; ratios are in shipped_full_test.cpp.
TEST(ShippedPlans, OfLlamaNeedTooMuchMemoryInHalfAndArePlentyOtherwise) {
  const auto loaded = sweep::load_sweep(
      std::string(WEFT_SOURCE_DIR) + "/scenarios/sweeps/plans.yaml", {"sweep.choose.best=0"});
  ASSERT_TRUE(loaded.ok()) << first_error(loaded);
  const sweep::PointRunner runner(loaded.value());
  std::size_t over_memory = 0;
  std::pair<double, std::string> best{1e9, ""};
  const std::vector<sweep::Point> points = sweep::make_plan(loaded.value()).value().points();
  EXPECT_EQ(points.size(), 91U);
  for (const sweep::Point& point : points) {
    const sweep::Report report = runner(runner.estimate_task_of(point));
    if (report.status == sweep::Status::kOverMemory) ++over_memory;
    if (report.status != sweep::Status::kEstimated) continue;
    for (const auto& [name, value] : report.metrics) {
      if (name != "estimate.jobs.llama.step_seconds") continue;
      best = std::min(best, {value, description(loaded.value().parameters, point.values)});
    }
  }
  EXPECT_EQ(over_memory, 47U);
  EXPECT_EQ(best.second, "tensor=2 pipeline=1 data=32 zero=3");
}

}  // namespace
}  // namespace weft::testing
