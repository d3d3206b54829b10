#include "simcore/base/growing_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weft {
namespace {

TEST(GrowingLog, HoldsWhatWasAddedAndMovesNothing) {
  GrowingLog<std::size_t> log;
  EXPECT_TRUE(log.empty());
  std::vector<const std::size_t*> places;
  for (std::size_t i = 0; i < 1000; ++i) {
    log.push_back(3 * i);
    places.push_back(&log[i]);
  }
  ASSERT_EQ(log.size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(&log[i], places[i]);
    EXPECT_EQ(log[i], 3 * i);
  }
  std::size_t next = 0;
  log.for_each([&](std::size_t value) { EXPECT_EQ(value, 3 * next++); });
  EXPECT_EQ(next, 1000U);
}

// 16 entries, then as many again each time, and 64 more each time from the 128th on.
TEST(GrowingLog, HasRoomForNoMoreThanTwiceWhatItNeedsAndFor64More) {
  GrowingLog<char> log;
  EXPECT_EQ(log.memory_bytes(), 0U);
  for (std::size_t i = 1; i <= 1000; ++i) {
    log.push_back('x');
    EXPECT_GE(log.memory_bytes(), i);
    if (i > 16) {
      EXPECT_LT(log.memory_bytes(), 2 * i);
    }
    EXPECT_LE(log.memory_bytes(), std::max<std::size_t>(i + 64, 16));
  }
  EXPECT_EQ(log.memory_bytes(), 1024U);
}

}  // namespace
}  // namespace weft
