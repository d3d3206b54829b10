// Timelines, read by a reader that knows the formats and not their writers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/engines.hpp"
#include "tests/support/traced_run.hpp"

namespace weft::testing {
namespace {

using scenarios::Experiment;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// The plan of gpt3-175b.yaml on 32 GPUs: 2 stages, 2 copies, 4 micro-batches each.
Experiment gpt3_slice(std::vector<std::string> more) {
  for (const char* smaller :
       {"racks.count=4", "fabric.group=4", "fabric.spines=4", "jobs[0].parallelism.pipeline=2",
        "jobs[0].parallelism.data=2", "jobs[0].model.layers=2", "jobs[0].model.hidden=1024",
        "jobs[0].model.heads=8", "jobs[0].model.ffn=4096", "jobs[0].batch.global=8"}) {
    more.emplace_back(smaller);
  }
  return experiment_of("gpt3-175b.yaml", more);
}

constexpr const char* kTwoLeaves =
    "name: t\n"
    "racks: {count: 2, servers: 4, server: host-400g}\n"
    "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n";

Experiment on_two_leaves(const std::string& observe, const std::string& jobs,
                         const std::string& more = "") {
  return experiment_of_text(kTwoLeaves + more + "observe: {" + observe + "}\njobs:\n" + jobs);
}

constexpr const char* kRing =
    "  - {name: ring, type: all-reduce, algorithm: ring, size: 1MiB, iterations: 3, compute: "
    "20us}\n";

std::set<std::string> names_on(const ReadTrace& trace, const ReadTrace::Track& track) {
  std::set<std::string> names;
  const auto found = trace.slices.find(track);
  if (found == trace.slices.end()) return names;
  for (const ReadTrace::Slice& s : found->second) names.insert(s.name);
  return names;
}

// By two-shot: of what switches multicast, each copy has an arrow.
TEST(Timeline, OfATrainingStepIsWhole) {
  const Experiment e =
      gpt3_slice({"observe.timeline=perfetto", "observe.blame=true", "jobs[0].iterations=2",
                  "jobs[0].communication.algorithm=two-shot"});
  const TracedRun run = traced(e);
  const ReadTrace trace = read_trace(run, e);
  expect_whole_arrows(trace);
  expect_whole_path(trace, "gpt");
  // Every message of the run has its arrow, as none is under way at its end.
  EXPECT_EQ(static_cast<std::int64_t>(trace.arrows.size()), run.results.messages.completed());
  // Four micro-batches, forward and backward, and the optimiser.
  EXPECT_THAT(
      names_on(trace, {"gpt rank 0 (gpu0)", "compute"}),
      ::testing::ElementsAre("backward 0", "backward 1", "backward 2", "backward 3", "forward 0",
                             "forward 1", "forward 2", "forward 3", "optimizer"));
  EXPECT_THAT(names_on(trace, {"gpt rank 0 (gpu0)", "tensor"}),
              ::testing::ElementsAre("all-reduce 256KiB"));
  // Of 32 ranks two iterations each, and those of the job.
  EXPECT_THAT(trace.of_category("iteration"), SizeIs(32 * 2 + 2));
}

// Computing adds up to what iterations.csv says of the mean rank.
TEST(Timeline, ComputesAsLongAsTheResultsSay) {
  const Experiment e = gpt3_slice({"observe.timeline=json"});
  const TracedRun run = traced(e);
  const ReadTrace trace = read_trace(run, e);
  std::int64_t sum = 0;
  const auto computing = trace.of_category("compute");
  for (const auto& [track, slice] : computing) sum += slice.end - slice.begin;
  ASSERT_THAT(run.results.iterations, SizeIs(1));
  // Both ends of a slice are cut to nanoseconds: its length is off by less than one.
  EXPECT_NEAR(static_cast<double>(sum) / 32, to_seconds(run.results.iterations[0].compute) * 1e9,
              static_cast<double>(computing.size()) / 32);
}

TEST(Timeline, OfBothFormatsIsTheSame) {
  const std::vector<std::string> more{"observe.blame=true", "observe.pauses=true",
                                      "observe.queues.ports=[leaf0]"};
  const auto with_format = [&](const char* format) {
    std::vector<std::string> all = more;
    all.push_back(std::string("observe.timeline=") + format);
    return experiment_of("incast.yaml", all);
  };
  const Experiment native = with_format("perfetto");
  const Experiment json = with_format("json");
  const ReadTrace a = read_trace(traced(native), native);
  const ReadTrace b = read_trace(traced(json), json);
  EXPECT_GT(a.slices.size(), 30U);
  EXPECT_EQ(a.slices.size(), b.slices.size());
  for (const auto& [track, slices] : a.slices) {
    ASSERT_TRUE(b.slices.contains(track)) << track.first << ", " << track.second;
    std::vector<ReadTrace::Slice> of_a = slices;
    std::vector<ReadTrace::Slice> of_b = b.slices.at(track);
    std::ranges::sort(of_a);
    std::ranges::sort(of_b);
    EXPECT_EQ(of_a, of_b) << track.first << ", " << track.second;
  }
  EXPECT_EQ(a.pairs(), b.pairs());
  EXPECT_EQ(a.counters, b.counters);
}

// 32 senders post one message each, which the receiver's track has the ends of.
TEST(Timeline, OfAnInCastHasAnArrowPerMessage) {
  const Experiment e =
      experiment_of("incast.yaml", {"observe.timeline=perfetto", "observe.blame=true"});
  const ReadTrace trace = read_trace(traced(e), e);
  expect_whole_arrows(trace);
  expect_whole_path(trace, "incast", false);
  EXPECT_THAT(trace.arrows, SizeIs(32));
  for (const auto& [id, arrow] : trace.arrows) {
    EXPECT_EQ(arrow.to[0].track.first, "incast rank 0 (h0)");
  }
}

// Occupancies as in queues.csv; pauses of a port go on and off in turn.
TEST(Timeline, HasQueuesRatesAndPausesAsCounters) {
  const Experiment e =
      experiment_of("incast.yaml", {"observe.timeline=perfetto", "observe.pauses=true",
                                    "observe.queues.ports=['leaf0[0]->h0']",
                                    "observe.rates.flows=['incast:1->0']"});
  const TracedRun run = traced(e);
  const ReadTrace trace = read_trace(run, e);
  const auto& queue = trace.counters.at("queue leaf0[0]->h0, data");
  std::int64_t peak = 0;
  for (const auto& [time, value] : queue) peak = std::max(peak, value);
  const auto port =
      std::ranges::find(run.results.ports, "leaf0[0]->h0", &scenarios::PortResult::name);
  ASSERT_NE(port, run.results.ports.end());
  const std::size_t place = port->port.value() * e.scenario.switches.classes.size();
  EXPECT_EQ(peak, run.results.classes[place].peak_bytes.count());
  EXPECT_TRUE(trace.counters.contains("rate incast 1 -> 0, queue pair 0, bit/s"));
  EXPECT_TRUE(trace.counters.contains("goodput incast 1 -> 0, queue pair 0, bit/s"));
  std::size_t begun = 0;
  for (const auto& [name, values] : trace.counters) {
    if (!name.starts_with("paused ")) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].second, i % 2 == 0 ? 1 : 0) << name;
      begun += static_cast<std::size_t>(values[i].second);
    }
  }
  EXPECT_EQ(begun, run.results.pauses.pauses.size());
}

