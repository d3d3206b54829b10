#pragma once

#include <gtest/gtest.h>

#include <string>

#include "scenarios/load_scenario.hpp"
#include "scenarios/simulation.hpp"
#include "tests/properties/random_scenario.hpp"

namespace weft::testing {

inline scenarios::Results simulate_loaded(const scenarios::LoadedScenario& loaded) {
  auto experiment = scenarios::build_experiment(loaded.scenario);
  EXPECT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
  return scenarios::simulate(experiment.value());
}

/// What must hold on every scenario, on the random one of this seed: it finishes, no buffer drops,
/// no job beats its ideal time, and one cell as well as the resolved scenario give the same bits.
/// `simulate` itself ends the program if packets are not conserved, a buffer does not drain, or a
/// message beats its zero-load time.
inline void check_random_scenario(std::uint64_t seed) {
  const std::string text = RandomScenario(seed).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  const scenarios::Results results = simulate_loaded(loaded.value());
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
  EXPECT_EQ(simulate_loaded(one_cell.value()).digest(), results.digest()) << text;
  const auto resolved =
      scenarios::load_scenario_text(loaded.value().resolved_yaml("test"), "resolved.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.errors().front().to_string();
  EXPECT_EQ(simulate_loaded(resolved.value()).digest(), results.digest()) << text;
}

}  // namespace weft::testing
