// PP 1, 2, 4, 8 x TP 1, 3, 8, 24 x DP 1, 2, 4 x EP 1, 4 x five schedules x ZeRO 0, 1, 3: each ends,
// or is refused with its reason.
#include <gtest/gtest.h>

#include "tests/collectives/jobs/training_matrix.hpp"

namespace weft {
namespace {

class WholeTrainingMatrix : public ::testing::TestWithParam<std::size_t> {};

constexpr std::size_t kShares = 24;

TEST_P(WholeTrainingMatrix, EveryPlanEndsOrIsRefused) {
  const std::vector<testing::MatrixPlan> plans = testing::training_matrix();
  ASSERT_EQ(plans.size(), 1440U);
  int ended = 0;
  for (std::size_t i = GetParam(); i < plans.size(); i += kShares) {
    if (plans[i].ranks() > 1 && testing::runs_to_its_end(plans[i])) ++ended;
  }
  RecordProperty("ended", ended);
  EXPECT_GT(ended, 0);
}

INSTANTIATE_TEST_SUITE_P(WorkSplit, WholeTrainingMatrix, ::testing::Range(std::size_t{0}, kShares));

}  // namespace
}  // namespace weft
