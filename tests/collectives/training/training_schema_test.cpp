// The keys of a training job, as far as they can be asked without a language to write them in.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "collectives/jobs/training/training_schema.hpp"
#include "collectives/training/model/presets.hpp"
#include "simcore/schema/validate.hpp"

namespace weft::collectives {
namespace {

TrainingSpec example() {
  TrainingSpec spec;
  spec.model = model_preset(ModelSpec::Preset::kGpt3Of175b);
  spec.parallelism.tensor = 8;
  spec.parallelism.pipeline = 8;
  spec.parallelism.data = 8;
  spec.batch.global = 64;
  return spec;
}

std::set<std::string> problem_keys(const TrainingSpec& spec) {
  std::set<std::string> keys;
  for (const schema::Problem& problem : schema::problems_of(training_schema(), spec)) {
    keys.insert(problem.key);
  }
  return keys;
}

TEST(TrainingSchema, AcceptsAJobThatIsStatedInFull) {
  EXPECT_EQ(problem_keys(example()), std::set<std::string>{});
}

TEST(TrainingSchema, NamesKeysOfWhatIsWrong) {
  TrainingSpec spec = example();
  spec.model.kv_heads = 7;
  EXPECT_EQ(problem_keys(spec), std::set<std::string>{"model.kv_heads"});
  spec = example();
  spec.parallelism.zero = 4;
  spec.batch.micro = 0;
  EXPECT_EQ(problem_keys(spec), (std::set<std::string>{"parallelism.zero", "batch.micro"}));
  spec = example();
  spec.compute.gpu = "abacus";
  EXPECT_EQ(problem_keys(spec), std::set<std::string>{"compute.gpu"});
  spec = example();
  spec.precision.compute = NumberFormat::kFp4;
  EXPECT_EQ(problem_keys(spec), std::set<std::string>{"compute.gpu"}) << "no FP4 on H100";
}

void expect_sources(const schema::AnyObject& object, const std::string& path) {
  for (const schema::Field& field : object.fields) {
    EXPECT_FALSE(field.doc.empty()) << path << field.key;
    EXPECT_TRUE(field.is_required || !field.source.empty()) << path << field.key;
    if (field.object) expect_sources(*field.object, path + field.key + ".");
  }
}

TEST(TrainingSchema, EveryDefaultSaysWhereItComesFrom) {
  expect_sources(training_schema().any(), "");
}

TEST(TrainingSchema, HasTheKeysThatAScenarioWrites) {
  const schema::Object<TrainingSpec> keys = training_schema();
  const schema::Field* parallelism = keys.any().find("parallelism");
  ASSERT_NE(parallelism, nullptr);
  for (const char* key : {"tensor", "context", "pipeline", "data", "expert", "schedule", "zero"}) {
    EXPECT_NE(parallelism->object->find(key), nullptr) << key;
  }
  const schema::Field* model = keys.any().find("model");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->object->shorthand, "preset");
  EXPECT_EQ(keys.any().find("compute")->object->shorthand, "gpu");
}

}  // namespace
}  // namespace weft::collectives
