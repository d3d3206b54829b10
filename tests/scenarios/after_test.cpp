// Jobs that wait for the end of others, from the scenario language to their results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/isolated/isolated_runs.hpp"
#include "simcore/text/nearest.hpp"
#include "tests/properties/variations.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using weft::testing::experiment_of_text;
using weft::testing::in_own_process;
using weft::testing::kVariations;
using weft::testing::simulate_as;
using weft::testing::Variation;

std::string scenario(const std::string& jobs) {
  return "name: t\n"
         "racks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n" +
         jobs;
}

const std::string kLoad = "  - {name: load, type: incast, size: 1MiB}\n";
const std::string kChain =
    kLoad +
    "  - {name: reduce, type: all-reduce, algorithm: ring, size: 256KiB, ranks: 0-3, after: load, "
    "start: 30us}\n"
    "  - {name: list, type: messages, ranks: [4, 1], after: load,\n"
    "     list: [{from: 0, to: 1, size: 1MiB, start: 7us}]}\n"
    "  - {name: open, type: open-loop, size: 16KiB, load: 0.3, stop: 50us, after: [reduce, list]}\n"
    "  - name: step\n"
    "    type: graph\n"
    "    after: open\n"
    "    nodes: [{name: work, type: compute, time: 10us},\n"
    "            {name: sum, type: all-reduce, algorithm: ring, size: 64KiB, after: work}]\n"
    "  - name: train\n"
    "    type: training\n"
    "    after: step\n"
    "    ranks: 0-3\n"
    "    model: {layers: 2, hidden: 128, heads: 4, vocabulary: 512, sequence: 32}\n"
    "    parallelism: {tensor: 2, data: 2}\n"
    "    batch: {global: 4}\n";

// run.control_latency is 1 us: rank to first rank, first rank to all.
constexpr Picoseconds kTold = 2_us;

TEST(After, JobsOfEveryTypeBeginWhenTheOthersHaveEnded) {
  const Results r = simulate(experiment_of_text(scenario(kChain)));
  EXPECT_EQ(r.outcome, Outcome::kFinished);
  ASSERT_EQ(r.jobs.size(), 6U);
  EXPECT_EQ(r.jobs[1].start, r.jobs[0].end + kTold + 30_us);
  EXPECT_EQ(r.jobs[2].start, r.jobs[0].end + kTold);
  EXPECT_EQ(r.jobs[3].start, std::max(r.jobs[1].end, r.jobs[2].end) + kTold);
  EXPECT_EQ(r.jobs[4].start, r.jobs[3].end + kTold);
  EXPECT_EQ(r.jobs[5].start, r.jobs[4].end + kTold);
  EXPECT_EQ(r.collectives[0].start, r.jobs[1].start);
  ASSERT_EQ(r.iterations.size(), 2U);
  EXPECT_EQ(r.iterations[0].start, r.jobs[4].start);
  EXPECT_EQ(r.iterations[1].start, r.jobs[5].start);
}

TEST(After, ResultsAreTheSameHoweverTheyRun) {
  const std::string digest = simulate(experiment_of_text(scenario(kChain))).digest();
  for (const Variation& variation : kVariations) {
    Experiment e = experiment_of_text(scenario(kChain));
    EXPECT_EQ(simulate_as(variation, e).digest(), digest) << variation.name;
  }
}

// What a job takes does not depend on when it begins, and so neither does its ideal time.
TEST(After, AJobTakesWhatItTakesAtTheStart) {
  const std::string reduce =
      "  - {name: reduce, type: all-reduce, algorithm: ring, size: 256KiB, ranks: 0-3";
  const Results first = simulate(experiment_of_text(scenario(reduce + "}\n")));
  const Results then = simulate(experiment_of_text(scenario(reduce + ", after: load}\n" + kLoad)));
  EXPECT_EQ(then.jobs[0].jct, first.jobs[0].jct);
  EXPECT_EQ(then.jobs[0].ideal, first.jobs[0].ideal);
}

