#include "tools/sweep/language/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weft::sweep {
namespace {

TEST(Metrics, SayTheirUnitInTheLastWordOfTheirNames) {
  EXPECT_EQ(metric_unit("jobs.a.jct_seconds"), "s");
  EXPECT_EQ(metric_unit("jobs.a.busbw_bytes_per_second"), "B/s");
  EXPECT_EQ(metric_unit("jobs.a.bytes"), "B");
  EXPECT_EQ(metric_unit("ports.peak_queue_bytes"), "B");
  EXPECT_EQ(metric_unit("network.ecn_marked"), "");
}

TEST(Metrics, ThatArePercentilesOrMeansHaveTheUnitOfTheirQuantity) {
  EXPECT_EQ(metric_unit("messages.fct_seconds.p99"), "s");
  EXPECT_EQ(metric_unit("messages.slowdown.p50"), "");
  EXPECT_EQ(metric_unit("jobs.a.fct_seconds.p95"), "s");
  EXPECT_EQ(metric_unit("packet_latency_seconds.max"), "s");
  EXPECT_EQ(metric_unit("training.a.step_seconds.mean"), "s");
}

TEST(Metrics, HavePercentilesOfTheMessagesOfEachJobOnce) {
  scenarios::Scenario scenario;
  scenario.jobs.resize(1);
  scenario.jobs[0].name = "a";
  const std::vector<std::string> names = metric_names(scenario);
  for (const char* name : {"jobs.a.fct_seconds.p95", "jobs.a.slowdown.max", "jobs.a.messages"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
}

// It used to be looked for anywhere in the name.
TEST(Metrics, DoNotTakeTheirUnitFromTheNameOfAJob) {
  EXPECT_EQ(metric_unit("jobs.last_seconds.messages"), "");
  EXPECT_EQ(metric_unit("jobs.all_bytes.slowdown.p99"), "");
}

TEST(Metrics, OfAnEstimateNameTheResultThatItForetells) {
  EXPECT_EQ(results_beside("estimate.jobs.a.step_seconds").front(), "training.a.step_seconds.mean");
  EXPECT_TRUE(is_estimate("slice_estimate.jobs.a.mfu"));
  EXPECT_FALSE(is_estimate("jobs.estimate.jct_seconds"));
}

}  // namespace
}  // namespace weft::sweep
