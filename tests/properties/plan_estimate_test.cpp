// Random training plans: each runs, or is refused with a reason; and what weft estimate says of it
// is what a run by packets takes. What is left: exchanges of several groups on the same links at
// once, where these are not of one pass; ranks of a ring that are through before others and begin
// with what comes next; and latencies of steps of a few hundred microseconds. WEFT_PLANS=1 says
// each.

#include <gtest/gtest.h>

#include "tests/properties/plan_estimate.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

/// A plan takes a quarter of a second; plan_estimate_full_test.cpp has 200.
constexpr std::uint64_t kPlans = 24;

TEST(PlanEstimate, IsThatOfARunInRandomPlans) {
  const PlanRatios ratios = repeats_one_seed() ? ratios_of_plans(*swarm_seeds(1, 1).begin(), 1)
                                               : ratios_of_plans(1, kPlans);
  ASSERT_GT(ratios.all.size(), kPlans / 3);
  print_ratios(ratios);
  EXPECT_LE(ratios.all.back().error(), 0.08) << ratios.all.back().seed;
}

}  // namespace
}  // namespace weft::testing
