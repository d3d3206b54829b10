#pragma once

#include <cstdint>

#include "collectives/training/estimate/held_units.hpp"
#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/estimate/links.hpp"
#include "collectives/training/plan/stage_share.hpp"

namespace weft::collectives {

/// Seconds that ranks with the same parameters exchange them and their gradients for. Gradients are
/// added up, or scattered and updated parameters gathered (ZeRO 1 and 2), once per step, in
/// buckets, beside the last micro-batch's backward pass but for the last bucket. Copies of shards,
/// a tied embedding and DualPipe's second copy add their gradients up at the end.
struct DataCosts {
  double all{};
  double exposed{};  ///< after the last backward pass
  double before{};   ///< by what the first forward pass waits for parameters that were updated
};

/// Of a step, on a rank of the pipeline that holds `share` and takes `pass` for a micro-batch, of
/// which its units have shares as in `passes`.
[[nodiscard]] DataCosts data_costs(const TrainingSpec& spec, const ExchangeTimes& times,
                                   const StageShare& share, std::uint32_t pipeline_rank,
                                   const UnitPasses& passes, const BothWays& pass);

/// By how much ZeRO-3 makes the passes of one micro-batch through `share` longer, which take
/// `costs`: it gathers parameters in each and scatters gradients, beside computation but for those
/// of the first unit.
struct ShardedPasses {
  BothWays added;
  BothWays first;  ///< of that, what a pass begins with: it waits for no input
};
[[nodiscard]] ShardedPasses sharded_passes(const TrainingSpec& spec, const ExchangeTimes& times,
                                           const StageShare& share, std::uint32_t pipeline_rank,
                                           const UnitPasses& passes, const LayerCosts& costs);

}  // namespace weft::collectives
