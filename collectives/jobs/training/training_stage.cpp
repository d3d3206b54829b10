#include "collectives/jobs/training/training_stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/stage_share.hpp"

namespace weft::collectives {

namespace {

using UnitKind = TrainingUnit::Kind;

class StageBuilder {
 public:
  explicit StageBuilder(const TrainingSpec& spec)
      : spec_(spec),
        shares_(stage_shares(spec.model, spec.parallelism)),
        dense_(layer_unit(UnitKind::kLayer)),
        expert_(spec.model.experts == 0 ? dense_ : expert_layer()) {}

  TrainingChunk chunk(std::uint32_t stage, bool has_embedding_elsewhere) const {
    TrainingChunk chunk;
    chunk.stage = stage;
    const StageShare& share = shares_[stage];
    const RankParameters embedding = of_share({.has_embedding = true});
    if (share.has_embedding) {
      chunk.units.push_back(unit(UnitKind::kEmbedding, embedding_time(spec_), embedding));
    }
    chunk.units.insert(chunk.units.end(), share.dense_layers, dense_);
    chunk.units.insert(chunk.units.end(), share.expert_layers, expert_);
    // Layers of multi-token prediction follow the output layer.
    const auto of_prediction = static_cast<std::ptrdiff_t>(share.mtp_layers);
    chunk.units.erase(chunk.units.end() - of_prediction, chunk.units.end());
    if (share.has_output) {
      RankParameters output = of_share({.has_output = true});
      if (share.has_embedding || has_embedding_elsewhere) {
        output = of_share({.has_embedding = true, .has_output = true});
        output.dense -= embedding.dense;
      }
      chunk.units.push_back(unit(UnitKind::kOutput, output_time(spec_), output));
    }
    add_prediction(chunk, share, share.has_embedding || has_embedding_elsewhere);
    add_buckets(chunk);
    return chunk;
  }

 private:
  [[nodiscard]] RankParameters of_share(StageShare share) const {
    return rank_parameters(spec_.model, spec_.parallelism, share);
  }
  [[nodiscard]] TrainingUnit unit(UnitKind kind, PassTimes times, RankParameters parameters) const {
    const PrecisionSpec& precision = spec_.precision;
    return {.kind = kind,
            .times = times,
            .loaded = {},
            .shares = {},
            .parameters = sent_parameters(precision, parameters.dense),
            .gradients = sent_gradients(precision, parameters.dense),
            .expert_parameters = sent_parameters(precision, parameters.experts),
            .expert_gradients = sent_gradients(precision, parameters.experts)};
  }
  [[nodiscard]] TrainingUnit layer_unit(UnitKind kind) const {
    const bool has_experts = kind == UnitKind::kExpertLayer;
    TrainingUnit layer = unit(kind, layer_time(spec_, has_experts),
                              layer_rank_parameters(spec_.model, spec_.parallelism, has_experts));
    if (knows_layer_parts(spec_)) layer.shares = layer_parts(spec_, has_experts);
    return layer;
  }
  [[nodiscard]] TrainingUnit expert_layer() const {
    TrainingUnit layer = layer_unit(UnitKind::kExpertLayer);
    if (spec_.routing.skew == 0 && spec_.routing.capacity == 0) return layer;
    const ExpertLoads loads = expert_loads(spec_);
    layer.loaded.reserve(loads.from_each.size());
    for (std::uint32_t place = 0; place < loads.from_each.size(); ++place) {
      layer.loaded.push_back(layer_time(spec_, true, loads.load(place)));
    }
    return layer;
  }
  /// Where the embedding is elsewhere, the first of these layers has a copy of it.
  void add_prediction(TrainingChunk& chunk, const StageShare& share, bool has_embedding) const {
    StageShare ends{.has_embedding = has_embedding, .has_output = true};
    const std::uint64_t without = of_share(ends).dense;
    ends.mtp_layers = share.mtp_layers;
    const std::uint64_t all = of_share(ends).dense - without;
    StageShare one{.has_embedding = true};
    const std::uint64_t lookup = of_share(one).dense;
    one.mtp_layers = 1;
    const std::uint64_t joint = of_share(one).dense - lookup;
    for (std::uint32_t i = 0; i < share.mtp_layers; ++i) {
      RankParameters own;
      own.dense = i == 0 ? all - joint * (share.mtp_layers - 1) : joint;
      chunk.units.push_back(unit(UnitKind::kEmbedding, joint_time(spec_), own));
      chunk.units.push_back(spec_.model.experts == 0 ? dense_ : expert_);
      chunk.units.push_back(unit(UnitKind::kOutput, output_time(spec_), {}));
    }
  }
  void add_buckets(TrainingChunk& chunk) const {
    const Bytes size = bucket_size(spec_);
    GradientBucket bucket;
    bucket.last = static_cast<std::uint32_t>(chunk.units.size() - 1);
    for (std::size_t i = chunk.units.size(); i-- > 0;) {
      const TrainingUnit& unit = chunk.units[i];
      bucket.parameters += unit.parameters;
      bucket.gradients += unit.gradients;
      bucket.expert_parameters += unit.expert_parameters;
      bucket.expert_gradients += unit.expert_gradients;
      bucket.first = static_cast<std::uint32_t>(i);
      if (i > 0 && bucket.gradients + bucket.expert_gradients < size) continue;
      chunk.buckets.push_back(std::exchange(bucket, {}));
      bucket.last = static_cast<std::uint32_t>(i == 0 ? 0 : i - 1);
    }
  }

  const TrainingSpec& spec_;
  std::vector<StageShare> shares_;
  TrainingUnit dense_;
  TrainingUnit expert_;
};

}  // namespace

TrainingStage TrainingStage::of(const TrainingSpec& spec, const PipelinePlan& plan,
                                std::uint32_t pipeline_rank) {
  TrainingStage stage;
  const StageBuilder builder(spec);
  const bool is_dual = plan.schedule == PipelineSchedule::kDualPipe;
  // DualPipe's ranks at the ends hold the first and the last stage.
  const bool has_both_ends = is_dual || plan.ranks == 1;
  for (std::uint32_t c = 0; c < plan.chunks(); ++c) {
    stage.chunks.push_back(builder.chunk(stage_of(plan, {pipeline_rank, c}), has_both_ends));
  }
  std::uint64_t parameters = 0;
  const StageShare share =
      rank_share(stage_shares(spec.model, spec.parallelism), spec.parallelism, pipeline_rank);
  const RankParameters held = rank_parameters(spec.model, spec.parallelism, share);
  const Replicas shards = replicas(spec.parallelism);
  parameters += static_cast<std::uint64_t>(static_cast<double>(held.dense) / shards.dense_shards);
  parameters +=
      static_cast<std::uint64_t>(static_cast<double>(held.experts) / shards.expert_shards);
  stage.optimizer = optimizer_time(spec, static_cast<double>(parameters));
  if (shares_embedding(spec.model) && !has_both_ends &&
      (pipeline_rank == 0 || pipeline_rank + 1 == plan.ranks)) {
    const RankParameters embedding =
        rank_parameters(spec.model, spec.parallelism, {.has_embedding = true});
    stage.tied_gradients = sent_gradients(spec.precision, embedding.dense);
  }
  const auto summed = [&](std::uint64_t numbers, double among) {
    const double whole = static_cast<double>(sent_gradients(spec.precision, numbers).count());
    return Bytes(std::llround(std::ceil(whole / among)));
  };
  if (is_dual) {
    stage.mirrored_gradients =
        summed(held.dense, shards.dense_shards) + summed(held.experts, shards.expert_shards);
  }
  return stage;
}

}  // namespace weft::collectives
