#include "simcore/engine/arrival_signals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> links_in(std::uint64_t word) {
  std::vector<std::size_t> links;
  ArrivalSignals::for_each_in(word, [&](std::size_t i) { links.push_back(i); });
  return links;
}

TEST(ArrivalSignals, AreReadInTheWindowAfterThatInWhichTheyWereSet) {
  ArrivalSignals signals;
  signals.reset(3);
  for (const std::uint32_t number : {15U, 8U, 12U, 8U, 16U}) signals.set(number);
  EXPECT_THAT(links_in(signals.read(1)), IsEmpty());
  signals.turn(true);
  signals.set(9);
  EXPECT_THAT(links_in(signals.take(1)), ElementsAre(0, 4, 7));
  EXPECT_THAT(links_in(signals.take(2)), ElementsAre(0));
  EXPECT_THAT(links_in(signals.take(1)), IsEmpty()) << "taken";
  signals.turn(true);
  EXPECT_THAT(links_in(signals.read(1)), ElementsAre(1));
}

// Two workers send to the logical processes that one of them runs.
TEST(ArrivalSignals, OfAllWorkersAreJoinedForTheLpsAtHand) {
  ArrivalSignals mine;
  ArrivalSignals others;
  for (ArrivalSignals* signals : {&mine, &others}) signals->reset(4);
  mine.set(8 + 2);
  for (const std::uint32_t number : {8U + 5, 16U + 1, 24U + 3}) others.set(number);
  for (ArrivalSignals* signals : {&mine, &others}) signals->turn(true);
  mine.join(others, 1, 3);
  EXPECT_THAT(links_in(mine.read(1)), ElementsAre(2, 5));
  EXPECT_THAT(links_in(mine.read(2)), ElementsAre(1));
  EXPECT_THAT(links_in(mine.read(3)), IsEmpty());
  EXPECT_THAT(links_in(others.read(1)), IsEmpty());
  EXPECT_THAT(links_in(others.read(3)), ElementsAre(3)) << "of cells that somebody else runs";
}

TEST(ArrivalSignals, OfAWindowThatDoesNotReadThemAreForgotten) {
  ArrivalSignals signals;
  signals.reset(2);
  signals.set(9);
  signals.turn(false);
  EXPECT_THAT(links_in(signals.read(1)), IsEmpty());
  signals.set(10);
  signals.turn(true);
  EXPECT_THAT(links_in(signals.read(1)), ElementsAre(2));
}

TEST(ArrivalSignals, EveryLpHasWordsOfItsOwn) {
  EXPECT_EQ(ArrivalSignals::words_for(0), 0U);
  EXPECT_EQ(ArrivalSignals::words_for(1), 1U);
  EXPECT_EQ(ArrivalSignals::words_for(8), 1U);
  EXPECT_EQ(ArrivalSignals::words_for(9), 2U);
}

}  // namespace
}  // namespace weft
