// `weft summarize` against SQL on the same database: a random sweep whose points are really run.

#include "tools/sweep/report/summarize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/report/statistics.hpp"
#include "tools/sweep/store/report.hpp"
#include "tools/sweep/store/store.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using Rows = std::vector<std::vector<std::string>>;

/// Rows of a query, as texts.
class Query {
 public:
  explicit Query(const std::filesystem::path& path) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  }
  ~Query() { sqlite3_close(database_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Rows operator()(const std::string& sql) const {
    Rows rows;
    char* error = nullptr;
    sqlite3_exec(
        database_, sql.c_str(),
        [](void* to, int count, char** values, char**) {
          std::vector<std::string> row;
          row.reserve(static_cast<std::size_t>(count));
          for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
          static_cast<Rows*>(to)->push_back(std::move(row));
          return 0;
        },
        &rows, &error);
    EXPECT_EQ(error, nullptr) << error;
    return rows;
  }

 private:
  sqlite3* database_ = nullptr;
};

/// Sums in another order: a few units in the last of 53 bits, with room.
void expect_equal(double a, double b) { EXPECT_NEAR(a, b, 1e-12 * std::fabs(b)); }

class SummaryAgainstSql : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto sweep =
        load(folder_, std::string("name: tiny\n") + kTinyScenario +
                          "axes:\n"
                          "  - {path: \"jobs[0].size\", from: 1KiB, to: 256KiB, scale: log}\n"
                          "  - {path: fabric.spines, values: [1, 2, 4]}\n"
                          "  - {path: fabric.flow_control, name: fc, values: [pfc, none]}\n"
                          "seeds: 2\n"
                          "objectives:\n"
                          "  - {metric: messages.fct_seconds.p99, name: p99}\n"
                          "  - {metric: network.packets_delivered, name: packets, goal: max}\n"
                          "strategy: {type: random, samples: 40, seed: 5}\n");
    ASSERT_TRUE(sweep.ok()) << first_error(sweep);
    const auto plan = sweep::make_plan(sweep.value());
    ASSERT_TRUE(plan.ok()) << first_error(plan);
    auto store = sweep::Store::open(folder_.path(), sweep.value(), plan.value(), {});
    ASSERT_TRUE(store.ok()) << first_error(store);
    const sweep::PointRunner runner(sweep.value());
    std::vector<sweep::Report> reports;
    for (const sweep::Point& point : plan.value().points()) {
      reports.push_back(runner(runner.task_of(point)));
    }
    // Two that must not count: no results, and jobs that did not finish.
    reports[4].status = sweep::Status::kCrash;
    reports[4].metrics.clear();
    reports[9].outcome = "stuck";
    ASSERT_TRUE(store.value()->record(reports).empty());
    store.value().reset();
    const auto table = sweep::read_table(folder_.path());
    ASSERT_TRUE(table.ok()) << first_error(table);
    table_ = table.value();
    sql_ = std::make_unique<Query>(folder_.path() / "sweep.db");
  }

  Folder folder_;
  sweep::Table table_;
  std::unique_ptr<Query> sql_;
};

constexpr const char* kUsable =
    "FROM point JOIN metric ON metric.point = point.id AND metric.name = "
    "'messages.fct_seconds.p99' WHERE status = 'done' AND outcome = 'finished' ";

TEST_F(SummaryAgainstSql, RankingMeansAndIntervals) {
  const auto ranking = sweep::ranking(table_, table_.objectives[0]);
  const Rows rows =
      (*sql_)(std::string("SELECT configuration, avg(value), count(*), "
                          "sum(value * value) - count(*) * avg(value) * avg(value) ") +
              kUsable + "GROUP BY configuration ORDER BY avg(value), configuration");
  ASSERT_EQ(ranking.size(), rows.size());
  ASSERT_EQ(ranking.size(), 40U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(std::to_string(ranking[i].number), rows[i][0]);
    expect_equal(ranking[i].result.mean, std::stod(rows[i][1]));
    EXPECT_EQ(std::to_string(ranking[i].result.count), rows[i][2]);
    if (rows[i][2] == "1") {
      EXPECT_FALSE(ranking[i].result.half_width.has_value());
      continue;
    }
    // Two values: t(0.975, 1) = tan(0.475 pi) = 12.7062, times sqrt(variance / 2). The difference
    // of squares loses digits: relative to the mean it is good to 1e-7.
    const double variance = std::max(std::stod(rows[i][3]), 0.0);
    const double expected = std::tan(0.475 * M_PI) * std::sqrt(variance / 2);
    EXPECT_NEAR(*ranking[i].result.half_width, expected, 1e-6 * ranking[i].result.mean);
  }
}

// Student's t at 97.5 % for 1, 2 and 10 degrees of freedom, as every table has it.
TEST(Summarize, FactorsOfIntervalsAreStudents) {
  EXPECT_NEAR(sweep::student_factor(2), 12.706, 5e-4);
  EXPECT_NEAR(sweep::student_factor(3), 4.303, 5e-4);
  EXPECT_NEAR(sweep::student_factor(11), 2.228, 5e-4);
}

