#include "collectives/jobs/training/training_calls.hpp"

#include "collectives/jobs/training/training_script.hpp"

namespace weft::collectives {

namespace {

CallCounts counted(const TrainingPlan& plan, std::uint32_t rank, std::uint32_t micro_batches) {
  PipelinePlan pipeline = plan.pipeline;
  pipeline.micro_batches = micro_batches;
  CallCounts counts;
  TrainingScript script(plan, rank, pipeline);
  while (script.next()) {
    for (const ScriptedTask& task : script.tasks()) {
      if (!task.stream.is_compute()) ++counts[task.call];
    }
  }
  return counts;
}

}  // namespace

CallCounts training_calls(const TrainingPlan& plan, std::uint32_t rank) {
  // Enough for every schedule, DualPipe's two directions included, and whole rounds of interleaved
  // ones.
  const std::int64_t few = 2 * std::int64_t{plan.pipeline.ranks};
  const std::int64_t all = plan.pipeline.micro_batches;
  if (all <= 2 * few) return counted(plan, rank, plan.pipeline.micro_batches);
  const CallCounts of_few = counted(plan, rank, static_cast<std::uint32_t>(few));
  CallCounts counts = counted(plan, rank, static_cast<std::uint32_t>(2 * few));
  for (auto& [call, count] : counts) {
    const auto before = of_few.find(call);
    const std::int64_t further = count - (before == of_few.end() ? 0 : before->second);
    count += further * (all - 2 * few) / few;
  }
  return counts;
}

}  // namespace weft::collectives
