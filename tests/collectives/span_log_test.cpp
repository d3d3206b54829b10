#include "collectives/runtime/span_log.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::collectives {
namespace {

Span work(std::int64_t begin, std::int64_t end, Step::Work what = Step::Work::kReduce) {
  return {.begin = Picoseconds(begin), .end = Picoseconds(end), .work = what, .connection = {}};
}

Span receive(std::int64_t begin, std::int64_t end, std::uint32_t ordinal, std::uint32_t chunks) {
  return {.begin = Picoseconds(begin),
          .end = Picoseconds(end),
          .kind = Span::Kind::kReceive,
          .connection = ConnectionId(7U),
          .ordinal = ordinal,
          .chunks = chunks};
}

std::vector<std::int64_t> begins(const SpanLog& log, std::int64_t from, std::int64_t until) {
  std::vector<std::int64_t> all;
  log.for_each(Picoseconds(from), Picoseconds(until),
               [&all](const Span& span) { all.push_back(span.begin.count()); });
  return all;
}

TEST(SpanLog, GivesBackWhatItWasGiven) {
  SpanLog log;
  log.add(work(10, 20));
  log.add(receive(20, 30, 4, 0));
  log.add(receive(30, 50'000'000'000, 9, 3));
  EXPECT_FALSE(log.last(Picoseconds(19)).has_value());
  EXPECT_EQ(log.last(Picoseconds(20))->begin, Picoseconds(10));
  EXPECT_EQ(log.last(Picoseconds(20))->work, Step::Work::kReduce);
  const Span plain = log.last(Picoseconds(40)).value();
  EXPECT_EQ(plain.kind, Span::Kind::kReceive);
  EXPECT_EQ(plain.begin, Picoseconds(20)) << "the next one's chunks are not the last span";
  EXPECT_EQ(plain.ordinal, 4U);
  EXPECT_EQ(plain.chunks, 0U);
  const Span relayed = log.last(Picoseconds(60'000'000'000)).value();
  EXPECT_EQ(relayed.begin, Picoseconds(30));
  EXPECT_EQ(relayed.end, Picoseconds(50'000'000'000));
  EXPECT_EQ(relayed.connection, ConnectionId(7U));
  EXPECT_EQ(relayed.ordinal, 9U);
  EXPECT_EQ(relayed.chunks, 3U);
}

TEST(SpanLog, KnowsWhereOneBeginsThatDoesNotFollowAnother) {
  SpanLog log;
  log.add(work(0, 10));
  log.add(work(25, 30));
  EXPECT_EQ(log.last(Picoseconds(26))->end, Picoseconds(10));
  EXPECT_EQ(log.last(Picoseconds(30))->begin, Picoseconds(25));
  EXPECT_EQ(begins(log, 0, 30), (std::vector<std::int64_t>{0, 25}));
}

TEST(SpanLog, VisitsWhatLiesBetweenTwoTimes) {
  SpanLog log;
  for (std::int64_t t = 0; t < 100; t += 10) log.add(work(t, t + 10));
  EXPECT_EQ(begins(log, 30, 60), (std::vector<std::int64_t>{30, 40, 50}));
  EXPECT_EQ(begins(log, 31, 69), (std::vector<std::int64_t>{40, 50}));
}

TEST(SpanLog, ForgetsWhatEndedBeforeATime) {
  SpanLog log;
  for (std::int64_t t = 0; t < 1000; t += 10) log.add(work(t, t + 10));
  log.forget_before(Picoseconds(500));
  EXPECT_FALSE(log.last(Picoseconds(480)).has_value());
  EXPECT_EQ(log.last(Picoseconds(500))->begin, Picoseconds(490)) << "it ends there, not before";
  EXPECT_EQ(begins(log, 500, 520), (std::vector<std::int64_t>{500, 510}));
}

}  // namespace
}  // namespace weft::collectives
