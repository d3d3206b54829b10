// What a sweep takes is predicted by its dry run: of the cheapest that is shipped, one of whose
// points waits for time-outs that no forecast knows. All others: sweep_forecast_full_test.cpp.

#include <gtest/gtest.h>

#include "tests/cli/sweep_forecast.hpp"

namespace weft::testing {
namespace {

TEST(SweepForecast, OfTheCheapestShippedSweepIsWithinAFactorOfTwo) {
  expect_sweep_predicted("trimming");
}

}  // namespace
}  // namespace weft::testing
