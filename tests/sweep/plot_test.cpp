#include "tools/sweep/report/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/language/axis_scale.hpp"

namespace weft::testing {
namespace {

using sweep::PlotOptions;
using sweep::Table;
using sweep::Value;
using ::testing::HasSubstr;
using ::testing::Not;

/// kmin in {100, 200, 400} KB times kmax in {1, 4} MB with two seeds; y = kmin / 1 GB + seed us.
Table grid() {
  Table table;
  table.name = "grid_of_two";
  table.parameters = {{"fabric.ecn.kmin", "kmin", "B", false},
                      {"fabric.ecn.kmax", "kmax", "B", false},
                      {"seed", "seed", "", true}};
  table.objectives = {{"p99", "messages.fct_seconds.p99", sweep::Goal::kMin}};
  table.metrics = {"messages.fct_seconds.p99"};
  for (const char* kmin : {"100KB", "200KB", "400KB"}) {
    for (const char* kmax : {"1MB", "4MB"}) {
      for (const char* seed : {"1", "2"}) {
        Table::Row row;
        row.id = static_cast<std::int64_t>(table.rows.size());
        row.configuration = row.id / 2;
        row.status = "done";
        row.outcome = "finished";
        row.values = {Value::of(kmin), Value::of(kmax), Value::of(seed)};
        row.metrics["messages.fct_seconds.p99"] =
            *row.values[0].number * 1e-9 + *row.values[2].number * 1e-6;
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
}

std::string commands(const PlotOptions& options) {
  const auto result = sweep::plot_commands(grid(), options);
  return result.ok() ? result.value() : result.errors().front().message;
}

TEST(Plot, ScalesAxesAndNamesUnits) {
  const std::string text = commands({.x = "kmin", .y = "p99", .by = "kmax"});
  EXPECT_THAT(text, HasSubstr("set xlabel 'kmin (KB)'"));
  EXPECT_THAT(text, HasSubstr("set ylabel 'p99 (us)'"));
  // Doubling values: a logarithmic axis with the values as tics.
  EXPECT_THAT(text, HasSubstr("set logscale x"));
  EXPECT_THAT(text, HasSubstr("set xtics ('100' 100, '200' 200, '400' 400)"));
  EXPECT_THAT(text, HasSubstr("title 'kmax'"));
  // (100 us + 1 us and + 2 us) / 2 at the first of them.
  EXPECT_THAT(text, HasSubstr("\n100 101.5 "));
}

TEST(Plot, SaysWhatIsAveraged) {
  EXPECT_THAT(commands({.x = "kmin", .y = "p99"}), HasSubstr("mean over kmax and 2 seeds"));
  EXPECT_THAT(commands({.x = "kmin", .y = "p99"}), Not(HasSubstr("yerrorbars")));
  const std::string with_bars = commands({.x = "kmin", .y = "p99", .by = "kmax"});
  EXPECT_THAT(with_bars, HasSubstr("mean of 2 seeds, bars: 95 % confidence"));
  EXPECT_THAT(with_bars, HasSubstr("yerrorbars"));
}

TEST(Plot, MisspeltNamesGetAdvice) {
  EXPECT_THAT(commands({.x = "kmn", .y = "p99"}), HasSubstr("did you mean `kmin`?"));
  EXPECT_THAT(commands({.x = "kmin", .y = "p9"}), HasSubstr("did you mean `p99`?"));
  EXPECT_THAT(commands({.x = "kmin", .y = "p99", .by = "kmin"}), HasSubstr("the same as --x"));
  EXPECT_THAT(commands({.x = "kmin", .y = "p99", .is_heatmap = true}), HasSubstr("needs --by"));
}

TEST(Plot, GnuplotDrawsBothKindsToSvgAndPng) {
  const Folder folder;
  for (const bool is_heatmap : {false, true}) {
    const std::filesystem::path base = folder.path() / (is_heatmap ? "it's a map" : "lines");
    const Errors errors = sweep::draw(
        commands({.x = "kmin", .y = "p99", .by = "kmax", .is_heatmap = is_heatmap}), base);
    ASSERT_TRUE(errors.empty()) << errors.front().to_string();
    std::ostringstream svg;
    svg << std::ifstream(base.string() + ".svg").rdbuf();
    EXPECT_THAT(svg.str(), HasSubstr("kmin (KB)"));
    EXPECT_THAT(svg.str(), HasSubstr("grid_of_two"));
    EXPECT_GT(std::filesystem::file_size(base.string() + ".png"), 5'000U);
  }
  // Two pictures in two formats, and nothing else.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 4);
}

// A page has them, too (tools/report/page/test/colour.test.js compares the palettes).
TEST(Plot, TheLeastAndTheGreatestCellHaveTheEndsOfTheScale) {
  const Folder folder;
  const Errors errors = sweep::draw(
      commands({.x = "kmin", .y = "p99", .by = "kmax", .is_heatmap = true}), folder.path() / "map");
  ASSERT_TRUE(errors.empty()) << errors.front().to_string();
  std::ostringstream svg;
  svg << std::ifstream(folder.path() / "map.svg").rdbuf();
  const std::string text = svg.str();
  const auto count = [&text](const std::string& colour) {
    std::size_t found = 0;
    for (std::size_t at = text.find(colour); at != std::string::npos;
         at = text.find(colour, at + 1))
      ++found;
    return found;
  };
  // Two cells each; the scale beside the map begins with the palest, too, and ends short of the
  // darkest.
  EXPECT_EQ(count("rgb(214, 190, 120)"), 3U);
  EXPECT_EQ(count("rgb( 62,   4,  44)"), 2U);
}

TEST(Plot, WhatGnuplotRefusesIsSaid) {
  const Folder folder;
  const Errors errors = sweep::draw("plot nonsense nonsense\n", folder.path() / "p");
  ASSERT_FALSE(errors.empty());
  EXPECT_THAT(errors.front().message, HasSubstr("gnuplot failed"));
  EXPECT_THAT(errors.front().message, HasSubstr("nonsense"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

/// In every place that takes a text: names of the sweep, of axes and results, values.
TEST(Plot, NamesAndValuesRunNothing) {
  const Folder folder;
  const std::string mark = folder.path() / "PWNED";
  const std::string evil = "`touch '" + mark + "'`$(touch '" + mark + "')\"'%n%s\\\n";
  Table table = grid();
  table.name = evil;
  for (sweep::Parameter& p : table.parameters) p.name = evil + p.name;
  table.objectives[0].name = evil;
  for (const bool is_text : {false, true}) {
    for (Table::Row& row : table.rows) {
      if (is_text) row.values[0] = Value::of(row.values[0].text + evil);
      row.values[1] = Value::of(row.values[1].text + evil);
    }
    for (const bool is_heatmap : {false, true}) {
      const auto text = sweep::plot_commands(
          table, {.x = evil + "kmin", .y = evil, .by = evil + "kmax", .is_heatmap = is_heatmap});
      ASSERT_TRUE(text.ok()) << text.errors().front().message;
      const Errors errors = sweep::draw(text.value(), folder.path() / "p");
      ASSERT_TRUE(errors.empty()) << errors.front().to_string();
      EXPECT_FALSE(std::filesystem::exists(mark));
      std::ostringstream svg;
      svg << std::ifstream(folder.path() / "p.svg").rdbuf();
      EXPECT_THAT(svg.str(), HasSubstr("%n%s")) << "a format is a text, too";
    }
  }
}

TEST(AxisScale, ChoosesUnitsThatNeedFewDigits) {
  EXPECT_EQ(sweep::scale_of({50e3, 1600e3}, "B").unit, "KB");
  EXPECT_EQ(sweep::scale_of({2e6, 64e6}, "B").unit, "MB");
  EXPECT_EQ(sweep::scale_of({65536, 1048576}, "B").unit, "KiB");
  EXPECT_EQ(sweep::scale_of({9e-6, 50e-6}, "s").unit, "us");
  EXPECT_EQ(sweep::scale_of({25e9, 400e9}, "bit/s").unit, "Gbps");
  EXPECT_EQ(sweep::scale_of({3, 1000}, "m").unit, "m");
  EXPECT_EQ(sweep::scale_of({3, 1000}, "").unit, "");
}

TEST(AxisScale, KnowsGeometricSpacing) {
  EXPECT_TRUE(sweep::is_geometric({1, 2, 4, 8, 16}));
  EXPECT_TRUE(sweep::is_geometric({3, 30, 100, 300, 1000}));
  EXPECT_FALSE(sweep::is_geometric({1, 2, 3, 4, 5}));
  EXPECT_FALSE(sweep::is_geometric({0, 1, 10, 100}));
  EXPECT_FALSE(sweep::is_geometric({1, 2}));
}

}  // namespace
}  // namespace weft::testing
