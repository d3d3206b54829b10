#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

class ManyRandomScenarios : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyRandomScenarios, FinishReproduciblyAndWithinTheirBounds) {
  check_random_scenario(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyRandomScenarios, swarm_seeds(100, 2000),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace weft::testing
