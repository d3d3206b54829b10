#include "tools/sweep/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/report/table.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using sweep::Plan;
using sweep::Report;
using sweep::Store;
using sweep::StoreOptions;
using sweep::Sweep;
using sweep::Table;
using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest()
      : sweep_(make("axes: [{path: fabric.spines, values: [1, 2]}]\nseeds: 10\n")),
        plan_(sweep::make_plan(sweep_).value()) {}

  Sweep make(const std::string& rest) const {
    const auto sweep = load(folder_, std::string("name: tiny\n") + kTinyScenario + rest);
    EXPECT_TRUE(sweep.ok()) << first_error(sweep);
    return sweep.value();
  }
  Result<std::unique_ptr<Store>> open(const StoreOptions& options = {}) const {
    return Store::open(out(), sweep_, plan_, options);
  }
  fs::path out() const { return folder_.path() / "out"; }
  fs::path database() const { return out() / "sweep.db"; }

  static Report report(std::int64_t id, double value = 1) {
    Report r;
    r.id = id;
    r.outcome = "finished";
    r.results_sha256 = "digest " + std::to_string(id);
    r.metrics = {{"a", value}, {"b", 2 * value}};
    return r;
  }
  /// What the program says when it cannot open.
  std::string refusal(const StoreOptions& options = {}) const {
    const auto store = open(options);
    if (store.ok()) return "no error";
    std::string text;
    for (const Error& error : store.errors()) text += error.to_string() + "\n";
    return text;
  }
  Table table() const {
    const auto read = sweep::read_table(out());
    EXPECT_TRUE(read.ok()) << first_error(read);
    return read.value();
  }

  Folder folder_;
  Sweep sweep_;
  Plan plan_;
};

TEST_F(StoreTest, RecordedResultsAreThereAfterwardsAndFinal) {
  {
    const auto store = open();
    ASSERT_TRUE(store.ok()) << first_error(store);
    EXPECT_FALSE(store.value()->is_resumed());
    EXPECT_TRUE(store.value()->record({report(3, 0.1), report(5)}).empty());
    // A second result for the same point changes nothing.
    EXPECT_TRUE(store.value()->record({report(3, 77)}).empty());
  }
  const auto store = open();
  ASSERT_TRUE(store.ok()) << first_error(store);
  EXPECT_TRUE(store.value()->is_resumed());
  EXPECT_TRUE(store.value()->known().at(3).is_done);
  EXPECT_TRUE(store.value()->known().at(4).is_waiting);
  EXPECT_EQ(table().rows[3].metric("a"), 0.1);
  EXPECT_EQ(table().rows[4].metric("a"), std::nullopt);
}

TEST_F(StoreTest, WhatWasKilledRunsAgainAndWhatFailedOnlyOnDemand) {
  {
    const auto store = open();
    Report killed = report(1);
    killed.status = sweep::Status::kKilled;
    Report slow = report(2);
    slow.status = sweep::Status::kTimeLimit;
    ASSERT_TRUE(store.value()->record({report(0), killed, slow}).empty());
  }
  {
    const auto store = open();
    EXPECT_TRUE(store.value()->known().at(1).is_waiting);
    EXPECT_FALSE(store.value()->known().at(2).is_waiting);
  }
  const auto store = open({.retry_failed = true});
  EXPECT_TRUE(store.value()->known().at(2).is_waiting);
  EXPECT_TRUE(store.value()->known().at(0).is_done);
}

TEST_F(StoreTest, AnotherSweepIsRefusedWithTheDifferenceAndForceNewKeepsTheOldOneAside) {
  ASSERT_TRUE(open().value()->record({report(3)}).empty());
  sweep_ = make("axes: [{path: fabric.spines, values: [1, 4]}]\nseeds: 10\n");
  plan_ = sweep::make_plan(sweep_).value();
  const std::string text = refusal();
  EXPECT_THAT(text, HasSubstr("- axis fabric.spines: 1 2\n"));
  EXPECT_THAT(text, HasSubstr("+ axis fabric.spines: 1 4\n"));
  EXPECT_THAT(text, HasSubstr("--force-new"));
  {
    const auto store = open({.must_be_new = true});
    ASSERT_TRUE(store.ok()) << first_error(store);
    EXPECT_TRUE(store.value()->known().at(3).is_waiting);
  }
  const auto old = sweep::read_table(out() / "sweep.1.db");
  ASSERT_TRUE(old.ok()) << first_error(old);
  EXPECT_TRUE(old.value().rows[3].is_done());
}

TEST_F(StoreTest, OtherObjectivesAndNamesAreTheSameSweep) {
  ASSERT_TRUE(open().value()->record({report(3)}).empty());
  sweep_ = make(
      "axes: [{path: fabric.spines, name: s, values: [1, 2]}]\nseeds: 10\n"
      "objectives: [jobs.perm.jct_seconds]\n");
  const auto store = open();
  ASSERT_TRUE(store.ok()) << first_error(store);
  EXPECT_EQ(table().parameters[0].name, "s");
  EXPECT_EQ(table().objectives[0].metric, "jobs.perm.jct_seconds");
  EXPECT_TRUE(table().rows[3].is_done());
}

