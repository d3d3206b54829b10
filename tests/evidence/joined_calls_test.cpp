// What several ranks say of the same calls, and two measurements of the same cluster.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/evidence/reading.hpp"
#include "tools/evidence/baseline.hpp"
#include "tools/evidence/joined_calls.hpp"

namespace weft::evidence {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Call call(std::uint64_t sequence, double time_us, std::int64_t bytes = 1024,
          const std::string& operation = "all-reduce") {
  return {.group = "g",
          .operation = operation,
          .type = "float",
          .sequence = sequence,
          .bytes = bytes,
          .time_us = time_us,
          .group_ranks = 3};
}

RankCalls of_rank(std::uint32_t rank, std::vector<Call> calls) {
  return {.rank = rank, .source = "Kineto", .calls = std::move(calls)};
}

std::string text_of_remarks(const Remarks& remarks) {
  std::string text;
  for (const Remark& remark : remarks) text += remark.to_string() + "\n";
  return text;
}

// Others wait inside of the kernel: the rank with the shortest time came last.
TEST(JoinedCalls, TheShortestTimeIsTheCollectivesAndItsRankCameLast) {
  const std::vector<RankCalls> ranks{of_rank(0, {call(1, 30), call(2, 100)}),
                                     of_rank(1, {call(1, 10), call(2, 90)}),
                                     of_rank(2, {call(1, 25), call(2, 95)})};
  const JoinedCalls joined = join_calls(ranks);
  EXPECT_EQ(text_of_remarks(joined.remarks), "");
  ASSERT_EQ(joined.calls.size(), 2U);
  EXPECT_EQ(joined.calls[0].time_us, 10);
  EXPECT_EQ(joined.calls[0].skew_us, 20);
  EXPECT_EQ(joined.calls[0].last_rank, 1U);
  EXPECT_EQ(joined.calls[0].ranks_seen, 3U);
  EXPECT_FALSE(joined.calls[0].is_upper_bound);
  EXPECT_EQ(joined.calls[1].time_us, 90);
  // Whichever file comes first.
  std::vector<RankCalls> turned(ranks.rbegin(), ranks.rend());
  const JoinedCalls again = join_calls(turned);
  ASSERT_EQ(again.calls.size(), 2U);
  EXPECT_EQ(again.calls[0].time_us, 10);
  EXPECT_EQ(again.calls[0].last_rank, 1U);
  const std::vector<Series> series = series_of_calls(joined, ranks);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].operation, "all-reduce");
  EXPECT_EQ(series[0].on.ranks, 3U);
  ASSERT_EQ(series[0].times.size(), 1U);
  EXPECT_EQ(series[0].times[0].bytes, 1024);
  EXPECT_EQ(series[0].times[0].time_us, 10);  // the lower of two
}

TEST(JoinedCalls, OneRankAloneIsAnUpperBound) {
  const std::vector<RankCalls> ranks{of_rank(0, {call(1, 30), call(2, 40, 4096)})};
  const JoinedCalls joined = join_calls(ranks);
  EXPECT_THAT(text_of_remarks(joined.remarks),
              HasSubstr("2 calls are known of one rank alone: its times hold what it waited"));
  EXPECT_TRUE(joined.calls.at(0).is_upper_bound);
  const std::vector<Series> series = series_of_calls(joined, ranks);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_TRUE(series[0].is_upper_bound);
  EXPECT_EQ(series[0].times.size(), 2U);
}

TEST(JoinedCalls, RanksThatDidNotArriveAreNamed) {
  const JoinedCalls joined = join_calls(std::vector<RankCalls>{
      of_rank(0, {call(1, 30), call(2, 40), call(3, 40)}), of_rank(1, {call(1, 10)}),
      // The buffer of rank 2 ran over: its first calls are lost, which is no absence.
      of_rank(2, {call(3, 25)})});
  const std::string text = text_of_remarks(joined.remarks);
  EXPECT_THAT(text, HasSubstr("finding: rank 1 has no call 2 of group g, which others have, and "
                              "none of the 1 after it: it did not arrive"));
  EXPECT_THAT(text, Not(HasSubstr("rank 2 has no")));
}

TEST(JoinedCalls, UnlikeOperationsAndSizesAreFindingsWithoutATime) {
  const JoinedCalls joined = join_calls(
      std::vector<RankCalls>{of_rank(0, {call(1, 30), call(2, 40)}),
                             of_rank(1, {call(1, 10, 2048), call(2, 30, 1024, "all-gather")})});
  EXPECT_THAT(text_of_remarks(joined.remarks),
              AllOf(HasSubstr("call 1 of group g differs: rank 0 calls all-reduce of 1024 bytes, "
                              "rank 1 all-reduce of 2048 bytes"),
                    HasSubstr("call 2 of group g differs: rank 0 calls all-reduce of 1024 bytes, "
                              "rank 1 all-gather of 1024 bytes")));
  EXPECT_FALSE(joined.calls.at(0).time_us.has_value());
}

TEST(JoinedCalls, MessagesAreJoinedByBothEnds) {
  Call sent = call(4, 50, 1024, "send-recv");
  sent.message = std::pair(0U, 1U);
  Call received = sent;
  received.time_us = 70;
  Call other = sent;
  other.message = std::pair(2U, 1U);
  const JoinedCalls joined = join_calls(std::vector<RankCalls>{
      of_rank(0, {sent}), of_rank(1, {received, other}), of_rank(2, {other})});
  ASSERT_EQ(joined.calls.size(), 2U);
  EXPECT_EQ(joined.calls[0].time_us, 50);
  EXPECT_EQ(joined.calls[0].skew_us, 20);
  EXPECT_EQ(joined.calls[0].group_ranks, 2U);
}

