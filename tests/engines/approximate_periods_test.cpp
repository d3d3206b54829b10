#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

/// Rounds and iterations that are left out stand for as much time as they would have taken.
namespace weft::testing {
namespace {

using scenarios::Experiment;
using scenarios::Periods;
using scenarios::PeriodsReport;
using scenarios::Results;

/// Each has its full run beside it.
struct Pair {
  Results full;
  Results short_cut;

  [[nodiscard]] const PeriodsReport& report() const { return *short_cut.periods; }
  [[nodiscard]] Picoseconds error() const {
    const Picoseconds more = short_cut.jobs[0].jct - full.jobs[0].jct;
    return std::max(more, Picoseconds(0) - more);
  }
  /// Of the time that was left out.
  [[nodiscard]] double relative_error() const {
    return to_seconds(error()) / to_seconds(report().skipped.time);
  }
};

Results run_whole(const Experiment& e, std::uint32_t threads = 1) {
  return scenarios::simulate(e, {}, nullptr, {.threads = threads, .share_from = 0});
}

/// Leaves the experiment as it was.
Results run_short(Experiment& e, double tolerance, std::uint32_t threads = 1) {
  const scenarios::ReuseSpec before = e.scenario.run.reuse;
  e.scenario.run.reuse.periods = Periods::kApproximate;
  e.scenario.run.reuse.tolerance = tolerance;
  Results results = run_whole(e, threads);
  e.scenario.run.reuse = before;
  return results;
}

/// What is counted of jobs is of all of them, and what is left out was not simulated.
Pair pair_of(const std::string& text, double tolerance = 0.01) {
  Experiment e = experiment_of_text(text);
  Pair pair{run_whole(e), run_short(e, tolerance)};
  EXPECT_FALSE(pair.full.periods.has_value());
  EXPECT_EQ(pair.short_cut.outcome, scenarios::Outcome::kFinished);
  EXPECT_EQ(pair.short_cut.jobs[0].bytes, pair.full.jobs[0].bytes);
  EXPECT_LT(pair.short_cut.totals.packet_hops, pair.full.totals.packet_hops);
  EXPECT_GT(pair.report().skipped.time, Picoseconds(0));
  EXPECT_LE(pair.report().skipped.spread, tolerance);
  EXPECT_FALSE(pair.short_cut.warnings.empty());
  return pair;
}

/// Eight hosts on one switch: every link carries messages of one connection only.
std::string star(const std::string& job, const std::string& transport = "datagram") {
  return "name: periods\nracks: {count: 1, servers: 8}\nfabric: {topology: leaf-spine, spines: 1}\n"
         "transport: {type: " +
         transport + "}\njobs:\n  - {name: job, type: all-reduce, " + job + "}\n";
}

std::string server_with(const std::string& job) {
  return "name: periods\nracks: {count: 1, servers: 1, server: hgx-h100}\n"
         "fabric: {topology: single-domain}\njobs:\n  - {name: job, " +
         job + "}\n";
}

constexpr const char* kRing =
    "algorithm: ring, size: 10MiB, execution: {channels: 1, chunk: 64KiB}";

// 10 MiB in chunks of 64 KiB over 8 ranks are 20 rounds. On links that nobody else uses, all ranks
// do the same at the same time, so that rounds take as long to the picosecond, and the call as long
// as if all had been carried out.
TEST(ApproximatePeriods, AreExactWhereRoundsAreAlike) {
  const Pair pair = pair_of(star(kRing), 0);
  EXPECT_EQ(pair.report().skipped.rounds, 20);
  EXPECT_GE(pair.report().skipped.rounds_skipped, 12);
  EXPECT_EQ(pair.report().skipped.spread, 0);
  EXPECT_EQ(pair.report().estimate_because, "");
  EXPECT_EQ(pair.error(), Picoseconds(0));
}

// A round is 2 (n - 1) messages one after the other, each as long alone.
TEST(ApproximatePeriods, StandForSoManyMessagesInARow) {
  const Pair pair = pair_of(star(kRing));
  const auto& skipped = pair.report().skipped;
  Experiment one = experiment_of_text(
      "name: one\nracks: {count: 1, servers: 8}\nfabric: {topology: leaf-spine, spines: 1}\n"
      "transport: {type: datagram}\njobs:\n"
      "  - {name: job, type: send-recv, size: 64KiB, ranks: [0, 1]}\n");
  const Results alone = run_whole(one);
  const Picoseconds message = alone.jobs[0].jct;
  EXPECT_EQ(skipped.time, message * (14 * skipped.rounds_skipped));
}

// With a bound, the error is within it, whatever the tolerance allows.
TEST(ApproximatePeriods, KeepTheirBound) {
  for (const char* sizes : {"size: 10MiB", "size: 10000003B", "size: 33MiB"}) {
    const Pair pair = pair_of(
        star("algorithm: ring, execution: {channels: 1, chunk: 64KiB}, " + std::string(sizes)));
    EXPECT_EQ(pair.report().estimate_because, "") << sizes;
    EXPECT_LE(pair.relative_error(), pair.report().skipped.spread) << sizes;
  }
}

// Single rounds differ where packets take links in turn and messages meet; several together do not.
TEST(ApproximatePeriods, ComeCloseWhereThereIsNoBound) {
  const std::vector<std::string> cases{
      star("algorithm: ring, size: 20MiB, execution: {channels: 2, chunk: 64KiB}", "roce"),
      server_with("type: all-reduce, algorithm: nvls, size: 512MiB, execution: {preset: nccl}"),
      server_with("type: broadcast, algorithm: ring, size: 256MiB, "
                  "execution: {preset: nccl, channels: 4}")};
  for (const std::string& text : cases) {
    const Pair pair = pair_of(text, 0.05);
    EXPECT_GT(pair.report().skipped.rounds_skipped, 10) << text;
    EXPECT_NE(pair.report().estimate_because, "") << text;
    EXPECT_LE(pair.relative_error(), 0.05) << text;
  }
}

// Rings inside servers run ahead of those between them and are over first; rounds of the others are
// left out then.
TEST(ApproximatePeriods, WaitForStagesThatAreOver) {
  const Pair pair = pair_of(
      "name: periods\nracks: {count: 4, servers: 1, server: hgx-h100}\n"
      "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
      "fabric: {topology: rail-optimised, group: 4, spines: 2, switch: quantum-2, "
      "load_balancing: spray}\n"
      "transport: {type: roce, receiver: any-order, congestion_control: none}\njobs:\n"
      "  - {name: job, type: all-reduce, algorithm: hierarchical, size: 128MiB, "
      "execution: {channels: 1, chunk: 256KiB}}\n",
      0.05);
  EXPECT_GT(pair.report().skipped.rounds_skipped, 10);
  EXPECT_FALSE(pair.report().skipped.are_lanes_close);
  EXPECT_LE(pair.relative_error(), 0.05);
}

// Leaves of trees send as fast as acknowledgements come, and run ahead of those who add up.
TEST(ApproximatePeriods, LeaveNothingOutOfTrees) {
  Experiment e =
      experiment_of_text(star("algorithm: double-binary-tree, size: 32MiB, "
                              "execution: {channels: 1, chunk: 64KiB, in_flight: 4}",
                              "roce"));
  const Results same = run_short(e, 0.05);
  EXPECT_EQ(same.periods->skipped.rounds, 256);
  EXPECT_EQ(same.periods->skipped.rounds_skipped, 0);
  EXPECT_GT(same.periods->skipped.closest.value_or(0), 0.05);
  EXPECT_EQ(same.jobs[0].jct, run_whole(e).jobs[0].jct);
}

TEST(ApproximatePeriods, AreTheSameOnAnyNumberOfThreads) {
  const std::vector<std::string> cases{
      star("algorithm: ring, size: 20MiB, execution: {channels: 2, chunk: 64KiB}, iterations: 6",
           "roce"),
      server_with("type: broadcast, algorithm: ring, size: 256MiB, "
                  "execution: {preset: nccl, channels: 4}")};
  for (const std::string& text : cases) {
    Experiment e = experiment_of_text(text);
    const Results one = run_short(e, 0.05);
    EXPECT_GT(one.periods->skipped.time, Picoseconds(0));
    for (const std::uint32_t threads : {2U, 3U}) {
      const Results several = run_short(e, 0.05, threads);
      EXPECT_EQ(several.digest(), one.digest());
      EXPECT_EQ(several.simulated, one.simulated);
      EXPECT_EQ(several.totals.events, one.totals.events);
      EXPECT_EQ(several.periods->skipped.rounds_skipped, one.periods->skipped.rounds_skipped);
      EXPECT_EQ(several.periods->skipped.time, one.periods->skipped.time);
    }
  }
}

TEST(ApproximatePeriods, LeaveOutIterationsThatAreAsTheLastThree) {
  const Pair pair = pair_of(server_with(
      "type: all-reduce, size: 4MiB, iterations: 40, compute: 30us, execution: {preset: nccl}"));
  const auto& skipped = pair.report().skipped;
  EXPECT_GE(skipped.iterations_skipped, 30);
  EXPECT_LE(pair.relative_error(), 0.01);
  const auto& rows = pair.short_cut.collectives;
  ASSERT_EQ(rows.size(), 40U);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].iteration, i);
    EXPECT_EQ(rows[i].is_estimated, i >= 40 - skipped.iterations_skipped);
    const Picoseconds before = i == 0 ? pair.short_cut.jobs[0].start : rows[i - 1].end;
    EXPECT_EQ(rows[i].since_previous, rows[i].end - before);
  }
  EXPECT_EQ(rows.back().end, pair.short_cut.jobs[0].end);
  EXPECT_FALSE(pair.full.collectives.back().is_estimated);
}

