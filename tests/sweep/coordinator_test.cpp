#include "tools/sweep/run/coordinator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/report/table.hpp"

namespace weft::testing {
namespace {

using sweep::Report;
using sweep::Status;
using ::testing::HasSubstr;

/// Ends every point at once; says it as often as it is told to, and of points that nobody runs.
class Stammerer : public sweep::TaskRunner {
 public:
  explicit Stammerer(Status status) : status_(status) {}

  [[nodiscard]] std::size_t free_slots() const override { return 4 - running(); }
  [[nodiscard]] std::size_t running() const override { return tasks_.size(); }
  void start(const sweep::Task& task) override { tasks_.push_back(task.id); }
  [[nodiscard]] std::vector<Report> wait(std::chrono::milliseconds) override {
    std::vector<Report> reports;
    for (const std::int64_t id : std::exchange(tasks_, {})) {
      Report report;
      report.id = id;
      report.status = status_;
      report.outcome = "finished";
      report.metrics = {{"network.buffer_drops", 0}};
      for (int i = 0; i < 3; ++i) reports.push_back(report);
      report.id = id + 1'000'000;
      reports.push_back(report);
    }
    return reports;
  }
  void stop() override { tasks_.clear(); }

 private:
  Status status_;
  std::vector<std::int64_t> tasks_;
};

struct Ran {
  Errors errors;
  sweep::Progress progress;
  sweep::Table table;
};

Ran run(
    const Folder& folder, const std::string& rest, Status status = Status::kDone,
    const sweep::SweepObserver& observer = [](const sweep::Progress&) { return true; }) {
  const auto loaded = load(folder, std::string("name: tiny\n") + kTinyScenario + rest);
  EXPECT_TRUE(loaded.ok()) << first_error(loaded);
  const sweep::Plan plan = sweep::make_plan(loaded.value()).value();
  auto store = sweep::Store::open(folder.path() / "out", loaded.value(), plan, {});
  EXPECT_TRUE(store.ok()) << first_error(store);
  Stammerer runner(status);
  sweep::Coordinator coordinator(loaded.value(), plan, *store.value(), runner);
  Ran ran;
  ran.errors = coordinator.run(observer);
  ran.progress = coordinator.progress();
  store.value().reset();
  ran.table = sweep::read_table(folder.path() / "out").value();
  return ran;
}

TEST(Coordinator, AReportThatComesThriceInOneBatchCountsOnce) {
  const Folder folder;
  const Ran ran = run(folder, "axes: [{path: fabric.spines, values: [1, 2, 4]}]\nseeds: 3\n");
  EXPECT_TRUE(ran.errors.empty());
  EXPECT_EQ(ran.progress.total, 9U);
  EXPECT_EQ(ran.progress.recorded, 9U);
  EXPECT_EQ(ran.progress.ran, 9U);
}

TEST(Coordinator, ABisectionTakesEachAnswerOnce) {
  const Folder folder;
  const Ran ran = run(folder,
                      "strategy: {type: bisect, path: fabric.switch.buffer, low: 1MB, high: 2MB, "
                      "tolerance: 10KB, condition: network.buffer_drops == 0}\nseeds: 2\n");
  EXPECT_TRUE(ran.errors.empty());
  EXPECT_EQ(ran.progress.recorded, ran.progress.total);
}

TEST(Coordinator, WhatWasKilledRunsOnceMoreHoweverOftenThatIsSaid) {
  const Folder folder;
  const Ran ran = run(folder, "axes: [{path: fabric.spines, values: [1, 2]}]\n", Status::kKilled);
  EXPECT_EQ(ran.progress.recorded, 2U);
  EXPECT_EQ(ran.progress.failed, 2U);
}

// Otherwise hundreds of thousands of them are written for seconds, in which nobody sees anything.
TEST(Coordinator, TheFirstPointsRunBeforeAllAreWritten) {
  const Folder folder;
  const std::string rest = "axes: [{path: fabric.spines, values: [1, 2]}]\nseeds: 200000\n";
  const Ran ran = run(folder, rest, Status::kDone, [](const sweep::Progress&) { return false; });
  EXPECT_TRUE(ran.errors.empty());
  EXPECT_EQ(ran.progress.total, 400'000U);
  EXPECT_GT(ran.progress.recorded, 0U);
  EXPECT_LT(ran.table.rows.size(), 20'000U);
}

TEST(Coordinator, TheFirstSearchesRunBeforeAllHaveBegun) {
  const Folder folder;
  const std::string rest =
      "axes: [{path: \"jobs[0].size\", from: 1KB, to: 1MB, steps: 500}]\n"
      "strategy: {type: bisect, path: fabric.switch.buffer, low: 1MB, high: 2MB, tolerance: 10KB, "
      "condition: network.buffer_drops == 0}\n";
  const Ran ran = run(folder, rest, Status::kDone, [](const sweep::Progress&) { return false; });
  EXPECT_TRUE(ran.errors.empty());
  EXPECT_GT(ran.progress.recorded, 0U);
  EXPECT_LT(ran.table.rows.size(), 20U);
}

TEST(Coordinator, WhatWasNotWrittenYetIsWrittenWhenTheSweepGoesOn) {
  const Folder folder;
  const std::string rest = "axes: [{path: fabric.spines, values: [1, 2, 4]}]\nseeds: 5000\n";
  const auto stop = [](const sweep::Progress&) { return false; };
  EXPECT_LT(run(folder, rest, Status::kDone, stop).table.rows.size(), 15'000U);
  const Ran again = run(folder, rest);
  EXPECT_TRUE(again.errors.empty());
  EXPECT_EQ(again.progress.recorded, 15'000U);
  EXPECT_EQ(again.table.rows.size(), 15'000U);
  EXPECT_EQ(again.table.digest(), run(folder, rest).table.digest());
}

TEST(Coordinator, ADatabaseThatLacksAPointIsAnError) {
  const Folder folder;
  const std::string rest = "axes: [{path: fabric.spines, values: [1, 2]}]\nseeds: 2\n";
  ASSERT_TRUE(run(folder, rest).errors.empty());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((folder.path() / "out" / "sweep.db").c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "DELETE FROM point WHERE id = 2", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const Ran again = run(folder, rest);
  ASSERT_EQ(again.errors.size(), 1U);
  EXPECT_THAT(again.errors.front().to_string(), HasSubstr("sweep.db: has no point 2"));
}

}  // namespace
}  // namespace weft::testing
