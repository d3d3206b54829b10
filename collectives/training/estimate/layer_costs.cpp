#include "collectives/training/estimate/layer_costs.hpp"

#include <algorithm>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/formats.hpp"
#include "collectives/training/estimate/passes/token_costs.hpp"
#include "collectives/training/estimate/tensor_costs.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {
namespace {

BothWays compute_of(const PassTimes& times) {
  return {.forward = to_seconds(times.forward), .backward = to_seconds(times.backward())};
}

/// Keys and values go round, in the backward pass with their gradients.
BothWays context_exchange(const TrainingSpec& spec, const ExchangeTimes& times) {
  const double ranks = spec.parallelism.context;
  if (ranks <= 1) return {};
  const double parts = pass_parts(spec.overlap);
  const double call =
      times.collective(GroupKind::kContext, Operation::kSendReceive, key_bytes(spec) / parts);
  const double once = parts * (ranks - 1) * call;
  const double repeated = repeats_keys(spec) ? 1 : 0;
  return {.forward = once, .backward = (2 + repeated) * once};
}

/// A high-throughput exchange: while a chunk is forwarded inside domains the next one comes along
/// rails, so that the slower level sets the pace and the other adds one chunk.
double by_levels(const ExchangeTimes& times, const TokenSizes& sizes, double bytes) {
  const double along =
      times.collective(GroupKind::kExpertRail, Operation::kAllToAll, sizes.rail(bytes));
  const double inside =
      times.collective(GroupKind::kExpertDomain, Operation::kAllToAll, sizes.domain(bytes));
  return along + inside + (sizes.chunks() - 1) * std::max(along, inside);
}

/// Tokens go out and come back, and so do gradients (Lepikhin et al., arXiv 2006.16668); ranks that
/// share an expert gather its tokens and scatter sums. All wait for the rank whose experts get
/// most.
BothWays token_exchange(const TrainingSpec& spec, const ExchangeTimes& times) {
  const TokenBytes token = token_bytes(spec.precision, spec.model.hidden);
  const TokenSizes sizes(spec, times, expert_loads(spec).max());
  const auto way = [&](Bytes each, Operation among_sharers) {
    const auto bytes = static_cast<double>(each.count());
    const double exchange =
        sizes.has_levels()
            ? by_levels(times, sizes, bytes)
            : times.collective(GroupKind::kExpert, Operation::kAllToAll, sizes.all(bytes));
    return exchange +
           times.collective(GroupKind::kExpertTensor, among_sharers, sizes.sharers(bytes));
  };
  const double once = pass_parts(spec.overlap) * (way(token.dispatch, Operation::kAllGather) +
                                                  way(token.combine, Operation::kReduceScatter));
  return {.forward = once, .backward = (repeats_second_half(spec, true) ? 2 : 1) * once};
}

}  // namespace

BothWays LayerCosts::exposed() const {
  BothWays sum = compute;
  sum += tensor.exposed;
  sum += context.exposed;
  sum += expert.exposed;
  return sum;
}

LayerCosts& LayerCosts::operator+=(const LayerCosts& other) {
  compute += other.compute;
  weights += other.weights;
  tensor += other.tensor;
  context += other.context;
  expert += other.expert;
  return *this;
}

double key_bytes(const TrainingSpec& spec) {
  const ModelSpec& model = spec.model;
  const std::uint32_t heads = std::max(model.kv_heads / spec.parallelism.tensor, 1U);
  const double numbers =
      heads * (1.0 * model.head_size + model.rope_head_size + model.value_head_size);
  return rank_tokens(spec) * numbers *
         sent_bytes_each(spec.precision.exchange.context,
                         activation_format(spec.precision.compute));
}

LayerCosts layer_costs(const TrainingSpec& spec, const ExchangeTimes& times, bool has_experts) {
  const double load = has_experts ? expert_loads(spec).max() : 1;
  const PassTimes computed = layer_time(spec, has_experts, load);
  LayerCosts costs;
  costs.compute = compute_of(computed);
  costs.weights = to_seconds(computed.backward_weights);
  costs.tensor.all = tensor_exchange(spec, times, has_experts);
  costs.context.all = context_exchange(spec, times);
  if (has_experts && exchanges_tokens(spec.parallelism)) {
    costs.expert.all = token_exchange(spec, times);
  }
  return costs;
}

LayerCosts end_costs(const TrainingSpec& spec, const ExchangeTimes& times,
                     const StageShare& share) {
  // A rank looks up the tokens that are in its part of the vocabulary, and the results are summed
  // up; so are the output layer's gradients of its inputs. What the loss adds up is small.
  const double sum = whole_tensor_sum(spec, times);
  LayerCosts costs;
  if (share.has_embedding) {
    const PassTimes computed = embedding_time(spec);
    costs.compute += compute_of(computed);
    costs.weights += to_seconds(computed.backward_weights);
    costs.tensor.all.forward += sum;
  }
  if (share.has_output) {
    const double times_through = 1.0 + share.mtp_layers;
    const PassTimes computed = output_time(spec);
    costs.compute += compute_of(computed) * times_through;
    costs.weights += to_seconds(computed.backward_weights) * times_through;
    costs.tensor.all.backward += sum * times_through;
    costs.tensor.all.forward += times_through * whole_tensor_gather(spec, times);
  }
  if (share.mtp_layers != 0) {
    const PassTimes joint = joint_time(spec);
    costs.compute += compute_of(joint) * share.mtp_layers;
    costs.weights += to_seconds(joint.backward_weights) * share.mtp_layers;
    costs.tensor.all.forward += sum * share.mtp_layers;
  }
  return costs;
}

}  // namespace weft::collectives
