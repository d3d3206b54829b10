// Each job of a run alone, beside what it takes with the others.

#include "scenarios/isolated/isolated_runs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/isolated/fluid_lone_runs.hpp"
#include "tests/properties/variations.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;
using weft::testing::in_own_process;
using weft::testing::kVariations;
using weft::testing::simulate_as;
using weft::testing::Variation;

/// Six hosts on one leaf, and jobs.
std::string on_a_leaf(const std::string& jobs) {
  return "name: t\n"
         "racks: {count: 1, servers: 6, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n" +
         jobs;
}

ObserverOfJob nobody() {
  return [](std::uint32_t) { return ProgressObserver(); };
}

Results run_with_each_alone(Experiment& e) {
  Results results = simulate(e);
  run_isolated(e, {}, nobody(), results);
  return results;
}

Results run_with_each_alone(const std::string& jobs) {
  Experiment e = experiment_of_text(on_a_leaf(jobs));
  return run_with_each_alone(e);
}

const std::string kToOneHost =
    "  - {name: a, type: messages, ranks: [0, 1], list: [{from: 0, to: 1, size: 4MiB}]}\n"
    "  - {name: b, type: messages, ranks: [2, 1], list: [{from: 0, to: 1, size: 4MiB}]}\n";

// Both need all of the link to host 1 for as long, so that each takes twice as long as alone.
TEST(Isolated, JobsThatShareALinkTakeTwiceAsLongAsAlone) {
  const Results r = run_with_each_alone(kToOneHost);
  ASSERT_EQ(r.isolated.size(), 2U);
  for (const IsolatedResult& i : r.isolated) {
    EXPECT_EQ(i.shared.completion, r.jobs[i.job].jct);
    EXPECT_NEAR(*slowdown_of(i.shared.completion, i.alone.completion), 2, 0.05);
    EXPECT_NEAR(*slowdown_of(i.shared.message_p99_seconds, i.alone.message_p99_seconds), 2, 0.05);
    EXPECT_FALSE(i.shared.iteration);
  }
}

// Its random numbers and paths do not depend on whether the others run, or exist.
TEST(Isolated, AJobAloneTakesWhatItTakesInAScenarioOfItsOwn) {
  const std::string first =
      "  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-3, iterations: 3, "
      "jitter: {type: "
      "log-normal, mean: 5us, deviation: 2us}}\n";
  const Results both = run_with_each_alone(
      first + "  - {name: b, type: incast, size: 1MiB, ranks: 0-5, start: 20us}\n");
  const Results own = simulate(experiment_of_text(on_a_leaf(first)));
  ASSERT_EQ(both.isolated.size(), 2U);
  EXPECT_EQ(both.isolated[0].alone.completion, own.jobs[0].jct);
  EXPECT_LT(*both.isolated[0].alone.completion, both.jobs[0].jct);
  Picoseconds sum;
  for (const CollectiveResult& c : own.collectives) sum += c.end - c.start;
  EXPECT_EQ(both.isolated[0].alone.iteration, sum / 3);
}

TEST(Isolated, JobsThatDoNotMeetAreNotSlowed) {
  const Results r = run_with_each_alone(
      "  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-2}\n"
      "  - {name: b, type: all-to-all, algorithm: pairwise, size: 1MiB, ranks: 3-5, start: "
      "10us}\n");
  for (const IsolatedResult& i : r.isolated) {
    EXPECT_EQ(i.shared.completion, i.alone.completion);
    EXPECT_EQ(i.shared.iteration, i.alone.iteration);
    EXPECT_EQ(i.shared.message_p99_seconds, i.alone.message_p99_seconds);
  }
}

TEST(Isolated, ASingleJobWasAloneAlready) {
  const Results r = run_with_each_alone(
      "  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-3}\n");
  ASSERT_EQ(r.isolated.size(), 1U);
  EXPECT_EQ(*slowdown_of(r.isolated[0].shared.completion, r.isolated[0].alone.completion), 1);
}

