#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "collectives/jobs/list.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/properties/bounds_law.hpp"
#include "tests/properties/random_scenario.hpp"
#include "tests/properties/swarm_seeds.hpp"
#include "tests/properties/variations.hpp"

namespace weft::testing {

inline scenarios::Experiment build_loaded(const scenarios::LoadedScenario& loaded) {
  auto experiment = scenarios::build_experiment(loaded.scenario);
  if (!experiment.ok()) throw std::runtime_error(experiment.errors().front().to_string());
  return std::move(experiment).value();
}

/// Whether pauses end that are still meant: they run out, or a link fails that packets may wait
/// for. When it is back its peer sends at once, and is paused again a round trip later, for which
/// no headroom is set aside.
inline bool forgets_pauses(const scenarios::Scenario& scenario) {
  if (scenario.switches.pause.quanta == protocols::PauseConfig::Quanta::kExpire) return true;
  return std::ranges::any_of(scenario.faults, [](const scenarios::FaultSpec& fault) {
    return fault.kind() == protocols::Fault::Kind::kLinkDown;
  });
}

/// Whether a class bounds its queues and trims what is beyond, of packets whose transport cannot
/// use what is left of them, or that are no larger than that, as requests of reads: those are
/// dropped, and sent again.
inline bool drops_what_it_cannot_trim(const scenarios::Scenario& scenario) {
  bool trims = false;
  for (const ClassId c : scenario.switches.all_classes()) {
    trims = trims || scenario.switches.classes[c].trimming.enabled;
  }
  if (!trims) return false;
  return std::ranges::any_of(scenario.jobs, [&](const scenarios::JobSpec& job) {
    return !protocols::traits_of(scenario.transport_of(job.transport)).uses_trimming ||
           collectives::verb_of(job.kind) == collectives::Verb::kRead;
  });
}

/// Of datagrams nobody sends again what is lost, and who waits for it never ends.
inline bool may_lose_for_good(const scenarios::Scenario& scenario) {
  return drops_what_it_cannot_trim(scenario) &&
         std::ranges::any_of(scenario.jobs, [&](const scenarios::JobSpec& job) {
           return !protocols::traits_of(scenario.transport_of(job.transport)).is_acknowledged;
         });
}

/// What must hold on every scenario, on the random one of this seed: it finishes, no buffer drops
/// but where that is said, no job beats its ideal time or its bound, and every way to run it as
/// well as the resolved scenario give the same bits. `simulate` itself ends the program if packets
/// are not conserved, a buffer does not drain, a packet comes to another host than its destination,
/// or a message beats its zero-load time.
inline void check_random_scenario(std::uint64_t seed) {
  const std::string text = RandomScenario(seed).text();
  if (repeats_one_seed()) std::cout << text << std::flush;  // also of a run that ends the program
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  scenarios::Experiment experiment = build_loaded(loaded.value());
  const scenarios::Results results = scenarios::simulate(experiment);
  if (results.outcome != scenarios::Outcome::kStuck || !may_lose_for_good(experiment.scenario)) {
    ASSERT_EQ(results.outcome, scenarios::Outcome::kFinished)
        << text << (results.explanation.empty() ? "" : results.explanation.front());
  }
  EXPECT_EQ(results.totals.ttl_drops, 0) << text;
  if (!forgets_pauses(experiment.scenario) && !drops_what_it_cannot_trim(experiment.scenario)) {
    EXPECT_EQ(results.totals.buffer_drops, 0) << text;
  }
  for (const std::string& sentence : beaten_bounds(experiment, results)) {
    ADD_FAILURE() << sentence << "\n" << text;
  }
  for (const Variation& variation : kVariations) {
    EXPECT_EQ(simulate_as(variation, experiment).digest(), results.digest())
        << variation.name << "\n"
        << text;
  }

  // Every default written out.
  const auto resolved =
      scenarios::load_scenario_text(loaded.value().resolved_yaml("test"), "resolved.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.errors().front().to_string();
  EXPECT_EQ(scenarios::simulate(build_loaded(resolved.value())).digest(), results.digest()) << text;
}

}  // namespace weft::testing
