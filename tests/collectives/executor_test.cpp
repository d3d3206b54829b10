#include "collectives/runtime/executor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Step;

std::vector<std::string> blocked(const ZeroLoadRun& run, std::size_t limit = 10) {
  return run.executor().describe_blocked(
      [](HostId host) { return "h" + std::to_string(host.value()); }, limit);
}

// Three messages arrive before the receiver asks for any; it asks at 1 ms and must not wait.
TEST(Executor, RemembersMessagesThatArriveEarly) {
  const ZeroLoadRun run(written({
      {{Step::send(1, 1_B), Step::send(1, 2_B), Step::send(1, 3_B)}},
      {{Step::wait_until(1_ms), Step::receive(0, 1_B), Step::receive(0, 2_B),
        Step::receive(0, 3_B)}},
  }));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, 1_ms);
}

TEST(Executor, CountsMessagesPerPeer) {
  // The message of rank 2 comes first and must not stand in for the one of rank 0.
  const ZeroLoadRun run(written({
      {{Step::delay(1_ms), Step::send(1, 1_B)}},
      {{Step::receive(0, 1_B), Step::receive(2, 1_B)}},
      {{Step::send(1, 1_B)}},
  }));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, 1_ms + message_time(1_B));
}

TEST(Executor, WaitsForEveryMessageThatIsAskedFor) {
  const ZeroLoadRun run(written({
      {{Step::send(1, 1_B)}},
      {{Step::receive(0, 1_B), Step::receive(0, 1_B)}},
  }));
  EXPECT_FALSE(run.executor().finished(0));
  EXPECT_FALSE(run.executor().all_finished());
  EXPECT_EQ(blocked(run), std::vector<std::string>{
                              "rank 1 of job written (h1) waits for a message from rank 0 (h0)"});
  EXPECT_EQ(run.outcome().end, message_time(1_B)) << "the end of what was done";
}

TEST(Executor, SendsDoNotWaitAndFlushWaitsForTheLastAcknowledgement) {
  const ZeroLoadRun without(written({
      {{Step::send(1, 9_KiB), Step::send(1, 1_B), Step::delay(1_ns)}},
      {{}},
  }));
  EXPECT_EQ(without.outcome().end, message_time(9_KiB)) << "a delivery is progress";
  const ZeroLoadRun with(written({
      {{Step::send(1, 9_KiB), Step::send(1, 1_B), Step::flush(), Step::delay(1_ns)}},
      {{}},
  }));
  EXPECT_EQ(with.outcome().end, message_time(9_KiB) + kBack + 1_ns);
}

// The three control events come at `control`: late for the first wait, early for the second.
TEST(Executor, CountsSignalsThatComeEarlyAndLate) {
  const ZeroLoadRun run(written({
      {{Step::control_event(1), Step::control_event(1), Step::control_event(1)}},
      {{Step::await_control_events(1), Step::delay(2_us), Step::await_control_events(2)}},
  }));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, kControl + 2_us);
}

// All three are there when the first wait begins, which must leave two for the second.
TEST(Executor, KeepsSignalsThatAWaitDoesNotNeed) {
  const ZeroLoadRun run(written({
      {{Step::control_event(1), Step::control_event(1), Step::control_event(1)}},
      {{Step::delay(2_us), Step::await_control_events(1), Step::await_control_events(2)}},
  }));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, 2_us);
}

// Lane 0 of rank 1 waits for 1 ms; lane 1 must neither wait for it nor take its message.
TEST(Executor, LanesRunSideBySideWithConnectionsOfTheirOwn) {
  const ZeroLoadRun run(written({
                            {{Step::delay(1_ms), Step::send(1, 1_B)}, {Step::send(1, 2_B)}},
                            {{Step::receive(0, 1_B)}, {Step::receive(0, 2_B), Step::send(0, 5_B)}},
                        }),
                        true, 500_us);
  EXPECT_EQ(run.outcome().messages, 2) << "lane 1 has answered";
  EXPECT_EQ(blocked(run),
            (std::vector<std::string>{
                "rank 0 of job written (h0), channel 0, waits until 1ms",
                "rank 1 of job written (h1), channel 0, waits for a message from rank 0 (h0)"}));
  ASSERT_EQ(run.workload().connections().size(), 3U);
  EXPECT_NE(run.workload().connections()[0].flow_label, run.workload().connections()[1].flow_label);
}

TEST(Executor, NamesWhoWaitsForWhom) {
  // At 2 us the message of 3 us is under way, and nobody has signalled rank 2.
  const ZeroLoadRun run(written({
                            {{Step::send(1, 1_B), Step::flush()}},
                            {{Step::receive(0, 1_B)}},
                            {{Step::await_control_events(2)}},
                        }),
                        true, 2_us);
  EXPECT_EQ(blocked(run),
            (std::vector<std::string>{
                "rank 0 of job written (h0) waits for the acknowledgement of a message to rank 1 "
                "(h1)",
                "rank 1 of job written (h1) waits for a message from rank 0 (h0)",
                "rank 2 of job written (h2) waits for control events: 0 of 2 have come"}));
  EXPECT_EQ(blocked(run, 1).size(), 2U);
  EXPECT_EQ(blocked(run, 1)[1], "and 2 more wait");
}

TEST(Executor, NamesJobsThatHaveNotStarted) {
  const ZeroLoadRun run(written({{{Step::send(1, 1_B)}}, {{Step::receive(0, 1_B)}}}, 5_ms), true,
                        1_ms);
  EXPECT_EQ(blocked(run)[0], "rank 0 of job written (h0) waits until the job starts at 5ms");
  EXPECT_EQ(run.outcome().end, 5_ms);
  EXPECT_EQ(run.outcome().messages, 0);
}

// Twelve digits tell people less than four.
TEST(Executor, LongTimesAreRounded) {
  const ZeroLoadRun run(
      written({{{Step::send(1, 1_B)}}, {{Step::receive(0, 1_B)}}}, Picoseconds(90'936'936'793)),
      true, 1_ms);
  EXPECT_EQ(blocked(run)[0], "rank 0 of job written (h0) waits until the job starts at 90.94ms");
}

TEST(Executor, FinishedJobsHaveNothingToSay) {
  const ZeroLoadRun run(build({job(8, collectives::PermutationSpec{1_KiB, 1_us})}));
  EXPECT_TRUE(blocked(run).empty());
}

}  // namespace
}  // namespace weft::testing
