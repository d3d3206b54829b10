#include "collectives/training/estimate/data_costs.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/plan/plan_check.hpp"

namespace weft::collectives {
namespace {

/// Seconds of one exchange of all that a rank holds.
struct StateExchanges {
  double reduce{};     ///< all-reduce of gradients; with ZeRO their reduce-scatter
  double gather{};     ///< of parameters; 0 without ZeRO
  double copies{};     ///< all-reduce of shards' gradients among copies of the shards
  double parts = 1.0;  ///< that each is done in: buckets, or layers
};

/// A bucket is over with the layer that makes it large enough. ZeRO-3 exchanges layer by layer.
double parts_of_exchange(const TrainingSpec& spec, double layers, double gradients) {
  layers = std::max(layers, 1.0);
  if (spec.parallelism.zero == 3 || gradients <= 0) return layers;
  const double in_bucket =
      std::max(1.0, std::ceil(static_cast<double>(bucket_size(spec).count()) * layers / gradients));
  return std::ceil(layers / in_bucket);
}

StateExchanges exchanges_of(const TrainingSpec& spec, const ExchangeTimes& times,
                            const StageShare& share) {
  const RankParameters held = rank_parameters(spec.model, spec.parallelism, share);
  const Replicas ranks = replicas(spec.parallelism);
  const PrecisionSpec& precision = spec.precision;
  const double number = sent_bytes_each(precision.exchange.gradients, precision.gradients);
  StateExchanges e;
  e.parts = parts_of_exchange(spec, share.layers(),
                              static_cast<double>(held.dense + held.experts) * number);
  const auto exchange = [&](GroupKind kind, Operation operation, double bytes) {
    return e.parts * times.collective(kind, operation, bytes / e.parts);
  };
  const auto add = [&](std::uint64_t count, GroupKind all, GroupKind shards, GroupKind copies,
                       double shard_ranks) {
    const double reduced = static_cast<double>(count) * number;
    const double gathered = static_cast<double>(count) *
                            sent_bytes_each(precision.exchange.parameters, precision.parameters);
    if (spec.parallelism.zero == 0) {
      e.reduce += exchange(all, Operation::kAllReduce, reduced);
      return;
    }
    e.reduce += exchange(shards, Operation::kReduceScatter, reduced);
    e.gather += exchange(shards, Operation::kAllGather, gathered);
    e.copies += exchange(copies, Operation::kAllReduce, reduced / shard_ranks);
  };
  add(held.dense, GroupKind::kGradient, GroupKind::kShard, GroupKind::kReplicate,
      ranks.dense_shards);
  if (held.experts != 0) {
    add(held.experts, GroupKind::kExpertData, GroupKind::kExpertShard, GroupKind::kExpertReplicate,
        ranks.expert_shards);
  }
  return e;
}

/// ZeRO-3 layer by layer: what a layer computes, and what is gathered before and reduced after.
struct ShardedLayer {
  BothWays compute{};
  double gather{};
  double regather{};  ///< before its backward pass
  double reduce{};
};

/// When a rank has computed some micro-batches, and when its last exchange is over.
struct ShardedEnd {
  double computed{};
  double exchanged{};
};

/// Passes of `layers` alike, one micro-batch after another. A layer's parameters are gathered as
/// the layer before begins, the first ones as nothing is computed. Exchanges are one after another.
ShardedEnd sharded_run(const OverlapSpec& overlap, const ShardedLayer& each, std::uint32_t layers,
                       std::uint32_t micro_batches) {
  ShardedEnd end;
  const auto exchange = [&end](double seconds) {
    if (seconds > 0) end.exchanged = std::max(end.exchanged, end.computed) + seconds;
    return end.exchanged;
  };
  const auto pass = [&](double compute, double gather, double reduce) {
    double gathered = 0;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      if (gather > 0 && (layer == 0 || !overlap.prefetch)) gathered = exchange(gather);
      const double begin = std::max(end.computed, gathered);
      if (gather > 0 && overlap.prefetch && layer + 1 < layers) gathered = exchange(gather);
      end.computed = begin + compute;
      if (reduce <= 0) continue;
      const double reduced = exchange(reduce);
      if (!overlap.gradients) end.computed = reduced;
    }
  };
  for (std::uint32_t i = 0; i < micro_batches; ++i) {
    pass(each.compute.forward, each.gather, 0);
    pass(each.compute.backward, each.regather, each.reduce);
  }
  return end;
}

/// Of a rank whose passes compute for `pass`. Where parameters are kept after a forward pass,
/// fewer forward passes than micro-batches gather them.
ShardedLayer sharded_layer(const TrainingSpec& spec, const StateExchanges& e,
                           std::uint32_t pipeline_rank, const BothWays& pass, double layers) {
  const bool reshards = spec.parallelism.reshard_after_forward;
  const double passes = passes_of_chunk(pipeline_of(spec));
  const auto gathers = static_cast<double>(gathers_of_chunk(spec, pipeline_rank));
  const double kept = reshards ? 1 : gathers / passes;
  const double one = 1 / std::max(layers, 1.0);
  return {.compute = pass * one,
          .gather = e.gather * one * kept,
          .regather = reshards ? e.gather * one : 0.0,
          .reduce = reduces_each_micro_batch(spec.parallelism) ? e.reduce * one : 0.0};
}

/// Micro-batches after which a rank keeps its pace.
constexpr std::uint32_t kSteady = 3;

/// A tied embedding that both ends of a pipeline have; with DualPipe all that a rank has.
double pipeline_sums(const TrainingSpec& spec, const ExchangeTimes& times,
                     const StageShare& share) {
  const ParallelismSpec& plan = spec.parallelism;
  const double number =
      sent_bytes_each(spec.precision.exchange.gradients, spec.precision.gradients);
  const Replicas ranks = replicas(plan);
  if (plan.pipeline < 2) return 0;
  if (plan.schedule == PipelineSchedule::kDualPipe) {
    const RankParameters held = rank_parameters(spec.model, plan, share);
    const double summed = static_cast<double>(held.dense) / ranks.dense_shards +
                          static_cast<double>(held.experts) / ranks.expert_shards;
    return times.collective(GroupKind::kMirror, Operation::kAllReduce, summed * number);
  }
  if (!shares_embedding(spec.model) || share.has_embedding == share.has_output) return 0;
  const double embedding = 1.0 * spec.model.vocabulary * spec.model.hidden / plan.tensor;
  return times.collective(GroupKind::kEmbedding, Operation::kAllReduce, embedding * number);
}

}  // namespace

