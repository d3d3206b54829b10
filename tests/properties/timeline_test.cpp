// Timelines of random scenarios are whole: begins have ends, arrows both of theirs, critical paths
// no gaps; and the bytes are the same for any number of threads.

#include <set>
#include <string>

#include "scenarios/run/fluid_simulation.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/traced_run.hpp"

namespace weft::testing {
namespace {

scenarios::Experiment with_timeline(const std::string& text, const std::string& format) {
  auto loaded = scenarios::load_scenario_text(
      text, "random.yaml", {"observe.timeline.format=" + format, "observe.blame=true"});
  EXPECT_TRUE(loaded.ok()) << text;
  return build_loaded(loaded.value());
}

void expect_whole(const scenarios::Experiment& e, const TracedRun& run) {
  const ReadTrace trace = read_trace(run, e);
  expect_whole_arrows(trace);
  EXPECT_FALSE(trace.arrows.empty());
  std::set<std::uint32_t> jobs;
  for (const scenarios::BlameResult& b : run.results.blame) jobs.insert(b.job);
  EXPECT_FALSE(jobs.empty());
  for (const std::uint32_t number : jobs) {
    const collectives::JobPlan& job = e.workload.jobs()[number];
    expect_whole_path(trace, job.name, job.program->iterations() > 0);
  }
}

class TimelineOfRandom : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(TimelineOfRandom, IsWholeAndTheSameForAnyThreads) {
  const std::uint64_t seed = GetParam();
  const std::string text = RandomScenario(seed).text();
  SCOPED_TRACE(text);
  const scenarios::Experiment e = with_timeline(text, seed % 4 == 0 ? "json" : "perfetto");
  const TracedRun run = traced(e);
  expect_whole(e, run);
  EXPECT_TRUE(traced(e, 3).bytes == run.bytes);
}

TEST_P(TimelineOfRandom, IsWholeInTheFluidEngine) {
  const std::string text = RandomScenario(GetParam()).text(RandomScenario::Graphs::kNone);
  SCOPED_TRACE(text);
  const scenarios::Experiment e = with_timeline(text, "perfetto");
  if (!scenarios::check_fluid(e).empty()) GTEST_SKIP() << "the fluid engine cannot run it";
  (void)in_own_process([&e] {
    expect_whole(e, traced(e, 1, TracedEngine::kFluid));
    return std::vector<std::int64_t>();
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimelineOfRandom, swarm_seeds(1, 20),
                         ::testing::PrintToStringParamName());

TEST(Timeline, OfTheFluidEngineIsSkippedInFewRandomScenarios) {
  expect_few_skipped(1, 20, [](std::uint64_t seed) {
    const std::string text = RandomScenario(seed).text(RandomScenario::Graphs::kNone);
    return !scenarios::check_fluid(with_timeline(text, "perfetto")).empty();
  });
}

}  // namespace
}  // namespace weft::testing
