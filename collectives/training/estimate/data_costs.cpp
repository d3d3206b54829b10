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

/// Layer by layer, each beside another layer's computation: one layer's communication is exposed,
/// or all of it but what the others' computation hides.
double exposed_by_layers(double communication, double computation, double layers) {
  const double one = 1 / std::max(layers, 1.0);
  return std::max(communication * one, communication - computation * (1 - one));
}

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
    if (!syncs_each) costs.exposed += spec.overlap.gradients ? after_last : e.reduce;
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
                        const StageShare& share, const LayerCosts& costs) {
  if (spec.parallelism.zero != 3) return {};
  const StateExchanges e = exchanges_of(spec, times, share);
  const OverlapSpec& overlap = spec.overlap;
  const BothWays pass = costs.exposed();
  const double layers = share.layers();
  const double again = spec.parallelism.reshard_after_forward ? e.gather : 0.0;
  const double reduce = reduces_each_micro_batch(spec.parallelism) ? e.reduce : 0.0;
  const double hidden = (overlap.prefetch ? again : 0.0) + (overlap.gradients ? reduce : 0.0);
  return {
      .forward = overlap.prefetch ? exposed_by_layers(e.gather, pass.forward, layers) : e.gather,
      .backward = (overlap.prefetch ? 0.0 : again) + (overlap.gradients ? 0.0 : reduce) +
                  exposed_by_layers(hidden, pass.backward, layers)};
}

}  // namespace weft::collectives