TEST_F(StoreTest, ASecondSweepIsKeptOutByTheFirst) {
  const auto store = open();
  ASSERT_TRUE(store.ok());
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = refusal();
    const std::string expected =
        "is in use by another sweep (process " + std::to_string(::getppid()) + ")";
    ::_exit(text.find(expected) != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  // Readers are welcome meanwhile.
  EXPECT_EQ(table().rows.size(), 20U);
}

TEST_F(StoreTest, DamageIsSaidAndNothingIsChanged) {
  { ASSERT_TRUE(open().value()->record({report(3)}).empty()); }
  const auto size = fs::file_size(database());
  {
    std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file << std::string(20'000, '#');
  }
  const auto damaged_size = fs::file_size(database());
  EXPECT_THAT(refusal(), HasSubstr("is damaged"));
  EXPECT_EQ(fs::file_size(database()), damaged_size);
  std::ofstream(database()) << "not a database at all, but long enough to have a header";
  EXPECT_THAT(refusal(), HasSubstr("is damaged or no database"));
  EXPECT_THAT(first_error(sweep::read_table(out())), HasSubstr("is damaged or no database"));
  EXPECT_TRUE(open({.must_be_new = true}).ok());
}

TEST_F(StoreTest, ForeignAndMissingDatabasesAreRefused) {
  EXPECT_THAT(refusal({.must_exist = true}), HasSubstr("there is nothing to resume"));
  EXPECT_THAT(first_error(sweep::read_table(out())), HasSubstr("does not exist"));
  fs::create_directories(out());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE x (y)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_THAT(refusal(), HasSubstr("is a database, but not of a sweep"));
  EXPECT_THAT(first_error(sweep::read_table(out())), HasSubstr("is not the database of a sweep"));
}

TEST_F(StoreTest, AFolderThatCannotBeWrittenIsSaid) {
  // Nobody, root included, makes folders in /proc.
  const auto store = Store::open("/proc/weft-sweep", sweep_, plan_, {});
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.errors().front().to_string(), HasSubstr("/proc/weft-sweep: cannot be made"));
}

/// A disk that fills, by the limit on the size of files: writes fail in the middle of a
/// transaction.
TEST_F(StoreTest, AFullDiskLosesNothingThatWasRecorded) {
  { ASSERT_TRUE(open().ok()); }
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const auto store = open();
    if (!store.ok()) ::_exit(100);
    const rlimit limit{200'000, 200'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int id = 0; id < 20; ++id) {
      Report large = report(id);
      for (int i = 0; i < 1'000; ++i) large.metrics.emplace_back("m" + std::to_string(i), i);
      const Errors errors = store.value()->record({large});
      if (errors.empty()) continue;
      const std::string text = errors.front().to_string();
      const bool is_clear = text.find("cannot be written") != std::string::npos &&
                            text.find("what was recorded before is safe") != std::string::npos;
      ::_exit(is_clear ? id : 101);
    }
    ::_exit(102);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  const int recorded = WEXITSTATUS(status);
  ASSERT_GT(recorded, 0);
  ASSERT_LT(recorded, 20);
  const Table after = table();
  for (int id = 0; id < 20; ++id) {
    const Table::Row& row = after.rows[static_cast<std::size_t>(id)];
    EXPECT_EQ(row.is_done(), id < recorded) << id;
    EXPECT_EQ(row.metrics.size(), id < recorded ? 1'002U : 0U) << id;
  }
  EXPECT_TRUE(open().ok());
}

TEST_F(StoreTest, WarningsOfAPointAreKeptInTheirOrder) {
  {
    Report warned = report(3);
    warned.warnings = {"first", "second"};
    ASSERT_TRUE(open().value()->record({report(2), warned}).empty());
  }
  EXPECT_TRUE(table().rows[2].warnings.empty());
  EXPECT_THAT(table().rows[3].warnings, ::testing::ElementsAre("first", "second"));
}

/// What the program of the first version left: no table of warnings, and fewer statuses.
void make_version_one(const fs::path& database) {
  sqlite3* old = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &old), SQLITE_OK);
  EXPECT_EQ(
      sqlite3_exec(old,
                   "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, "
                   "'refused', 'unknown') WHERE name = 'point'; "
                   "PRAGMA writable_schema = OFF; DROP TABLE warning; PRAGMA user_version = 1",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(old);
}

TEST_F(StoreTest, ADatabaseOfTheFirstVersionIsReadAndGoesOn) {
  { ASSERT_TRUE(open().value()->record({report(3)}).empty()); }
  make_version_one(database());
  EXPECT_TRUE(table().rows[3].is_done()) << "reading changes nothing";
  {
    const auto store = open();
    ASSERT_TRUE(store.ok()) << first_error(store);
    EXPECT_TRUE(store.value()->known().at(3).is_done);
    Report warned = report(4);
    warned.warnings = {"dropped"};
    Report refused = report(5);
    refused.status = sweep::Status::kRefused;
    ASSERT_TRUE(store.value()->record({warned, refused, report(3, 7)}).empty());
  }
  EXPECT_TRUE(table().rows[3].is_done());
  EXPECT_EQ(table().rows[3].metric("a"), 1) << "results stay final";
  EXPECT_EQ(table().rows[5].status, "refused");
  EXPECT_THAT(table().rows[4].warnings, ::testing::ElementsAre("dropped"));
  EXPECT_TRUE(open().ok());
}

TEST_F(StoreTest, ADatabaseOfALaterVersionIsRefused) {
  { ASSERT_TRUE(open().ok()); }
  sqlite3* later = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &later), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(later, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(later);
  EXPECT_THAT(refusal(), HasSubstr("has schema version 99"));
  EXPECT_THAT(first_error(sweep::read_table(out())), HasSubstr("has schema version 99"));
}

TEST(Difference, ShowsChangedLinesInOrder) {
  EXPECT_EQ(sweep::difference("a\nb\nc\n", "a\nx\nc\nd\n", 10), "  - b\n  + x\n  + d\n");
  EXPECT_EQ(sweep::difference("a\n", "a\n", 10), "");
  EXPECT_EQ(sweep::difference("1\n2\n3\n", "", 2), "  - 1\n  - 2\n  ... and 1 more lines\n");
}

}  // namespace
}  // namespace weft::testing
