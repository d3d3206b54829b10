// Reads on the ideal network. A read of `s` bytes is a request of 16 bytes one way and the data the
// other way, which leaves when the request has come: d(16) + d(s), where d is the time of a
// message. Nobody waits for an acknowledgement.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/steps/read_program.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::IncastSpec;
using collectives::kReadRequest;
using collectives::MessagesSpec;
using collectives::OpenLoopSpec;
using collectives::PermutationSpec;
using collectives::Verb;
using collectives::Workload;
using ::testing::HasSubstr;

Picoseconds read_time(Bytes size) { return message_time(kReadRequest) + message_time(size); }

template <class Spec>
Spec by(Verb verb, Spec spec) {
  spec.verb = verb;
  return spec;
}

IncastSpec incast(std::uint32_t rounds, Picoseconds jitter = {}) {
  return {.receiver = 3, .size = 1_KiB, .rounds = rounds, .jitter = jitter};
}

TEST(Reads, TakeARequestBeforeTheData) {
  for (const bool has_acknowledgements : {false, true}) {
    const ZeroLoadRun run(
        build({job(128, by(Verb::kRead, PermutationSpec{1_MiB, 0_ps}))}, 1, has_acknowledgements),
        has_acknowledgements);
    EXPECT_TRUE(run.outcome().is_finished);
    EXPECT_EQ(run.outcome().end, read_time(1_MiB));
    EXPECT_EQ(run.outcome().messages, 256);
    EXPECT_EQ(run.outcome().bytes, 128 * (1_MiB + kReadRequest));
  }
}

TEST(Reads, SendsAreWrites) {
  const ZeroLoadRun run(build({job(8, by(Verb::kSend, PermutationSpec{1_MiB, 0_ps}))}));
  EXPECT_EQ(run.outcome().end, message_time(1_MiB) + kBack);
  EXPECT_EQ(run.outcome().messages, 8);
}

// The receiver knows itself when it has all of a round: no control latency between rounds.
TEST(Reads, OfAnIncastBeginARoundWithTheEndOfTheLast) {
  for (const std::int64_t rounds : {1, 2, 7}) {
    const ZeroLoadRun run(
        build({job(9, by(Verb::kRead, incast(static_cast<std::uint32_t>(rounds))))}));
    EXPECT_TRUE(run.outcome().is_finished);
    EXPECT_EQ(run.outcome().end, rounds * read_time(1_KiB));
    EXPECT_EQ(run.outcome().messages, 2 * 8 * rounds);
  }
}

// Jitter below 10 us in each of four rounds; the last read of a round ends it.
TEST(Reads, OfAnIncastAreJitteredAsItsWritesAre) {
  const ZeroLoadRun reads(build({job(9, by(Verb::kRead, incast(4, 10_us)))}));
  const ZeroLoadRun writes(build({job(9, incast(4, 10_us))}));
  EXPECT_EQ(reads.outcome().end - 4 * read_time(1_KiB),
            writes.outcome().end - 4 * message_time(1_KiB) - 3 * kControl - kBack);
}

TEST(Reads, OfAnIncastWithAPeriodAreAtTheirTimes) {
  IncastSpec spec = incast(3);
  spec.period = 2_us;  // shorter than a round
  const ZeroLoadRun run(build({job(9, by(Verb::kRead, spec))}));
  EXPECT_EQ(run.outcome().end, 2 * 2_us + read_time(1_KiB));
  spec.members = IncastSpec::Members::kDrawn;
  spec.senders = 4;
  const ZeroLoadRun drawn(build({job(9, by(Verb::kRead, spec))}));
  EXPECT_TRUE(drawn.outcome().is_finished);
  EXPECT_EQ(drawn.outcome().end, 2 * 2_us + read_time(1_KiB));
  EXPECT_EQ(drawn.outcome().messages, 2 * 3 * 4);
}

TEST(Reads, AreFollowedByThoseAfterThem) {
  MessagesSpec spec;
  spec.verb = Verb::kRead;
  spec.list = {{0_us, 0, 1, 1_KiB}, {5_us, 2, 1, 100_KiB, {0}}, {0_us, 1, 0, 1_B}};
  const ZeroLoadRun run(build({job(3, spec)}));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, read_time(1_KiB) + 5_us + read_time(100_KiB));
  EXPECT_EQ(run.outcome().messages, 6);
}

TEST(Reads, TellTheirReadersOnly) {
  MessagesSpec spec;
  spec.list = {{0_us, 0, 1, 1_KiB}, {0_us, 1, 2, 1_KiB, {0}}};
  collectives::Problems problems;
  collectives::MessageList::check(spec, 3, problems);
  EXPECT_TRUE(problems.empty()) << "rank 1 has received it";
  spec.verb = Verb::kRead;
  collectives::MessageList::check(spec, 3, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].key, "list[1].after");
  EXPECT_THAT(problems[0].message, HasSubstr("which rank 1 reads; rank 2 knows of its own"));
}

// Requests and data have lanes of their own: 4,096 / 2 in all.
TEST(Reads, OfManyDependentMessagesAreRefusedEarlier) {
  MessagesSpec spec;
  spec.list.push_back({0_us, 0, 1, 1_KiB});
  for (std::uint32_t i = 1; i < 2048; ++i) spec.list.push_back({0_us, 0, 1, 1_KiB, {i - 1}});
  collectives::Problems problems;
  collectives::MessageList::check(spec, 2, problems);
  EXPECT_TRUE(problems.empty());
  spec.verb = Verb::kRead;
  collectives::MessageList::check(spec, 2, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0].message, HasSubstr("at most 2047 are possible"));
  problems.clear();
  spec.list.pop_back();
  collectives::MessageList::check(spec, 2, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(ZeroLoadRun(build({job(2, spec)})).outcome().is_finished);
}

