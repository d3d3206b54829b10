// What must hold on every scenario, on random ones. `simulate` itself ends the program if packets
// are not conserved, a buffer does not drain, or a message beats its zero-load time.

#include <gtest/gtest.h>

#include "scenarios/load_scenario.hpp"
#include "scenarios/simulation.hpp"
#include "tests/properties/random_scenario.hpp"

namespace weft::testing {
namespace {

scenarios::Results run(const scenarios::LoadedScenario& loaded) {
  auto experiment = scenarios::build_experiment(loaded.scenario);
  EXPECT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
  return scenarios::simulate(experiment.value());
}

class RandomScenarios : public ::testing::TestWithParam<int> {};

TEST_P(RandomScenarios, FinishReproduciblyAndWithinTheirBounds) {
  const std::string text = RandomScenario(static_cast<std::uint64_t>(GetParam())).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  const scenarios::Results results = run(loaded.value());
  ASSERT_EQ(results.outcome, scenarios::Outcome::kFinished)
      << text << (results.explanation.empty() ? "" : results.explanation.front());
  EXPECT_EQ(results.totals.buffer_drops + results.totals.ttl_drops, 0) << text;
  for (const scenarios::JobResult& job : results.jobs) {
    EXPECT_GE(job.jct, job.ideal) << job.name << " beats its ideal time, set by "
                                  << job.ideal_set_by << "\n"
                                  << text;
  }

  // The same bits from one cell, and from the scenario with every default written out.
  const auto one_cell = scenarios::load_scenario_text(text, "random.yaml", {"run.cells=one"});
  ASSERT_TRUE(one_cell.ok());
  EXPECT_EQ(run(one_cell.value()).digest(), results.digest()) << text;
  const auto resolved =
      scenarios::load_scenario_text(loaded.value().resolved_yaml("test"), "resolved.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.errors().front().to_string();
  EXPECT_EQ(run(resolved.value()).digest(), results.digest()) << text;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomScenarios, ::testing::Range(1, 61));

}  // namespace
}  // namespace weft::testing
