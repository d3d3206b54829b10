// Every key of a training plan: runs have it (effects_test.cpp), estimates and memory have it or it
// is listed why not (training.txt), blame sums to the steps, and what can be taken out of the
// scenario can be or is refused.

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/properties/blame_check.hpp"
#include "tests/scenarios/effects/cases.hpp"

namespace weft::scenarios::language {
namespace {

const std::string kPrefix = "jobs<training>.";

/// What `weft estimate` says of a training job.
struct Known {
  std::vector<double> estimate;
  std::vector<std::int64_t> memory;
};

LoadedScenario loaded(const Case& c, bool is_changed) {
  std::vector<std::string> overrides = c.context;
  if (is_changed) overrides.insert(overrides.end(), c.change.begin(), c.change.end());
  const auto scenario = load_scenario(kFolder / (c.base + ".yaml"), overrides);
  EXPECT_TRUE(scenario.ok()) << scenario.errors().front().to_string();
  return scenario.value();
}

Known known_of(const LoadedScenario& scenario) {
  const auto estimate = estimate_scenario(scenario.scenario, {});
  EXPECT_TRUE(estimate.ok()) << estimate.errors().front().to_string();
  const TrainingEstimate& e = estimate.value().jobs.at(0).training.value();
  Known known;
  for (const collectives::EstimateTerm& term : e.step.terms) {
    known.estimate.insert(known.estimate.end(), {term.seconds, term.exposed});
  }
  for (const SentBytes& sent : e.sent) {
    known.estimate.insert(known.estimate.end(), {sent.inside, sent.between});
  }
  for (const Bytes bytes : {e.memory.parameters, e.memory.gradients, e.memory.optimizer,
                            e.memory.gathered, e.memory.activations}) {
    known.memory.push_back(bytes.count());
  }
  return known;
}

/// Of each key, what is listed as changed by it, in words.
std::map<std::string, std::string> listed() {
  std::map<std::string, std::string> keys;
  std::ifstream file(kFolder / "training.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> parts = parts_of(line, "|");
    EXPECT_TRUE(keys.emplace(parts[0], parts.at(1)).second) << line;
    const bool has_reason = parts.size() > 2 && !parts[2].empty();
    EXPECT_EQ(has_reason, parts[1] != "estimate memory") << line;
  }
  return keys;
}

std::map<std::string, Case> training_cases() {
  std::map<std::string, Case> cases;
  for (const auto& [id, c] : Cases().all) {
    if (id.starts_with(kPrefix) && !c.is_shared) cases.emplace(id.substr(kPrefix.size()), c);
  }
  return cases;
}

TEST(TrainingKeys, AreInEstimatesAndMemoryOrListedWhyNot) {
  std::map<std::string, std::string> expected = listed();
  for (const auto& [key, c] : training_cases()) {
    const Known before = known_of(loaded(c, false));
    const Known after = known_of(loaded(c, true));
    const bool has_estimate = before.estimate != after.estimate;
    const bool has_memory = before.memory != after.memory;
    const std::string found = has_estimate ? (has_memory ? "estimate memory" : "estimate")
                                           : (has_memory ? "memory" : "-");
    const auto entry = expected.extract(key);
    if (entry.empty()) {
      ADD_FAILURE() << key << " | " << found << " is not in training.txt";
    } else {
      EXPECT_EQ(found, entry.mapped()) << key;
    }
  }
  for (const auto& [key, what] : expected) ADD_FAILURE() << key << " is no key";
}

// The parts of each step add up to it, to the picosecond.
TEST(TrainingKeys, LeaveBlameThatAddsUpToTheSteps) {
  std::set<std::string> seen;
  for (const auto& [key, c] : training_cases()) {
    auto experiment = build_experiment(loaded(c, true));
    ASSERT_TRUE(experiment.ok()) << key << experiment.errors().front().to_string();
    experiment.value().scenario.observe.blame = true;
    const Results results = simulate(experiment.value());
    if (!seen.insert(results.digest()).second) continue;
    EXPECT_TRUE(results.has_blame) << key;
    EXPECT_EQ(weft::testing::blamed_times(results), weft::testing::measured_times(results)) << key;
    EXPECT_EQ(weft::testing::blamed_iterations(results), weft::testing::stated_times(results))
        << key;
  }
  EXPECT_GT(seen.size(), 80U);
}

// What can be taken out leaves a scenario that runs.
TEST(TrainingKeys, LeaveWhatCanBeTakenOutOrIsRefused) {
  std::size_t taken_out = 0;
  for (const auto& [key, c] : training_cases()) {
    const LoadedScenario scenario = loaded(c, true);
    for (const char* const what : kRemovable) {
      const auto overrides = overrides_without(what, scenario);
      if (!overrides.ok()) {
        EXPECT_FALSE(overrides.errors().front().message.empty()) << key << what;
        continue;
      }
      std::vector<std::string> all = c.context;
      all.insert(all.end(), c.change.begin(), c.change.end());
      all.insert(all.end(), overrides.value().begin(), overrides.value().end());
      const auto without = load_scenario(kFolder / (c.base + ".yaml"), all);
      ASSERT_TRUE(without.ok()) << key << what << without.errors().front().to_string();
      EXPECT_TRUE(estimate_scenario(without.value().scenario, {}).ok()) << key << what;
      ++taken_out;
    }
  }
  EXPECT_GT(taken_out, 80U);
}

}  // namespace
}  // namespace weft::scenarios::language
