// Every picosecond of every iteration has a cause, in random scenarios and in shipped ones; the
// long ones are in blame_full_test.cpp.

#include "tests/properties/blame_check.hpp"
#include "tests/properties/golden_cases.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

class Blame : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Blame, AddsUpInRandomScenarios) {
  const std::string text = RandomScenario(GetParam()).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  scenarios::Experiment experiment = build_loaded(loaded.value());
  check_blame(experiment, text, {3});
}

INSTANTIATE_TEST_SUITE_P(Seeds, Blame, swarm_seeds(1, 20), ::testing::PrintToStringParamName());

class BlameOfShipped : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(BlameOfShipped, AddsUp) {
  scenarios::Experiment experiment = GetParam().experiment();
  check_blame(experiment, GetParam().name, {});
}

INSTANTIATE_TEST_SUITE_P(Cases, BlameOfShipped, ::testing::ValuesIn(short_golden_cases()),
                         [](const auto& golden) { return golden.param.name; });

}  // namespace
}  // namespace weft::testing
