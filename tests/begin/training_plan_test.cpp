// Every preset on every machine: a scenario without warnings, or a refusal that says why.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "collectives/training/model/presets.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "tools/begin/first_scenario.hpp"

namespace weft::begin {
namespace {

using ::testing::ContainerEq;
using ::testing::HasSubstr;

FirstScenario training(const std::string& machine, const std::string& model, std::uint32_t count) {
  FirstScenario first;
  first.machine = machine;
  first.count = max_of_machine(machine).value() == 1 ? 1 : count;
  first.switch_part = "tomahawk-6";
  first.jobs = {"training"};
  first.model = model;
  return first;
}

std::vector<std::string> machines() {
  std::vector<std::string> names;
  const auto parts = scenarios::list_parts("servers");
  for (const scenarios::PartReport& part : parts.value()) {
    if (part.refused.empty()) names.push_back(part.name);
  }
  return names;
}

const collectives::TrainingSpec& job_of(const scenarios::Scenario& scenario) {
  return std::get<collectives::TrainingSpec>(scenario.jobs.front().kind);
}

/// Loads, builds, is checked without a word, and has a step that takes time.
void expect_runs(const std::string& text, const collectives::ModelSpec& model) {
  const auto loaded = scenarios::load_scenario_text(text, "first.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto experiment = scenarios::build_experiment(loaded.value());
  ASSERT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
  EXPECT_THAT(experiment.value().warnings, ContainerEq(std::vector<std::string>())) << text;
  const auto found = scenarios::check_statically(experiment.value());
  EXPECT_THAT(found.warnings, ContainerEq(std::vector<std::string>())) << text;
  EXPECT_TRUE(found.errors.empty());
  const auto estimate = scenarios::estimate_scenario(loaded.value().scenario, {});
  ASSERT_TRUE(estimate.ok()) << estimate.errors().front().to_string();
  EXPECT_TRUE(estimate.value().jobs.front().training.has_value());
  if (model.experts == 0) return;
  const auto& spec = job_of(loaded.value().scenario);
  EXPECT_GT(spec.parallelism.expert, 1U) << text;
  EXPECT_LT(spec.model.dense_layers, spec.model.layers);
}

TEST(FirstTraining, EveryPresetRunsOnEveryMachineWhereItFits) {
  int made = 0;
  for (const std::string& machine : machines()) {
    for (const auto& preset : collectives::model_presets()) {
      SCOPED_TRACE(fmt::format("{} on {}", preset.name, machine));
      const auto text = first_scenario(training(machine, preset.name, 4));
      ASSERT_TRUE(text.ok()) << text.errors().front().to_string();
      expect_runs(text.value(), preset.model);
      ++made;
    }
  }
  EXPECT_GT(made, 100);
}

TEST(FirstTraining, AModelBeyondTheMemoryOfItsRanksIsRefused) {
  const auto text = first_scenario(training("host-400g", "llama3.1-405b", 2));
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.errors().front().message,
              HasSubstr("--model: 2 layers of llama3.1-405b on 2 ranks need "));
  EXPECT_THAT(text.errors().front().message, HasSubstr("take more machines"));
}

TEST(FirstTraining, RanksComputeAsTheGpusOfTheirMachineDo) {
  EXPECT_THAT(first_scenario(training("dgx-a100", "llama2-7b", 2)).value(),
              HasSubstr("compute: {gpu: a100-sxm-80}\n"));
  EXPECT_THAT(first_scenario(training("gb200-nvl72", "llama2-7b", 2)).value(),
              HasSubstr("compute: {gpu: gb200}\n"));
  EXPECT_THAT(first_scenario(training("dgx-2", "llama2-7b", 2)).value(),
              HasSubstr("compute: {gpu: a100-sxm-40}  # stands in: "));
}

TEST(FirstTraining, AnUnknownModelNamesTheNearest) {
  const auto text = first_scenario(training("hgx-h100", "mixtral-8x7", 2));
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.errors().front().message, HasSubstr("did you mean `mixtral-8x7b`?"));
}

}  // namespace
}  // namespace weft::begin
