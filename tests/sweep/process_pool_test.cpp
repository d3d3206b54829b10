#include "tools/sweep/run/process_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using sweep::Limits;
using sweep::ProcessPool;
using sweep::Report;
using sweep::Status;
using sweep::Task;

Report good(const Task& task) {
  Report report;
  report.id = task.id;
  report.outcome = "finished";
  report.metrics = {{"a", 0.1}, {"b", 1e-300}};
  return report;
}

/// What the pool says about tasks of which each does what its override says.
std::map<std::int64_t, Report> run(const std::vector<std::string>& deeds, Limits limits = {}) {
  ProcessPool pool(2, limits, [](const Task& task) {
    const std::string& deed = task.overrides.front();
    if (deed == "abort") {
      std::fprintf(stderr, "the reason\n");
      std::abort();
    }
    if (deed == "exit") ::_exit(3);
    if (deed == "kill") ::raise(SIGKILL);
    if (deed == "hang") {
      for (;;) ::pause();
    }
    if (deed == "eat") {
      // Touched, so that the pages are there; far beyond the limit and far below the machine.
      std::vector<char> memory(std::size_t{512} << 20U, 'x');
      if (memory[memory.size() / 2] != 'x') std::abort();
    }
    if (deed == "large") {
      Report report = good(task);
      report.message.assign(1'000'000, 'm');
      return report;
    }
    return good(task);
  });
  std::map<std::int64_t, Report> reports;
  std::size_t next = 0;
  while (reports.size() < deeds.size()) {
    while (next < deeds.size() && pool.free_slots() > 0) {
      pool.start({static_cast<std::int64_t>(next), {deeds[next]}, {}});
      ++next;
    }
    for (Report& report : pool.wait(1s)) reports[report.id] = std::move(report);
  }
  return reports;
}

TEST(ProcessPool, ReportsArriveBitForBit) {
  const auto reports = run({"work", "work", "large", "work"});
  for (const auto& [id, report] : reports) EXPECT_EQ(report.status, Status::kDone) << id;
  EXPECT_EQ(reports.at(0).metrics, (sweep::Metrics{{"a", 0.1}, {"b", 1e-300}}));
  EXPECT_EQ(reports.at(2).message.size(), 1'000'000U);
  EXPECT_GT(reports.at(0).peak_memory, 0);
}

TEST(ProcessPool, ACrashIsRecordedWithItsLastWordsAndTheOthersGoOn) {
  const auto reports = run({"abort", "exit", "work", "kill", "work"});
  EXPECT_EQ(reports.at(0).status, Status::kCrash);
  EXPECT_THAT(reports.at(0).message, HasSubstr("ended by signal 6 (Aborted): the reason"));
  EXPECT_EQ(reports.at(1).status, Status::kCrash);
  EXPECT_THAT(reports.at(1).message, HasSubstr("exit code 3"));
  EXPECT_EQ(reports.at(2).status, Status::kDone);
  EXPECT_EQ(reports.at(3).status, Status::kKilled);
  EXPECT_EQ(reports.at(4).status, Status::kDone);
}

TEST(ProcessPool, TheTimeLimitEndsWhatHangs) {
  const auto begin = std::chrono::steady_clock::now();
  const auto reports = run({"hang", "work"}, {.time = 200ms, .memory = {}});
  EXPECT_EQ(reports.at(0).status, Status::kTimeLimit);
  EXPECT_THAT(reports.at(0).message, HasSubstr("time limit of 200 ms"));
  EXPECT_EQ(reports.at(1).status, Status::kDone);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms);
}

TEST(ProcessPool, TheMemoryLimitEndsWhatEats) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer's shadow counts as private memory";
#else
  const auto reports = run({"eat", "work"}, {.time = {}, .memory = std::int64_t{256} << 20U});
  EXPECT_EQ(reports.at(0).status, Status::kMemoryLimit);
  EXPECT_THAT(reports.at(0).message, HasSubstr("memory limit of 256 MiB"));
  EXPECT_EQ(reports.at(1).status, Status::kDone);
#endif
}

TEST(ProcessPool, StopLeavesNoProcess) {
  pid_t child = -1;
  {
    ProcessPool pool(1, {}, [](const Task& task) {
      for (;;) ::pause();
      return good(task);
    });
    pool.start({0, {""}, {}});
    ASSERT_EQ(pool.running(), 1U);
    std::FILE* list =
        std::fopen(("/proc/self/task/" + std::to_string(::getpid()) + "/children").c_str(), "r");
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(std::fscanf(list, "%d", &child), 1);
    std::fclose(list);
    EXPECT_EQ(::kill(child, 0), 0);
  }
  EXPECT_NE(::kill(child, 0), 0);
}

}  // namespace
}  // namespace weft::testing
