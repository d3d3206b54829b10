// Graphs on the ideal network, where a message of n bytes takes 3 us + n ns, to the picosecond, and
// any number of messages are under way at a time. A ring all-reduce of S bytes on two ranks is two
// messages of S/2 each way, one after the other: 6 us + S ns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/collectives/tasks/graphs.hpp"

namespace weft::testing {
namespace {

using collectives::GraphSpec;
using collectives::StreamTimes;

constexpr Bytes kSummed = 4000_B;
constexpr Picoseconds kSum = 10_us;  // of kSummed on two ranks

Picoseconds graph_end(const GraphSpec& spec, std::int64_t ranks) {
  const ZeroLoadRun run(graph_workload(spec, ranks));
  EXPECT_TRUE(run.outcome().is_finished);
  return run.outcome().end;
}

const std::vector<StreamTimes>& streams_of(const ZeroLoadRun& run, std::uint32_t rank) {
  return run.executor().iterations(ProcessId(rank)).streams(0);
}

// Without another word a rank computes one node after the other, and a communicator makes one call
// after the other; the two streams run side by side.
TEST(GraphTime, StreamsGoOnSideBySide) {
  const GraphSpec spec =
      graph_of({compute_node("a", 3_us), call_node("sum", "", all_reduce(kSummed)),
                compute_node("b", 4_us), call_node("again", "", all_reduce(kSummed))});
  EXPECT_EQ(graph_end(spec, 2), 2 * kSum);
}

// n times computing, and a call of it: with nothing computed besides the sum of all.
TEST(GraphTime, ARepeatedChainTakesTheSumOfItsNodesEachTime) {
  for (const std::uint32_t times : {1U, 2U, 7U, 1000U}) {
    const GraphSpec spec = graph_of(
        {compute_node("forward", 5_us), call_node("sum", "", all_reduce(kSummed), {"forward"}),
         compute_node("backward", 7_us, {"sum"})},
        {{"forward", "backward", times}});
    EXPECT_EQ(graph_end(spec, 2), std::int64_t{times} * (5_us + kSum + 7_us)) << times;
  }
}

// Computing runs ahead of the calls: T_c + n max(T_c, T_sum) + (T_sum - max), which is
// T_c + n T_sum where calls take longer, and n T_c + T_sum where computing does.
TEST(GraphTime, WithoutACarriedDependencyComputingRunsAhead) {
  constexpr std::int64_t kTimes = 9;
  for (const Picoseconds computing : {0_us, 4_us, 10_us, 25_us}) {
    const GraphSpec spec = graph_of(
        {compute_node("layer", computing), call_node("sum", "", all_reduce(kSummed), {"layer"})},
        {{"layer", "sum", kTimes}});
    EXPECT_EQ(graph_end(spec, 2),
              computing <= kSum ? computing + kTimes * kSum : kTimes * computing + kSum);
  }
}

// After the call of the time before: one after the other, n (T_c + T_sum).
TEST(GraphTime, ACarriedDependencyWaitsForTheTimeBefore) {
  constexpr std::int64_t kTimes = 9;
  for (const Picoseconds computing : {0_us, 4_us, 25_us}) {
    const GraphSpec spec = graph_of({compute_node("layer", computing, {"sum"}),
                                     call_node("sum", "", all_reduce(kSummed), {"layer"})},
                                    {{"layer", "sum", kTimes}});
    EXPECT_EQ(graph_end(spec, 2), kTimes * (computing + kSum));
  }
}

// What layer i + 1 needs is fetched while layer i computes: T_fetch + (n - 1) max(T_fetch, T_c) +
// T_c, if a fetch waits for the layer of two times before; here for its start, by the marker.
TEST(GraphTime, FetchingAheadHidesAllButTheFirst) {
  constexpr std::int64_t kTimes = 6;
  for (const Picoseconds computing : {4_us, 10_us, 25_us}) {
    const GraphSpec spec =
        graph_of({call_node("fetch", "", all_reduce(kSummed), {"begin"}),
                  compute_node("begin", 0_us, {"fetch"}), compute_node("layer", computing)},
                 {{"fetch", "layer", kTimes}});
    EXPECT_EQ(graph_end(spec, 2), kSum + (kTimes - 1) * std::max(kSum, computing) + computing);
  }
}

// A node after a repeat waits for its last time, one before it has been over for long.
TEST(GraphTime, RepeatsFollowOneAnother) {
  const GraphSpec spec = graph_of({compute_node("begin", 1_us), compute_node("a", 2_us),
                                   call_node("sum", "", all_reduce(kSummed), {"a", "begin"}),
                                   compute_node("between", 3_us, {"sum"}), compute_node("b", 5_us),
                                   call_node("last", "", all_reduce(kSummed), {"b", "between"})},
                                  {{"a", "sum", 3}, {"b", "last", 2}});
  // The calls: from 3 us, 13 us and 23 us, all computing but the first 2 us being behind them.
  const Picoseconds sums = 1_us + 2_us + 3 * kSum;
  EXPECT_EQ(graph_end(spec, 2), sums + 3_us + 5_us + 2 * kSum);
}

TEST(GraphTime, IterationsOfAGraphFollowOneAnother) {
  const GraphSpec once =
      graph_of({compute_node("layer", 4_us), call_node("sum", "", all_reduce(kSummed), {"layer"})},
               {{"layer", "sum", 3}});
  GraphSpec often = once;
  often.iterations = 5;
  EXPECT_EQ(graph_end(often, 2), 5 * graph_end(once, 2));
}

// Communicators of a group side by side, and of two groups across each other: the second waits for
// both calls that its ranks are in.
TEST(GraphTime, GroupsAcrossEachOtherTakeTheSumOfTheirCalls) {
  GraphSpec spec = graph_of({call_node("rows", "row", all_reduce(kSummed)),
                             call_node("columns", "column", all_reduce(kSummed), {"rows"})});
  spec.groups = {group_of("row", 2), group_of("column", 2, 2)};
  EXPECT_EQ(graph_end(spec, 4), 2 * kSum);
  spec.nodes[1].after.clear();
  EXPECT_EQ(graph_end(spec, 4), kSum) << "streams of their own";
}

TEST(GraphTime, AMessageIsOverForItsSenderOnceItIsPosted) {
  const GraphSpec spec =
      graph_of({send_node("give", 2000_B, {"0"}, {"1"}), compute_node("after", 4_us, {"give"})});
  EXPECT_EQ(graph_end(spec, 2), message_time(2000_B) + 4_us);
  const ZeroLoadRun run(graph_workload(spec, 2));
  EXPECT_EQ(run.executor().iterations(ProcessId(0U))[0].end, 4_us);
}

// Rank 1 has something to compute that is not after the message: with a receive in between it waits
// for it all the same, and so does its next message.
TEST(GraphTime, AReceiveHoldsBackWhatComputesAfterIt) {
  const auto first = compute_node("first", 20_us, {}, {"0"});
  const auto give = send_node("give", 2000_B, {"0"}, {"1"}, {"first"});
  const auto second = compute_node("second", 5_us, {}, {"1"});
  const Picoseconds arrival = 20_us + message_time(2000_B);
  EXPECT_EQ(graph_end(graph_of({first, give, second}), 2), arrival);
  EXPECT_EQ(graph_end(graph_of({first, give, recv_node("take", "give"), second}), 2),
            arrival + 5_us);
  const auto answer = send_node("answer", 1000_B, {"1"}, {"0"}, {"take"});
  EXPECT_EQ(graph_end(graph_of({first, give, recv_node("take", "give"), answer}), 2),
            arrival + message_time(1000_B));
}

/// Rank 0 computes t and tells rank 1, which computes u; m times.
GraphSpec two_stages(Picoseconds t, Picoseconds u, std::uint32_t times) {
  return graph_of(
      {compute_node("first", t, {}, {"0"}), send_node("give", 2000_B, {"0"}, {"1"}, {"first"}),
       compute_node("second", u, {"give"}, {"1"})},
      {{"first", "second", times}});
}

// The last of m messages is posted after m t, and rank 1 has then computed for all before. Its
// bubble is its sender's lateness: t before the first message, and t - u less what the message took
// besides (a, hidden while it computed) before each further one.
TEST(GraphTime, TheBubbleOfAPipelineIsTheLatenessOfTheSender) {
  constexpr std::int64_t kTimes = 8;
  const Picoseconds a = message_time(2000_B);
  for (const Picoseconds u : {1_us, 5_us, 20_us, 30_us}) {
    constexpr Picoseconds kFirst = 20_us;
    const ZeroLoadRun run(graph_workload(two_stages(kFirst, u, kTimes), 2));
    const std::int64_t slower = kTimes - 1;
    EXPECT_EQ(run.outcome().end, kFirst + a + slower * std::max(kFirst, u) + u);
    const std::vector<StreamTimes>& second = streams_of(run, 1);
    ASSERT_EQ(second.size(), 2U);
    EXPECT_EQ(second[0].busy, kTimes * u);
    EXPECT_EQ(second[1].late, kFirst + slower * std::max(0_us, kFirst - u - a));
    EXPECT_EQ(second[1].waited, kFirst + a + slower * std::max(0_us, kFirst - u));
    const std::vector<StreamTimes>& first = streams_of(run, 0);
    EXPECT_EQ(first[0].busy, kTimes * kFirst);
    EXPECT_EQ(first[1].waited, 0_us);
  }
}

// Ranks 1 and 2 add up twice what rank 0 sends them, and compute then: what they wait for before
// the first sum begins is the sender's lateness and the message, not the sums.
TEST(GraphTime, WaitingForACallThatWaitsForAMessageIsWaitingForTheMessage) {
  GraphSpec spec = graph_of({compute_node("first", 20_us, {}, {"0"}),
                             send_node("give", 2000_B, {"0", "0"}, {"1", "2"}, {"first"}),
                             call_node("sum", "pair", all_reduce(kSummed), {"give"}),
                             call_node("again", "pair", all_reduce(kSummed), {"give"}),
                             compute_node("second", 5_us, {"again"}, {"1-2"})});
  spec.groups = {group_of_ranks("pair", {"1", "2"})};
  const ZeroLoadRun run(graph_workload(spec, 3));
  const Picoseconds a = message_time(2000_B);
  EXPECT_EQ(run.outcome().end, 20_us + a + kSum + kSum + 5_us);
  Picoseconds waited;
  Picoseconds late;
  for (const StreamTimes& times : streams_of(run, 1)) {
    waited += times.waited;
    late += times.late;
  }
  EXPECT_EQ(waited, 20_us + a + kSum + kSum);
  EXPECT_EQ(late, 20_us);
  EXPECT_TRUE(std::ranges::any_of(streams_of(run, 1), [](const StreamTimes& times) {
    return times.late == 0_us && times.waited == kSum + kSum;
  }));
}

// The same holds for a rank that has nothing left to compute.
TEST(GraphTime, TheBubbleOfARankThatOnlyReceivesIsTheLatenessOfTheSender) {
  const GraphSpec spec = graph_of({compute_node("first", 20_us, {}, {"0"}),
                                   send_node("give", 2000_B, {"0"}, {"1"}, {"first"})});
  const ZeroLoadRun run(graph_workload(spec, 2));
  const std::vector<StreamTimes>& second = streams_of(run, 1);
  EXPECT_EQ(second[1].late, 20_us);
  EXPECT_EQ(second[1].waited, 20_us + message_time(2000_B));
}

// GPipe of p stages that take t each, and m micro-batches: (m + p - 1) t and the p - 1 messages.
TEST(GraphTime, APipelineFillsOnce) {
  constexpr std::int64_t kStages = 4;
  constexpr std::int64_t kBatches = 6;
  std::vector<collectives::GraphNode> nodes;
  for (std::int64_t stage = 0; stage < kStages; ++stage) {
    const std::string rank = std::to_string(stage);
    Names after;
    if (stage > 0) {
      after = {"give" + rank};
      nodes.push_back(send_node(after[0], 2000_B, {std::to_string(stage - 1)}, {rank},
                                {"work" + std::to_string(stage - 1)}));
    }
    nodes.push_back(compute_node("work" + rank, 20_us, after, {rank}));
  }
  const GraphSpec spec = graph_of(nodes, {{"work0", "work3", kBatches}});
  EXPECT_EQ(graph_end(spec, kStages),
            (kBatches + kStages - 1) * 20_us + (kStages - 1) * message_time(2000_B));
}

TEST(GraphTime, ANodeOfManyMessagesIsOverWithTheLast) {
  Names from;
  Names to;
  for (int i = 0; i < 200; ++i) {
    from.emplace_back("0");
    to.emplace_back("1");
  }
  from.emplace_back("0-2");
  to.emplace_back("1-3");
  const GraphSpec spec =
      graph_of({send_node("give", 2000_B, from, to), compute_node("then", 1_us, {"give"})});
  EXPECT_EQ(graph_end(spec, 4), message_time(2000_B) + 1_us);
}

TEST(GraphTime, WhatTakesNoTimeIsOverAtOnce) {
  const GraphSpec spec =
      graph_of({compute_node("a", 0_us), compute_node("b", 0_us, {"a"})}, {{"a", "b", 1000}}, 3);
  EXPECT_EQ(graph_end(spec, 2), 0_us);
}

}  // namespace
}  // namespace weft::testing
