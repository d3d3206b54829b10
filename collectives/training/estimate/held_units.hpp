#pragma once

#include <vector>

#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/estimate/passes/stage_run.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What a micro-batch takes in each kind of unit, in seconds, with what nothing hides of its
/// exchanges; those of gradients and parameters apart.
struct UnitPasses {
  BothWays embedding;
  BothWays dense_layer;
  BothWays expert_layer;
  BothWays output;
  BothWays joint;  ///< before a layer of multi-token prediction
};
[[nodiscard]] UnitPasses unit_passes(const TrainingSpec& spec, const StageRun& run);

/// What a rank holds that jobs gather and reduce as a whole (TrainingUnit): the embedding, a layer,
/// the output layer.
struct HeldUnit {
  double dense{};    ///< parameters
  double experts{};  ///< likewise
  BothWays pass;
};

/// In the order of the forward pass. Passes are stretched so that all take `pass`.
[[nodiscard]] std::vector<HeldUnit> held_units(const TrainingSpec& spec, const StageShare& share,
                                               const UnitPasses& passes, const BothWays& pass);

}  // namespace weft::collectives
