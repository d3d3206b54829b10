#include "collectives/training/estimate/step_estimate.hpp"

#include <algorithm>
#include <cstddef>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/estimate/data_costs.hpp"
#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/estimate/passes/stage_run.hpp"
#include "collectives/training/estimate/pipeline_costs.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {
namespace {

constexpr double kLowRatio = 0.2;
constexpr double kMediumRatio = 0.6;

/// What nothing hides of the passes through a stage. Gives what comes after each of them.
BothWays expose(const TrainingSpec& spec, const StageRun& run, const StageShare& share,
                LayerCosts& costs) {
  const bool is_split = spec.parallelism.schedule == PipelineSchedule::kZeroBubbleH1;
  const StageTime forward = run.pass(share, StageRun::Direction::kForward);
  const StageTime backward = run.pass(
      share, is_split ? StageRun::Direction::kBackwardInput : StageRun::Direction::kBackward);
  costs.tensor.exposed = {.forward = forward.tensor, .backward = backward.tensor};
  costs.context.exposed = {.forward = forward.context, .backward = backward.context};
  costs.expert.exposed = {.forward = forward.expert, .backward = backward.expert};
  if (is_split) costs.tensor.exposed.backward += run.gathers_for_weights(share);
  return {.forward = forward.tail, .backward = backward.tail};
}

std::vector<StageCosts> costs_of_stages(const TrainingSpec& spec, const ExchangeTimes& times,
                                        const std::vector<StageShare>& shares, const StageRun& run,
                                        const UnitPasses& passes) {
  const LayerCosts dense = layer_costs(spec, times, false);
  const LayerCosts with_experts =
      spec.model.experts != 0 ? layer_costs(spec, times, true) : LayerCosts{};
  std::vector<StageCosts> stages;
  stages.reserve(shares.size());
  for (const StageShare& share : shares) {
    LayerCosts costs = dense * share.dense_layers;
    costs += with_experts * share.expert_layers;
    costs += end_costs(spec, times, share);
    const BothWays tail = expose(spec, run, share, costs);
    const auto rank = static_cast<std::uint32_t>(stages.size() % spec.parallelism.pipeline);
    const ShardedPasses sharded = sharded_passes(spec, times, share, rank, passes, costs);
    stages.push_back({.costs = costs,
                      .sharded = sharded.added,
                      .tail = tail,
                      .prepared = sharded.first,
                      .pair = {}});
  }
  add_pairs(spec, run, shares, stages);
  return stages;
}

double optimizer_seconds(const TrainingSpec& spec, const StageShare& share) {
  const RankParameters held = rank_parameters(spec.model, spec.parallelism, share);
  const Replicas ranks = replicas(spec.parallelism);
  const double updated = static_cast<double>(held.dense) / ranks.dense_shards +
                         static_cast<double>(held.experts) / ranks.expert_shards;
  return to_seconds(optimizer_time(spec, updated));
}

/// What comes after the last backward pass, of the rank that is through last: others may begin
/// with it before.
struct StepEnd {
  DataCosts data;
  double optimizer{};
};

StepEnd step_end(const TrainingSpec& spec, const ExchangeTimes& times,
                 const std::vector<StageShare>& shares, const UnitPasses& passes,
                 const std::vector<StageCosts>& stages, const PipelineCosts& pipeline) {
  StepEnd end;
  double exchanged = 0;
  double updated = 0;
  double delay = 0;    // of the first stage to wait for its parameters
  double arrival = 0;  // of the first micro-batch at a stage
  for (std::uint32_t rank = 0; rank < spec.parallelism.pipeline; ++rank) {
    const StageShare share = rank_share(shares, spec.parallelism, rank);
    const BothWays pass = rank_costs(spec, stages, rank).exposed();
    const DataCosts data = data_costs(spec, times, share, rank, passes, pass);
    delay = std::max(delay, data.before - arrival);
    arrival += stages[rank].costs.exposed().forward;
    end.data.all = std::max(end.data.all, data.all);
    const double after = pipeline.ends[rank] + data.exposed;
    exchanged = std::max(exchanged, after);
    updated = std::max(updated, after + optimizer_seconds(spec, share));
  }
  end.data.exposed = exchanged - pipeline.seconds + delay;
  end.optimizer = updated - exchanged;
  return end;
}

double hidden_seconds(const StepEstimate& e) {
  double sum = 0;
  for (const EstimateTerm& term : e.terms) sum += std::max(0.0, term.seconds - term.exposed);
  return sum;
}

double exchange_seconds(const StepEstimate& e) {
  double sum = 0;
  for (const std::string_view name : {"tensor", "context", "expert", "pipeline", "data"}) {
    sum += e.term(name).seconds;
  }
  return sum;
}

void add_terms(StepEstimate& e, const TrainingSpec& spec, const ExchangeTimes& times) {
  const std::vector<StageShare> shares = stage_shares(spec.model, spec.parallelism);
  const StageRun run(spec, times);
  const UnitPasses passes = unit_passes(spec, run);
  const std::vector<StageCosts> stages = costs_of_stages(spec, times, shares, run, passes);
  const PipelineCosts pipeline = pipeline_costs(spec, times, stages);
  const auto m = static_cast<double>(e.micro_batches);
  LayerCosts slowest;
  for (std::uint32_t rank = 0; rank < spec.parallelism.pipeline; ++rank) {
    const LayerCosts costs = rank_costs(spec, stages, rank) * m;
    if (rank == 0 || costs.exposed().total() > slowest.exposed().total()) slowest = costs;
  }
  const StepEnd end = step_end(spec, times, shares, passes, stages, pipeline);
  // What ZeRO-3 adds to each pass is what is left of the pace.
  const double sharded = std::max(0.0, m * pipeline.pace - slowest.exposed().total());
  const auto add = [&](std::string_view name, std::string_view meaning, double seconds,
                       double exposed) {
    e.terms.push_back({name, meaning, seconds, exposed});
  };
  e.terms.reserve(9);
  const double compute = slowest.compute.total();
  add("compute", "passes through layers, recomputation included", compute, compute);
  add("tensor", "sums among tensor-parallel ranks", slowest.tensor.all.total(),
      slowest.tensor.exposed.total());
  add("context", "keys and values among context-parallel ranks", slowest.context.all.total(),
      slowest.context.exposed.total());
  add("expert", "tokens to experts and back", slowest.expert.all.total(),
      slowest.expert.exposed.total());
  add("pipeline", "results between stages", pipeline.sends, pipeline.exposed_sends);
  add("data", "gradients and parameters among ranks that have the same", end.data.all,
      end.data.exposed + sharded);
  add("bubble", "while the pipeline fills and empties", pipeline.bubble, pipeline.bubble);
  add("optimizer", "its step", end.optimizer, end.optimizer);
  // What is computed beside communication takes longer.
  const double slowdown =
      hidden_seconds(e) * (1 - 1 / std::max(1.0, spec.compute.communication_slowdown));
  add("slowdown", "of computation by communication beside it", slowdown, slowdown);
}

void add_rates(StepEstimate& e, const TrainingSpec& spec) {
  const double tokens = 1.0 * spec.batch.global * spec.model.sequence;
  ModelSpec unmasked = spec.model;
  unmasked.causal_attention = false;
  const auto ranks = static_cast<double>(e.ranks);
  const Gpu* gpu = find_gpu(spec.compute.gpu);
  WEFT_CHECK(gpu != nullptr, "the GPU of a training job is one of the table");
  const double peak = peak_flops(*gpu, spec.precision.compute).value_or(0);
  e.model_flops = tokens * model_flops(spec.model);
  e.hardware_flops = tokens * hardware_flops(spec);
  if (e.seconds <= 0) return;
  e.tokens_per_second = tokens / e.seconds;
  if (const auto& price = spec.compute.price_per_gpu_hour) {
    e.dollars = dollars_of(*price, ranks, e.seconds);
  }
  e.flops_per_rank = e.model_flops / e.seconds / ranks;
  e.flops_full_attention = tokens * model_flops(unmasked) / e.seconds / ranks;
  if (peak <= 0) return;
  e.mfu = e.flops_per_rank / peak;
  e.hfu = e.hardware_flops / e.seconds / ranks / peak;
}

}  // namespace

