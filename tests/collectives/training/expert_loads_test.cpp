// Which ranks tokens of models with experts go to.

#include "collectives/training/plan/expert_loads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "collectives/training/plan/plan_check.hpp"

namespace weft {
namespace {

using collectives::expert_loads;
using collectives::ExpertLoads;
using collectives::TrainingSpec;

/// 16 experts over `ranks` that have 1,000 tokens each, of which each goes to two.
TrainingSpec sixteen_experts(std::uint32_t ranks) {
  TrainingSpec spec;
  spec.model.layers = 1;
  spec.model.hidden = 64;
  spec.model.heads = 4;
  spec.model.sequence = 1000;
  spec.model.experts = 16;
  spec.model.top_k = 2;
  spec.parallelism.expert = spec.parallelism.data = ranks;
  spec.batch.global = ranks;
  return spec;
}

TEST(ExpertLoads, AreEvenUnlessARoutingIsGiven) {
  const ExpertLoads loads = expert_loads(sixteen_experts(4));
  EXPECT_EQ(loads.from_each, (std::vector<std::int64_t>{500, 500, 500, 500}));
  EXPECT_EQ(loads.max(), 1);
}

// Zipf: with exponent 1 and 16 experts the most popular one has 1 / H(16) of all choices, H(16) =
// 3.3807; rounded to whole tokens.
TEST(ExpertLoads, FollowThePopularityOfExperts) {
  TrainingSpec spec = sixteen_experts(16);
  spec.routing.skew = 1;
  const ExpertLoads loads = expert_loads(spec);
  double harmonic = 0;
  for (int i = 1; i <= 16; ++i) harmonic += 1.0 / i;
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(static_cast<double>(loads.from_each[i]), 2000 / harmonic / (i + 1), 1) << i;
  }
  EXPECT_EQ(loads.sent(), 2000);
}

TEST(ExpertLoads, DealPopularExpertsOutOneByOne) {
  TrainingSpec spec = sixteen_experts(16);
  spec.routing.skew = 1;
  const std::vector<std::int64_t> of_expert = expert_loads(spec).from_each;
  const ExpertLoads loads = expert_loads([&] {
    TrainingSpec four = sixteen_experts(4);
    four.routing = spec.routing;
    return four;
  }());
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    std::int64_t sum = 0;
    for (std::uint32_t i = rank; i < 16; i += 4) sum += of_expert[i];
    EXPECT_EQ(loads.from_each[rank], sum);
  }
}

// However popular two of them are, no token goes to one twice.
TEST(ExpertLoads, GiveNoTokenToAnExpertTwice) {
  TrainingSpec spec = sixteen_experts(16);
  spec.routing.skew = 10;
  const ExpertLoads loads = expert_loads(spec);
  EXPECT_EQ(loads.from_each[0], 1000);
  EXPECT_GT(loads.from_each[1], 970);
  EXPECT_EQ(loads.sent(), 2000);
}

// 1.25 x 2,000 / 16 = 156.25, and so 157 of each rank (get_capacity rounds up).
TEST(ExpertLoads, EndAtTheCapacityOfExperts) {
  TrainingSpec spec = sixteen_experts(16);
  spec.routing.skew = 1;
  spec.routing.capacity = 1.25;
  const ExpertLoads loads = expert_loads(spec);
  EXPECT_EQ(loads.from_each[0], 157);
  EXPECT_EQ(loads.from_each[2], 157);
  EXPECT_NEAR(static_cast<double>(loads.from_each[15]), 2000 / 3.3807 / 16, 1);
  EXPECT_LT(loads.sent(), 2000);
  EXPECT_NEAR(loads.max(), 157.0 * 16 / 2000, 1e-12);
}

TEST(ExpertLoads, AreRefusedWithoutExperts) {
  TrainingSpec spec = sixteen_experts(1);
  spec.model.experts = spec.model.top_k = 0;
  spec.routing.skew = 1;
  std::vector<schema::Problem> problems;
  check_plan(spec, 1, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].key, "routing");
}

}  // namespace
}  // namespace weft
