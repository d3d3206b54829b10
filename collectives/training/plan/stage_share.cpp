#include "collectives/training/plan/stage_share.hpp"

#include <algorithm>
#include <cstddef>

#include "collectives/training/model/parameters.hpp"

namespace weft::collectives {
namespace {

std::uint32_t layers_of_stage(const ModelSpec& model, const ParallelismSpec& parallelism,
                              std::uint32_t stage) {
  const std::uint32_t ranks = parallelism.pipeline;
  const std::uint32_t stages = ranks * parallelism.virtual_stages;
  if (!parallelism.stage_layers.empty()) {
    const std::size_t at = std::size_t{stage % ranks} * parallelism.virtual_stages + stage / ranks;
    return at < parallelism.stage_layers.size() ? parallelism.stage_layers[at] : 0;
  }
  return model.layers / stages + (stage < model.layers % stages ? 1 : 0);
}

}  // namespace

StageShare& StageShare::operator+=(const StageShare& other) {
  dense_layers += other.dense_layers;
  expert_layers += other.expert_layers;
  mtp_layers += other.mtp_layers;
  has_embedding = has_embedding || other.has_embedding;
  has_output = has_output || other.has_output;
  return *this;
}

std::vector<StageShare> stage_shares(const ModelSpec& model, const ParallelismSpec& parallelism) {
  const std::uint32_t stages = parallelism.pipeline * parallelism.virtual_stages;
  std::vector<StageShare> shares(stages);
  std::uint32_t dense_left = layer_counts(model).dense;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const std::uint32_t layers = layers_of_stage(model, parallelism, stage);
    StageShare& share = shares[stage];
    share.dense_layers = std::min(layers, dense_left);
    share.expert_layers = layers - share.dense_layers;
    dense_left -= share.dense_layers;
  }
  shares.front().has_embedding = true;
  StageShare& last = shares.back();
  last.has_output = true;
  last.mtp_layers = model.mtp_layers;
  (model.experts != 0 ? last.expert_layers : last.dense_layers) += model.mtp_layers;
  return shares;
}

StageShare rank_share(const std::vector<StageShare>& stages, const ParallelismSpec& parallelism,
                      std::uint32_t rank) {
  StageShare sum;
  for (std::size_t stage = rank; stage < stages.size(); stage += parallelism.pipeline) {
    sum += stages[stage];
  }
  if (parallelism.schedule == PipelineSchedule::kDualPipe) sum += stages[stages.size() - 1 - rank];
  return sum;
}

}  // namespace weft::collectives
