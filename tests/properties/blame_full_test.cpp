#include "tests/properties/blame_check.hpp"
#include "tests/properties/golden_cases.hpp"
#include "tests/properties/random_scenario_check.hpp"

namespace weft::testing {
namespace {

class ManyBlames : public ::testing::TestWithParam<int> {};

TEST_P(ManyBlames, AddUpInRandomScenarios) {
  const std::string text = RandomScenario(static_cast<std::uint64_t>(GetParam())).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  scenarios::Experiment experiment = build_loaded(loaded.value());
  check_blame(experiment, text, {2, 3});
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyBlames, ::testing::Range(100, 600));

class BlameOfShippedInFull : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(BlameOfShippedInFull, IsTheSameOnAnyThreads) {
  scenarios::Experiment experiment = GetParam().experiment();
  check_blame(experiment, GetParam().name, {2, 3});
}

INSTANTIATE_TEST_SUITE_P(Cases, BlameOfShippedInFull, ::testing::ValuesIn(golden_cases()),
                         [](const auto& golden) { return golden.param.name; });

}  // namespace
}  // namespace weft::testing
