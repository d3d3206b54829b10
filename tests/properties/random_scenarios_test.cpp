#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

class RandomScenarios : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomScenarios, FinishReproduciblyAndWithinTheirBounds) {
  check_random_scenario(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomScenarios, swarm_seeds(1, kFastScenarios),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace weft::testing
