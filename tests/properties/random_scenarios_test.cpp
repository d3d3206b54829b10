#include "tests/properties/random_scenario_check.hpp"

namespace weft::testing {
namespace {

class RandomScenarios : public ::testing::TestWithParam<int> {};

TEST_P(RandomScenarios, FinishReproduciblyAndWithinTheirBounds) {
  check_random_scenario(static_cast<std::uint64_t>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomScenarios, ::testing::Range(1, 61));

}  // namespace
}  // namespace weft::testing
