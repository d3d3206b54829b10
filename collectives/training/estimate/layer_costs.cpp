#include "collectives/training/estimate/layer_costs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/estimate/tensor_costs.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {
namespace {

BothWays compute_of(const PassTimes& times) {
  return {.forward = to_seconds(times.forward), .backward = to_seconds(times.backward())};
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
  const double size =
      rank_tokens(spec) * numbers *
      sent_bytes_each(spec.precision.exchange.context, activation_format(spec.precision.compute));
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

/// What a pass exchanges of all tokens of a micro-batch, in seconds.
struct TokenTimes {
  double out{};
  double back{};
};

/// A high-throughput exchange: while a chunk is forwarded inside domains the next one comes along
/// rails, so that the slower level sets the pace and the other adds one chunk.
double by_levels(const TrainingSpec& spec, const ExchangeTimes& times, double rail, double domain) {
  const double chunks = spec.experts.chunks;
  const double along =
      times.collective(GroupKind::kExpertRail, Operation::kAllToAll, rail / chunks);
  const double inside =
      times.collective(GroupKind::kExpertDomain, Operation::kAllToAll, domain / chunks);
  return along + inside + (chunks - 1) * std::max(along, inside);
}

/// Tokens go out and come back, and so do gradients (Lepikhin et al., arXiv 2006.16668); ranks that
/// share an expert gather its tokens and scatter sums. All wait for the rank whose experts get
/// most.
TokenTimes token_times(const TrainingSpec& spec, const ExchangeTimes& times, double load) {
  const TokenBytes token = token_bytes(spec.precision, spec.model.hidden);
  const double parts = pass_parts(spec.overlap);
  const double copies = static_cast<double>(expert_tokens(spec)) / parts * spec.model.top_k * load;
  const double sharers = expert_tensor_of(spec.parallelism);
  const bool has_levels = spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput;
  const TokenRoutes routes = has_levels ? token_routes(spec, times.expert_domain()) : TokenRoutes();
  const auto way = [&](Bytes each, Operation among_sharers) {
    const auto bytes = static_cast<double>(each.count());
    double sum =
        times.collective(GroupKind::kExpertTensor, among_sharers, copies * bytes * sharers);
    if (has_levels) {
      const double domain = static_cast<double>(routes.in_domain(times.expert_domain())) * load;
      sum += by_levels(spec, times, static_cast<double>(routes.between_domains()) * bytes,
                       domain * bytes);
    } else {
      sum += times.collective(GroupKind::kExpert, Operation::kAllToAll, copies * bytes);
    }
    return parts * sum;
  };
  return {.out = way(token.dispatch, Operation::kAllGather),
          .back = way(token.combine, Operation::kReduceScatter)};
}

/// Of a layer in one direction, in seconds of a whole micro-batch.
struct ExpertPass {
  double before{};  ///< what is computed while nothing of the half at hand is on its way
  double experts{};
  TokenTimes tokens;
};

/// Two halves through `layers` layers: each computes while the other's tokens are on their way. One
/// of them computes at a time, and one exchange is on its way at a time. What is computed before an
/// exchange is attention, in the backward pass that of the layer after.
double halves_time(const ExpertPass& pass, std::uint32_t layers, bool is_forward) {
  double computes_until = 0;
  double sends_until = 0;
  std::array<double, 2> ready{};
  const auto compute = [&](double seconds) {
    for (double& half : ready) {
      computes_until = std::max(computes_until, half) + seconds / 2;
      half = computes_until;
    }
  };
  const auto exchange = [&] {
    std::array<double, 2> there{};
    for (std::size_t half = 0; half < 2; ++half) {
      sends_until = std::max(sends_until, ready[half]) + pass.tokens.out / 2;
      there[half] = sends_until;
    }
    for (std::size_t half = 0; half < 2; ++half) {
      computes_until = std::max(computes_until, there[half]) + pass.experts / 2;
      sends_until = std::max(sends_until, computes_until) + pass.tokens.back / 2;
      ready[half] = sends_until;
    }
  };
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    if (is_forward) compute(pass.before);
    exchange();
    if (!is_forward) compute(pass.before);
  }
  return std::max({computes_until, ready[0], ready[1]});
}

/// What of the exchanges of a pass nothing hides.
double exposed_tokens(const TrainingSpec& spec, const ExpertPass& pass, double shared,
                      bool is_forward) {
  const double all = pass.tokens.out + pass.tokens.back;
  if (spec.overlap.experts != OverlapSpec::Experts::kHalves) {
    return spec.overlap.shared_experts ? all - std::min(pass.tokens.out, shared) : all;
  }
  const ParallelismSpec& plan = spec.parallelism;
  const std::uint32_t layers =
      std::max(1U, spec.model.layers / (plan.pipeline * plan.virtual_stages));
  return halves_time(pass, layers, is_forward) / layers - pass.before - pass.experts;
}

Exchange expert_exchange(const TrainingSpec& spec, const ExchangeTimes& times, double load,
                         const PassTimes& compute) {
  if (!exchanges_tokens(spec.parallelism)) return {};
  const TokenTimes tokens = token_times(spec, times, load);
  const bool is_repeated = repeats_second_half(spec, true);
  Exchange e;
  e.all.forward = tokens.out + tokens.back;
  e.all.backward = is_repeated ? 2 * e.all.forward : e.all.forward;
  e.exposed = e.all;
  if (!spec.overlap.shared_experts && spec.overlap.experts != OverlapSpec::Experts::kHalves) {
    return e;
  }
  const LayerParts parts = layer_parts(spec, true);
  const bool is_beside = spec.overlap.shared_experts;
  const auto exposed = [&](Picoseconds attention, Picoseconds shared, double whole, bool forward) {
    const double before = to_seconds(attention) + (is_beside ? to_seconds(shared) : 0);
    const ExpertPass pass{.before = std::min(whole, before),
                          .experts = std::max(0.0, whole - before),
                          .tokens = tokens};
    return exposed_tokens(spec, pass, to_seconds(shared), forward);
  };
  e.exposed.forward =
      exposed(parts.attention.forward, parts.shared.forward, to_seconds(compute.forward), true);
  e.exposed.backward = exposed(parts.attention.backward() - parts.attention.apart,
                               parts.shared.backward() - parts.shared.apart,
                               to_seconds(compute.backward() - compute.apart), false);
  if (is_repeated) {
    e.exposed.backward +=
        exposed(parts.attention.apart, parts.shared.apart, to_seconds(compute.apart), true);
  }
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
  costs.tensor = tensor_exchange(spec, times, has_experts, computed);
  costs.context = context_exchange(spec, times, has_experts);
  if (has_experts) costs.expert = expert_exchange(spec, times, load, computed);
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
  costs.tensor.exposed = costs.tensor.all;
  return costs;
}

}  // namespace weft::collectives
