#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/result.hpp"
#include "tools/begin/machine.hpp"

namespace weft::begin {

/// Presets by name.
[[nodiscard]] std::vector<std::string> model_names();

/// A slice of a model, divided over ranks so that it fits into their memory.
struct TrainingPlan {
  std::string model;
  collectives::TrainingSpec spec;
  std::string gpu_note;  ///< why `compute.gpu` is another GPU than the machine's; empty: it is not
};

/// Dense models are divided by tensor parallelism inside a machine, those with experts by expert
/// parallelism. Errors: no such model, or it does not fit.
[[nodiscard]] Result<TrainingPlan> plan_training(const std::string& model, const Machine& machine,
                                                 std::uint32_t ranks);

/// What `compute.gpu` is for the GPUs of a machine.
[[nodiscard]] std::string gpu_of(const Machine& machine);

/// The keys of a job in a scenario.
[[nodiscard]] std::string training_text(const TrainingPlan& plan);

}  // namespace weft::begin
