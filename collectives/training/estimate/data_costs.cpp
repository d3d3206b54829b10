#include "collectives/training/estimate/data_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/estimate/held_units.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/plan/plan_check.hpp"

namespace weft::collectives {
namespace {

/// Seconds of exchanges of what is exchanged as a whole: a bucket, or with ZeRO-3 a unit.
struct StateExchange {
  double reduce{};  ///< all-reduce of gradients; with ZeRO their reduce-scatter
  double gather{};  ///< of parameters; 0 without ZeRO
  double copies{};  ///< all-reduce of shards' gradients among copies of the shards
  BothWays pass;    ///< what is computed in these units

  StateExchange& operator+=(const StateExchange& other) {
    reduce += other.reduce;
    gather += other.gather;
    copies += other.copies;
    pass += other.pass;
    return *this;
  }
};

/// An exchange of `bytes` among a kind of groups.
struct GroupExchange {
  GroupKind kind = GroupKind::kGradient;
  Operation operation = Operation::kAllReduce;
  double bytes{};
};

/// Seconds of two exchanges at once: the longer one, and as long as the other's bytes occupy links,
/// which is what twice as many would take longer. Latencies of both pass at once.
double at_once(const ExchangeTimes& times, const GroupExchange& a, const GroupExchange& b) {
  const auto of = [&](const GroupExchange& e, double factor) {
    return e.bytes > 0 ? times.collective(e.kind, e.operation, factor * e.bytes) : 0;
  };
  const double first = of(a, 1);
  const double second = of(b, 1);
  const bool is_first_longer = first >= second;
  const double shorter = std::min(first, second);
  if (shorter <= 0) return std::max(first, second);
  const double bytes = std::max(0.0, of(is_first_longer ? b : a, 2) - shorter);
  return std::max(first, second) + std::min(shorter, bytes);
}

StateExchange exchange_of(const TrainingSpec& spec, const ExchangeTimes& times,
                          const HeldUnit& held) {
  const Replicas ranks = replicas(spec.parallelism);
  const PrecisionSpec& precision = spec.precision;
  const double number = sent_bytes_each(precision.exchange.gradients, precision.gradients);
  StateExchange e;
  e.pass = held.pass;
  const double parameter = sent_bytes_each(precision.exchange.parameters, precision.parameters);
  const auto both = [&](Operation operation, GroupKind dense, double dense_bytes, GroupKind experts,
                        double expert_bytes) {
    return at_once(times, {dense, operation, dense_bytes}, {experts, operation, expert_bytes});
  };
  const double dense = held.dense * number;
  const double experts = held.experts * number;
  if (spec.parallelism.zero == 0) {
    e.reduce =
        both(Operation::kAllReduce, GroupKind::kGradient, dense, GroupKind::kExpertData, experts);
    return e;
  }
  e.reduce =
      both(Operation::kReduceScatter, GroupKind::kShard, dense, GroupKind::kExpertShard, experts);
  e.gather = both(Operation::kAllGather, GroupKind::kShard, held.dense * parameter,
                  GroupKind::kExpertShard, held.experts * parameter);
  e.copies = both(Operation::kAllReduce, GroupKind::kReplicate, dense / ranks.dense_shards,
                  GroupKind::kExpertReplicate, experts / ranks.expert_shards);
  return e;
}

/// Of units in the order of the forward pass. A bucket is over with the unit that makes it large
/// enough, from the last one on; ZeRO-3 exchanges unit by unit.
std::vector<StateExchange> exchanges_of(const TrainingSpec& spec, const ExchangeTimes& times,
                                        const std::vector<HeldUnit>& units) {
  const double number =
      sent_bytes_each(spec.precision.exchange.gradients, spec.precision.gradients);
  const double size =
      spec.parallelism.zero == 3 ? 0 : static_cast<double>(bucket_size(spec).count());
  std::vector<StateExchange> exchanges;
  HeldUnit bucket;
  for (std::size_t i = units.size(); i-- > 0;) {
    bucket.dense += units[i].dense;
    bucket.experts += units[i].experts;
    bucket.pass += units[i].pass;
    if (i > 0 && (bucket.dense + bucket.experts) * number < size) continue;
    exchanges.push_back(exchange_of(spec, times, bucket));
    bucket = {};
  }
  std::ranges::reverse(exchanges);
  return exchanges;
}

/// When a rank has computed some micro-batches, and when its last exchange is over.
struct ShardedEnd {
  double computed{};
  double exchanged{};
  BothWays first;  ///< what passes of the last one waited before their first unit
};

/// How ZeRO-3 exchanges units in passes: shares of the times of their exchanges.
struct ShardedShares {
  double gather = 1;    ///< before a forward pass
  double regather = 1;  ///< before a backward pass
  double reduce = 1;
};

/// Passes of units, one micro-batch after another. A unit's parameters are gathered as the unit
/// before begins, the first ones as nothing is computed. Exchanges are one after another.
ShardedEnd sharded_run(const OverlapSpec& overlap, const std::vector<StateExchange>& units,
                       const ShardedShares& shares, std::uint32_t micro_batches) {
  ShardedEnd end;
  const auto exchange = [&end](double seconds) {
    if (seconds > 0) end.exchanged = std::max(end.exchanged, end.computed) + seconds;
    return seconds > 0 ? end.exchanged : end.computed;
  };
  const auto pass = [&](bool is_forward) {
    const double share = is_forward ? shares.gather : shares.regather;
    const auto unit = [&](std::size_t i) -> const StateExchange& {
      return units[is_forward ? i : units.size() - 1 - i];
    };
    double gathered = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (i == 0 || !overlap.prefetch) gathered = exchange(unit(i).gather * share);
      const double begin = std::max(end.computed, gathered);
      if (i == 0) (is_forward ? end.first.forward : end.first.backward) = begin - end.computed;
      if (overlap.prefetch && i + 1 < units.size()) gathered = exchange(unit(i + 1).gather * share);
      end.computed = begin + (is_forward ? unit(i).pass.forward : unit(i).pass.backward);
      if (is_forward || unit(i).reduce * shares.reduce <= 0) continue;
      const double reduced = exchange(unit(i).reduce * shares.reduce);
      if (!overlap.gradients) end.computed = reduced;
    }
  };
  for (std::uint32_t i = 0; i < micro_batches; ++i) {
    pass(true);
    pass(false);
  }
  return end;
}

/// Where parameters are kept after a forward pass, fewer forward passes than micro-batches gather
/// them.
ShardedShares sharded_shares(const TrainingSpec& spec, std::uint32_t pipeline_rank) {
  const bool reshards = spec.parallelism.reshard_after_forward;
  const double passes = passes_of_chunk(pipeline_of(spec));
  const auto gathers = static_cast<double>(gathers_of_chunk(spec, pipeline_rank));
  return {.gather = reshards ? 1 : gathers / passes,
          .regather = reshards ? 1.0 : 0.0,
          .reduce = reduces_each_micro_batch(spec.parallelism) ? 1.0 : 0.0};
}

/// What of sums that follow each bucket's backward pass is left after the last one.
double left_of_sums(const std::vector<StateExchange>& buckets) {
  double computed = 0;
  double sends_until = 0;
  for (std::size_t i = buckets.size(); i-- > 0;) {
    computed += buckets[i].pass.backward;
    sends_until = std::max(sends_until, computed) + buckets[i].reduce + buckets[i].copies;
  }
  return sends_until - computed;
}

/// What a forward pass waits for buckets whose parameters are gathered during it: the next one as
/// the pass comes to one (TrainingScript::await_updated).
double left_of_gathers(const std::vector<StateExchange>& buckets) {
  double computed = 0;
  double gathered = 0;
  double all = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (i == 0) gathered = buckets[0].gather;
    computed = std::max(computed, gathered);
    if (i + 1 < buckets.size()) gathered = computed + buckets[i + 1].gather;
    computed += buckets[i].pass.forward;
    all += buckets[i].pass.forward;
  }
  return computed - all;
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

namespace {

/// Of ZeRO-3, whose passes gather and, where they do, reduce themselves.
DataCosts sharded_costs(const TrainingSpec& spec, const std::vector<StateExchange>& units,
                        std::uint32_t pipeline_rank) {
  StateExchange e;
  for (const StateExchange& unit : units) e += unit;
  const bool syncs_each = reduces_each_micro_batch(spec.parallelism);
  const double syncs = syncs_each ? passes_of_chunk(pipeline_of(spec)) : 1;
  const auto gathers = static_cast<double>(gathers_of_chunk(spec, pipeline_rank));
  DataCosts costs{.all = gathers * e.gather + syncs * e.reduce + e.copies, .exposed = e.copies};
  if (!syncs_each) {
    std::vector<StateExchange> sums = units;
    for (StateExchange& unit : sums) unit.copies = 0;
    costs.exposed += spec.overlap.gradients ? left_of_sums(sums) : e.reduce;
    return costs;
  }
  const ShardedShares shares = sharded_shares(spec, pipeline_rank);
  const ShardedEnd end = sharded_run(spec.overlap, units, shares, kSteady);
  const ShardedEnd before = sharded_run(spec.overlap, units, shares, kSteady - 1);
  // The pace has sums of the micro-batch before beside it, which the first one does not have.
  const double pace = end.computed - before.computed;
  costs.exposed += std::max(0.0, std::max(end.exchanged, end.computed) - kSteady * pace);
  return costs;
}

}  // namespace

DataCosts data_costs(const TrainingSpec& spec, const ExchangeTimes& times, const StageShare& share,
                     std::uint32_t pipeline_rank, const UnitPasses& passes, const BothWays& pass) {
  const std::vector<StateExchange> buckets =
      exchanges_of(spec, times, held_units(spec, share, passes, pass));
  const double last = pipeline_sums(spec, times, share);
  DataCosts costs;
  if (spec.parallelism.zero == 3) {
    costs = sharded_costs(spec, buckets, pipeline_rank);
  } else {
    StateExchange e;
    for (const StateExchange& bucket : buckets) e += bucket;
    const bool syncs_each = reduces_each_micro_batch(spec.parallelism);
    const double syncs = syncs_each ? passes_of_chunk(pipeline_of(spec)) : 1;
    const double sums = e.reduce + e.copies;
    const bool overlaps = spec.overlap.gradients;
    costs = {.all = syncs * sums + e.gather, .exposed = overlaps ? left_of_sums(buckets) : sums};
    // Sums of earlier micro-batches have the next one's passes beside them, or nothing.
    costs.exposed += (syncs - 1) * (overlaps ? std::max(0.0, sums - pass.total()) : sums);
    if (gathers_in_forward(spec)) {
      costs.before = left_of_gathers(buckets);
    } else {
      costs.exposed += e.gather;
    }
  }
  costs.all += last;
  costs.exposed += last;
  return costs;
}

ShardedPasses sharded_passes(const TrainingSpec& spec, const ExchangeTimes& times,
                             const StageShare& share, std::uint32_t pipeline_rank,
                             const UnitPasses& passes, const LayerCosts& costs) {
  if (spec.parallelism.zero != 3) return {};
  const BothWays pass = costs.exposed();
  const std::vector<StateExchange> units =
      exchanges_of(spec, times, held_units(spec, share, passes, pass));
  const ShardedShares shares = sharded_shares(spec, pipeline_rank);
  const ShardedEnd end = sharded_run(spec.overlap, units, shares, kSteady);
  const double pace = end.computed - sharded_run(spec.overlap, units, shares, kSteady - 1).computed;
  const double added = std::max(0.0, pace - pass.total());
  std::vector<StateExchange> forward = units;
  for (StateExchange& unit : forward) unit.pass.backward = 0;
  const double of_pass =
      sharded_run(spec.overlap, forward, {.gather = shares.gather, .regather = 0, .reduce = 0}, 1)
          .computed;
  const double of_forward = std::min(added, std::max(0.0, of_pass - pass.forward));
  const double of_backward = added - of_forward;
  return {.added = {.forward = of_forward, .backward = of_backward},
          .first = {.forward = std::min(of_forward, end.first.forward),
                    .backward = std::min(of_backward, end.first.backward)}};
}

}  // namespace weft::collectives
