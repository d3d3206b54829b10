// Training jobs from the scenario language to their results, by packets.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/text/format.hpp"
#include "tests/properties/variations.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;
using weft::testing::kVariations;
using weft::testing::simulate_as;
using weft::testing::Variation;

/// Two servers of eight H100 on eight rails, and a small transformer.
std::string training(const std::string& keys) {
  return "name: t\n"
         "racks: {count: 2, servers: 1, server: hgx-h100}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 4, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n"
         "  - name: train\n"
         "    type: training\n"
         "    model: {layers: 4, hidden: 512, heads: 8, vocabulary: 1024, sequence: 64}\n" +
         keys;
}

Results run_training(const std::string& keys) {
  return simulate(experiment_of_text(training(keys)));
}

const std::string kEverything =
    "    parallelism: {tensor: 4, pipeline: 2, data: 2, zero: 1}\n"
    "    batch: {global: 8}\n"
    "    iterations: 2\n";

// Computing, bubble and exposed communication add up to the iteration of the mean rank, but for the
// division by 16 ranks of each of eight sums.
TEST(TrainingScenario, ExplainsAllOfAStep) {
  const Results r = run_training(kEverything);
  ASSERT_EQ(r.iterations.size(), 2U);
  for (const IterationResult& i : r.iterations) {
    const Picoseconds sum = i.compute + i.bubble + i.exposed_in_all();
    EXPECT_LE(sum, i.end - i.start);
    EXPECT_GE(sum + i.start_skew + i.end_skew + Picoseconds(8), i.end - i.start);
    EXPECT_GT(i.bubble, 0_ps);
    EXPECT_GT(i.exposed[static_cast<std::size_t>(collectives::Communicator::Kind::kTensor)], 0_ps);
    EXPECT_GT(i.exposed[static_cast<std::size_t>(collectives::Communicator::Kind::kData)], 0_ps);
  }
  ASSERT_EQ(r.training.size(), 1U);
  const TrainingResult& t = r.training[0];
  EXPECT_EQ(t.iterations, 2U);
  EXPECT_EQ(t.tokens, 8 * 64);
  EXPECT_LE(t.median_step, t.longest_step);
  EXPECT_GT(t.memory, 0_B);
}

// Where iterations overlap, what they take from begin to end counts time twice. Steps are counted
// from end to end: they add up to the time of the job, and so do tokens, FLOP/s and prices.
TEST(TrainingScenario, StepsAddUpToTheTimeOfTheJob) {
  const Results r = run_training(kEverything + "    compute: {price_per_gpu_hour: 3.6}\n");
  Picoseconds from_begin_to_end;
  for (const IterationResult& i : r.iterations) from_begin_to_end += i.end - i.start;
  const Picoseconds job = r.jobs[0].jct;
  ASSERT_GT(from_begin_to_end, job) << "iterations overlap";
  const TrainingResult& t = r.training[0];
  EXPECT_EQ(t.mean_step, job / 2);
  EXPECT_EQ(t.median_step + t.longest_step, job);
  const auto summary = summary_json(r)["training"][0];
  EXPECT_NEAR(summary["tokens_per_second"].get<double>(), 2 * 8 * 64 / to_seconds(job), 1);
  EXPECT_NEAR(summary["model_flops_per_second"].get<double>(),
              2 * t.model_flops / 16 / to_seconds(job), 1e-3 * t.model_flops / to_seconds(job));
  EXPECT_NEAR(summary["dollars_per_step"].get<double>(), 3.6 * 16 / 3600 * to_seconds(job) / 2,
              1e-12);
}

// GPUs at a price an hour cost price x ranks x time: of a step by its mean, of a million tokens by
// how many a step has. What is not known is not said, and nothing else changes.
TEST(TrainingScenario, CostsWhatItsGpusCost) {
  const Results plain = run_training(kEverything);
  const Results r = run_training(kEverything + "    compute: {price_per_gpu_hour: 3.6}\n");
  EXPECT_EQ(r.digest(), plain.digest());
  const TrainingRow row{r.jobs[0], r.training[0]};
  const double step = 3.6 * 16 * to_seconds(r.training[0].mean_step) / 3600;
  ASSERT_TRUE(row.dollars_per_step());
  EXPECT_NEAR(*row.dollars_per_step(), step, 1e-12 * step);
  EXPECT_NEAR(*row.dollars_per_million_tokens(), step / (8 * 64) * 1e6, 1e-6 * step);
  EXPECT_EQ(TrainingRow({plain.jobs[0], plain.training[0]}).dollars_per_step(), std::nullopt);
  const auto summary = summary_json(r)["training"][0];
  EXPECT_DOUBLE_EQ(summary["dollars_per_step"].get<double>(), *row.dollars_per_step());
  EXPECT_DOUBLE_EQ(summary["dollars_per_million_tokens"].get<double>(),
                   *row.dollars_per_million_tokens());
  EXPECT_TRUE(summary_json(plain)["training"][0]["dollars_per_step"].is_null());
  const std::string text = summary_text(r);
  EXPECT_NE(text.find("a step costs"), text.npos) << text;
  EXPECT_NE(text.find("  " + format_dollars(*row.dollars_per_million_tokens()) + "  "), text.npos)
      << text;
  EXPECT_EQ(summary_text(plain).find("a step costs"), std::string::npos);
}

