// The digests of the shipped scenarios, some made smaller. They are the same in release, debug and
// sanitizer builds; a change here is a change of results and wants a reason in its commit.

#include <gtest/gtest.h>

#include "tests/properties/golden_cases.hpp"

namespace weft::testing {
namespace {

TEST(Golden, ShippedScenariosGiveTheirDigests) {
  const std::vector<GoldenCase> cases = golden_cases();
  EXPECT_GE(cases.size(), 6u);
  for (const GoldenCase& golden : cases) {
    EXPECT_EQ(scenarios::simulate(golden.experiment()).digest(), golden.digest) << golden;
  }
}

}  // namespace
}  // namespace weft::testing
