// Programs of tasks on the ideal network, where a message of n bytes takes 3 us + n ns, to the
// picosecond. A ring all-reduce of S bytes on two ranks is two messages of S/2 each way, one after
// the other: 6 us + S ns.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "collectives/algorithms/algorithms.hpp"
#include "tests/collectives/tasks/written_tasks.hpp"

namespace weft {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::Operation;
using collectives::StreamTimes;
using testing::after_calls;
using testing::after_compute;
using testing::all_reduce;
using testing::workload_of;
using testing::WrittenTasks;
using testing::ZeroLoadRun;

constexpr Bytes kSize = 4000_B;
constexpr Picoseconds kCall = 10_us;  // of kSize on two ranks

Picoseconds end_of(std::unique_ptr<const WrittenTasks> parts, std::uint32_t ranks) {
  const ZeroLoadRun run(workload_of(std::move(parts), ranks));
  EXPECT_TRUE(run.outcome().is_finished);
  return run.outcome().end;
}

std::unique_ptr<WrittenTasks> two_ranks() {
  auto parts = std::make_unique<WrittenTasks>();
  parts->add_call(parts->add_communicator("pair", {0, 1}), all_reduce(kSize));
  return parts;
}

TEST(TaskSet, ACallWaitsForWhatItDependsOn) {
  auto parts = two_ranks();
  for (const std::uint32_t rank : {0U, 1U}) {
    parts->compute(rank, 5_us);
    parts->compute(rank, 2_us, {after_calls(0, 1)});
  }
  parts->call(0, {after_compute(1)});
  EXPECT_EQ(end_of(std::move(parts), 2), 5_us + kCall + 2_us);
}

// Where an oracle knows when calls end, one lane per stream walks through the tasks.
TEST(TaskSet, OfADelegatedStreamOnlyTheLastLaneCarriesOutTasks) {
  auto parts = std::make_unique<WrittenTasks>();
  CollectiveSpec spec = all_reduce(kSize);
  spec.execution.channels = 4;
  parts->add_call(parts->add_communicator("pair", {0, 1}), spec);
  parts->compute(0, 5_us);
  for (int i = 0; i < 3; ++i) parts->call(0);
  const auto workload = workload_of(std::move(parts), 2);
  const collectives::JobProgram& program = *workload.jobs().front().program;
  ASSERT_EQ(program.lanes(), 5U);
  for (std::uint32_t lane = 1; lane < program.lanes(); ++lane) {
    const auto source = program.task_streams().delegated_steps({0, lane});
    int starts = 0;
    int all = 0;
    for (collectives::Step step; source->next(step); ++all) {
      if (step.kind != collectives::Step::Kind::kStart) continue;
      ++starts;
      source->omit_task();
    }
    EXPECT_EQ(starts, lane == 4 ? 3 : 0);
    EXPECT_EQ(all, lane == 4 ? 2 + 2 * 3 : 2);
  }
}

// Exposed communication is max(0, T_comm - T_overlap): the rest is hidden behind what is computed
// besides.
TEST(TaskSet, WhatIsComputedBesidesHidesACall) {
  for (const Picoseconds besides : {0_us, 4_us, 10_us, 25_us}) {
    auto parts = two_ranks();
    for (const std::uint32_t rank : {0U, 1U}) {
      parts->compute(rank, 5_us);
      parts->compute(rank, besides);
      parts->compute(rank, 2_us, {after_calls(0, 1)});
    }
    parts->call(0, {after_compute(1)});
    const ZeroLoadRun run(workload_of(std::move(parts), 2));
    EXPECT_EQ(run.outcome().end, 5_us + std::max(besides, kCall) + 2_us);
    const std::vector<StreamTimes>& streams = run.executor().iterations(ProcessId(0U)).streams(0);
    ASSERT_EQ(streams.size(), 2U);
    EXPECT_EQ(streams[0].busy, 7_us + besides);
    EXPECT_EQ(streams[1].busy, kCall);
    EXPECT_EQ(streams[1].waited, std::max(0_us, kCall - besides));
  }
}

TEST(TaskSet, CallsOfOneCommunicatorComeOneAfterTheOther) {
  auto parts = two_ranks();
  parts->call(0);
  parts->call(0);
  EXPECT_EQ(end_of(std::move(parts), 2), kCall + kCall);
}

TEST(TaskSet, CallsOfTwoCommunicatorsGoOnSideBySide) {
  auto parts = two_ranks();
  parts->add_call(parts->add_communicator("other", {1, 0}), all_reduce(kSize));
  parts->call(0);
  parts->call(1);
  EXPECT_EQ(end_of(std::move(parts), 2), kCall);
}

/// Ranks 0 to 1, then 1 to 2, then 2 to 3: each passes on what it was given.
std::unique_ptr<WrittenTasks> chain() {
  auto parts = std::make_unique<WrittenTasks>();
  for (const std::uint32_t first : {0U, 1U, 2U}) {
    parts->add_call(parts->add_communicator("link", {first, first + 1}),
                    testing::collective(Operation::kBroadcast, Algorithm::kBinomialTree, kSize));
    parts->call(first);
  }
  for (const std::uint32_t middle : {1U, 2U}) {
    parts->written[{middle, collectives::StreamOf::communicator(middle)}][0].after = {
        after_calls(middle - 1, 1)};
  }
  return parts;
}

TEST(TaskSet, CommunicatorsThatShareNoRankShareAStream) {
  const collectives::Workload workload = workload_of(chain(), 4);
  EXPECT_EQ(workload.jobs()[0].program->task_streams().streams(), 3U);
  EXPECT_EQ(workload.jobs()[0].lanes, 3U);
}

TEST(TaskSet, AChainOfCommunicatorsTakesTheSumOfItsCalls) {
  EXPECT_EQ(end_of(chain(), 4), 3 * testing::message_time(kSize));
}

TEST(TaskSet, IterationsFollowOneAnotherAndCountApart) {
  auto parts = two_ranks();
  parts->repetitions = 3;
  for (const std::uint32_t rank : {0U, 1U}) parts->compute(rank, 5_us);
  parts->call(0, {after_compute(1)});
  const ZeroLoadRun run(workload_of(std::move(parts), 2));
  EXPECT_EQ(run.outcome().end, 3 * (5_us + kCall));
  const collectives::IterationLog& log = run.executor().iterations(ProcessId(1U));
  ASSERT_EQ(log.ended(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(log[i].begin, std::int64_t{i} * (5_us + kCall));
    EXPECT_EQ(log.streams(i)[0].busy, 5_us);
    EXPECT_EQ(log.streams(i)[1].busy, kCall);
  }
}

// What waits for itself never ends, and is named.
TEST(TaskSet, ACircleOfDependenciesIsNamed) {
  auto parts = two_ranks();
  for (const std::uint32_t rank : {0U, 1U}) parts->compute(rank, 5_us, {after_calls(0, 1)});
  parts->call(0, {after_compute(1)});
  const ZeroLoadRun run(workload_of(std::move(parts), 2));
  EXPECT_FALSE(run.outcome().is_finished);
  const auto sentences = run.executor().describe_blocked(
      [](HostId host) { return "h" + std::to_string(host.value()); });
  ASSERT_EQ(sentences.size(), 4U);
  EXPECT_EQ(sentences[0], "rank 0 of job job (h0), channel 0, waits for tasks of its stream pair");
  EXPECT_EQ(sentences[1],
            "rank 0 of job job (h0), channel 1, waits for tasks of its stream compute");
}

// One call on all ranks is the collective itself, whatever algorithm and channels it has.
TEST(TaskSet, ALoneCallTakesWhatTheCollectiveTakes) {
  constexpr std::uint32_t kRanks = 8;
  for (const Operation operation :
       {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter,
        Operation::kAllToAll, Operation::kBroadcast, Operation::kSendReceive}) {
    for (const Algorithm algorithm : collectives::algorithms_for(operation)) {
      CollectiveSpec spec = testing::collective(operation, algorithm, 60'000_B);
      spec.execution.channels = 3;
      spec.execution.chunk = 1000_B;
      auto description = testing::job(kRanks, spec);
      const auto alone = collectives::build_workload(std::vector{description}, {});
      if (!alone.ok()) continue;  // needs scale-up switches
      const ZeroLoadRun collective(testing::build({description}));
      auto parts = std::make_unique<WrittenTasks>();
      parts->call(parts->add_call(parts->add_communicator("all", {0, 1, 2, 3, 4, 5, 6, 7}), spec));
      EXPECT_EQ(end_of(std::move(parts), kRanks), collective.outcome().end)
          << name_of(operation) << " by algorithm " << static_cast<int>(algorithm);
    }
  }
}

// Members are numbered by the communicator: rank 5 is the root of this broadcast.
TEST(TaskSet, RootsAndPartsAreThoseOfTheCommunicator) {
  auto parts = std::make_unique<WrittenTasks>();
  CollectiveSpec spec = testing::collective(Operation::kBroadcast, Algorithm::kBinomialTree, kSize);
  parts->call(parts->add_call(parts->add_communicator("some", {5, 2}), spec));
  const collectives::Workload workload = workload_of(std::move(parts), 6);
  ASSERT_EQ(workload.connections().size(), 1U);
  EXPECT_EQ(workload.connections()[0].source, ProcessId(5U));
  EXPECT_EQ(workload.connections()[0].destination, ProcessId(2U));
}

TEST(TaskSet, AnAlgorithmThatCannotRunIsRefusedAtItsKey) {
  auto parts = std::make_unique<WrittenTasks>();
  parts->add_call(parts->add_communicator("odd", {0, 1, 2}),
                  testing::collective(Operation::kAllReduce, Algorithm::kNvls, kSize));
  collectives::ProgramSetting setting;
  setting.ranks = 3;
  const auto refused = collectives::TaskProgram::make(setting, std::move(parts), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors()[0].where.key, "call");
}

// Calls by different protocols have lanes and so connections of their own.
TEST(TaskSet, CallsByDifferentProtocolsDoNotShareLanes) {
  auto parts = two_ranks();
  CollectiveSpec other = all_reduce(kSize);
  other.execution.protocol = collectives::Protocol::kLl;
  parts->add_call(0, other);
  parts->add_call(0, all_reduce(8000_B));
  const collectives::Workload workload = workload_of(std::move(parts), 2);
  EXPECT_EQ(workload.jobs()[0].lanes, 3U);
  EXPECT_EQ(workload.connections().size(), 4U);
}

}  // namespace
}  // namespace weft
