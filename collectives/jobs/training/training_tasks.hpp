#pragma once

#include <cstdint>
#include <span>

#include "collectives/jobs/training/training_plan.hpp"
#include "collectives/tasks/tasks.hpp"

namespace weft::collectives {

/// A training job as parts. Slots of the pipeline are issued in an order that does not wait in
/// circles where messages are taken as they come, and each wait is for an earlier task, so that
/// every plan comes to its end.
class TrainingTasks final : public TaskSet {
 public:
  /// The specification has no problems. `expert_domain`: as TrainingPlan has it.
  explicit TrainingTasks(const TrainingSpec& spec, std::uint32_t expert_domain = 1);

  [[nodiscard]] const TrainingPlan& plan() const { return plan_; }
  [[nodiscard]] std::span<const Communicator> communicators() const override {
    return plan_.groups.communicators();
  }
  [[nodiscard]] std::span<const CommunicatorCall> calls() const override {
    return plan_.groups.calls();
  }
  [[nodiscard]] std::uint32_t iterations() const override { return plan_.spec.iterations; }
  [[nodiscard]] std::span<const JitterSpec> noise() const override { return plan_.spec.noise; }
  [[nodiscard]] std::uint32_t stage_of(std::uint32_t rank) const override {
    return plan_.grid.place_of(rank).pipeline;
  }
  [[nodiscard]] std::uint32_t script_of(std::uint32_t rank) const override;
  [[nodiscard]] double communication_slowdown() const override {
    return plan_.spec.compute.communication_slowdown;
  }
  [[nodiscard]] TaskStream tasks(std::uint32_t rank, StreamOf stream,
                                 std::uint32_t iteration) const override;
  [[nodiscard]] std::string label_name(std::uint32_t label) const override;
  [[nodiscard]] CallCounts call_counts(std::uint32_t rank,
                                       std::span<const std::uint32_t> communicators) const override;

 private:
  TrainingPlan plan_;
};

}  // namespace weft::collectives