DataCosts data_costs(const TrainingSpec& spec, const ExchangeTimes& times, const StageShare& share,
                     std::uint32_t pipeline_rank, const BothWays& pass) {
  const StateExchanges e = exchanges_of(spec, times, share);
  const double last = e.copies + pipeline_sums(spec, times, share);
  const double one = 1 / e.parts;
  // The last bucket's sums begin when its last layer is done.
  const double after_last = std::max(e.reduce * one, e.reduce - pass.backward * (1 - one));
  const bool syncs_each = reduces_each_micro_batch(spec.parallelism);
  const double syncs = syncs_each ? passes_of_chunk(pipeline_of(spec)) : 1;
  if (spec.parallelism.zero == 3) {
    const auto gathers = static_cast<double>(gathers_of_chunk(spec, pipeline_rank));
    DataCosts costs{.all = gathers * e.gather + syncs * e.reduce + last, .exposed = last};
    if (!syncs_each) {
      costs.exposed += spec.overlap.gradients ? after_last : e.reduce;
      return costs;
    }
    const std::uint32_t layers = std::max(share.layers(), 1U);
    const ShardedLayer layer = sharded_layer(spec, e, pipeline_rank, pass, layers);
    const ShardedEnd end = sharded_run(spec.overlap, layer, layers, kSteady);
    const ShardedEnd before = sharded_run(spec.overlap, layer, layers, kSteady - 1);
    // The pace has sums of the micro-batch before beside it, which the first one does not have.
    const double pace = end.computed - before.computed;
    costs.exposed += std::max(0.0, std::max(end.exchanged, end.computed) - kSteady * pace);
    return costs;
  }
  DataCosts costs{.all = syncs * e.reduce + e.gather, .exposed = e.reduce + e.gather};
  if (spec.overlap.gradients) costs.exposed = after_last + e.gather;
  // Sums of earlier micro-batches have the next one's passes beside them, or nothing.
  costs.exposed +=
      (syncs - 1) * (spec.overlap.gradients ? std::max(0.0, e.reduce - pass.total()) : e.reduce);
  if (gathers_in_forward(spec)) {
    costs.exposed -= e.gather;
    costs.before = std::max(e.gather * one, e.gather - pass.forward * (1 - one));
  }
  costs.all += last;
  costs.exposed += last;
  return costs;
}

BothWays sharded_passes(const TrainingSpec& spec, const ExchangeTimes& times,
                        const StageShare& share, std::uint32_t pipeline_rank,
                        const LayerCosts& costs) {
  if (spec.parallelism.zero != 3) return {};
  const BothWays pass = costs.exposed();
  const std::uint32_t layers = std::max(share.layers(), 1U);
  const ShardedLayer layer =
      sharded_layer(spec, exchanges_of(spec, times, share), pipeline_rank, pass, layers);
  const auto computed = [&](const ShardedLayer& each, std::uint32_t micro_batches) {
    return sharded_run(spec.overlap, each, layers, micro_batches).computed;
  };
  const double pace = computed(layer, kSteady) - computed(layer, kSteady - 1);
  const double added = std::max(0.0, pace - pass.total());
  ShardedLayer forward = layer;
  forward.compute.backward = forward.regather = forward.reduce = 0;
  const double of_forward = std::min(added, std::max(0.0, computed(forward, 1) - pass.forward));
  return {.forward = of_forward, .backward = added - of_forward};
}

}  // namespace weft::collectives
