#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/output/summary.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

const std::string kAllReduce =
    "name: t\nracks: {count: 4, servers: 4}\n"
    "links: {access: {length: 3m}, uplink: {length: 30m}}\n"
    "fabric: {topology: leaf-spine, spines: 2}\n"
    "jobs: [{name: a, type: all-reduce, size: 1MiB}]\n";

Results run_on(std::uint32_t threads) {
  return simulate(testing::experiment_of_text(kAllReduce), {}, nullptr,
                  {.threads = threads, .share_from = 0, .waits_for_all = true});
}

// Each thread is busy or waits, for as long as the windows take.
TEST(ThreadTimes, OfEveryThreadAreThoseOfTheRun) {
  const Results results = run_on(2);
  const protocols::ThreadTimes& times = results.thread_times;
  ASSERT_EQ(times.busy_seconds.size(), 2U);
  ASSERT_EQ(times.idle_seconds.size(), 2U);
  const double whole = times.busy_seconds[0] + times.idle_seconds[0];
  EXPECT_GT(whole, 0);
  EXPECT_LE(whole, results.wall_seconds);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(times.busy_seconds[i], 0) << i;
    EXPECT_GE(times.idle_seconds[i], 0) << i;
    // Sums of the same durations, in another order.
    EXPECT_NEAR(times.busy_seconds[i] + times.idle_seconds[i], whole, 1e-9) << i;
  }
}

TEST(ThreadTimes, StandInTheSummaryOfRunsOnSeveralThreads) {
  const auto summary = summary_json(run_on(2));
  const auto& times = summary.at("thread_seconds");
  EXPECT_EQ(times.at("busy").size(), 2U);
  EXPECT_EQ(times.at("idle").size(), 2U);
  EXPECT_GE(times.at("imbalance").get<double>(), 1);
  EXPECT_LE(times.at("imbalance").get<double>(), 2) << "one thread of two does all";
  EXPECT_FALSE(summary_json(run_on(1)).contains("thread_seconds"));
}

TEST(ThreadTimes, AreNoResults) { EXPECT_EQ(run_on(1).digest(), run_on(2).digest()); }

}  // namespace
}  // namespace weft::scenarios
