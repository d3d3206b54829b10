#pragma once

#include <vector>

#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/estimate/links.hpp"
#include "collectives/training/estimate/passes/stage_run.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What a pipeline's ranks wait for: that a neighbour has computed, while it fills and empties, and
/// then for what it sends. A rank has one message on its way at a time.
struct PipelineCosts {
  std::vector<double> ends;  ///< when each rank has done its last micro-batch
  double seconds{};          ///< until the last of them has
  double pace{};             ///< what a micro-batch takes on the rank that takes longest for it
  double bubble{};           ///< what all of them take longer at this pace, besides sends
  double sends{};            ///< of all micro-batches, both ways, on one rank
  double exposed_sends{};    ///< of those that are on their way, what the mean rank waits
};

/// What a stage of the model takes for a micro-batch.
struct StageCosts {
  LayerCosts costs;
  BothWays sharded;   ///< what ZeRO-3 adds to each pass
  BothWays tail;      ///< until the results of a pass are there; the next pass hides it
  BothWays prepared;  ///< of that, what a pass begins with, whether its input is there or not
  /// Where schedules have pairs of passes: what a pair takes on the stage's rank, with stages and
  /// directions of its passes as they alternate.
  StageTime pair;
};

/// Gives each stage what a pair takes on its rank, where the schedule has pairs.
void add_pairs(const TrainingSpec& spec, const StageRun& run, const std::vector<StageShare>& shares,
               std::vector<StageCosts>& stages);

/// From the orders of all ranks and what depends on what (pipeline_time), so that stages may
/// differ. Of many micro-batches as many are checked as the pipeline needs to come to its pace.
/// Where all stages are alike and gradients of weights take their share, bubbles of p ranks come
/// out as GPipe and 1F1B (p-1)(T_F + T_B), interleaved that over v (Narayanan et al., SC'21,
/// section 2.2); ZB-H1 (p-1)(T_F + T_B - T_W) with T_B of inputs alone (Qi et al., arXiv
/// 2401.10241, section 2.3); DualPipe (p/2-1)(T_F&B + T_B - 3 T_W) with T_B of both (DeepSeek-AI,
/// arXiv 2412.19437, table 2). Its pairs of passes hide the communication of the one behind the
/// computation of the other (section 3.2.1).
[[nodiscard]] PipelineCosts pipeline_costs(const TrainingSpec& spec, const ExchangeTimes& times,
                                           const std::vector<StageCosts>& stages);

/// Of the stages of a pipeline rank together. With DualPipe half of the micro-batches go through
/// each of the two: it is their mean, as it is in pairs.
[[nodiscard]] LayerCosts rank_costs(const TrainingSpec& spec, const std::vector<StageCosts>& stages,
                                    std::uint32_t rank);

}  // namespace weft::collectives
