// As plan_estimate_test.cpp, of more plans.

#include <gtest/gtest.h>

#include "tests/properties/plan_estimate.hpp"

namespace weft::testing {
namespace {

TEST(PlanEstimateFull, IsThatOfARunInManyRandomPlans) {
  const PlanRatios ratios = ratios_of_plans(1001, 200);
  ASSERT_GT(ratios.all.size(), 100U);
  print_ratios(ratios);
  EXPECT_LE(ratios.all[ratios.all.size() / 2].error(), 0.02);
  EXPECT_LE(ratios.all[ratios.all.size() * 9 / 10].error(), 0.08);
  EXPECT_LE(ratios.all.back().error(), 0.13) << ratios.all.back().seed;
}

}  // namespace
}  // namespace weft::testing