TEST(JoinedCalls, FilesWithoutARankStandAlone) {
  RankCalls unknown = of_rank(0, {call(1, 5)});
  unknown.is_rank_known = false;
  const JoinedCalls joined =
      join_calls(std::vector<RankCalls>{of_rank(0, {call(1, 30)}), unknown, unknown});
  EXPECT_EQ(joined.calls.size(), 3U);
}

TEST(JoinedCalls, ManyProblemsAreCounted) {
  std::vector<Call> a;
  std::vector<Call> b;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    a.push_back(call(i, 10, 1024));
    b.push_back(call(i, 10, 2048));
  }
  const JoinedCalls joined = join_calls(std::vector<RankCalls>{of_rank(0, a), of_rank(1, b)});
  EXPECT_LT(joined.remarks.size(), 30U);
  EXPECT_THAT(text_of_remarks(joined.remarks), HasSubstr("980 more calls differ"));
}

// The samples: rank 21 of Inspector ends after the third call; the last call of the flight recorder
// was not completed by either.
TEST(JoinedCalls, TheSamplesAreJoined) {
  Measurements m;
  for (const char* name : {"logs/inspector-gpu01-rank0.log", "logs/inspector-gpu03-rank21.log",
                           "logs/flight-recorder-rank0.json", "logs/flight-recorder-rank21.json",
                           "logs/kineto-rank0.json", "logs/kineto-rank5.json"}) {
    take(m, read_sample(name));
  }
  const JoinedCalls joined = join_calls(m.calls);
  const std::string text = text_of_remarks(joined.remarks);
  EXPECT_THAT(text,
              HasSubstr("all-reduce 4 of group 0 was called by ranks 0, 21 and not completed"));
  EXPECT_THAT(text, HasSubstr("known of some of their ranks"));
  const auto find = [&](const char* source, std::uint64_t sequence) {
    return *std::ranges::find_if(joined.calls, [&](const JoinedCall& c) {
      return c.source == source && c.sequence == sequence && !c.message;
    });
  };
  EXPECT_EQ(find("NCCL Inspector", 1).time_us, 389);
  EXPECT_EQ(find("NCCL Inspector", 1).last_rank, 21U);
  EXPECT_EQ(find("Kineto", 1).time_us, 268.4);
  EXPECT_EQ(find("Kineto", 1).skew_us, 120);
  EXPECT_EQ(find("Kineto", 1).last_rank, 0U);
  bool has_gather = false;
  for (const Series& series : series_of_calls(joined, m.calls)) {
    if (series.operation != "all-gather" || series.is_upper_bound) continue;
    has_gather = true;
    EXPECT_EQ(series.on.ranks, 32U);
    EXPECT_EQ(series.times.at(0).bytes, 268435456);
  }
  EXPECT_TRUE(has_gather);
}

TEST(Baseline, RatiosArePerSizeAndWhatIsInOneAloneIsNamed) {
  const Measurements healthy = read_sample("logs/nccl-tests-2.17.8-allreduce-4n-healthy.txt");
  const Measurements slow = read_sample("logs/nccl-tests-2.17.8-allreduce-4n-slow.txt");
  const BaselineComparison comparison = compare_with_baseline(healthy.series, slow.series);
  ASSERT_EQ(comparison.series.size(), 2U);
  EXPECT_TRUE(comparison.only_baseline.empty());
  const BaselineSeries& series = comparison.series[0];
  EXPECT_EQ(series.name(), "all-reduce of 32 ranks, float, sum");
  ASSERT_EQ(series.sizes.size(), 12U);
  // The sample loses 2 % at 256 KiB and 47 % at 1 GiB.
  EXPECT_NEAR(1 - 1 / series.sizes[4].ratio(), 0.02, 0.01);
  EXPECT_NEAR(1 - 1 / series.sizes[10].ratio(), 0.47, 0.01);
  EXPECT_EQ(comparison.series[1].name(), "all-reduce of 32 ranks, float, sum, in place");
}

TEST(Baseline, OtherRanksTypesAndSizesAreNotCompared) {
  Series a{.operation = "all-reduce", .type = "float", .reduction = "sum"};
  a.on.ranks = 8;
  a.times = {{1024, 10, {}}, {2048, 20, {}}};
  Series b = a;
  b.times = {{2048, 30, {}}, {4096, 50, {}}};
  Series repeated = b;
  repeated.times = {{2048, 26, {}}};
  Series half = a;
  half.type = "half";
  Series more = a;
  more.on.ranks = 16;
  const BaselineComparison comparison =
      compare_with_baseline(std::vector{a, half}, std::vector{b, repeated, more});
  ASSERT_EQ(comparison.series.size(), 1U);
  ASSERT_EQ(comparison.series[0].sizes.size(), 1U);
  EXPECT_EQ(comparison.series[0].sizes[0].ratio(), 1.3);
  EXPECT_EQ(comparison.series[0].only_baseline, (std::vector<std::int64_t>{1024}));
  EXPECT_EQ(comparison.series[0].only_now, (std::vector<std::int64_t>{4096}));
  EXPECT_EQ(comparison.only_baseline,
            (std::vector<std::string>{"all-reduce of 8 ranks, half, sum"}));
  EXPECT_EQ(comparison.only_now, (std::vector<std::string>{"all-reduce of 16 ranks, float, sum"}));
  const std::string text = baseline_text(comparison);
  EXPECT_THAT(text, AllOf(HasSubstr("1.30"), HasSubstr("only in the baseline: 1024"),
                          HasSubstr("only now: all-reduce of 16 ranks")));
}

}  // namespace
}  // namespace weft::evidence
