#pragma once

#include <span>

#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// A published model by name, and where its numbers come from.
struct ModelPreset {
  const char* name = "";
  const char* source = "";
  ModelSpec model;  ///< zeros as ModelSpec has them
};

/// All of them; none of them is ModelSpec::Preset::kNone.
[[nodiscard]] std::span<const ModelPreset> model_presets();

/// The numbers of a preset; of kNone a model without any.
[[nodiscard]] ModelSpec model_preset(ModelSpec::Preset preset);

}  // namespace weft::collectives
