#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collectives/jobs/collective/collective_bounds.hpp"
#include "tests/collectives/zero_load_run.hpp"

// Job times on the ideal network, where a message of B bytes takes d(B) = alpha + B / rate, its
// acknowledgement `back` more and a control event `control`. All are exact: there is nothing to
// queue for.
namespace weft::testing {
namespace {

using collectives::CollectiveSpec;
using collectives::IncastSpec;
using collectives::MessagesSpec;
using collectives::OpenLoopSpec;
using collectives::PermutationSpec;

// T = 2 (n-1) d(ceil(S / n)). Lower bound: the chain of a longest chunk. Upper bound by induction:
// no rank ends step s after (s + 1) d(longest chunk).
TEST(RingAllReduceTime, IsTwoTimesNMinusOneChunkTimes) {
  for (const std::int64_t n : {2, 3, 8, 33, 64}) {
    for (const std::int64_t size : {std::int64_t{1}, std::int64_t{63}, std::int64_t{1} << 20}) {
      const ZeroLoadRun run(build({job(n, all_reduce(Bytes(size)))}));
      const Bytes chunk((size + n - 1) / n);
      EXPECT_TRUE(run.outcome().is_finished);
      EXPECT_EQ(run.outcome().end, 2 * (n - 1) * message_time(chunk)) << n << " " << size;
      EXPECT_EQ(run.outcome().bytes, Bytes(2 * (n - 1) * size)) << "all chunks make 2 (n-1) hops";
    }
  }
}

// Equal chunks keep the ranks in step, so iterations follow without gaps.
TEST(RingAllReduceTime, IterationsAddUp) {
  const ZeroLoadRun run(build({job(8, all_reduce(8_KiB, 5))}));
  EXPECT_EQ(run.outcome().end, std::int64_t{5} * 14 * message_time(1_KiB));
}

// Single calls wait for their launch, T = i (launch + call). Back to back they overlap with it, and
// follow each other as fast as the slower of both, T = i max(launch, call).
TEST(RingAllReduceTime, OfCallsBackToBackIsThatOfTheirLaunchOrTheirSteps) {
  using collectives::Execution;
  const Picoseconds call = std::int64_t{14} * message_time(1_KiB);
  for (const Picoseconds launch : {call / 2, call * 2}) {
    CollectiveSpec spec = all_reduce(8_KiB, 5);
    spec.execution.launch = launch;
    EXPECT_EQ(ZeroLoadRun(build({job(8, spec)})).outcome().end, std::int64_t{5} * (launch + call));
    spec.execution.calls = Execution::Calls::kBackToBack;
    EXPECT_EQ(ZeroLoadRun(build({job(8, spec)})).outcome().end,
              std::int64_t{5} * std::max(launch, call));
  }
}

// T = (n-1) d(S): every step waits for the block of the same step.
TEST(PairwiseAllToAllTime, IsNMinusOneMessageTimes) {
  for (const std::int64_t n : {2, 5, 16, 31}) {
    const ZeroLoadRun run(build({job(n, all_to_all(64_KiB, 2))}));
    EXPECT_EQ(run.outcome().end, 2 * (n - 1) * message_time(64_KiB)) << n;
    EXPECT_EQ(run.outcome().messages, 2 * n * (n - 1));
    EXPECT_EQ(run.outcome().bytes, 2 * n * (n - 1) * 64_KiB);
  }
}

// R rounds: R d + (R-1) control until the receiver has all, and `back` more until the senders know.
TEST(IncastTime, RoundsAreSeparatedByOneControlLatency) {
  for (const std::uint32_t receiver : {0U, 3U, 8U}) {
    for (const std::int64_t rounds : {1, 2, 7}) {
      const ZeroLoadRun run(
          build({job(9, IncastSpec{receiver, 1_KiB, static_cast<std::uint32_t>(rounds), 0_ps})}));
      EXPECT_TRUE(run.outcome().is_finished);
      EXPECT_EQ(run.outcome().end, rounds * message_time(1_KiB) + (rounds - 1) * kControl + kBack);
      EXPECT_EQ(run.outcome().messages, 8 * rounds);
    }
  }
}

TEST(IncastTime, WithoutAcknowledgementsEndsWithTheLastDelivery) {
  const ZeroLoadRun run(build({job(5, IncastSpec{0, 1_KiB, 3, 0_ps})}, 1, false), false);
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, 3 * message_time(1_KiB) + 2 * kControl);
}

TEST(IncastTime, JitterDelaysARoundByLessThanItself) {
  const ZeroLoadRun run(build({job(9, IncastSpec{0, 1_KiB, 4, 10_us})}));
  const Picoseconds without = 4 * message_time(1_KiB) + 3 * kControl + kBack;
  EXPECT_GT(run.outcome().end, without);
  EXPECT_LT(run.outcome().end, without + 4 * 10_us);
}

TEST(PermutationTime, IsOneMessageAndItsAcknowledgement) {
  const ZeroLoadRun run(build({job(128, PermutationSpec{1_MiB, 0_ps})}));
  EXPECT_EQ(run.outcome().end, message_time(1_MiB) + kBack);
  EXPECT_EQ(run.outcome().messages, 128);
}

TEST(MessageListTime, EndsWithTheLatestMessageWhateverTheOrderOfTheList) {
  MessagesSpec spec;
  spec.list = {
      {50_us, 0, 1, 1_KiB}, {0_us, 1, 0, 2_KiB}, {10_us, 0, 2, 100_KiB}, {0_us, 0, 1, 1_B}};
  for (int i = 0; i < 4; ++i) {
    std::rotate(spec.list.begin(), spec.list.begin() + 1, spec.list.end());
    const ZeroLoadRun run(build({job(3, spec)}));
    EXPECT_TRUE(run.outcome().is_finished);
    EXPECT_EQ(run.outcome().end, 10_us + message_time(100_KiB) + kBack);
    EXPECT_EQ(run.outcome().bytes, 103_KiB + 1_B);
  }
}

// Every kind waits for the job's start, and counts its own times from there: the same job, later.
TEST(JobStart, ShiftsEveryKindOfJobAsAWhole) {
  MessagesSpec messages;
  messages.list = {{5_us, 0, 1, 1_KiB}, {1_us, 2, 1, 2_KiB}};
  OpenLoopSpec open_loop;
  open_loop.size = 1_KiB;
  open_loop.stop = 100_us;
  const std::vector<collectives::JobKind> kinds = {all_reduce(10_KB),
                                                   all_to_all(1_KiB),
                                                   IncastSpec{1, 1_KiB, 3, 5_us},
                                                   PermutationSpec{1_KiB, 7_us},
                                                   messages,
                                                   open_loop};
  for (const auto& kind : kinds) {
    SCOPED_TRACE(kind.index());
    const ZeroLoadRun early(build({job(4, kind)}));
    const ZeroLoadRun late(build({job(4, kind, 1_ms)}));
    EXPECT_TRUE(late.outcome().is_finished);
    EXPECT_EQ(late.outcome().start, 1_ms);
    EXPECT_EQ(late.outcome().end - 1_ms, early.outcome().end);
    EXPECT_EQ(late.outcome().bytes, early.outcome().bytes);
  }
}

TEST(Jobs, OnTheSameHostsDoNotTouchEachOther) {
  const auto first = job(8, all_reduce(64_KiB, 3));
  const auto second = job(8, IncastSpec{2, 1_MiB, 2, 3_us}, 20_us);
  const ZeroLoadRun together(build({first, second}));
  const ZeroLoadRun alone(build({first}));
  EXPECT_EQ(together.outcome(0).end, alone.outcome(0).end);
  EXPECT_EQ(together.outcome(1).messages, 14);
  EXPECT_TRUE(together.executor().all_finished());
}

// What a job posts is what its programs say, for every kind; and every message is delivered before
// the network comes to rest (incast, messages and collectives could not finish otherwise).
TEST(Jobs, ConserveBytesBetweenProgramAndNetwork) {
  MessagesSpec messages;
  for (std::uint32_t i = 0; i < 40; ++i) {
    messages.list.push_back({i * 37_ns, i % 7, (i * 3 + 1) % 7, Bytes(i + 1)});
    if (messages.list.back().from == messages.list.back().to) messages.list.pop_back();
  }
  OpenLoopSpec open_loop;
  open_loop.size = 4_KiB;
  open_loop.load = 0.7;
  open_loop.stop = 1_ms;
  const std::vector<collectives::JobKind> kinds = {all_reduce(10'007_B, 2),
                                                   all_to_all(1_KiB, 2),
                                                   IncastSpec{1, 1_KiB, 3, 5_us},
                                                   PermutationSpec{1_KiB, 7_us},
                                                   messages,
                                                   open_loop};
  std::vector<collectives::JobDescription> jobs;
  jobs.reserve(kinds.size());
  for (const auto& kind : kinds) jobs.push_back(job(7, kind));
  const ZeroLoadRun run(build(jobs));
  std::int64_t total = 0;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    SCOPED_TRACE(i);
    Bytes bytes;
    std::int64_t count = 0;
    collectives::for_each_transfer(run.workload(), i,
                                   [&](ConnectionId, Bytes size, std::int64_t n) {
                                     bytes += size * n;
                                     count += n;
                                   });
    EXPECT_TRUE(run.outcome(i).is_finished);
    EXPECT_EQ(run.outcome(i).bytes, bytes);
    EXPECT_EQ(run.outcome(i).messages, count);
    EXPECT_GT(count, 0);
    total += count;
  }
  EXPECT_EQ(run.posted(), total);
}

TEST(BusBytes, AreWhatEveryRankMustSend) {
  EXPECT_EQ(collectives::bus_bytes(all_reduce(1_MiB, 3), 4), 3 * 1_MiB * 3 / 2);
  EXPECT_EQ(collectives::bus_bytes(all_to_all(1_MiB), 4), 3_MiB);
  collectives::CollectiveSpec barrier;
  barrier.operation = collectives::Operation::kBarrier;
  EXPECT_EQ(collectives::bus_bytes(barrier, 4), std::nullopt);
}

}  // namespace
}  // namespace weft::testing