TEST(ApproximatePeriods, LeaveOutIterationsOfTraining) {
  for (const char* mode : {"off", "on"}) {
    const std::string text =
        "name: periods\nracks: {count: 1, servers: 1, server: hgx-h100}\nfabric: {topology: "
        "none}\nrun: {reuse: " +
        std::string(mode) +
        "}\njobs:\n  - {name: job, type: training, iterations: 12, batch: {micro: 1, global: 8}, "
        "parallelism: {tensor: 4, data: 2}, model: {preset: gpt-13b, layers: 4, hidden: 1024, "
        "heads: 16, head_size: 64, ffn: 4096, vocabulary: 4096, sequence: 128}}\n";
    const Pair pair = pair_of(text);
    EXPECT_GE(pair.report().skipped.iterations_skipped, 7);
    EXPECT_LE(pair.relative_error(), 0.01);
    ASSERT_EQ(pair.short_cut.iterations.size(), 12U);
    EXPECT_TRUE(pair.short_cut.iterations.back().is_estimated);
    EXPECT_EQ(pair.short_cut.training.size(), pair.full.training.size());
  }
}

// The draws of 20 % make iterations differ by more than 1 %.
TEST(ApproximatePeriods, LeaveNothingOutWhereTheyDiffer) {
  Experiment e = experiment_of_text(
      server_with("type: all-reduce, size: 1MiB, iterations: 12, compute: 100us, "
                  "jitter: {type: exponential, mean: 50us}"));
  const Results full = run_whole(e);
  const Results same = run_short(e, 0.01);
  EXPECT_EQ(same.periods->skipped.iterations_skipped, 0);
  EXPECT_EQ(same.periods->skipped.time, Picoseconds(0));
  ASSERT_TRUE(same.periods->skipped.closest.has_value());
  EXPECT_GT(*same.periods->skipped.closest, 0.01);
  EXPECT_EQ(same.jobs[0].jct, full.jobs[0].jct);
  EXPECT_EQ(same.totals.packet_hops, full.totals.packet_hops);
  EXPECT_TRUE(same.warnings.empty());
}

// A plain ring has no rounds: its steps wait for each other once around.
TEST(ApproximatePeriods, AreNoneInACallWithoutChunks) {
  Experiment e = experiment_of_text(star("algorithm: ring, size: 10MiB"));
  const Results same = run_short(e, 0.5);
  EXPECT_EQ(same.periods->skipped.rounds, 0);
  EXPECT_EQ(same.jobs[0].jct, run_whole(e).jobs[0].jct);
}

// Utilisation is of the time that was simulated: that of a link that never rests stays.
TEST(ApproximatePeriods, CountPortsOverWhatWasSimulated) {
  const Pair pair = pair_of(star(kRing));
  ASSERT_EQ(pair.full.ports.size(), pair.short_cut.ports.size());
  for (std::size_t p = 0; p < pair.full.ports.size(); ++p) {
    EXPECT_NEAR(pair.full.ports[p].utilisation, pair.short_cut.ports[p].utilisation, 0.02);
  }
}

}  // namespace
}  // namespace weft::testing