RatioClass ratio_class(double communication_to_computation) {
  if (communication_to_computation < kLowRatio) return RatioClass::kLow;
  return communication_to_computation <= kMediumRatio ? RatioClass::kMedium : RatioClass::kHigh;
}

std::string_view name_of(RatioClass ratio) {
  if (ratio == RatioClass::kLow) return "low";
  return ratio == RatioClass::kMedium ? "medium" : "high";
}

const EstimateTerm& StepEstimate::term(std::string_view name) const {
  const auto found = std::ranges::find(terms, name, &EstimateTerm::name);
  WEFT_CHECK(found != terms.end(), "an estimate has the terms that its header names");
  return *found;
}

StepEstimate estimate_step(const TrainingSpec& spec, const ExchangeTimes& times) {
  StepEstimate e;
  e.ranks = ranks_of(spec.parallelism);
  e.micro_batches = micro_batches_of(spec);
  add_terms(e, spec, times);
  for (const EstimateTerm& term : e.terms) e.seconds += term.exposed;
  const double compute = e.term("compute").seconds;
  if (compute > 0) e.ratio = exchange_seconds(e) / compute;
  add_rates(e, spec);
  return e;
}

StepEstimate estimate_step(const TrainingSpec& spec, const GroupLinks& links) {
  return estimate_step(spec, RingTimes(links, spec.parallelism));
}

}  // namespace weft::collectives