/// Bytes by the ranks that they go from and to, and by size.
using Transfers = std::map<std::tuple<std::uint32_t, std::uint32_t, Bytes>, std::int64_t>;

Transfers transfers_of(const Workload& workload, bool of_data) {
  Transfers all;
  collectives::for_each_transfer(workload, 0, [&](ConnectionId id, Bytes size, std::int64_t count) {
    if (workload.jobs()[0].reads() && workload.carries_read_data(id) != of_data) return;
    const std::uint32_t from = workload.rank_of(workload.origin_of(id));
    all[{from, workload.rank_of(workload.target_of(id)), size}] += count;
  });
  return all;
}

TEST(Reads, MoveDataTheSameWayAsWrites) {
  IncastSpec drawn = incast(5);
  drawn.period = 1_us;
  drawn.members = IncastSpec::Members::kDrawn;
  drawn.senders = 3;
  MessagesSpec messages;
  messages.list = {{0_us, 0, 1, 1_KiB}, {0_us, 1, 0, 2_KiB}, {1_us, 0, 1, 3_KiB}};
  PermutationSpec shift{1_KiB, 0_ps};
  shift.pairs = PermutationSpec::Pairs::kShift;
  shift.shift = 3;
  const auto check = [](const auto& spec, const char* name) {
    const Workload reads = build({job(9, by(Verb::kRead, spec))});
    const Transfers writes = transfers_of(build({job(9, spec)}), true);
    EXPECT_EQ(transfers_of(reads, true), writes) << name;
    Transfers requests;
    for (const auto& [transfer, count] : writes) {
      requests[{std::get<1>(transfer), std::get<0>(transfer), kReadRequest}] += count;
    }
    EXPECT_EQ(transfers_of(reads, false), requests) << name;
  };
  check(PermutationSpec{1_KiB, 0_ps}, "permutation");
  check(shift, "shift");
  check(incast(2), "incast");
  check(drawn, "drawn members");
  check(messages, "messages");
}

// Who posts is who draws: the data of an open loop's reads comes from where its writes go to.
TEST(Reads, OfAnOpenLoopAreDrawnByWhoReads) {
  OpenLoopSpec spec;
  spec.size = 1_KB;
  spec.stop = 1_ms;
  Transfers reversed;
  for (const auto& [transfer, count] : transfers_of(build({job(5, spec)}), true)) {
    reversed[{std::get<1>(transfer), std::get<0>(transfer), std::get<2>(transfer)}] = count;
  }
  EXPECT_FALSE(reversed.empty());
  EXPECT_EQ(transfers_of(build({job(5, by(Verb::kRead, spec))}), true), reversed);
}

// 1.1 million messages. Tolerance: five standard deviations of a Poisson count.
TEST(Reads, ThatManyAreDrawnCountByWhatIsExpected) {
  OpenLoopSpec spec;
  spec.size = 1_KB;
  spec.stop = 550_ms;
  const Workload workload = build({job(4, by(Verb::kRead, spec))});
  ASSERT_GT(workload.drawn_messages(), collectives::kMaxDrawn);
  std::map<std::pair<std::uint32_t, Bytes>, double> exact;
  for_each_transfer(workload, 0, [&](ConnectionId id, Bytes size, std::int64_t count) {
    exact[{id.value(), size}] += static_cast<double>(count);
  });
  std::size_t seen = 0;
  for_each_likely_transfer(workload, 0,
                           [&](ConnectionId id, Bytes size, collectives::LikelyCount count) {
                             ++seen;
                             const double sent = exact[{id.value(), size}];
                             EXPECT_NEAR(count.mean, sent, 5 * std::sqrt(count.mean));
                           });
  EXPECT_EQ(seen, exact.size());
}

TEST(Reads, AreAsManyAsTheyAreCounted) {
  MessagesSpec messages;
  messages.list = {{0_us, 0, 1, 1_KiB}, {0_us, 1, 0, 2_KiB}, {1_us, 0, 1, 3_KiB}};
  const ZeroLoadRun run(build({job(3, by(Verb::kRead, messages))}));
  std::int64_t count = 0;
  Bytes bytes;
  collectives::for_each_transfer(run.workload(), 0, [&](ConnectionId, Bytes size, auto n) {
    count += n;
    bytes += n * size;
  });
  EXPECT_EQ(count, run.posted());
  EXPECT_EQ(count, run.outcome().messages);
  EXPECT_EQ(bytes, run.outcome().bytes);
}

TEST(Reads, ThatDoNotComeAreWaitedForByName) {
  const ZeroLoadRun run(
      build({job(2, by(Verb::kRead,
                       MessagesSpec{.list = {{0_us, 0, 1, 1_KiB}}, .csv = {}, .sha256 = {}}))}),
      true, message_time(kReadRequest));
  const auto blocked = run.executor().describe_blocked(
      [](HostId host) { return "h" + std::to_string(host.value()); });
  EXPECT_THAT(blocked, ::testing::Contains(HasSubstr("rank 1 of job job (h1), channel 0, waits "
                                                     "for data that it reads from rank 0 (h0)")));
}

}  // namespace
}  // namespace weft::testing
