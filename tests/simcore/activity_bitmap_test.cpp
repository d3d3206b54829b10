#include "simcore/engine/activity_bitmap.hpp"

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
  ActivityBitmap::for_each_in(word, [&](std::size_t i) { links.push_back(i); });
  return links;
}

TEST(ActivityBitmap, AreReadInTheWindowAfterThatInWhichTheyWereSet) {
  ActivityBitmap activity;
  activity.reset(3);
  for (const std::uint32_t number : {15U, 8U, 12U, 8U, 16U}) activity.set(number);
  EXPECT_THAT(links_in(activity.read(1)), IsEmpty());
  activity.turn(true);
  activity.set(9);
  EXPECT_THAT(links_in(activity.take(1)), ElementsAre(0, 4, 7));
  EXPECT_THAT(links_in(activity.take(2)), ElementsAre(0));
  EXPECT_THAT(links_in(activity.take(1)), IsEmpty()) << "taken";
  activity.turn(true);
  EXPECT_THAT(links_in(activity.read(1)), ElementsAre(1));
}

// Two workers send to the logical processes that one of them runs.
TEST(ActivityBitmap, OfAllWorkersAreJoinedForTheLpsAtHand) {
  ActivityBitmap mine;
  ActivityBitmap others;
  for (ActivityBitmap* activity : {&mine, &others}) activity->reset(4);
  mine.set(8 + 2);
  for (const std::uint32_t number : {8U + 5, 16U + 1, 24U + 3}) others.set(number);
  for (ActivityBitmap* activity : {&mine, &others}) activity->turn(true);
  mine.join(others, 1, 3);
  EXPECT_THAT(links_in(mine.read(1)), ElementsAre(2, 5));
  EXPECT_THAT(links_in(mine.read(2)), ElementsAre(1));
  EXPECT_THAT(links_in(mine.read(3)), IsEmpty());
  EXPECT_THAT(links_in(others.read(1)), IsEmpty());
  EXPECT_THAT(links_in(others.read(3)), ElementsAre(3)) << "of cells that somebody else runs";
}

TEST(ActivityBitmap, OfAWindowThatDoesNotReadThemAreForgotten) {
  ActivityBitmap activity;
  activity.reset(2);
  activity.set(9);
  activity.turn(false);
  EXPECT_THAT(links_in(activity.read(1)), IsEmpty());
  activity.set(10);
  activity.turn(true);
  EXPECT_THAT(links_in(activity.read(1)), ElementsAre(2));
}

TEST(ActivityBitmap, EveryLpHasWordsOfItsOwn) {
  EXPECT_EQ(ActivityBitmap::words_for(0), 0U);
  EXPECT_EQ(ActivityBitmap::words_for(1), 1U);
  EXPECT_EQ(ActivityBitmap::words_for(8), 1U);
  EXPECT_EQ(ActivityBitmap::words_for(9), 2U);
}

}  // namespace
}  // namespace weft
