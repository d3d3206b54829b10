// Points whose runs were cut off: what their percentiles are of is said, and they are not ranked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/report/export.hpp"
#include "tools/sweep/report/plot.hpp"
#include "tools/sweep/report/statistics.hpp"
#include "tools/sweep/report/summarize.hpp"
#include "tools/sweep/store/report.hpp"
#include "tools/sweep/store/store.hpp"

namespace weft::testing {
namespace {

using sweep::Table;
using sweep::Value;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kP99 = "messages.fct_seconds.p99";

Table::Row row_of(std::int64_t id, const char* size, const char* outcome, double p99,
                  double completed) {
  Table::Row row;
  row.id = id;
  row.configuration = id;
  row.status = "done";
  row.outcome = outcome;
  row.values = {Value::of(size)};
  row.metrics = {{kP99, p99},
                 {"messages.count", 32},
                 {"messages.completed", completed},
                 {"network.ecn_marked", p99 * 1e6}};
  return row;
}

/// Three sizes, of which the largest was cut off by its horizon, and looks best.
Table three_sizes() {
  Table table;
  table.name = "three";
  table.parameters = {{"jobs[0].size", "size", "B", false}};
  table.objectives = {{"p99", kP99, sweep::Goal::kMin},
                      {"marks", "network.ecn_marked", sweep::Goal::kMin}};
  table.metrics = {kP99, "messages.completed", "messages.count", "network.ecn_marked"};
  table.rows = {row_of(0, "1MiB", "finished", 5e-6, 32), row_of(1, "2MiB", "finished", 9e-6, 32),
                row_of(2, "4MiB", "horizon", 1e-6, 7)};
  return table;
}

TEST(CutOffPoints, AreNotRankedByPercentiles) {
  const Table table = three_sizes();
  const auto ranking = sweep::ranking(table, table.objectives[0]);
  ASSERT_EQ(ranking.size(), 2U);
  EXPECT_EQ(ranking[0].number, 0);
  const auto others = sweep::unranked(table, table.objectives[0]);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].number, 2);
  // What is no percentile is known of the run as it is.
  EXPECT_EQ(sweep::ranking(table, table.objectives[1]).size(), 3U);
  const auto front = sweep::pareto_front(table, table.objectives[0], table.objectives[1]);
  ASSERT_EQ(front.size(), 1U);
  EXPECT_EQ(front[0].first->id, 0);
  for (const sweep::Effect& effect : sweep::main_effects(table, table.objectives[0])) {
    EXPECT_EQ(effect.levels.size(), 2U);
  }
}

TEST(CutOffPoints, AreRankedWhereThatIsAskedFor) {
  Table table = three_sizes();
  table.ranks_cut_off = true;
  const auto ranking = sweep::ranking(table, table.objectives[0]);
  ASSERT_EQ(ranking.size(), 3U);
  EXPECT_EQ(ranking[0].number, 2);
  EXPECT_TRUE(sweep::unranked(table, table.objectives[0]).empty());
  const auto text = sweep::summary_text(table, {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text.value(), HasSubstr("1     4MiB  1 us, of 7 of 32 messages"));
}

TEST(CutOffPoints, SayInTablesOfHowManyMessagesTheyAre) {
  const auto text = sweep::summary_text(three_sizes(), {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text.value(), HasSubstr("3 points, 1 cut off"));
  EXPECT_THAT(text.value(), HasSubstr("-     4MiB  1 us, of 7 of 32 messages"));
  EXPECT_THAT(text.value(), HasSubstr("-: not ranked"));
  const auto json = sweep::summary_json(three_sizes(), {});
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json.value()["cut_off"], 1);
  const auto& objective = json.value()["objectives"][0];
  EXPECT_EQ(objective["configurations"].size(), 2U);
  EXPECT_EQ(objective["not_ranked"][0]["cut_off"], "of 7 of 32 messages");
  EXPECT_EQ(objective["not_ranked"][0]["parameters"]["size"], "4MiB");
}

TEST(CutOffPoints, SayInPlotsOfHowManyMessagesTheyAre) {
  const auto lines = sweep::plot_commands(three_sizes(), {.x = "size", .y = "p99"});
  ASSERT_TRUE(lines.ok());
  EXPECT_THAT(lines.value(), HasSubstr("\"of 7 of 32 messages\"\n"));
  EXPECT_THAT(lines.value(), HasSubstr("$cut_off using 1:2:3 with labels"));
  const auto other = sweep::plot_commands(three_sizes(), {.x = "size", .y = "marks"});
  ASSERT_TRUE(other.ok());
  EXPECT_THAT(other.value(), Not(HasSubstr("messages")));
}

TEST(CutOffPoints, SayWhenExportedOfHowManyMessagesTheyAre) {
  Table table = three_sizes();
  table.metrics.insert(table.metrics.begin(), "jobs.a.slowdown.p50");
  table.rows[2].metrics["jobs.a.slowdown.p50"] = 2;
  table.rows[2].metrics["jobs.a.messages"] = 16;
  table.rows[2].metrics["jobs.a.completed_messages"] = 3;
  const std::string csv = sweep::export_csv(table);
  EXPECT_THAT(csv, HasSubstr(",cut_off\n"));
  EXPECT_THAT(csv, HasSubstr(",of 7 of 32 messages; jobs.a of 3 of 16 messages\n"));
  const auto json = nlohmann::json::parse(sweep::export_json(table));
  EXPECT_FALSE(json["points"][0].contains("cut_off"));
  EXPECT_EQ(json["points"][2]["cut_off"][kP99], "of 7 of 32 messages");
  EXPECT_EQ(json["points"][2]["cut_off"]["jobs.a.slowdown.p50"], "of 3 of 16 messages");
}

// Of two seeds the one that was cut off makes the other no better.
TEST(CutOffPoints, TakeTheirConfigurationWithThem) {
  Table table = three_sizes();
  table.rows[2].configuration = 1;
  EXPECT_EQ(sweep::ranking(table, table.objectives[0]).size(), 1U);
  const auto others = sweep::unranked(table, table.objectives[0]);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].result.count, 2U);
  EXPECT_EQ(others[0].result.cut_off->text(), "of 39 of 64 messages");
}

