#include "collectives/jobs/training/training_tasks.hpp"

#include <vector>

#include "collectives/jobs/training/training_calls.hpp"
#include "collectives/jobs/training/training_script.hpp"
#include "collectives/training/model/completed.hpp"

namespace weft::collectives {

namespace {

TrainingSpec with_completed_model(TrainingSpec spec) {
  spec.model = completed(spec.model);
  return spec;
}

}  // namespace

TrainingTasks::TrainingTasks(const TrainingSpec& spec, std::uint32_t expert_domain)
    : plan_(with_completed_model(spec), expert_domain) {}

TaskStream TrainingTasks::tasks(std::uint32_t rank, StreamOf stream,
                                std::uint32_t /*iteration*/) const {
  TrainingScript script(plan_, rank);
  script.keep_only(stream);
  std::vector<Dependency> after;
  while (script.next()) {
    for (const ScriptedTask& task : script.tasks()) {
      task.after.copy_to(after);
      co_yield Task{task.time, task.call, after, task.label};
    }
  }
}

std::uint32_t TrainingTasks::script_of(std::uint32_t rank) const {
  const RankPlace place = plan_.grid.place_of(rank);
  const std::uint32_t experts = plan_.grid.size_of(GroupKind::kExpert);
  return place.pipeline * experts + (plan_.has_uneven_experts() ? place.expert : 0);
}

std::string TrainingTasks::label_name(std::uint32_t label) const {
  return TrainingLabel(label).name();
}

CallCounts TrainingTasks::call_counts(std::uint32_t rank,
                                      std::span<const std::uint32_t> /*communicators*/) const {
  return training_calls(plan_, rank);
}

}  // namespace weft::collectives
