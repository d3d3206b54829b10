#include "tools/sweep/language/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::sweep {
namespace {

TEST(Metrics, SayTheirUnitInTheLastWordOfTheirNames) {
  EXPECT_EQ(metric_unit("jobs.a.jct_seconds"), "s");
  EXPECT_EQ(metric_unit("jobs.a.busbw_bytes_per_second"), "B/s");
  EXPECT_EQ(metric_unit("training.a.tokens_per_second"), "") << "not seconds";
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

TEST(Metrics, OfJobsBesideOthersAndAloneHaveTheUnitOfTheirQuantity) {
  EXPECT_EQ(metric_unit("isolated.a.jct_seconds.shared"), "s");
  EXPECT_EQ(metric_unit("isolated.a.iteration_seconds.isolated"), "s");
  EXPECT_EQ(metric_unit("isolated.a.slowdown"), "");
  EXPECT_EQ(metric_unit("isolated.slowdown.max"), "");
}

scenarios::Results of_two_jobs(std::optional<Picoseconds> second) {
  scenarios::Results results;
  for (const char* name : {"a", "b"}) results.jobs.emplace_back().name = name;
  for (const std::uint32_t job : {0U, 1U}) results.isolated.emplace_back().job = job;
  results.isolated[0].shared.completion = 3_us;
  results.isolated[0].alone.completion = 2_us;
  results.isolated[1].shared.completion = second;
  results.isolated[1].alone.completion = 1_us;
  return results;
}

TEST(Metrics, HaveTheSlowdownOfEachJobByItsNameAndTheLargest) {
  const Metrics metrics = metrics_of(of_two_jobs(4_us));
  const auto value = [&metrics](const std::string& name) {
    const auto found = std::ranges::find(metrics, name, &Metrics::value_type::first);
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
  };
  EXPECT_EQ(value("isolated.a.slowdown"), 1.5);
  EXPECT_EQ(value("isolated.b.slowdown"), 4);
  EXPECT_EQ(value("isolated.b.jct_seconds.shared"), 4e-6);
  EXPECT_EQ(value("isolated.slowdown.max"), 4);
}

// The largest of those that are known would be too small.
TEST(Metrics, HaveNoLargestSlowdownWhereAJobHasNone) {
  const Metrics metrics = metrics_of(of_two_jobs({}));
  EXPECT_EQ(std::ranges::count(metrics, "isolated.a.slowdown", &Metrics::value_type::first), 1);
  EXPECT_EQ(std::ranges::count(metrics, kWorstSlowdown, &Metrics::value_type::first), 0);
}

TEST(Metrics, OfJobsAloneAreThereWhereTheyRunAlone) {
  scenarios::Scenario scenario;
  scenario.jobs.resize(2);
  scenario.jobs[0].name = "a";
  scenario.jobs[1].name = "b";
  const auto has = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::count(names, name) == 1;
  };
  for (const char* name : {"isolated.a.slowdown", "isolated.b.fct_p99_seconds.isolated",
                           "isolated.b.iteration_slowdown", "isolated.slowdown.max"}) {
    EXPECT_TRUE(has(metric_names(scenario, true), name)) << name;
    EXPECT_FALSE(has(metric_names(scenario), name)) << name;
  }
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
