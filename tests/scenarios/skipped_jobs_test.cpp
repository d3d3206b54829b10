// Jobs that are left out: the others are what they are beside a job that does nothing yet.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
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

/// Two small jobs and a larger one; what is observed of them with some left out.
Result<ObserveSpec> observed(const std::string& observe, const std::vector<std::string>& skipped,
                             const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides = more;
  for (const std::string& job : skipped) overrides.push_back("jobs[" + job + "].skip=true");
  const std::string text =
      "name: t\nracks: {count: 1, servers: 8, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
      "jobs:\n"
      "  - {name: a, type: permutation, size: 1KiB, ranks: 0-1}\n"
      "  - {name: b, type: permutation, size: 1KiB, ranks: 2-3}\n"
      "  - {name: c, type: permutation, size: 1KiB}\n"
      "observe: " +
      observe + "\n";
  auto loaded = load_scenario_text(text, "test.yaml", overrides);
  if (!loaded) return loaded.errors();
  auto experiment = build_experiment(loaded.value().scenario);
  if (!experiment) return experiment.errors();
  return loaded.value().scenario.observe;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string error_key(const std::string& observe, const std::vector<std::string>& skipped) {
  const auto result = observed(observe, skipped);
  return result ? std::string("none") : result.errors()[0].where.key;
}

// A run without a job is refused for nothing that a run with it would observe.
TEST(SkippedJobs, TakeTheirFlowsOutOfWhatIsObserved) {
  for (const std::string kind : {"rates", "packets"}) {
    const auto flows = [&kind](const std::string& list, const std::vector<std::string>& skipped) {
      const auto observe = observed("{" + kind + ": {flows: " + list + "}}", skipped);
      EXPECT_TRUE(observe.ok()) << kind << list;
      if (!observe) return std::string();
      const ObserveSpec& o = observe.value();
      if (kind == "rates") return o.rates ? joined(o.rates->flows) : "none";
      return o.packets ? joined(o.packets->flows) : "none";
    };
    EXPECT_EQ(flows("[a, c]", {}), "a c");
    EXPECT_EQ(flows("[a, c]", {"0"}), "c");
    EXPECT_EQ(flows("['a:*->1', 'c:*->1', a]", {"0"}), "c:*->1");
    EXPECT_EQ(flows("[a, c]", {"0", "2"}), "none");
    EXPECT_EQ(flows("[c]", {"0"}), "c");
    EXPECT_EQ(error_key("{" + kind + ": {flows: [a, typo]}}", {"0"}),
              "observe." + kind + ".flows[0]")
        << "what names no job is refused as ever";
  }
}

TEST(SkippedJobs, TakeTheirTracksOutOfTheTimeline) {
  const auto shown = [](const std::string& timeline, const std::vector<std::string>& skipped) {
    const auto observe = observed("{timeline: " + timeline + "}", skipped);
    EXPECT_TRUE(observe.ok()) << timeline;
    if (!observe || !observe.value().timeline) return std::string("none");
    const ObserveSpec::Timeline& t = *observe.value().timeline;
    return joined(t.jobs) + "|" + joined(t.ranks);
  };
  EXPECT_EQ(shown("{jobs: [a, c]}", {"0"}), "c|");
  EXPECT_EQ(shown("{jobs: [a]}", {"0"}), "none") << "not a timeline of all other jobs";
  EXPECT_EQ(shown("{jobs: [c]}", {"0"}), "c|");
  // Ranks that only the skipped job has.
  EXPECT_EQ(shown("{ranks: ['1-5', 7, 0]}", {"2"}), "|1-1 0");
  EXPECT_EQ(shown("{ranks: ['1-5', 7, 0]}", {"1"}), "|1-5 7 0");
  EXPECT_EQ(shown("{ranks: ['4-5']}", {"2"}), "none");
  EXPECT_EQ(shown("{jobs: [a, c], ranks: ['0-7']}", {"2"}), "a|0-1");
  EXPECT_EQ(error_key("{timeline: {ranks: [8]}}", {"2"}), "observe.timeline.ranks[0]");
  EXPECT_EQ(error_key("{timeline: {ranks: ['5-4']}}", {"2"}), "observe.timeline.ranks[0]");
  EXPECT_EQ(error_key("{timeline: {jobs: [a], ranks: [2]}}", {"2"}), "observe.timeline.ranks[0]")
      << "which the job that is left never had";
  EXPECT_EQ(error_key("{timeline: {jobs: [a, typo]}}", {"0"}), "observe.timeline.jobs[0]");
}

// The page advises `weft run X --without job:NAME` for any job of any scenario.
TEST(SkippedJobs, CanBeAnyOfAShippedScenario) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto whole = load_scenario(entry.path());
    ASSERT_TRUE(whole.ok()) << entry.path();
    const std::vector<JobSpec>& jobs = whole.value().scenario.jobs;
    for (const JobSpec& job : jobs) {
      if (jobs.size() < 2) continue;
      SCOPED_TRACE(entry.path().filename().string() + " without " + job.name);
      const auto overrides = overrides_without("job:" + job.name, whole.value());
      ASSERT_TRUE(overrides.ok());
      const auto without = load_scenario(entry.path(), overrides.value());
      ASSERT_TRUE(without.ok()) << without.errors()[0].to_string();
      const auto experiment = build_experiment(without.value().scenario);
      EXPECT_TRUE(experiment.ok()) << experiment.errors()[0].to_string();
      ++count;
    }
  }
  EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace weft::scenarios
