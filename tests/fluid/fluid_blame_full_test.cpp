#include "tests/fluid/fluid_blame_check.hpp"
#include "tests/properties/golden_cases.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

class ManyFluidBlames : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyFluidBlames, AddUpInRandomScenarios) {
  const std::string text = RandomScenario(GetParam()).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  check_fluid_blame(build_loaded(loaded.value()), text);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyFluidBlames, swarm_seeds(100, 500),
                         ::testing::PrintToStringParamName());

class FluidBlameOfShipped : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(FluidBlameOfShipped, AddsUp) { check_fluid_blame(GetParam().experiment(), GetParam().name); }

INSTANTIATE_TEST_SUITE_P(Cases, FluidBlameOfShipped, ::testing::ValuesIn(golden_cases()),
                         [](const auto& golden) { return golden.param.name; });

}  // namespace
}  // namespace weft::testing
