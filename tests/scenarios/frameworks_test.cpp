// Frameworks as named sets of choices: each of its keys is as the framework has it, unless the
// scenario gives it, and the resolved scenario says whose choice it is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "collectives/jobs/job.hpp"
#include "collectives/training/spec/frameworks.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

using collectives::NumberFormat;
using collectives::OverlapSpec;
using collectives::TrainingSpec;
using scenarios::load_scenario;
using ::testing::HasSubstr;

class Frameworks : public ::testing::Test {
 protected:
  [[nodiscard]] Result<scenarios::LoadedScenario> load_job(const std::string& keys) const {
    folder_.write(
        "s.yaml",
        "name: t\n"
        "racks: {count: 2, servers: 4, server: host-400g}\n"
        "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
        "jobs:\n"
        "  - {name: train, type: training, batch: {global: 32}, model: {layers: 4, hidden: "
        "512, heads: 8, vocabulary: 1024, sequence: 512, experts: 64, top_k: 4, "
        "expert_ffn: 256}, " +
            keys + "}\n");
    return load_scenario((folder_.path() / "s.yaml").string());
  }
  [[nodiscard]] TrainingSpec job_of(const std::string& keys) const {
    const auto loaded = load_job(keys);
    EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    if (!loaded.ok()) return {};
    return std::get<TrainingSpec>(loaded.value().scenario.jobs.front().kind);
  }

  TemporaryFolder folder_{"frameworks"};
};

TEST_F(Frameworks, ChooseWhatIsNotGiven) {
  const TrainingSpec megatron = job_of("framework: megatron-core, parallelism: {data: 8}");
  EXPECT_EQ(megatron.parallelism.zero, 1U);
  EXPECT_TRUE(megatron.overlap.parameters);
  EXPECT_FALSE(megatron.overlap.tensor) << "there is nothing tensor-parallel";
  const TrainingSpec tensor = job_of("framework: megatron-core, parallelism: {tensor: 2, data: 4}");
  EXPECT_TRUE(tensor.parallelism.sequence_parallel && tensor.overlap.tensor);
  const TrainingSpec fsdp = job_of("framework: fsdp2, parallelism: {data: 8}");
  EXPECT_EQ(fsdp.parallelism.zero, 3U);
  EXPECT_EQ(fsdp.precision.exchange.gradients, NumberFormat::kBf16);
  EXPECT_EQ(fsdp.precision.parameters, NumberFormat::kFp32);
  const TrainingSpec deepspeed = job_of("framework: deepspeed, parallelism: {data: 8}");
  EXPECT_EQ(deepspeed.parallelism.zero, 3U);
  EXPECT_EQ(deepspeed.overlap.bucket, Bytes(1'000'000'000));
  const TrainingSpec deepseek = job_of("framework: deepseek, parallelism: {data: 8, expert: 8}");
  EXPECT_EQ(deepseek.precision.exchange.dispatch, NumberFormat::kFp8);
  EXPECT_EQ(deepseek.routing.groups, 8U);
  EXPECT_EQ(deepseek.overlap.experts, OverlapSpec::Experts::kPairs);
}

TEST_F(Frameworks, GiveWayToKeysBesideThem) {
  const TrainingSpec spec = job_of(
      "framework: deepseek, parallelism: {data: 8, expert: 8, zero: 0}, routing: {groups: 4, "
      "top_groups: 2}, precision: {exchange: {dispatch: bf16}}, overlap: {experts: none}");
  EXPECT_EQ(spec.parallelism.zero, 0U);
  EXPECT_EQ(spec.routing.groups, 4U);
  EXPECT_EQ(spec.precision.exchange.dispatch, NumberFormat::kBf16);
  EXPECT_EQ(spec.precision.exchange.combine, NumberFormat::kBf16);
  EXPECT_EQ(spec.overlap.experts, OverlapSpec::Experts::kNone);
  EXPECT_EQ(spec.experts.exchange, collectives::ExpertSpec::Exchange::kHighThroughput);
}

TEST_F(Frameworks, AreNamedByTheResolvedScenario) {
  const auto loaded = load_job("framework: megatron-core, parallelism: {data: 8}");
  ASSERT_TRUE(loaded.ok());
  const std::string resolved = loaded.value().resolved_yaml("1");
  EXPECT_THAT(resolved, ::testing::ContainsRegex(
                            "parameters: true +# default: framework megatron-core: NVIDIA"));
  // What it says can be read again, and means the same.
  folder_.write("again.yaml", resolved);
  const auto again = load_scenario((folder_.path() / "again.yaml").string());
  ASSERT_TRUE(again.ok()) << again.errors().front().to_string();
  const auto& spec = std::get<TrainingSpec>(again.value().scenario.jobs.front().kind);
  EXPECT_TRUE(spec.overlap.parameters);
  EXPECT_EQ(spec.parallelism.zero, 1U);
}

// Every set of choices is one that the language accepts by itself: each key that it sets has a
// value that the keys' own checks let pass.
TEST_F(Frameworks, AreAllAcceptedWithEveryDivision) {
  for (const collectives::FrameworkChoices& framework : collectives::frameworks()) {
    for (const char* plan : {"{data: 8}", "{tensor: 2, data: 4}", "{pipeline: 2, data: 4}",
                             "{data: 8, expert: 8}", "{pipeline: 2, data: 4, expert: 4}"}) {
      const auto loaded = load_job("framework: " + std::string(framework.name) +
                                   ", parallelism: " + std::string(plan));
      EXPECT_TRUE(loaded.ok()) << framework.name << " " << plan << " "
                               << (loaded.ok() ? "" : loaded.errors().front().to_string());
    }
  }
}

TEST_F(Frameworks, AreSpeltRight) {
  const auto loaded = load_job("framework: megatron, parallelism: {data: 8}");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.errors().front().to_string(), HasSubstr("megatron-core"));
}

}  // namespace
}  // namespace weft::testing
