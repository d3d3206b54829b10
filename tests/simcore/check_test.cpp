#include "simcore/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "simcore/base/histogram.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// In release builds, too: there a broken claim once continued with whatever came of it.
TEST(Check, SaysWhatDoesNotHoldAndWhereInEveryBuild) {
  const auto broken = [](auto claim) {
    try {
      claim();
    } catch (const BrokenInvariant& error) {
      return std::string(error.what());
    }
    return std::string("nothing is broken");
  };
  EXPECT_THAT(broken([] { WEFT_CHECK(1 + 1 == 3, "sums are right"); }),
              MatchesRegex("broken invariant: sums are right \\(check_test.cpp:[0-9]+: 1 \\+ 1 == "
                           "3\\)"));
  EXPECT_THAT(broken([] { (void)Histogram().quantile(1.5); }), HasSubstr("a quantile is a share"));
}

TEST(Check, AsksOnce) {
  int asked = 0;
  WEFT_CHECK(++asked == 1, "the first time");
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace weft
