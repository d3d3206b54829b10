#include "collectives/training/estimate/data_costs.hpp"

#include <algorithm>

#include "collectives/training/compute/gpu.hpp"

namespace weft::collectives {
namespace {

/// Seconds of one exchange of all that a rank holds.
struct StateExchanges {
  double reduce{};  ///< all-reduce of gradients; with ZeRO their reduce-scatter
  double gather{};  ///< of parameters; 0 without ZeRO
  double copies{};  ///< all-reduce of shards' gradients among copies of the shards
  double bucket{};  ///< of `reduce`, the last bucket's part
};

/// Megatron-LM's size of a bucket: 40 M parameters, or 1 M for each data rank if that is more
/// (megatron/core/distributed, DistributedDataParallelConfig::bucket_size).
double bucket_bytes(const TrainingSpec& spec, double data_ranks) {
  if (spec.overlap.bucket.count() > 0) return static_cast<double>(spec.overlap.bucket.count());
  return std::max(40e6, 1e6 * data_ranks) * bytes_of(spec.precision.gradients);
}

StateExchanges exchanges_of(const TrainingSpec& spec, const GroupLinks& links,
                            const StageShare& share) {
  const RankParameters held = rank_parameters(spec.model, spec.parallelism, share);
  const Replicas ranks = replicas(spec.parallelism);
  StateExchanges e;
  double gradients = 0;
  const auto add = [&](std::uint64_t count, double all, double shards) {
    const double reduced = static_cast<double>(count) * bytes_of(spec.precision.gradients);
    const double gathered = static_cast<double>(count) * bytes_of(spec.precision.parameters);
    gradients += reduced;
    if (spec.parallelism.zero == 0) {
      e.reduce += links.data.all_reduce(all, reduced);
      return;
    }
    e.reduce += links.data.one_pass(shards, reduced);
    e.gather += links.data.one_pass(shards, gathered);
    e.copies += links.data.all_reduce(all / shards, reduced / shards);
  };
  add(held.dense, ranks.dense, ranks.dense_shards);
  if (held.experts != 0) add(held.experts, ranks.experts, ranks.expert_shards);
  if (gradients > 0) {
    e.bucket = e.reduce * std::min(1.0, bucket_bytes(spec, ranks.dense) / gradients);
  }
  return e;
}

/// Layer by layer, each beside another layer's computation: one layer's communication is exposed,
/// or all of it but what the others' computation hides.
double exposed_by_layers(double communication, double computation, double layers) {
  const double one = 1 / std::max(layers, 1.0);
  return std::max(communication * one, communication - computation * (1 - one));
}

DataCosts sharded_costs(const TrainingSpec& spec, const StateExchanges& e, const LayerCosts& rank,
                        double layers, double micro_batches) {
  const OverlapSpec& overlap = spec.overlap;
  const double forward =
      overlap.prefetch ? exposed_by_layers(e.gather, rank.exposed().forward, layers) : e.gather;
  const double hidden = (overlap.prefetch ? e.gather : 0.0) + (overlap.gradients ? e.reduce : 0.0);
  const double backward = (overlap.prefetch ? 0.0 : e.gather) +
                          (overlap.gradients ? 0.0 : e.reduce) +
                          exposed_by_layers(hidden, rank.exposed().backward, layers);
  return {.all = micro_batches * (2 * e.gather + e.reduce),
          .exposed = micro_batches * (forward + backward)};
}

/// A tied embedding that both ends of a pipeline have; with DualPipe all that a rank has.
double pipeline_sums(const TrainingSpec& spec, const GroupLinks& links, const StageShare& share) {
  const ParallelismSpec& plan = spec.parallelism;
  const double number = bytes_of(spec.precision.gradients);
  if (plan.pipeline < 2) return 0;
  if (plan.schedule == PipelineSchedule::kDualPipe) {
    const RankParameters held = rank_parameters(spec.model, plan, share);
    return links.pipeline.all_reduce(2, static_cast<double>(held.dense + held.experts) * number);
  }
  if (!spec.model.tied_embeddings || share.has_embedding == share.has_output) return 0;
  const double embedding = 1.0 * spec.model.vocabulary * spec.model.hidden / plan.tensor;
  return links.pipeline.all_reduce(2, embedding * number);
}

}  // namespace

DataCosts data_costs(const TrainingSpec& spec, const GroupLinks& links, const StageShare& share,
                     const LayerCosts& rank, double micro_batches) {
  const StateExchanges e = exchanges_of(spec, links, share);
  const double last = e.copies + pipeline_sums(spec, links, share);
  DataCosts costs;
  if (spec.parallelism.zero == 3) {
    costs = sharded_costs(spec, e, rank, share.layers(), micro_batches);
  } else {
    costs.all = e.reduce + e.gather;
    costs.exposed = costs.all;
    if (spec.overlap.gradients) {
      costs.exposed = std::max(e.bucket, e.reduce - rank.exposed().backward) + e.gather;
    }
  }
  costs.all += last;
  costs.exposed += last;
  return costs;
}

}  // namespace weft::collectives
