#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/scenarios/effects/cases.hpp"
#include "tests/support/temporary_folder.hpp"

/// Every key of every specification is changed where it must make a difference
/// (tests/scenarios/effects/cases.txt), and the difference is looked for.
namespace weft::scenarios::language {
namespace {

/// What a scenario becomes.
struct Outcome {
  std::string error = {};  ///< it was refused
  std::string digest = {};
  std::vector<std::int64_t> times = {};  ///< of jobs
  std::vector<std::string> warnings = {};
  std::map<std::string, std::string> files = {};

  [[nodiscard]] bool is_written_alike(const Outcome& other) const {
    return files == other.files && warnings == other.warnings;
  }
};

/// Without what is of the computer: how long the run took.
std::string comparable(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  if (file.filename() != "summary.json") return text.str();
  nlohmann::ordered_json summary = nlohmann::ordered_json::parse(text.str());
  for (const char* key : {"engine", "run", "wall_seconds"}) {
    if (summary.contains(key) && summary[key].is_object()) {
      auto& part = summary[key];
      for (auto it = part.begin(); it != part.end();) {
        const bool is_of_computer = it.key().find("wall") != std::string::npos ||
                                    it.key().find("per_second") != std::string::npos ||
                                    it.key().find("memory") != std::string::npos;
        it = is_of_computer ? part.erase(it) : std::next(it);
      }
    } else {
      summary.erase(key);
    }
  }
  return summary.dump(1);
}

Outcome outcome_of(const std::string& base, const std::vector<std::string>& overrides) {
  Outcome outcome;
  const auto loaded = load_scenario(kFolder / (base + ".yaml"), overrides);
  if (!loaded.ok()) return {.error = loaded.errors().front().to_string()};
  const auto experiment = build_experiment(loaded.value());
  if (!experiment.ok()) return {.error = experiment.errors().front().to_string()};
  const Experiment& e = experiment.value();
  const weft::testing::TemporaryFolder folder("effects");
  const auto files =
      RunFiles::create(e, folder.path(), {.messages = e.scenario.observe.messages.value_or(true)});
  if (!files.ok()) return {.error = files.errors().front().to_string()};
  const Results results = simulate(e, {}, files.value().get());
  outcome.digest = results.digest();
  for (const auto& job : results.jobs) outcome.times.push_back(job.jct.count());
  outcome.warnings = results.warnings;
  const auto written =
      write_results(results, "", folder.path(),
                    {.pauses = e.scenario.observe.pauses, .files = files.value().get()});
  if (!written.ok()) return {.error = written.errors().front().to_string()};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(written.value())) {
    if (!entry.is_regular_file()) continue;
    outcome.files[entry.path().filename()] = comparable(entry.path());
  }
  return outcome;
}

const Outcome& outcome_once(const std::string& base, const std::vector<std::string>& overrides) {
  static std::map<std::string, Outcome> known;
  std::string name = base;
  for (const std::string& text : overrides) name += "\n" + text;
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  return known.emplace(name, outcome_of(base, overrides)).first->second;
}

/// Whether the difference is one that a key of this effect makes.
void expect_difference(schema::Effect effect, const std::string& path, const Outcome& before,
                       const Outcome& after) {
  for (const std::string& warning : after.warnings) {
    EXPECT_FALSE(warning.starts_with(path + " (") &&
                 warning.find("has no effect") != std::string::npos)
        << warning;
  }
  if (effect == schema::Effect::kResult) {
    EXPECT_NE(after.digest, before.digest) << "changes nothing";
    return;
  }
  EXPECT_EQ(after.times, before.times) << "changes what is simulated";
  EXPECT_EQ(after.is_written_alike(before), effect == schema::Effect::kNothing);
}

/// Where the value would matter it is refused, and where not, whoever gives it is warned.
void expect_refusal(const Case& c) {
  std::vector<std::string> overrides = c.context;
  overrides.insert(overrides.end(), c.change.begin(), c.change.end());
  EXPECT_EQ(outcome_once(c.base, c.context).error, "");
  EXPECT_THAT(outcome_of(c.base, overrides).error, ::testing::HasSubstr(c.path));
  const Outcome elsewhere = outcome_of(c.base, c.change);
  EXPECT_EQ(elsewhere.digest, outcome_once(c.base, {}).digest);
  EXPECT_THAT(elsewhere.warnings,
              ::testing::Contains(::testing::AllOf(::testing::HasSubstr(c.path),
                                                   ::testing::HasSubstr("has no effect"))));
}

TEST(KeyEffects, EveryKeyOfEverySpecificationHasACaseAndViceVersa) {
  const Keys keys;
  const Cases cases;
  std::set<std::string> ids;
  std::set<std::string> described;
  for (const SpecifiedKey& key : keys.all) {
    ids.insert(key.id);
    const auto found = cases.all.find(key.id);
    if (found == cases.all.end()) {
      ADD_FAILURE() << key.id << " has no case in cases.txt";
      continue;
    }
    const std::string text = key.field->key + "\n" + key.field->doc;
    if (found->second.is_shared) {
      EXPECT_TRUE(described.contains(text)) << key.id << " is of no specification above";
    } else {
      described.insert(text);
    }
  }
  for (const auto& [id, c] : cases.all) EXPECT_TRUE(ids.contains(id)) << id << " is no key";
  EXPECT_GT(ids.size(), 350U);
}

TEST(KeyEffects, AreWhatEveryKeyIsSaidToHave) {
  const Keys keys;
  const Cases cases;
  for (const SpecifiedKey& key : keys.all) {
    const auto found = cases.all.find(key.id);
    if (found == cases.all.end() || found->second.is_shared) continue;
    const Case& c = found->second;
    SCOPED_TRACE(key.id + " of " + c.base);
    if (c.is_refused) {
      expect_refusal(c);
      continue;
    }
    const Outcome& before = outcome_once(c.base, c.context);
    EXPECT_EQ(before.error, "");
    if (!before.error.empty()) continue;
    std::vector<std::string> overrides = c.context;
    overrides.insert(overrides.end(), c.change.begin(), c.change.end());
    const Outcome after = outcome_of(c.base, overrides);
    EXPECT_EQ(after.error, "");
    if (!after.error.empty()) continue;
    expect_difference(key.field->effect, c.path, before, after);
  }
}

}  // namespace
}  // namespace weft::scenarios::language
