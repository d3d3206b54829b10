#include "simcore/messages/size_class.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(SizeClass, EndsWithTheMostThatItsMessagesHave) {
  EXPECT_EQ(size_class_of(Bytes(1)), 0U);
  for (std::uint32_t c = 0; c < kMaxOfSizeClass.size(); ++c) {
    EXPECT_EQ(size_class_of(kMaxOfSizeClass[c]), c);
    EXPECT_EQ(size_class_of(kMaxOfSizeClass[c] + Bytes(1)), c + 1);
  }
  EXPECT_EQ(size_class_of(Bytes(std::int64_t{1} << 50)), kSizeClasses - 1);
}

TEST(SizeClass, LatenciesOfTheSameOneMeetInASum) {
  LatencyBySize a(2);
  a[0].size_class = 1;
  a[0].latency.add(10);
  a[1].size_class = 4;
  a[1].latency.add(20);
  LatencyBySize b(2);
  b[0].size_class = 0;
  b[0].latency.add(5);
  b[1].size_class = 4;
  b[1].latency.add(30);
  merge(a, b);
  ASSERT_EQ(a.size(), 3U);
  EXPECT_EQ(a[0].size_class, 0U);
  EXPECT_EQ(a[1].size_class, 1U);
  EXPECT_EQ(a[2].size_class, 4U);
  EXPECT_EQ(a[2].latency.count(), 2U);
  Histogram all;
  merge(all, a);
  EXPECT_EQ(all.count(), 4U);
  EXPECT_EQ(all.max(), 30);
}

}  // namespace
}  // namespace weft
