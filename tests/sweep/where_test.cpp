// What a sweep says of a part of its points, and of points that are not there.

#include "tools/sweep/report/where.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/report/plot.hpp"
#include "tools/sweep/report/statistics.hpp"
#include "tools/sweep/report/summarize.hpp"
#include "tools/sweep/store/report.hpp"
#include "tools/sweep/store/store.hpp"

namespace weft::testing {
namespace {

using sweep::Table;
using sweep::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// a in {1, 2, 3} times b in {10, 20, 30} where b > 10 a - 5 or so, as a constraint would leave it:
/// y = 100 a + b.
Table triangle() {
  Table table;
  table.name = "triangle";
  table.parameters = {{"x.a", "a", "", false}, {"x.b", "b", "", false}, {"x.fc", "fc", "", false}};
  table.objectives = {{"y", "y_seconds", sweep::Goal::kMin}};
  table.metrics = {"y_seconds"};
  for (const int a : {1, 2, 3}) {
    for (const int b : {10, 20, 30}) {
      if (b < 10 * a) continue;
      Table::Row row;
      row.id = static_cast<std::int64_t>(table.rows.size());
      row.configuration = row.id;
      row.status = "done";
      row.outcome = "finished";
      row.values = {Value::of(std::to_string(a)), Value::of(std::to_string(b)), Value::of("pfc")};
      row.metrics["y_seconds"] = 100 * a + b;
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

TEST(Where, KeepsPointsByAxesTextsAndResults) {
  EXPECT_EQ(sweep::points_where(triangle(), "a < 3 and b == 30").value().rows.size(), 2U);
  EXPECT_EQ(sweep::points_where(triangle(), "x.a == 1").value().rows.size(), 3U);
  EXPECT_EQ(sweep::points_where(triangle(), "fc == 'pfc'").value().rows.size(), 6U);
  EXPECT_EQ(sweep::points_where(triangle(), "y > 300").value().rows.size(), 1U);
}

// The release before wrote one of these points.
TEST(Where, FindsResultsByTheirFormerNamesInDatabasesOfBothReleases) {
  const Folder folder;
  const auto sweep = load(folder, std::string("name: two\n") + kTinyScenario +
                                      "axes: [{path: fabric.spines, values: [1, 2]}]\n");
  ASSERT_TRUE(sweep.ok()) << first_error(sweep);
  const auto plan = sweep::make_plan(sweep.value());
  auto store = sweep::Store::open(folder.path(), sweep.value(), plan.value(), {});
  ASSERT_TRUE(store.ok()) << first_error(store);
  std::vector<sweep::Report> reports(2);
  for (std::size_t i = 0; i < 2; ++i) {
    reports[i].id = static_cast<std::int64_t>(i);
    reports[i].metrics = {{i == 0 ? "reuse.leaps" : "reuse.skips", static_cast<double>(i)}};
  }
  ASSERT_TRUE(store.value()->record(reports).empty());
  store.value().reset();
  const auto read = sweep::read_table(folder.path());
  ASSERT_TRUE(read.ok()) << first_error(read);
  const Table& table = read.value();
  EXPECT_THAT(table.metrics, ElementsAre("reuse.skips"));
  EXPECT_EQ(table.rows[0].metric("reuse.skips"), 0.0);
  EXPECT_EQ(table.rows[1].metric("reuse.skips"), 1.0);
  EXPECT_EQ(sweep::points_where(table, "reuse.leaps > 0").value().rows.size(), 1U);
  EXPECT_EQ(table.objective("reuse.leaps").value().metric, "reuse.skips");
  EXPECT_THAT(table.former_name_warning("reuse.leaps"), HasSubstr("is called `reuse.skips` now"));
  EXPECT_EQ(table.former_name_warning("reuse.skips"), "");
}

// Axes and objectives may be called as a result once was.
TEST(Where, TakesNamesOfTheSweepAsTheyAre) {
  Table table = triangle();
  table.objectives = {{"cells", "y_seconds", sweep::Goal::kMin}};
  EXPECT_EQ(table.objective("cells").value().metric, "y_seconds");
  EXPECT_EQ(table.former_name_warning("cells"), "");
}

TEST(Where, SaysWhatItDoesNotKnowAndWhereNothingIsLeft) {
  const auto message = [](const char* condition) {
    return sweep::points_where(triangle(), condition).errors().front().message;
  };
  EXPECT_THAT(message("aa < 3"), HasSubstr("`aa` is neither an axis nor a result"));
  EXPECT_THAT(message("fc == pfc"), HasSubstr("texts stand between single quotes"));
  EXPECT_THAT(message("a <"), HasSubstr("--where: "));
  EXPECT_THAT(message("a > 7"), HasSubstr("no point has a > 7"));
}

TEST(Where, AResultIsComparedWithWhatItIsMeasuredIn) {
  EXPECT_THAT(sweep::points_where(triangle(), "y > 1MB").errors().front().message,
              HasSubstr("--where: `y > 1MB` compares s with B, which are of different kinds"));
  EXPECT_TRUE(sweep::points_where(triangle(), "y > 300s").ok());
}

TEST(Where, SummariesAndPlotsSayWhatTheyAreOf) {
  const Table table = sweep::points_where(triangle(), "a < 3").value();
  EXPECT_THAT(sweep::summary_text(table, {}).value(), HasSubstr("those where a < 3"));
  EXPECT_THAT(sweep::plot_commands(table, {.x = "a", .y = "y", .by = "b"}).value(),
              HasSubstr("where a < 3"));
}

// Over all points the mean at a = 1 is 120 and at a = 3 330: 210, of which 10 is b's. Only b = 30
// is there for every a: 130, 230, 330.
TEST(MainEffects, AreOverWhatAllLevelsHave) {
  const auto effects = sweep::main_effects(triangle(), triangle().objectives[0]);
  ASSERT_EQ(effects[0].parameter, 0U);
  EXPECT_DOUBLE_EQ(effects[0].range, 200);
  EXPECT_EQ(effects[0].common, 1U);
  EXPECT_EQ(effects[0].others, 3U);
  // Of b the only common one is a = 1.
  EXPECT_DOUBLE_EQ(effects[1].range, 20);
  EXPECT_THAT(
      sweep::summary_text(triangle(), {}).value(),
      HasSubstr("a: over the 1 of 3 combinations of the others that have all of its values"));
}

TEST(MainEffects, OfLevelsThatHaveNothingInCommonSaySo) {
  Table table = triangle();
  std::erase_if(table.rows, [](const Table::Row& row) { return row.values[1].text == "30"; });
  // What is left is (1, 10), (2, 20) and (2, 40).
  table.rows.erase(table.rows.begin() + 1);
  Table::Row another = table.rows.back();
  another.values[1] = Value::of("40");
  table.rows.push_back(another);
  const auto effects = sweep::main_effects(table, table.objectives[0]);
  EXPECT_TRUE(effects[0].is_unequal());
  EXPECT_THAT(sweep::summary_text(table, {}).value(), HasSubstr("may be due to them"));
}

TEST(MainEffects, OfAZipAreThatOfAllThatChangesTogether) {
  Table table = triangle();
  std::erase_if(table.rows, [](const Table::Row& row) {
    return *row.values[1].number != 10 * *row.values[0].number;
  });
  ASSERT_EQ(table.rows.size(), 3U);
  const std::string text = sweep::summary_text(table, {}).value();
  EXPECT_THAT(text, HasSubstr("a: changes together with b"));
  EXPECT_THAT(text, Not(HasSubstr("may be due to them")));
}

// Nobody chooses a size because a small one takes less time.
TEST(Summary, SaysWhatIsBestForEachConditionOfTheQuestion) {
  Table table = triangle();
  table.parameters[0].path = "jobs[0].size";
  table.parameters[1].path = "fabric.spines";
  const std::string text = sweep::summary_text(table, {}).value();
  // y is 100 a + b, so that the least b is best; a = 3 has one point alone.
  EXPECT_THAT(text, ::testing::ContainsRegex("  for each a, which nobody chooses:\n"
                                             "  a  best b +mean +the worst has +of\n"
                                             "  1 +10 +110 s +130 s +3\n"
                                             "  2 +20 +220 s +230 s +2\n"
                                             "  3 +30 +330 s +330 s +1\n"));
  table.parameters[1].path = "faults[0].at";
  EXPECT_THAT(
      sweep::summary_text(table, {}).value(),
      HasSubstr("nothing but a, b differs, which nobody chooses: the first is not the best"));
  table.parameters[0].path = table.parameters[1].path = "fabric.ecn.kmin";
  EXPECT_THAT(sweep::summary_text(table, {}).value(), Not(HasSubstr("nobody chooses")));
}

TEST(Summary, WhatChangesWithAChoiceIsNoCondition) {
  Table table = triangle();
  std::erase_if(table.rows, [](const Table::Row& row) {
    return *row.values[1].number != 10 * *row.values[0].number;
  });
  table.parameters[0].path = "jobs[0].size";
  table.parameters[1].path = "fabric.spines";
  EXPECT_THAT(sweep::summary_text(table, {}).value(), Not(HasSubstr("nobody chooses")));
}

TEST(Summary, OneSeedIsCalledThatAndIntervalsSayWhatTheyAre) {
  EXPECT_THAT(sweep::summary_text(triangle(), {}).value(), HasSubstr("one seed"));
  Table table = triangle();
  const std::vector<Table::Row> rows = table.rows;
  for (Table::Row row : rows) {
    row.id += 100;
    row.metrics["y_seconds"] += 1;
    table.rows.push_back(row);
  }
  const std::string text = sweep::summary_text(table, {}).value();
  EXPECT_THAT(text, Not(HasSubstr("one seed")));
  EXPECT_THAT(text, HasSubstr("95 % confidence (Student's t)"));
}

TEST(Plot, SaysThatAnAxisIsCutAndThatThereIsOneSeed) {
  const auto plot = [](const Table& table) {
    return sweep::plot_commands(table, {.x = "a", .y = "y", .by = "b"}).value();
  };
  EXPECT_THAT(plot(triangle()), HasSubstr("set yrange [0:*]")) << "110 to 330";
  EXPECT_THAT(plot(triangle()), HasSubstr(": one seed"));
  Table flat = triangle();
  for (Table::Row& row : flat.rows) row.metrics["y_seconds"] += 1'000;
  EXPECT_THAT(plot(flat), HasSubstr(", not from 0'"));
}

TEST(Plot, CellsWithoutColourAreLabelled) {
  Table table = triangle();
  table.rows.back().outcome = "stuck";  // a = 3, b = 30: no level of b would be left without
  table.rows.push_back(table.rows.front());
  table.rows.back().values[0] = Value::of("3");
  table.rows.back().values[1] = Value::of("20");
  const std::string text =
      sweep::plot_commands(table, {.x = "a", .y = "y", .by = "b", .is_heatmap = true}).value();
  EXPECT_THAT(text, HasSubstr("1 0 dropped"));
  EXPECT_THAT(text, HasSubstr("2 2 \"no result\""));
}

TEST(Plot, MeansOverUnequallyManyPointsSaySo) {
  EXPECT_THAT(sweep::plot_commands(triangle(), {.x = "a", .y = "y"}).value(),
              HasSubstr("mean over b (unequal: 1 to 3 points each)"));
}

}  // namespace
}  // namespace weft::testing