TEST(CutOffPoints, StandBesideThresholdsWithTheirWords) {
  Table table = three_sizes();
  table.bisected = "jobs[0].size";
  table.condition = std::string(kP99) + " < 4us";
  for (Table::Row& row : table.rows) row.holds = row.id == 2;
  const auto text = sweep::summary_text(table, {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text.value(), HasSubstr("        2MiB  4MiB, of 7 of 32 messages     3\n"));
  auto json = sweep::summary_json(table, {});
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json.value()["thresholds"][0]["cut_off"].dump(),
            R"({"holds_at":"of 7 of 32 messages"})");

  for (Table::Row& row : table.rows) row.holds = false;
  const auto failing = sweep::summary_text(table, {});
  ASSERT_TRUE(failing.ok());
  EXPECT_THAT(failing.value(), HasSubstr("4MiB, of 7 of 32 messages       never     3\n"));
  json = sweep::summary_json(table, {});
  EXPECT_EQ(json.value()["thresholds"][0]["cut_off"].dump(),
            R"({"fails_at":"of 7 of 32 messages"})");
}

// 7 of 32 messages were fast: that says nothing of the other 25.
TEST(CutOffPoints, FulfilNoConditionOfABisectionUnlessThatIsAskedFor) {
  const auto condition = [](const std::string& text, bool counts_cut_off) {
    auto parsed = sweep::Expression::parse(text);
    sweep::Bisection bisection{{}, {}, {}, {}, {}, std::get<sweep::Expression>(std::move(parsed))};
    bisection.counts_cut_off = counts_cut_off;
    return bisection;
  };
  sweep::Report report;
  report.outcome = "horizon";
  report.metrics = {
      {kP99, 1e-6}, {"messages.count", 32}, {"messages.completed", 7}, {"network.buffer_drops", 0}};
  const std::string on_percentile = std::string(kP99) + " < 4us";
  EXPECT_FALSE(condition_holds(condition(on_percentile, false), report));
  EXPECT_FALSE(condition_holds(condition(std::string(kP99) + " > 0us", false), report));
  EXPECT_TRUE(condition_holds(condition(on_percentile, true), report));
  EXPECT_TRUE(condition_holds(condition("network.buffer_drops == 0", false), report));
  report.outcome = "finished";
  report.metrics[2].second = 32;
  EXPECT_TRUE(condition_holds(condition(on_percentile, false), report));
}

TEST(CutOffPoints, CountInABisectionWhoseSweepSaysSo) {
  const Folder folder;
  const std::string text =
      std::string("name: tiny\n") + kTinyScenario +
      "strategy: {type: bisect, path: run.until, low: 12us, high: 1s, tolerance: 1us, condition: "
      "messages.fct_seconds.p99 < 1s";
  const auto without = load(folder, text + "}\n");
  ASSERT_TRUE(without.ok()) << first_error(without);
  EXPECT_FALSE(std::get<sweep::Bisection>(without.value().strategy).counts_cut_off);
  EXPECT_THAT(without.value().definition(), Not(HasSubstr("cut off")));
  const auto with = load(folder, text + ", cut_off: true}\n");
  ASSERT_TRUE(with.ok()) << first_error(with);
  EXPECT_TRUE(std::get<sweep::Bisection>(with.value().strategy).counts_cut_off);
  EXPECT_THAT(with.value().definition(), HasSubstr("also of runs that were cut off"));
}

// From a run to its database and back, with what SQL has of it.
TEST(CutOffPoints, AreKnownFromTheDatabase) {
  const Folder folder;
  const auto sweep = load(folder, std::string("name: tiny\n") + kTinyScenario +
                                      "axes:\n  - {path: run.until, values: [12us, 1s]}\n"
                                      "objectives: [{metric: messages.fct_seconds.p99}]\n");
  ASSERT_TRUE(sweep.ok()) << first_error(sweep);
  const auto plan = sweep::make_plan(sweep.value());
  ASSERT_TRUE(plan.ok());
  auto store = sweep::Store::open(folder.path(), sweep.value(), plan.value(), {});
  ASSERT_TRUE(store.ok()) << first_error(store);
  const sweep::PointRunner runner(sweep.value());
  std::vector<sweep::Report> reports;
  for (const sweep::Point& point : plan.value().points()) {
    reports.push_back(runner(runner.task_of(point)));
  }
  ASSERT_TRUE(store.value()->record(reports).empty());
  store.value().reset();
  const auto table = sweep::read_table(folder.path());
  ASSERT_TRUE(table.ok()) << first_error(table);
  ASSERT_EQ(table.value().rows[0].outcome, "horizon");
  const auto cut_off = table.value().rows[0].cut_off();
  ASSERT_TRUE(cut_off.has_value());
  EXPECT_LT(cut_off->completed, cut_off->count);
  EXPECT_GT(cut_off->completed, 0U);
  EXPECT_FALSE(table.value().rows[1].cut_off().has_value());
}

}  // namespace
}  // namespace weft::testing
