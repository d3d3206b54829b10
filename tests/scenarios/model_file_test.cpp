// Training jobs whose model is a `config.json` beside the scenario.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "collectives/jobs/job.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

using collectives::ModelSpec;
using collectives::TrainingSpec;
using scenarios::load_scenario;
using ::testing::HasSubstr;

constexpr const char* kConfig =
    R"({"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 512,
 "intermediate_size": 1408, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 1024,
 "max_position_embeddings": 4096})";

class ModelFile : public ::testing::Test {
 protected:
  [[nodiscard]] Result<scenarios::LoadedScenario> load_model(const std::string& model) const {
    folder_.write("config.json", kConfig);
    folder_.write("s.yaml",
                  "name: t\n"
                  "racks: {count: 2, servers: 4, server: host-400g}\n"
                  "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
                  "jobs:\n"
                  "  - name: train\n"
                  "    type: training\n"
                  "    model: " +
                      model +
                      "\n"
                      "    parallelism: {tensor: 2, data: 4}\n"
                      "    batch: {global: 4}\n");
    return load_scenario((folder_.path() / "s.yaml").string());
  }
  [[nodiscard]] ModelSpec model_of(const std::string& model) const {
    const auto loaded = load_model(model);
    EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    if (!loaded.ok()) return {};
    return std::get<TrainingSpec>(loaded.value().scenario.jobs.front().kind).model;
  }
  [[nodiscard]] std::string error_of(const std::string& model) const {
    const auto loaded = load_model(model);
    return loaded.ok() ? "" : loaded.errors().front().to_string();
  }

  TemporaryFolder folder_{"model file"};
};

TEST_F(ModelFile, SaysAllOfTheModel) {
  const ModelSpec model = model_of("{config: config.json}");
  EXPECT_EQ(model.layers, 4U);
  EXPECT_EQ(model.ffn, 1408U);
  EXPECT_EQ(model.kv_heads, 2U);
  EXPECT_EQ(model.sequence, 4096U);
  EXPECT_TRUE(model.gated_ffn);
  EXPECT_TRUE(model.config.empty());
}

TEST_F(ModelFile, GivesWayToKeysBesideIt) {
  const ModelSpec model = model_of("{config: config.json, sequence: 1024, gated_ffn: false}");
  EXPECT_EQ(model.sequence, 1024U);
  EXPECT_FALSE(model.gated_ffn);
  EXPECT_EQ(model.layers, 4U);
}

TEST_F(ModelFile, IsNotNeededByTheResolvedScenario) {
  const auto loaded = load_model("{config: config.json}");
  ASSERT_TRUE(loaded.ok());
  const std::string resolved = loaded.value().resolved_yaml("1");
  EXPECT_THAT(resolved, HasSubstr("config.json`, SHA-256 "));
  const auto again = scenarios::load_scenario_text(resolved, "resolved.yaml");
  ASSERT_TRUE(again.ok()) << again.errors().front().to_string();
  const auto& model = std::get<TrainingSpec>(again.value().scenario.jobs.front().kind).model;
  EXPECT_EQ(model.ffn, 1408U);
}

TEST_F(ModelFile, IsRefusedWithItsKeys) {
  EXPECT_THAT(error_of("{config: none.json}"), HasSubstr("jobs[0].model.config"));
  EXPECT_THAT(error_of("{preset: gpt-13b, config: config.json}"), HasSubstr("`preset`"));
  EXPECT_THAT(error_of("{config: s.yaml}"), HasSubstr("is not JSON"));
  EXPECT_THAT(error_of("{config: config.json, heads: 3}"), HasSubstr("heads"));
}

}  // namespace
}  // namespace weft::testing
