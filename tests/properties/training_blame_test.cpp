// What frameworks exchange of a training, and what they do meanwhile: blame sums to each step,
// memory and the closed form have it, and runs without a slow rank show what that rank costs.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/properties/blame_check.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/random_training.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

/// A mixture of experts on two servers of four GPUs, of which rank 3 is slow. They compute for most
/// of a step.
std::string mixture(const std::string& parallelism, const std::string& more,
                    const std::string& kernels = "kernels: constant") {
  return "name: t\n"
         "racks: {count: 2, servers: 1, server: {gpus: 4, nics: 4, scale_up: {switches: 1, rate: "
         "400Gbps}}}\n"
         "links: {access: {latency: 500ns}, uplink: {latency: 500ns}}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 2}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n"
         "  - name: a\n"
         "    type: training\n"
         "    model: {layers: 4, hidden: 256, heads: 4, vocabulary: 256, sequence: 128, gated_ffn: "
         "true, experts: 8, top_k: 2, expert_ffn: 256, shared_experts: 1}\n"
         "    batch: {micro: 1, global: 16}\n"
         "    iterations: 2\n"
         "    noise: [{ranks: 3, factor: 1.5}]\n"
         "    compute: {gemm_efficiency: 0.003, memory_efficiency: 0.01, " +
         kernels +
         "}\n"
         "    parallelism: " +
         parallelism + "\n" + more;
}

/// Every choice of exchanges, formats and overlap, alone and with others.
const std::vector<std::string>& choices() {
  static const std::vector<std::string> all{
      mixture("{data: 8, expert: 8, zero: 1}", "    overlap: {parameters: true}\n"),
      mixture("{data: 8, expert: 8, zero: 2}", "    overlap: {parameters: true}\n"),
      mixture("{data: 8, expert: 4}", "    overlap: {experts: halves}\n"),
      mixture("{data: 8, expert: 4}", "    overlap: {experts: pairs}\n"),
      mixture("{pipeline: 2, data: 4, expert: 4, schedule: dualpipe}",
              "    overlap: {experts: pairs}\n"),
      mixture("{data: 8, expert: 8}", "    overlap: {shared_experts: true}\n"),
      mixture("{data: 8, expert: 8}", "    overlap: {shared_experts: true, experts: halves}\n"),
      mixture("{data: 8, expert: 8}", "    experts: {exchange: low-latency}\n"),
      mixture("{data: 8, expert: 8}", "    experts: {exchange: high-throughput}\n"),
      mixture("{data: 8, expert: 8}",
              "    experts: {exchange: high-throughput, chunks: 2}\n"
              "    routing: {groups: 4, top_groups: 2}\n"
              "    overlap: {experts: halves}\n"),
      mixture(
          "{data: 8, expert: 8, zero: 1}",
          "    precision: {exchange: {gradients: bf16, parameters: fp8, dispatch: fp8, combine: "
          "bf16}}\n"),
      mixture("{tensor: 2, data: 4, expert: 4, sequence_parallel: true}",
              "    precision: {exchange: {tensor: fp32, tensor_gather: fp8}}\n"),
      mixture("{pipeline: 2, data: 4, expert: 4}", "    precision: {exchange: {pipeline: fp8}}\n"),
      mixture("{data: 8, expert: 8, gradient_sync: micro-batch}", ""),
      mixture("{data: 8, expert: 8, zero: 3, gradient_sync: step}", ""),
      mixture("{data: 8, expert: 8, zero: 3, reshard_after_forward: false}", ""),
      mixture("{data: 8, expert: 8}", "    framework: megatron-core\n"),
      mixture("{data: 8, expert: 8}", "    framework: fsdp2\n"),
      mixture("{data: 8, expert: 8}", "    framework: deepspeed\n"),
      mixture("{data: 8, expert: 8}", "    framework: deepseek\n"),
      mixture("{data: 8, expert: 8}", "    overlap: {experts: pairs, shared_experts: true}\n",
              "kernels: roofline, fused_loss: false, fused_attention: false"),
  };
  return all;
}

TEST(TrainingBlame, OfEveryChoiceAddsUpToItsSteps) {
  for (std::size_t i = 0; i < choices().size(); ++i) {
    const std::string& text = choices()[i];
    const auto loaded = scenarios::load_scenario_text(text, "test.yaml");
    ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
    auto built = scenarios::build_experiment(loaded.value().scenario);
    ASSERT_TRUE(built.ok()) << text << built.errors().front().to_string();
    if (i % 4 == 0) {
      check_blame(built.value(), text, {2});
    } else {
      check_blame(built.value(), text, {});
    }
  }
}

class BlameOfTraining : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(BlameOfTraining, AddsUpInRandomPlans) {
  const std::string text = RandomTraining(GetParam()).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  scenarios::Experiment experiment = build_loaded(loaded.value());
  check_blame(experiment, text, {3});
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlameOfTraining, swarm_seeds(1, 8),
                         ::testing::PrintToStringParamName());

// A run without the slow rank is shorter by what the rank is blamed for, within a seventh: where it
// computes, others exchange. What a rank keeps is the same.
TEST(TrainingBlame, OfASlowRankIsWhatARunWithoutItSaves) {
  for (const std::string& text : choices()) {
    const auto loaded = scenarios::load_scenario_text(text, "test.yaml");
    ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
    const auto overrides = scenarios::overrides_without("stragglers", loaded.value());
    ASSERT_TRUE(overrides.ok()) << text << overrides.errors().front().to_string();
    const auto healthy = scenarios::load_scenario_text(text, "test.yaml", overrides.value());
    ASSERT_TRUE(healthy.ok()) << text << healthy.errors().front().to_string();
    auto with = scenarios::build_experiment(loaded.value().scenario).value();
    with.scenario.observe.blame = true;
    const scenarios::Results slow = scenarios::simulate(with);
    const scenarios::Results fast =
        scenarios::simulate(scenarios::build_experiment(healthy.value().scenario).value());
    Picoseconds straggling;
    for (const scenarios::BlameResult& b : slow.blame) {
      if (b.cause == "straggler") straggling += b.time;
    }
    const Picoseconds saved = slow.jobs[0].jct - fast.jobs[0].jct;
    EXPECT_GT(straggling, Picoseconds(0)) << text;
    EXPECT_GT(saved, Picoseconds(0)) << text;
    EXPECT_NEAR(to_seconds(saved), to_seconds(straggling), 0.15 * to_seconds(straggling)) << text;
    ASSERT_EQ(slow.training.size(), 1U);
    EXPECT_GT(slow.training[0].memory, Bytes(0)) << text;
    EXPECT_EQ(slow.training[0].memory, fast.training[0].memory) << text;
  }
}

}  // namespace
}  // namespace weft::testing
