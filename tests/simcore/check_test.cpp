#include "simcore/base/check.hpp"

#include <gtest/gtest.h>

#include "simcore/base/histogram.hpp"

namespace weft {
namespace {

// In release builds, too: there a broken claim once continued with whatever came of it.
TEST(CheckDeathTest, SaysWhatDoesNotHoldAndWhereInEveryBuild) {
  EXPECT_DEATH(WEFT_CHECK(1 + 1 == 3, "sums are right"),
               "weft: broken invariant: sums are right \\(check_test.cpp:[0-9]+: 1 \\+ 1 == 3\\)");
  EXPECT_DEATH((void)Histogram().quantile(1.5), "a quantile is a share");
}

TEST(Check, AsksOnce) {
  int asked = 0;
  WEFT_CHECK(++asked == 1, "the first time");
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace weft
