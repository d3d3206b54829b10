#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/collectives/jobs/training_run.hpp"

/// Plans of every kind: each runs to its end, or is refused with a reason.
namespace weft::testing {

struct MatrixPlan {
  std::uint32_t pipeline = 1;
  std::uint32_t tensor = 1;
  std::uint32_t data = 1;
  std::uint32_t expert = 1;
  std::uint32_t zero = 0;
  collectives::PipelineSchedule schedule = collectives::PipelineSchedule::kOneForwardOneBackward;
  std::uint32_t virtual_stages = 1;

  [[nodiscard]] std::uint32_t ranks() const { return pipeline * tensor * data; }
  [[nodiscard]] std::string text() const {
    return "PP " + std::to_string(pipeline) + " TP " + std::to_string(tensor) + " DP " +
           std::to_string(data) + " EP " + std::to_string(expert) + " ZeRO " +
           std::to_string(zero) + " schedule " + std::to_string(static_cast<int>(schedule)) +
           " v " + std::to_string(virtual_stages);
  }
  [[nodiscard]] collectives::TrainingSpec spec() const {
    collectives::TrainingSpec spec = small_training();
    spec.model.layers = 16;
    spec.model.sequence = 48;
    spec.communication.algorithm = collectives::Algorithm::kBinomialTree;
    spec.parallelism.pipeline = pipeline;
    spec.parallelism.tensor = tensor;
    spec.parallelism.data = data;
    spec.parallelism.expert = expert;
    spec.parallelism.zero = zero;
    spec.parallelism.schedule = schedule;
    spec.parallelism.virtual_stages = virtual_stages;
    if (expert > 1) {
      spec.model.experts = 8;
      spec.model.top_k = 2;
      spec.parallelism.expert_tensor = 1;
      spec.parallelism.sequence_parallel = tensor > 1;
    }
    spec.batch.global = data * 2 * pipeline;
    return spec;
  }
};

[[nodiscard]] inline std::vector<MatrixPlan> training_matrix() {
  using enum collectives::PipelineSchedule;
  struct Order {
    collectives::PipelineSchedule schedule;
    std::uint32_t virtual_stages;
  };
  std::vector<MatrixPlan> plans;
  for (const std::uint32_t pipeline : {1U, 2U, 4U, 8U}) {
    for (const std::uint32_t tensor : {1U, 3U, 8U, 24U}) {
      for (const std::uint32_t data : {1U, 2U, 4U}) {
        for (const std::uint32_t expert : {1U, 4U}) {
          for (const std::uint32_t zero : {0U, 1U, 3U}) {
            for (const Order order : {Order{kGpipe, 1},
                                      {kOneForwardOneBackward, 1},
                                      {kOneForwardOneBackward, 2},
                                      {kZeroBubbleH1, 1},
                                      {kDualPipe, 1}}) {
              plans.push_back(
                  {pipeline, tensor, data, expert, zero, order.schedule, order.virtual_stages});
            }
          }
        }
      }
    }
  }
  return plans;
}

/// True: it ran to its end. What is refused has a key and a reason.
[[nodiscard]] inline bool runs_to_its_end(const MatrixPlan& plan) {
  const collectives::TrainingSpec spec = plan.spec();
  collectives::Problems problems;
  collectives::Training::check(spec, plan.ranks(), problems);
  if (!problems.empty()) {
    for (const schema::Problem& problem : problems) {
      EXPECT_FALSE(problem.key.empty() || problem.message.empty()) << plan.text();
    }
    return false;
  }
  const TrainingRun run(spec, plan.ranks(), 1_us, 400_Gbps);
  EXPECT_TRUE(run.is_finished()) << plan.text();
  // Nobody takes less than what there is to compute.
  EXPECT_GE(run.end(), std::int64_t{2} * plan.pipeline * (16 / plan.pipeline) * 12_us)
      << plan.text();
  return true;
}

}  // namespace weft::testing