const std::string kOneOfEach =
    "  - {name: reduce, type: all-reduce, algorithm: ring, size: 256KiB, ranks: 0-3, iterations: "
    "2}\n"
    "  - {name: list, type: messages, ranks: [4, 1], list: [{from: 0, to: 1, size: 1MiB}]}\n"
    "  - {name: load, type: open-loop, size: 64KiB, load: 0.3, stop: 100us}\n"
    "  - name: step\n"
    "    type: graph\n"
    "    ranks: 2-5\n"
    "    iterations: 2\n"
    "    nodes:\n"
    "      - {name: work, type: compute, time: 10us}\n"
    "      - {name: sum, type: all-reduce, algorithm: ring, size: 512KiB, after: work}\n"
    "  - name: train\n"
    "    type: training\n"
    "    ranks: 0-3\n"
    "    model: {layers: 2, hidden: 128, heads: 4, vocabulary: 512, sequence: 32}\n"
    "    parallelism: {tensor: 2, data: 2}\n"
    "    batch: {global: 4}\n";

TEST(Isolated, HoldsForEveryTypeOfJobAndHoweverItRuns) {
  const Results r = run_with_each_alone(kOneOfEach);
  ASSERT_EQ(r.isolated.size(), 5U);
  for (const IsolatedResult& i : r.isolated) {
    EXPECT_TRUE(i.alone.completion && i.alone.message_p99_seconds) << r.jobs[i.job].name;
    EXPECT_EQ(i.alone.iteration.has_value(), i.shared.iteration.has_value());
  }
  EXPECT_GT(*slowdown_of(r.isolated[3].shared.iteration, r.isolated[3].alone.iteration), 1);
  for (const Variation& variation : kVariations) {
    Experiment e = experiment_of_text(on_a_leaf(kOneOfEach));
    Results other = simulate_as(variation, e);
    run_isolated(e, variation.parallelism, nobody(), other);
    EXPECT_EQ(other.digest(), r.digest()) << variation.name;
  }
}

TEST(Isolated, AJobThatDoesNotFinishHasNoSlowdown) {
  const Results r = run_with_each_alone(kToOneHost + "run: {until: 120us}\n");
  EXPECT_EQ(r.outcome, Outcome::kHorizon);
  ASSERT_EQ(r.isolated.size(), 2U);
  EXPECT_FALSE(r.isolated[0].shared.completion);
  EXPECT_TRUE(r.isolated[0].alone.completion);
  EXPECT_FALSE(slowdown_of(r.isolated[0].shared.completion, r.isolated[0].alone.completion));
}

// Runs are asked now and then whether they shall continue: these are long enough.
TEST(Isolated, StopsWhereARunIsInterrupted) {
  const auto sending = [](const std::string& name, const std::string& sender) {
    return "  - {name: " + name + ", type: messages, ranks: [" + sender +
           ", 1], list: [{from: 0, to: 1, size: 32MiB}]}\n";
  };
  Experiment e = experiment_of_text(on_a_leaf(sending("a", "0") + sending("b", "2")));
  Results r = simulate(e);
  const auto observer_of = [](std::uint32_t job) {
    return [job](const Progress&) { return job == 0; };
  };
  run_isolated(e, {}, observer_of, r);
  EXPECT_EQ(r.outcome, Outcome::kInterrupted);
  EXPECT_EQ(r.isolated.size(), 1U);
}

constexpr std::int64_t kNone = -1;

std::int64_t count_or_none(const std::optional<Picoseconds>& time) {
  return time ? time->count() : kNone;
}

/// What `run_isolated` finds of a run as a fluid: of each job its number, its times beside the
/// others and alone, in picoseconds; then how the run ended, and how many warnings of lone runs
/// there are.
std::vector<std::int64_t> fluid_with_each_alone(const std::string& text,
                                                const ObserverOfJob& observer_of = nobody()) {
  return in_own_process([&] {
    Experiment e = experiment_of_text(text);
    FluidLoneRuns lone_runs(e, observer_of);
    Results r = simulate_fluid(e);
    run_isolated(std::ref(lone_runs), r);
    std::vector<std::int64_t> values;
    for (const IsolatedResult& i : r.isolated) {
      values.push_back(i.job);
      for (const IsolatedResult::Times& times : {i.shared, i.alone}) {
        values.push_back(count_or_none(times.completion));
        values.push_back(count_or_none(times.iteration));
      }
    }
    values.push_back(static_cast<std::int64_t>(r.outcome));
    std::int64_t warnings = 0;
    for (const std::string& warning : r.warnings) warnings += warning.find("alone") != warning.npos;
    values.push_back(warnings);
    return values;
  });
}