TEST(After, TheFluidEngineWaitsToo) {
  const std::vector<std::int64_t> times = in_own_process([] {
    const Results r = simulate_fluid(experiment_of_text(scenario(kChain)));
    std::vector<std::int64_t> all;
    for (const JobResult& job : r.jobs) {
      all.push_back(job.start.count());
      all.push_back(job.end.count());
    }
    return all;
  });
  ASSERT_EQ(times.size(), 12U);
  using Pair = std::pair<std::size_t, std::size_t>;
  for (const auto& [job, other] : {Pair(2, 0), Pair(4, 3), Pair(5, 4)}) {
    EXPECT_EQ(times[2 * job], times[2 * other + 1] + kTold.count());
  }
}

TEST(After, AloneAJobBeginsWhenItBeganBesideTheOthers) {
  Experiment e = experiment_of_text(scenario(kChain));
  Results r = simulate(e);
  run_isolated(
      e, {}, [](std::uint32_t) { return ProgressObserver(); }, r);
  ASSERT_EQ(r.isolated.size(), 6U);
  EXPECT_GT(*slowdown_of(r.isolated[2].shared.completion, r.isolated[2].alone.completion), 0.999);
  // Nobody is there when the last two run.
  EXPECT_EQ(r.isolated[4].shared.completion, r.isolated[4].alone.completion);
  EXPECT_EQ(r.isolated[5].shared.iteration, r.isolated[5].alone.iteration);
}

TEST(After, AJobWhoseOthersNeverEndHasNoTimes) {
  Experiment e = experiment_of_text(
      scenario(kLoad + "  - {name: next, type: incast, size: 1MiB, after: load}\n"
                       "run: {until: 20us}\n"));
  Results r = simulate(e);
  EXPECT_EQ(r.outcome, Outcome::kHorizon);
  EXPECT_FALSE(r.jobs[1].has_begun);
  std::string row;
  JobsTable::declaration().append(row, r.jobs[1]);
  EXPECT_THAT(row, HasSubstr("next,incast,8,0,,,,"));
  EXPECT_TRUE(r.explanation.empty());  // a horizon is no failure
  run_isolated(
      e, {}, [](std::uint32_t) { return ProgressObserver(); }, r);
  ASSERT_EQ(r.isolated.size(), 1U);
  EXPECT_EQ(r.isolated[0].job, 0U);
}

std::string error_of(const std::string& jobs) {
  const auto loaded = load_scenario_text(scenario(jobs), "t.yaml");
  return loaded.ok() ? "" : loaded.errors()[0].to_string();
}

TEST(After, SaysWhichNameIsWrongAndWhere) {
  const std::string next = "  - {name: next, type: incast, size: 1MiB, after: ";
  EXPECT_THAT(error_of(kLoad + next + "laod}\n"),
              HasSubstr("t.yaml:7:51: jobs[1].after: `laod` is no job; expected one of load, next; "
                        "did you mean `load`?"));
  EXPECT_THAT(error_of(kLoad + next + "[load, nxt]}\n"), HasSubstr("jobs[1].after[1]: `nxt`"));
  EXPECT_THAT(error_of(kLoad + next + "next}\n"),
              HasSubstr("jobs[1].after: makes the job wait for itself: `next` after `next`"));
  EXPECT_THAT(error_of("  - {name: a, type: incast, size: 1MiB, after: b}\n"
                       "  - {name: b, type: incast, size: 1MiB, after: a}\n"),
              HasSubstr("jobs[0].after: makes the job wait for itself: `a` after `b` after `a`"));
}

// Comparing every unknown name with every job takes time that grows with the square of a list.
TEST(After, SuggestsNamesForTheFirstUnknownOnesOnly) {
  std::string next = "  - {name: next, type: incast, size: 1MiB, after: [lod0";
  for (std::size_t i = 1; i <= kMaxSuggestions; ++i) next += ", lod" + std::to_string(i);
  const auto loaded = load_scenario_text(scenario(kLoad + next + "]}\n"), "t.yaml");
  ASSERT_FALSE(loaded.ok());
  ASSERT_EQ(loaded.errors().size(), kMaxSuggestions + 1);
  EXPECT_THAT(loaded.errors().front().to_string(), HasSubstr("did you mean `load`?"));
  EXPECT_THAT(loaded.errors()[kMaxSuggestions - 1].to_string(), HasSubstr("expected one of"));
  EXPECT_THAT(loaded.errors().back().to_string(),
              ::testing::EndsWith("`lod" + std::to_string(kMaxSuggestions) + "` is no job"));
}

}  // namespace
}  // namespace weft::scenarios
