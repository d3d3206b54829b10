#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/training/pipeline/pipeline_plan.hpp"

namespace weft::testing {

inline constexpr auto kOneByOne = collectives::PipelineSchedule::kOneForwardOneBackward;

/// Plans of every schedule that have no problems, of ranks, virtual stages and micro-batches from
/// small lists.
inline std::vector<collectives::PipelinePlan> plans_without_problems() {
  using collectives::PipelineSchedule;
  std::vector<collectives::PipelinePlan> plans;
  for (const PipelineSchedule schedule :
       {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward,
        PipelineSchedule::kZeroBubbleH1, PipelineSchedule::kDualPipe}) {
    for (const std::uint32_t p : {1U, 2U, 3U, 4U, 5U, 8U, 12U, 16U}) {
      for (const std::uint32_t m : {1U, 2U, 3U, 4U, 7U, 8U, 12U, 16U, 24U, 32U, 48U, 64U}) {
        for (const std::uint32_t v : {1U, 2U, 3U, 6U}) {
          std::vector<schema::Problem> problems;
          collectives::check_pipeline({schedule, p, v, m}, problems);
          if (!problems.empty()) continue;
          plans.push_back({schedule, p, v, m});
          if (schedule == kOneByOne) plans.push_back({schedule, p, v, m, true});
        }
      }
    }
  }
  return plans;
}

inline std::string described(const collectives::PipelinePlan& plan) {
  return "schedule " + std::to_string(static_cast<int>(plan.schedule)) + ", p " +
         std::to_string(plan.ranks) + ", v " + std::to_string(plan.virtual_stages) + ", m " +
         std::to_string(plan.micro_batches) + (plan.has_pairs ? ", in pairs" : "");
}

inline std::vector<collectives::Slot> all_slots(const collectives::PipelinePlan& plan,
                                                std::uint32_t rank) {
  std::vector<collectives::Slot> slots;
  collectives::SlotStream stream = pipeline_slots(plan, rank);
  for (collectives::Slot slot; stream.next(slot);) slots.push_back(slot);
  return slots;
}

}  // namespace weft::testing
