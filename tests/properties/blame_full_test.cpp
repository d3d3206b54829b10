#include "tests/properties/blame_check.hpp"
#include "tests/properties/golden_cases.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

class ManyBlames : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyBlames, AddUpInRandomScenarios) {
  const std::string text = RandomScenario(GetParam()).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  scenarios::Experiment experiment = build_loaded(loaded.value());
  check_blame(experiment, text, {2, 3});
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyBlames, swarm_seeds(100, 500),
                         ::testing::PrintToStringParamName());

class BlameOfShippedInFull : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(BlameOfShippedInFull, IsTheSameOnAnyThreads) {
  scenarios::Experiment experiment = GetParam().experiment();
  check_blame(experiment, GetParam().name, {2, 3});
}

INSTANTIATE_TEST_SUITE_P(Cases, BlameOfShippedInFull, ::testing::ValuesIn(golden_cases()),
                         [](const auto& golden) { return golden.param.name; });

}  // namespace
}  // namespace weft::testing