TEST_F(SummaryAgainstSql, MainEffectsOfListsAndOfQuarters) {
  std::map<std::string, const sweep::Effect*> effects;
  const auto all = sweep::main_effects(table_, table_.objectives[0]);
  for (const sweep::Effect& effect : all) {
    effects[table_.parameters[effect.parameter].name] = &effect;
  }
  ASSERT_EQ(effects.size(), 3U);  // not the seed
  const auto check = [](const sweep::Effect& effect, const Rows& rows) {
    ASSERT_EQ(effect.levels.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      expect_equal(effect.levels[i].result.mean, std::stod(rows[i][1]));
      EXPECT_EQ(std::to_string(effect.levels[i].result.count), rows[i][2]);
    }
  };
  const std::string join = std::string("FROM (SELECT point.id AS id, metric.value AS y ") +
                           kUsable + ") JOIN value ON value.point = id AND value.parameter = ";
  check(*effects.at("spines"),
        (*sql_)("SELECT number, avg(y), count(*) " + join + "1 GROUP BY number ORDER BY number"));
  const Rows fc = (*sql_)("SELECT text, avg(y), count(*) " + join + "2 GROUP BY text");
  ASSERT_EQ(fc.size(), 2U);
  for (const auto& level : effects.at("fc")->levels) {
    const auto& row = fc[level.label == fc[0][0] ? 0 : 1];
    EXPECT_EQ(level.label, row[0]);
    expect_equal(level.result.mean, std::stod(row[1]));
  }
  // 40 different sizes: quarters of the points.
  check(*effects.at("size"),
        (*sql_)("SELECT q, avg(y), count(*) FROM (SELECT y, ntile(4) OVER (ORDER BY number, id) AS "
                "q " +
                join + "0) GROUP BY q ORDER BY q"));
  double range = 0;
  for (const auto& effect : all) {
    if (range != 0) {
      EXPECT_LE(effect.range, range);
    }
    range = effect.range;
  }
}

TEST_F(SummaryAgainstSql, ParetoFront) {
  const auto front = sweep::pareto_front(table_, table_.objectives[0], table_.objectives[1]);
  const Rows rows = (*sql_)(
      "WITH means AS (SELECT configuration AS c, "
      "  avg(CASE name WHEN 'messages.fct_seconds.p99' THEN value END) AS a, "
      "  avg(CASE name WHEN 'network.packets_delivered' THEN value END) AS b "
      "  FROM point JOIN metric ON metric.point = point.id "
      "  WHERE status = 'done' AND outcome = 'finished' GROUP BY configuration) "
      "SELECT DISTINCT a, b FROM means AS m WHERE NOT EXISTS (SELECT 1 FROM means AS o WHERE "
      "  o.a <= m.a AND o.b >= m.b AND (o.a < m.a OR o.b > m.b)) ORDER BY a");
  ASSERT_EQ(front.size(), rows.size());
  ASSERT_GE(front.size(), 2U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expect_equal(front[i].a, std::stod(rows[i][0]));
    expect_equal(front[i].b, std::stod(rows[i][1]));
  }
}

TEST_F(SummaryAgainstSql, TextAndJsonSayTheSame) {
  const auto json = sweep::summary_json(table_, {});
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json.value()["points"], 80);
  EXPECT_EQ(json.value()["failed"], 1);
  EXPECT_EQ(json.value()["unfinished"], 1);
  const auto& best = json.value()["objectives"][0]["configurations"][0];
  const auto text = sweep::summary_text(table_, {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text.value(), HasSubstr("1 whose jobs did not finish"));
  EXPECT_THAT(text.value(), HasSubstr(sweep::metric_text("messages.fct_seconds.p99",
                                                         best["mean"].get<double>())));
  const auto wrong = sweep::summary_text(table_, {.objectives = {"p9"}, .pareto = {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.errors().front().message, HasSubstr("did you mean `p99`?"));
}

TEST_F(SummaryAgainstSql, TheViewHasAColumnPerAxisAndObjective) {
  const Rows rows =
      (*sql_)("SELECT id, size, spines, fc, seed, p99, packets FROM result WHERE id = 7");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(std::stod(rows[0][1]), *table_.rows[7].values[0].number);
  EXPECT_EQ(rows[0][3], table_.rows[7].values[2].text);
  expect_equal(std::stod(rows[0][5]), *table_.rows[7].metric("messages.fct_seconds.p99"));
}

TEST(Estimate, HasStudentsInterval) {
  // 1, 2, 3: mean 2, standard deviation 1, t(0.975, 2) = 4.302653.
  const sweep::Estimate e = sweep::estimate({1, 2, 3});
  EXPECT_DOUBLE_EQ(e.mean, 2);
  EXPECT_NEAR(*e.half_width, 4.302653 / std::sqrt(3.0), 1e-6);
  EXPECT_FALSE(sweep::estimate({5}).half_width.has_value());
}

}  // namespace
}  // namespace weft::testing
