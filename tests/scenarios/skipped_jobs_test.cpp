// Jobs that are left out: the others are what they are beside a job that does nothing yet.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/blame/explain/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;

/// Three jobs over two leaves whose flows hash to two spines, with random arrivals and placements.
std::string three_jobs(const std::string& first, const std::string& last = "") {
  return "name: t\nseed: 5\n"
         "racks: {count: 2, servers: 8, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "jobs:\n"
         "  - {name: a, type: permutation, size: 256KiB" +
         first +
         "}\n"
         "  - {name: b, type: open-loop, size: 64KiB, load: 0.4, stop: 200us, ranks: {random: 9}}\n"
         "  - {name: c, type: permutation, size: 128KiB, jitter: 5us, ranks: {random: 12}" +
         last + "}\n";
}

Results results_of_text(const std::string& text) { return simulate(experiment_of_text(text)); }

// Beside a job that begins when all is over, others do what they do without it.
TEST(SkippedJobs, LeaveTheOthersAsTheyAre) {
  const Results beside = results_of_text(three_jobs(", start: 900ms"));
  const Results without = results_of_text(three_jobs(", skip: true"));
  ASSERT_EQ(without.jobs.size(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(without.jobs[j].name, beside.jobs[j + 1].name);
    EXPECT_EQ(without.jobs[j].jct, beside.jobs[j + 1].jct);
    EXPECT_EQ(without.jobs[j].bytes, beside.jobs[j + 1].bytes);
  }
  EXPECT_NE(without.jobs[1].jct, results_of_text(three_jobs("")).jobs[2].jct);
}

TEST(SkippedJobs, AreOverAtOnceForThoseThatWait) {
  const Results r = results_of_text(three_jobs(", skip: true", ", after: [a], start: 3us"));
  EXPECT_EQ(r.jobs[1].start, 3_us);
  const Results chain = results_of_text(three_jobs(", skip: true", ", after: [a, b]"));
  // Its ranks hear of the end after the control latency.
  EXPECT_GE(chain.jobs[1].start, chain.jobs[0].end);
  EXPECT_LE(chain.jobs[1].start, chain.jobs[0].end + 10_us);
}

TEST(SkippedJobs, AreWhatIsTakenOutByName) {
  const LoadedScenario scenario =
      load_scenario_text(three_jobs(", skip: true"), "test.yaml").value();
  const auto overrides = overrides_without("job:c", scenario);
  ASSERT_TRUE(overrides.ok());
  EXPECT_EQ(overrides.value(), std::vector<std::string>{"jobs[2].skip=true"});
  const auto unknown = overrides_without("job:d", scenario);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.errors()[0].message.find("`d` is no job; expected one of"), std::string::npos);
}

TEST(SkippedJobs, MustNotBeAll) {
  const auto loaded = load_scenario_text(
      "name: t\nracks: {count: 1, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
      "jobs: [{name: a, type: permutation, size: 1KiB, skip: true}]\n",
      "test.yaml");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.errors()[0].where.key, "jobs");
}

}  // namespace
}  // namespace weft::scenarios
