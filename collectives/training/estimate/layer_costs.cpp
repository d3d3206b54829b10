#include "collectives/training/estimate/layer_costs.hpp"

#include <algorithm>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/rank_grid.hpp"

namespace weft::collectives {
namespace {

BothWays compute_of(const PassTimes& times) {
  return {.forward = to_seconds(times.forward), .backward = to_seconds(times.backward())};
}

/// Bytes of a micro-batch between layers, of a rank that has all of its tokens.
double activation_size(const TrainingSpec& spec) {
  return rank_tokens(spec) * spec.model.hidden * activation_bytes(spec.precision.compute);
}

/// What tensor-parallel ranks have parts of is added up. With sequence parallelism each of them
/// gets its share of the sums, and gathers all of them where they are needed.
double tensor_sum(const TrainingSpec& spec, const ExchangeTimes& times, double size) {
  const auto of = [&](Operation operation) {
    return times.collective(GroupKind::kTensor, operation, size);
  };
  if (!spec.parallelism.sequence_parallel) return of(Operation::kAllReduce);
  return of(Operation::kReduceScatter) + of(Operation::kAllGather);
}

/// c chunks, each sent while the next is computed: the last chunk's communication is exposed, or
/// the first chunk's computation and then all communication remains, whichever is longer.
double exposed_by_chunks(const OverlapSpec& overlap, double communication, double computation) {
  if (!overlap.tensor) return communication;
  const double last = 1.0 / std::max(overlap.tensor_chunks, 1U);
  return std::max(communication * last, communication - computation * (1 - last));
}

/// A half of a layer is summed up once in the forward pass and once in the backward pass (Shoeybi
/// et al., arXiv 1909.08053, section 3), and where the forward pass is repeated, once more. With
/// sequence parallelism a sum is a reduce-scatter and an all-gather, and the backward pass gathers
/// inputs again (Korthikanti et al., arXiv 2205.05198, section 4.2.2).
Exchange tensor_exchange(const TrainingSpec& spec, const ExchangeTimes& times, bool has_experts,
                         const BothWays& compute) {
  const bool has_second_half =
      !has_experts || !exchanges_tokens(spec.parallelism) || spec.model.shared_experts > 0;
  const double halves = has_second_half ? 2 : 1;
  const double chunks = spec.overlap.tensor ? std::max(spec.overlap.tensor_chunks, 1U) : 1.0;
  const double sum = halves * chunks * tensor_sum(spec, times, activation_size(spec) / chunks);
  Exchange e;
  e.all.forward = sum;
  e.all.backward = spec.recomputation == Recomputation::kFull ? 2 * sum : sum;
  if (spec.parallelism.sequence_parallel) {
    e.all.backward +=
        halves * times.collective(GroupKind::kTensor, Operation::kAllGather, activation_size(spec));
  }
  e.exposed.forward = exposed_by_chunks(spec.overlap, e.all.forward, compute.forward);
  e.exposed.backward = exposed_by_chunks(spec.overlap, e.all.backward, compute.backward);
  return e;
}

/// Keys and values go round, in the backward pass with their gradients, each step beside the
/// attention of the one before (Liu et al., arXiv 2310.01889, section 3).
Exchange context_exchange(const TrainingSpec& spec, const ExchangeTimes& times, bool has_experts) {
  const double ranks = spec.parallelism.context;
  if (ranks <= 1) return {};
  const ModelSpec& model = spec.model;
  const std::uint32_t heads = std::max(model.kv_heads / spec.parallelism.tensor, 1U);
  const double numbers =
      heads * (1.0 * model.head_size + model.rope_head_size + model.value_head_size);
  const double size = rank_tokens(spec) * numbers * activation_bytes(spec.precision.compute);
  const PassWork work = layer_work(spec, has_experts);
  const auto attention = [&](const Work& pass) {
    return to_seconds(time_of({.flops = 0, .wide_flops = pass.wide_flops, .bytes = 0}, spec));
  };
  const auto exposed = [&](double communication, double computation) {
    return (ranks - 1) * std::max(0.0, communication - computation / ranks);
  };
  const double step = times.collective(GroupKind::kContext, Operation::kSendReceive, size);
  const double step_back = 2 * step;
  const double repeated = spec.recomputation == Recomputation::kFull ? 1 : 0;
  const double forward = attention(work.forward);
  Exchange e;
  e.all = {.forward = (ranks - 1) * step, .backward = (ranks - 1) * (step_back + repeated * step)};
  e.exposed.forward = exposed(step, forward);
  e.exposed.backward =
      exposed(step_back, attention(work.backward_inputs)) + repeated * e.exposed.forward;
  return e;
}

/// Tokens go out and come back, and so do gradients (Lepikhin et al., arXiv 2006.16668); ranks that
/// share an expert gather its tokens and scatter sums. All wait for the rank whose experts get
/// most.
Exchange expert_exchange(const TrainingSpec& spec, const ExchangeTimes& times, double load) {
  const ParallelismSpec& plan = spec.parallelism;
  if (!exchanges_tokens(plan)) return {};
  const double own = activation_size(spec) / (plan.sequence_parallel ? plan.tensor : 1.0);
  const double size = own * spec.model.top_k * load;
  const double sharers = expert_tensor_of(plan);
  const double pass =
      2 * times.collective(GroupKind::kExpert, Operation::kAllToAll, size) +
      times.collective(GroupKind::kExpertTensor, Operation::kAllGather, size * sharers) +
      times.collective(GroupKind::kExpertTensor, Operation::kReduceScatter, size * sharers);
  Exchange e;
  e.all.forward = pass;
  e.all.backward = spec.recomputation == Recomputation::kFull ? 2 * pass : pass;
  e.exposed = e.all;
  return e;
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

LayerCosts layer_costs(const TrainingSpec& spec, const ExchangeTimes& times, bool has_experts) {
  const double load = has_experts ? expert_loads(spec).max() : 1;
  const PassTimes computed = layer_time(spec, has_experts, load);
  LayerCosts costs;
  costs.compute = compute_of(computed);
  costs.weights = to_seconds(computed.backward_weights);
  costs.tensor = tensor_exchange(spec, times, has_experts, costs.compute);
  costs.context = context_exchange(spec, times, has_experts);
  if (has_experts) costs.expert = expert_exchange(spec, times, load);
  return costs;
}

LayerCosts end_costs(const TrainingSpec& spec, const ExchangeTimes& times,
                     const StageShare& share) {
  // A rank looks up the tokens that are in its part of the vocabulary, and the results are summed
  // up; so are the output layer's gradients of its inputs. What the loss adds up is small.
  const double sum = tensor_sum(spec, times, activation_size(spec));
  LayerCosts costs;
  if (share.has_embedding) {
    const PassTimes computed = embedding_time(spec);
    costs.compute += compute_of(computed);
    costs.weights += to_seconds(computed.backward_weights);
    costs.tensor.all.forward += sum;
  }
  if (share.has_output) {
    const PassTimes computed = output_time(spec);
    costs.compute += compute_of(computed);
    costs.weights += to_seconds(computed.backward_weights);
    costs.tensor.all.backward += sum;
    if (spec.parallelism.sequence_parallel) {
      costs.tensor.all.forward +=
          times.collective(GroupKind::kTensor, Operation::kAllGather, activation_size(spec));
    }
  }
  costs.tensor.exposed = costs.tensor.all;
  return costs;
}

}  // namespace weft::collectives
