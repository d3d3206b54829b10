// The prediction of what runs take: all shipped scenarios that take half a second or more.

#include <gtest/gtest.h>

#include "tests/support/forecasts.hpp"

namespace weft::testing {
namespace {

TEST(Forecast, MemoryAndTimeOfLongShippedScenariosAreForeseen) {
  if (kIsSanitized) GTEST_SKIP() << "measures the sanitizer";
  const Forecasts forecasts(WEFT_PROGRAM);
  int tried = 0;
  for (const auto& scenario : Forecasts::shipped()) {
    if (forecasts.foresee(scenario).seconds < 0.5) continue;
    forecasts.expect_foreseen(scenario, true);
    ++tried;
  }
  EXPECT_GE(tried, 8);
}

}  // namespace
}  // namespace weft::testing