TEST(Timeline, HasTheSameBytesForAnyNumberOfThreads) {
  const std::vector<std::string> observed{"observe.timeline=perfetto", "observe.pauses=true",
                                          "observe.queues.ports=[leaf0]",
                                          "observe.queues.period=5us"};
  std::vector<std::string> with_blame = observed;
  with_blame.emplace_back("observe.blame=true");
  std::vector<Experiment> experiments;
  experiments.push_back(experiment_of("incast.yaml", with_blame));
  experiments.push_back(gpt3_slice(observed));
  for (const Experiment& e : experiments) {
    const TracedRun one = traced(e, 1);
    EXPECT_GT(one.bytes.size(), 10'000U);
    for (const std::uint32_t threads : {2U, 3U}) {
      const TracedRun more = traced(e, threads);
      EXPECT_TRUE(more.bytes == one.bytes) << e.scenario.name << " on " << threads << " threads";
      EXPECT_EQ(more.results.digest(), one.results.digest());
    }
  }
}

TEST(Timeline, ChangesNoResult) {
  Experiment e = on_two_leaves("timeline: perfetto", kRing);
  const std::string with = traced(e).results.digest();
  e.timeline.reset();
  EXPECT_EQ(scenarios::simulate(e).digest(), with);
}

TEST(Timeline, OfAFluidRunIsWhole) {
  const Experiment e = on_two_leaves("timeline: perfetto, blame: true", kRing);
  in_own_process([&e] {
    const TracedRun run = traced(e, 1, TracedEngine::kFluid);
    const ReadTrace trace = read_trace(run, e);
    expect_whole_arrows(trace);
    expect_whole_path(trace, "ring");
    EXPECT_EQ(static_cast<std::int64_t>(trace.arrows.size()), run.results.messages.completed());
    return std::vector<std::int64_t>{1};
  });
}

// Of the ranks 0 and 1 of a ring: what both of them do, and arrows from one to the other only.
TEST(Timeline, ShowsChosenRanksOfChosenJobs) {
  const std::string jobs =
      std::string(kRing) + "  - {name: other, type: permutation, size: 1MiB}\n";
  const Experiment e = on_two_leaves("timeline: {jobs: [ring], ranks: [0-1]}", jobs);
  const ReadTrace trace = read_trace(traced(e), e);
  std::set<std::string> processes;
  for (const auto& [track, slices] : trace.slices) processes.insert(track.first);
  EXPECT_EQ(processes, (std::set<std::string>{"ring rank 0 (h0)", "ring rank 1 (h1)"}));
  EXPECT_FALSE(trace.arrows.empty());
  expect_whole_arrows(trace);
  for (const auto& [id, arrow] : trace.arrows) {
    EXPECT_EQ(arrow.from[0].track.first, "ring rank 0 (h0)");
    EXPECT_EQ(arrow.to[0].track.first, "ring rank 1 (h1)");
  }
}

TEST(Timeline, ShowsAWindowOfTime) {
  const Experiment whole = on_two_leaves("timeline: perfetto, blame: true", kRing);
  const Experiment part = on_two_leaves("timeline: {from: 30us, to: 80us}, blame: true", kRing);
  const ReadTrace all = read_trace(traced(whole), whole);
  const ReadTrace some = read_trace(traced(part), part);
  expect_whole_arrows(some);
  std::size_t expected = 0;
  std::size_t found = 0;
  for (const auto& [track, slices] : all.slices) {
    expected += static_cast<std::size_t>(std::ranges::count_if(
        slices, [](const auto& s) { return s.end > 30'000 && s.begin < 80'000; }));
  }
  for (const auto& [track, slices] : some.slices) {
    for (const ReadTrace::Slice& s : slices) {
      EXPECT_GE(s.begin, 30'000);
      EXPECT_LE(s.end, 80'000);
      if (s.end > 30'000 && s.begin < 80'000) ++found;
    }
  }
  EXPECT_EQ(found, expected);
  const auto& path = some.slices.at({"job ring", "critical path"});
  EXPECT_EQ(path.front().begin, 30'000);
  EXPECT_EQ(path.back().end, 80'000);
}

// What a switch adds up and repeats: arrows to whoever owns the sum, and to all members.
TEST(Timeline, OfNvlsHasArrowsToAllMembers) {
  const Experiment e = experiment_of_text(
      "name: t\n"
      "racks: {count: 1, servers: 1, server: hgx-h100}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: quantum-2}\n"
      "observe: {timeline: perfetto, blame: true}\n"
      "jobs: [{name: a, type: all-reduce, algorithm: nvls, size: 1MiB, ranks: all}]\n");
  const ReadTrace trace = read_trace(traced(e), e);
  expect_whole_arrows(trace);
  expect_whole_path(trace, "a");
  std::map<std::string, int> arrows_to;
  for (const auto& [id, arrow] : trace.arrows) ++arrows_to[arrow.to[0].track.first];
  EXPECT_THAT(arrows_to, SizeIs(8));
}

// A queue pair that gives up: what waits, waits until the end of the run.
TEST(Timeline, OfARunThatDoesNotEndIsWhole) {
  const Experiment e = on_two_leaves("timeline: perfetto", kRing,
                                     "faults: [{type: link-down, from: h1, at: 25us}]\n"
                                     "run: {until: 1ms}\n");
  const TracedRun run = traced(e);
  EXPECT_EQ(run.results.outcome, scenarios::Outcome::kHorizon);
  const ReadTrace trace = read_trace(run, e);
  expect_whole_arrows(trace);
  const auto messages = trace.of_category("message");
  EXPECT_TRUE(std::ranges::any_of(messages,
                                  [](const auto& m) { return m.second.name == "to 1, not over"; }));
  const auto& waits = trace.slices.at({"ring rank 1 (h1)", "steps"});
  EXPECT_EQ(waits.back().end, run.results.simulated.count() / 1000);
}

// A full trace is as whole as any, says that it is full, and is no larger than it may be but for
// the last packet.
TEST(Timeline, StopsAtItsLimit) {
  for (const char* format : {"perfetto", "json"}) {
    Experiment e = gpt3_slice(
        {std::string("observe.timeline.format=") + format, "observe.timeline.limit=1MB"});
    e.timeline->limit = 300_KiB;
    const TracedRun run = traced(e);
    expect_whole_arrows(read_trace(run, e));
    EXPECT_LT(run.bytes.size(), 300U * 1024 + 1000);
    EXPECT_GT(run.bytes.size(), 300U * 1024 - 1000);
    ASSERT_FALSE(run.results.warnings.empty());
    EXPECT_THAT(run.results.warnings.back(), HasSubstr("has reached its limit of 300 KiB"));
  }
}

// There is room for the critical path where there is none for anything else.
TEST(Timeline, KeepsRoomForTheCriticalPath) {
  Experiment e = on_two_leaves(
      "timeline: perfetto, blame: true",
      "  - {name: all, type: all-to-all, algorithm: one-shot, size: 32KiB, iterations: 20}\n");
  const std::size_t whole = traced(e).bytes.size();
  e.timeline->limit = Bytes(static_cast<std::int64_t>(whole) * 9 / 10);
  const TracedRun run = traced(e);
  EXPECT_LE(run.bytes.size(), whole * 9 / 10 + 1000);
  const ReadTrace trace = read_trace(run, e);
  expect_whole_arrows(trace);
  EXPECT_EQ(trace.slices.at({"job all", "iterations"}).size(), 20U);
  expect_whole_path(trace, "all", false);
  ASSERT_FALSE(run.results.warnings.empty());
  EXPECT_THAT(run.results.warnings.back(), HasSubstr("has reached its limit"));
}

std::string error_of(const std::string& timeline) {
  const auto loaded = scenarios::load_scenario_text(
      kTwoLeaves + ("observe: {timeline: " + timeline + "}\njobs:\n") + kRing, "t.yaml");
  if (!loaded) return loaded.errors().front().to_string();
  const auto e = scenarios::build_experiment(loaded.value().scenario);
  if (e) return "";
  return loaded.value().located(e.errors()).front().to_string();
}

TEST(Timeline, RefusesWhatIsNotThere) {
  EXPECT_THAT(error_of("{jobs: [rong]}"), HasSubstr("`rong` is no job; the jobs are ring; did you "
                                                    "mean `ring`?"));
  EXPECT_THAT(error_of("{jobs: [rong]}"), HasSubstr("t.yaml:4:"));
  EXPECT_THAT(error_of("{ranks: [8]}"), HasSubstr("there is no rank 8; the job has ranks 0 to 7"));
  EXPECT_THAT(error_of("{ranks: [3-1]}"), HasSubstr("`3-1` ends before it begins"));
  EXPECT_THAT(error_of("{ranks: [h0]}"), HasSubstr("`h0` is no rank"));
  EXPECT_THAT(error_of("{from: 2us, to: 1us}"), HasSubstr("is no later than `from`"));
  EXPECT_THAT(error_of("{limit: 10KB}"), HasSubstr("at least 1MB"));
  EXPECT_THAT(error_of("protobuf"), HasSubstr("perfetto"));
  EXPECT_EQ(error_of("{ranks: [0-7], to: 1ms}"), "");
}

}  // namespace
}  // namespace weft::testing
