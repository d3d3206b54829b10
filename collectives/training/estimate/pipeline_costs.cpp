#include "collectives/training/estimate/pipeline_costs.hpp"

#include <algorithm>
#include <cstddef>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/work.hpp"

namespace weft::collectives {
namespace {

double bubble_of(const ParallelismSpec& plan, const std::vector<LayerCosts>& ranks) {
  const LayerCosts& slowest = ranks[slowest_of(ranks)];
  const BothWays pass = slowest.exposed();
  if (plan.schedule == PipelineSchedule::kDualPipe) {
    const double pair = pass.total();
    const double idle = pair + pass.backward - 3 * slowest.weights;
    return std::max(0.0, plan.pipeline / 2.0 - 1) * std::max(0.0, idle);
  }
  double sum = -pass.total();
  double weights = -slowest.weights;
  for (const LayerCosts& rank : ranks) {
    sum += rank.exposed().total();
    weights += rank.weights;
  }
  // T_F + T_B - T_W of what is T_F + (T_B + T_W) above.
  if (plan.schedule == PipelineSchedule::kZeroBubbleH1) return std::max(0.0, sum - 2 * weights);
  return sum / plan.virtual_stages;
}

/// What a send takes. Sequence-parallel ranks send their part only.
double send_time(const TrainingSpec& spec, const GroupLinks& links) {
  const double parts = spec.parallelism.sequence_parallel ? spec.parallelism.tensor : 1.0;
  return links.pipeline.send(rank_tokens(spec) * spec.model.hidden *
                             activation_bytes(spec.precision.compute) / parts);
}

/// By how much a micro-batch's way from the first rank to the last and back, 2(pv-1) sends, is too
/// long for as many micro-batches as 1F1B has under way: p, interleaved p(1 + 1/v). GPipe has all
/// of them under way, DualPipe those of the other direction besides.
double delay_per_micro_batch(const ParallelismSpec& plan, double pass, double send) {
  if (plan.schedule == PipelineSchedule::kGpipe || plan.schedule == PipelineSchedule::kDualPipe) {
    return 0;
  }
  const double ranks = plan.pipeline;
  const double parts = plan.virtual_stages;
  const double under_way = parts > 1 ? ranks * (1 + 1 / parts) : ranks;
  const double way = ranks * pass + 2 * (ranks * parts - 1) * send;
  return std::max(0.0, way / under_way - pass);
}

}  // namespace

std::size_t slowest_of(const std::vector<LayerCosts>& ranks) {
  const auto slowest = std::ranges::max_element(
      ranks, {}, [](const LayerCosts& rank) { return rank.exposed().total(); });
  return static_cast<std::size_t>(slowest - ranks.begin());
}

PipelineCosts pipeline_costs(const TrainingSpec& spec, const GroupLinks& links,
                             const std::vector<LayerCosts>& ranks, double micro_batches) {
  const ParallelismSpec& plan = spec.parallelism;
  if (plan.pipeline < 2) return {};
  const double send = send_time(spec, links);
  const double pass = ranks[slowest_of(ranks)].exposed().total();
  PipelineCosts costs;
  costs.bubble = bubble_of(plan, ranks);
  costs.sends = 2 * micro_batches * plan.virtual_stages * send;
  // The first result's way to the end and the last gradient's way back are never hidden.
  const double ends = 2 * (plan.pipeline - 1.0) * send;
  if (spec.overlap.pipeline) {
    const double others = std::max(0.0, micro_batches - plan.pipeline);
    costs.exposed_sends = ends + others * delay_per_micro_batch(plan, pass, send);
  } else {
    costs.exposed_sends = ends + 2 * (micro_batches - 1) * plan.virtual_stages * send;
  }
  return costs;
}

}  // namespace weft::collectives
