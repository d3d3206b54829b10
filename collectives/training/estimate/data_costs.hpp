#pragma once

#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/memory/rank_parameters.hpp"

namespace weft::collectives {

/// Seconds of a step that ranks with the same parameters exchange them and their gradients for.
struct DataCosts {
  double all{};
  double exposed{};
};

/// Of a rank that holds `share`, and takes `rank` for a micro-batch. Gradients are added up, or
/// scattered and updated parameters gathered (ZeRO 1 and 2), once per step, beside the last
/// micro-batch's backward pass but for the last bucket; ZeRO-3 gathers parameters in each pass of
/// each micro-batch and scatters gradients, beside computation but for one layer's. Copies of
/// shards, a tied embedding and DualPipe's second copy add their gradients up at the end.
[[nodiscard]] DataCosts data_costs(const TrainingSpec& spec, const GroupLinks& links,
                                   const StageShare& share, const LayerCosts& rank,
                                   double micro_batches);

}  // namespace weft::collectives