// An estimate is priced by its own step.
TEST(TrainingScenario, IsPricedInEstimatesByTheirStep) {
  const auto loaded = load_scenario_text(
      training(kEverything + "    compute: {price_per_gpu_hour: 3.6}\n"), "test.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto estimate = estimate_scenario(loaded.value().scenario, {});
  ASSERT_TRUE(estimate.ok());
  const collectives::StepEstimate& step = estimate.value().jobs.at(0).training->step;
  ASSERT_TRUE(step.dollars);
  EXPECT_NEAR(*step.dollars, 3.6 * 16 * step.seconds / 3600, 1e-12);
  const auto json = estimate_json(estimate.value())["jobs"][0];
  EXPECT_DOUBLE_EQ(json["dollars_per_step"].get<double>(), *step.dollars);
  EXPECT_NEAR(json["dollars_per_million_tokens"].get<double>(), *step.dollars / (8 * 64) * 1e6,
              1e-9);
  const std::string text = estimate_text(estimate.value());
  EXPECT_NE(text.find("  a step costs " + format_dollars(*step.dollars) + ", a million tokens $"),
            text.npos)
      << text;
}

TEST(TrainingScenario, HasTheSameDigestHoweverItRuns) {
  const std::string digest = run_training(kEverything).digest();
  for (const Variation& variation : kVariations) {
    Experiment e = experiment_of_text(training(kEverything));
    EXPECT_EQ(simulate_as(variation, e).digest(), digest) << variation.name;
  }
}

// A GPU at 1.44 times slows its tensor group at every half of a layer, and the other server when
// gradients are added up: where computing is nearly all, the step takes nearly 1.44 times as long.
TEST(TrainingScenario, ASlowGpuSlowsAllByItsFactor) {
  const std::string keys =
      "    parallelism: {tensor: 8, data: 2}\n"
      "    batch: {global: 4}\n"
      "    compute: {layer: {forward: 1ms, backward: 2ms, backward_weights: 1ms}}\n";
  const Results healthy = run_training(keys);
  const Results slow = run_training(keys + "    noise: [{ranks: 3, factor: 1.44}]\n");
  const double ratio =
      to_seconds(slow.training[0].mean_step) / to_seconds(healthy.training[0].mean_step);
  EXPECT_NEAR(ratio, 1.44, 0.02);
  // Seven more slow GPUs change what overlaps, not what is waited for: half a percent.
  const Results server = run_training(keys + "    noise: [{servers: 0, factor: 1.44}]\n");
  EXPECT_NEAR(to_seconds(server.training[0].mean_step), to_seconds(slow.training[0].mean_step),
              0.005 * to_seconds(slow.training[0].mean_step));
}

// A sample of the matrix of plans that runs in full on the ideal network: odd tensor groups and
// some over servers, experts with and without tensor parallelism, every order of the pipeline,
// every ZeRO.
TEST(TrainingScenario, PlansOfEveryKindEndByPackets) {
  const std::vector<const char*> plans = {
      "tensor: 3, data: 4, zero: 1",
      "tensor: 24",
      "tensor: 24, data: 2, zero: 3",
      "tensor: 8, pipeline: 2, data: 2, expert: 4, expert_tensor: 1, sequence_parallel: true",
      "data: 8, expert: 4, zero: 3",
      "pipeline: 8, data: 2, schedule: gpipe",
      "tensor: 3, pipeline: 4, data: 2, virtual_stages: 2",
      "tensor: 2, pipeline: 4, data: 2, schedule: zb-h1, zero: 1",
      "tensor: 2, pipeline: 4, data: 4, expert: 4, schedule: dualpipe, sequence_parallel: true",
      "tensor: 2, context: 2, pipeline: 2, data: 4, zero: 3, shard_ranks: 2",
  };
  for (const char* plan : plans) {
    SCOPED_TRACE(plan);
    const bool has_experts = std::string(plan).find("expert") != std::string::npos;
    const Results r = simulate(experiment_of_text(
        std::string(
            "name: t\n"
            "racks: {count: 6, servers: 1, server: hgx-h100}\n"
            "fabric: {topology: rail-optimised, group: 6, spines: 4, switch: spectrum-4}\n"
            "transport: {type: roce, congestion_control: none}\n"
            "jobs:\n"
            "  - name: train\n"
            "    type: training\n"
            "    model: {layers: 8, hidden: 192, heads: 24, vocabulary: 384, sequence: 48") +
        (has_experts ? ", experts: 8, top_k: 2}\n" : "}\n") + "    parallelism: {" + plan +
        "}\n    batch: {global: 32}\n"));
    EXPECT_EQ(r.outcome, Outcome::kFinished);
    ASSERT_EQ(r.iterations.size(), 1U);
    EXPECT_GT(r.iterations[0].exposed_in_all(), 0_ps);
  }
}

TEST(TrainingScenario, SaysWhatCannotBeDone) {
  const auto error = [](const std::string& keys) {
    const auto loaded = load_scenario_text(training(keys), "t.yaml");
    return loaded.ok() ? std::string() : loaded.errors()[0].to_string();
  };
  EXPECT_NE(
      error("    parallelism: {tensor: 8, data: 4}\n    batch: {global: 4}\n").find("32 ranks"),
      std::string::npos);
  EXPECT_NE(error("    parallelism: {tensor: 4, data: 4}\n    batch: {global: 6}\n").find("batch"),
            std::string::npos);
  EXPECT_NE(error("    parallelism: {tensor: 4, expert: 4}\n    batch: {global: 4}\n")
                .find("parallelism.expert"),
            std::string::npos);
  EXPECT_NE(error("    parallelism: {tensr: 4}\n").find("did you mean `tensor`"),
            std::string::npos);
  EXPECT_NE(error("    compute: h101\n").find("h100-sxm"), std::string::npos);
}

}  // namespace
}  // namespace weft::scenarios
