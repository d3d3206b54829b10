#pragma once

#include <vector>

#include "collectives/training/estimate/layer_costs.hpp"

namespace weft::collectives {

/// What a pipeline's ranks wait for: idle time while it fills and empties, and sends.
struct PipelineCosts {
  double bubble{};
  double sends{};  ///< of all micro-batches, both ways, on one rank
  double exposed_sends{};
};

/// `ranks` is what a micro-batch takes on each rank, all its virtual stages together; with DualPipe
/// the mean of its two stages.
///
/// Bubbles of p ranks: GPipe and 1F1B (p-1)(T_F + T_B), interleaved that over v (Narayanan et al.,
/// SC'21, section 2.2); ZB-H1 (p-1)(T_F + T_B - T_W) with T_B of inputs alone (Qi et al., arXiv
/// 2401.10241, section 2.3); DualPipe (p/2-1)(T_F&B + T_B - 3 T_W) with T_B of both (DeepSeek-AI,
/// arXiv 2412.19437, table 2). Where ranks differ, a pipeline goes at the pace of the slowest, and
/// the others' times take the place of (p-1) of it.
[[nodiscard]] PipelineCosts pipeline_costs(const TrainingSpec& spec, const GroupLinks& links,
                                           const std::vector<LayerCosts>& ranks,
                                           double micro_batches);

/// Which rank takes longest for a micro-batch.
[[nodiscard]] std::size_t slowest_of(const std::vector<LayerCosts>& ranks);

}  // namespace weft::collectives