TEST(Isolated, AsFluidsJobsThatShareALinkTakeTwiceAsLongAsAlone) {
  const auto values = fluid_with_each_alone(on_a_leaf(kToOneHost));
  ASSERT_EQ(values.size(), 2 * 5 + 2U);
  for (const std::size_t job : {0U, 1U}) {
    EXPECT_EQ(values[5 * job], job);
    EXPECT_NEAR(static_cast<double>(values[5 * job + 1]),
                2 * static_cast<double>(values[5 * job + 3]),
                0.02 * static_cast<double>(values[5 * job + 1]));
    EXPECT_EQ(values[5 * job + 2], kNone);
  }
  EXPECT_EQ(values[10], static_cast<std::int64_t>(Outcome::kFinished));
}

// ACKs of the small messages of the other job take a part of the links that both use, and its
// sprayed packets join ports: of a job alone neither counts.
TEST(Isolated, AsAFluidAJobAloneTakesWhatItTakesInAScenarioOfItsOwn) {
  const std::string first =
      "  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-3, iterations: 3}\n";
  const std::string second = "  - {name: b, type: incast, size: 1KiB, rounds: 4, ranks: 0-5}\n";
  const std::string fabric =
      "name: t\n"
      "racks: {count: 3, servers: 2, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4, load_balancing: spray}\n"
      "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
      "jobs:\n";
  const auto values = fluid_with_each_alone(fabric + first + second);
  ASSERT_EQ(values.size(), 2 * 5 + 2U);
  const auto own = weft::testing::fluid_times(experiment_of_text(fabric + first));
  EXPECT_EQ(values[3], own.jobs[0]);
  EXPECT_GT(values[1], values[3]);
  EXPECT_GT(values[2], values[4]);  // iterations
}

TEST(Isolated, AsAFluidAJobThatIsAfterAnotherBeginsWhenItBegan) {
  const auto values = fluid_with_each_alone(
      on_a_leaf("  - {name: a, type: incast, size: 1MiB, ranks: 0-3}\n"
                "  - {name: b, type: incast, size: 1MiB, ranks: 2-5, after: a}\n"));
  ASSERT_EQ(values.size(), 2 * 5 + 2U);
  EXPECT_EQ(values[1], values[3]);
  EXPECT_EQ(values[6], values[8]);
}

TEST(Isolated, ASingleJobOfAFluidWasAloneAlready) {
  const auto values = fluid_with_each_alone(
      on_a_leaf("  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-3}\n"));
  ASSERT_EQ(values.size(), 5 + 2U);
  EXPECT_EQ(values[1], values[3]);
}

TEST(Isolated, AFluidThatDoesNotFinishHasNoSlowdown) {
  const auto values = fluid_with_each_alone(on_a_leaf(kToOneHost + "run: {until: 120us}\n"));
  ASSERT_EQ(values.size(), 2 * 5 + 2U);
  EXPECT_EQ(values[1], kNone);
  EXPECT_GT(values[3], 0);
}

// Observers are asked every 64 events.
TEST(Isolated, AFluidStopsWhereARunIsInterrupted) {
  const std::string jobs =
      "  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-3, iterations: 20}\n"
      "  - {name: b, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 2-5, iterations: 20}\n";
  const auto values = fluid_with_each_alone(on_a_leaf(jobs), [](std::uint32_t job) {
    return [job](const Progress&) { return job == 0; };
  });
  ASSERT_EQ(values.size(), 5 + 2U);
  EXPECT_EQ(values[5], static_cast<std::int64_t>(Outcome::kInterrupted));
}

TEST(Isolated, AJobWhoseProcessDiesHasNoTimesAndAWarning) {
  Results r;
  r.jobs.resize(2);
  for (JobResult& job : r.jobs) job.has_begun = true;
  run_isolated([](const collectives::LoneJob&) { return LoneRun{.failure = "it is gone"}; }, r);
  ASSERT_EQ(r.isolated.size(), 2U);
  EXPECT_FALSE(r.isolated[0].alone.completion);
  ASSERT_EQ(r.warnings.size(), 2U);
  EXPECT_NE(r.warnings[0].find("alone did not finish: it is gone"), std::string::npos);
}

}  // namespace
}  // namespace weft::scenarios
