#include "tests/properties/random_scenario_check.hpp"

namespace weft::testing {
namespace {

class ManyRandomScenarios : public ::testing::TestWithParam<int> {};

TEST_P(ManyRandomScenarios, FinishReproduciblyAndWithinTheirBounds) {
  check_random_scenario(static_cast<std::uint64_t>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyRandomScenarios, ::testing::Range(100, 2100));

}  // namespace
}  // namespace weft::testing
