// A sample of the plans of training_matrix.hpp; the full tests have all of them.
#include <gtest/gtest.h>

#include "tests/collectives/jobs/training_matrix.hpp"

namespace weft {
namespace {

TEST(TrainingMatrix, SomePlansEndOrAreRefused) {
  const std::vector<testing::MatrixPlan> plans = testing::training_matrix();
  int ended = 0;
  constexpr std::size_t kStep = 211;  // no divisor of any axis
  for (std::size_t i = 0; i < plans.size(); i += kStep) {
    if (plans[i].ranks() > 1 && testing::runs_to_its_end(plans[i])) ++ended;
  }
  EXPECT_GE(ended, 5);
}

}  // namespace
}  // namespace weft
