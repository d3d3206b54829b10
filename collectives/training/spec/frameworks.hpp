#pragma once

#include <span>

#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What a framework chooses of what is not a matter of model, size or machine: precision, what is
/// sharded, gathered and reduced when, how tokens get to experts, and what overlaps.
struct FrameworkChoices {
  Framework framework = Framework::kNone;
  const char* name = "";
  const char* doc = "";
  const char* source = "";
  /// Makes its choices in a specification whose other keys are as the scenario has them.
  void (*choose)(TrainingSpec&) = nullptr;
};

[[nodiscard]] std::span<const FrameworkChoices> frameworks();
/// Null for none.
[[nodiscard]] const FrameworkChoices* find_framework(Framework framework);

}  // namespace weft::collectives
