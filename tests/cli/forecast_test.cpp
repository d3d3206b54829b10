// The prediction of what runs take, of all shipped scenarios that take less than half a second. The
// others: forecast_full_test.cpp.

#include <gtest/gtest.h>

#include "tests/support/forecasts.hpp"

namespace weft::testing {
namespace {

TEST(Forecast, MemoryOfShortShippedScenariosIsForeseen) {
  if (kIsSanitized) GTEST_SKIP() << "measures the sanitizer";
  const Forecasts forecasts(WEFT_PROGRAM);
  int tried = 0;
  for (const auto& scenario : Forecasts::shipped()) {
    if (forecasts.foresee(scenario).seconds >= 0.5) continue;
    forecasts.expect_foreseen(scenario, false);
    ++tried;
  }
  EXPECT_GE(tried, 12);
}

}  // namespace
}  // namespace weft::testing
