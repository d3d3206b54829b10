// Streams of one rank: what begins when, and what of exchanges nothing hides.

#include "collectives/training/estimate/passes/task_run.hpp"

#include <gtest/gtest.h>

namespace weft::collectives {
namespace {

using Stream = TaskRun::Stream;
using Cost = TaskRun::Cost;

// A computes 4, exchanges 3, and B, which needs none of it, computes 2 meanwhile. What needs the
// exchange begins at 7: one second was waited for. After its 5 an exchange of 6 is left.
TEST(TaskRun, ComputationHidesWhatItDoesNotWaitFor) {
  TaskRun run;
  const auto a = run.add(Stream::kCompute, {.seconds = 4}, {});
  const auto sent = run.add(Stream::kTensor, {.seconds = 3}, a);
  run.add(Stream::kCompute, {.seconds = 2}, {});
  const auto c = run.add(Stream::kCompute, {.seconds = 5}, sent);
  run.add(Stream::kTensor, {.seconds = 6}, c);
  const TaskRun::Outcome outcome = run.run();
  EXPECT_DOUBLE_EQ(outcome.computed, 12);
  EXPECT_DOUBLE_EQ(outcome.tail, 6);
  EXPECT_DOUBLE_EQ(outcome.exposed_of(Stream::kTensor), 1);
  EXPECT_EQ(outcome.last, Stream::kTensor);
}

// A stream keeps its order: the second exchange is ready at 0, the first one at 4.
TEST(TaskRun, StreamsKeepTheirOrder) {
  TaskRun run;
  const auto a = run.add(Stream::kCompute, {.seconds = 4}, {});
  run.add(Stream::kContext, {.seconds = 1}, a);
  const auto second = run.add(Stream::kContext, {.seconds = 2}, {});
  run.add(Stream::kCompute, {.seconds = 1}, second);
  const TaskRun::Outcome outcome = run.run();
  EXPECT_DOUBLE_EQ(outcome.computed, 8);
  EXPECT_DOUBLE_EQ(outcome.exposed_of(Stream::kContext), 3);
}

/// Two exchanges of 2 s, which need links for a share of it, and what needs both.
TaskRun::Outcome two_exchanges(double share, std::uint32_t first_links) {
  TaskRun run;
  auto both = run.add(Stream::kTensor, {.seconds = 2, .share = share, .links = first_links}, {});
  both += run.add(Stream::kExpert, {.seconds = 2, .share = share, .links = 2}, {});
  run.add(Stream::kCompute, {.seconds = 1}, both);
  return run.run();
}

// On links of their own 2 s. On the same ones bytes alone take twice as long; latencies of the one
// leave links to the other, so that with halves of each neither is slowed; with three quarters
// half as long again.
TEST(TaskRun, ExchangesOnTheSameLinksShareThem) {
  EXPECT_DOUBLE_EQ(two_exchanges(1, 1).computed, 3);
  EXPECT_DOUBLE_EQ(two_exchanges(1, 2).computed, 5);
  EXPECT_DOUBLE_EQ(two_exchanges(0.5, 2).computed, 3);
  EXPECT_DOUBLE_EQ(two_exchanges(0.75, 2).computed, 4);
  EXPECT_DOUBLE_EQ(two_exchanges(1, 2).exposed_of(Stream::kTensor), 2);
  EXPECT_DOUBLE_EQ(two_exchanges(1, 2).exposed_of(Stream::kExpert), 2);
}

}  // namespace
}  // namespace weft::collectives
