#include "collectives/training/estimate/layer_costs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/estimate/side_by_side.hpp"
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

/// What nothing hides of keys and values that `ranks` send round, `call` seconds each: each step is
/// beside the scores of the one before. Gradients go behind them in a backward pass, and the last
/// of them is waited for, too (TrainingScript::ring_of_keys).
double exposed_ring(double ranks, double call, double scores, bool has_gradients) {
  const double step = scores / ranks;
  double computes_until = 0;
  double sends_until = 0;
  double arrived = 0;
  for (double i = 1; i < ranks; ++i) {
    const double here = arrived;
    arrived = sends_until = std::max(sends_until, here) + call;
    computes_until = std::max(computes_until, here) + step;
    if (has_gradients) sends_until = std::max(sends_until, computes_until) + call;
  }
  computes_until = std::max(computes_until, arrived) + step;
  return std::max(computes_until, sends_until) - scores;
}

/// Keys and values go round, in the backward pass with their gradients, each step beside the
/// scores of the one before (Liu et al., arXiv 2310.01889, section 3; Transformer Engine's
/// attention with `cp_comm_type: p2p`).
Exchange context_exchange(const TrainingSpec& spec, const ExchangeTimes& times, bool has_experts) {
  const double ranks = spec.parallelism.context;
  if (ranks <= 1) return {};
  const ModelSpec& model = spec.model;
  const std::uint32_t heads = std::max(model.kv_heads / spec.parallelism.tensor, 1U);
  const double numbers =
      heads * (1.0 * model.head_size + model.rope_head_size + model.value_head_size);
  const double parts = pass_parts(spec.overlap);
  const double size =
      rank_tokens(spec) / parts * numbers *
      sent_bytes_each(spec.precision.exchange.context, activation_format(spec.precision.compute));
  const PassTimes scores = layer_parts(spec, has_experts).scores;
  const double call = times.collective(GroupKind::kContext, Operation::kSendReceive, size);
  const auto exposed = [&](Picoseconds computed, bool has_gradients) {
    return parts * exposed_ring(ranks, call, to_seconds(computed) / parts, has_gradients);
  };
  const double once = parts * (ranks - 1) * call;
  const double repeated = spec.recomputation == Recomputation::kFull ? 1 : 0;
  Exchange e;
  e.all = {.forward = once, .backward = (2 + repeated) * once};
  e.exposed.forward = exposed(scores.forward, false);
  e.exposed.backward =
      exposed(scores.backward() - scores.apart, true) + repeated * exposed(scores.apart, false);
  return e;
}

/// Tokens on their way in one direction, in seconds: between ranks of an expert group, and among
/// those that share an expert.
struct TokenWay {
  double exchange{};
  double sharers{};
  double bytes{};  ///< of it, what is no latency: twice as many bytes would take that much longer

  [[nodiscard]] double all() const { return exchange + sharers; }
};

/// What a pass exchanges of all tokens of a micro-batch.
struct TokenTimes {
  TokenWay out;
  TokenWay back;
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
  const auto exchange = [&](double bytes) {  // of a copy
    if (!has_levels) {
      return times.collective(GroupKind::kExpert, Operation::kAllToAll, copies * bytes);
    }
    const double domain = static_cast<double>(routes.in_domain(times.expert_domain())) * load;
    return by_levels(spec, times, static_cast<double>(routes.between_domains()) * bytes,
                     domain * bytes);
  };
  const auto way = [&](Bytes each, Operation among_sharers) -> TokenWay {
    const auto of_sharers = [&](double bytes) {
      return times.collective(GroupKind::kExpertTensor, among_sharers, copies * bytes * sharers);
    };
    const auto bytes = static_cast<double>(each.count());
    const TokenWay once{.exchange = parts * exchange(bytes), .sharers = parts * of_sharers(bytes)};
    const double twice = parts * (exchange(2 * bytes) + of_sharers(2 * bytes));
    return {.exchange = once.exchange,
            .sharers = once.sharers,
            .bytes = std::clamp(twice - once.all(), 0.0, once.all())};
  };
  return {.out = way(token.dispatch, Operation::kAllGather),
          .back = way(token.combine, Operation::kReduceScatter)};
}

/// Of a layer in one direction, in seconds of a whole micro-batch.
struct ExpertPass {
  double before{};   ///< what is computed while nothing of the half at hand is on its way
  double between{};  ///< what attention waits for other exchanges
  double experts{};
  TokenTimes tokens;
};

/// Two halves through layers: each computes while the other's tokens are on their way, or while it
/// waits for exchanges of its attention. One of them computes at a time. Tokens and attention have
/// a call each on its way at a time; on the same links bytes follow each other, latencies do not.
/// What is computed before an exchange is attention, in the backward pass that of the layer after.
class Halves {
 public:
  Halves(const ExpertPass& pass, bool shares_links) : pass_(pass), shares_links_(shares_links) {}

  [[nodiscard]] double time(std::uint32_t layers, bool is_forward) {
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      if (is_forward) attend(pass_.before, pass_.between);
      exchange();
      if (!is_forward) attend(pass_.before, pass_.between);
    }
    return end();
  }
  /// Of layers without tokens: in each half of a layer halves of the micro-batch alternate as well.
  [[nodiscard]] double time_without_tokens(std::uint32_t layers) {
    for (std::uint32_t half = 0; half < 2 * layers; ++half) {
      attend(pass_.before / 2, pass_.between / 2);
    }
    return end();
  }

 private:
  /// One of two kinds of calls: tokens, and those of attention.
  struct Calls {
    double until = 0;        ///< one is on its way
    double bytes_until = 0;  ///< its bytes are on links
  };

  double send(Calls& own, const Calls& others, double ready, double seconds, double bytes) {
    const double begin = std::max({ready, own.until, shares_links_ ? others.bytes_until : 0.0});
    own.until = begin + seconds;
    own.bytes_until = begin + bytes;
    return own.until;
  }
  [[nodiscard]] double end() const { return std::max({computes_until_, ready_[0], ready_[1]}); }
  void attend(double computed, double waits) {
    for (double& half : ready_) {
      computes_until_ = std::max(computes_until_, half) + computed / 2;
      half = computes_until_;
      if (waits <= 0) continue;
      half = send(attention_, tokens_, half, waits / 2, waits / 2);
    }
  }
  void exchange() {
    const auto send_way = [&](const TokenWay& way, double ready) {
      return send(tokens_, attention_, ready, way.all() / 2, way.bytes / 2);
    };
    for (double& half : ready_) half = send_way(pass_.tokens.out, half);
    for (double& half : ready_) {
      computes_until_ = std::max(computes_until_, half) + pass_.experts / 2;
      half = send_way(pass_.tokens.back, computes_until_);
    }
  }

  const ExpertPass& pass_;
  bool shares_links_;
  double computes_until_ = 0;
  Calls tokens_;
  Calls attention_;
  std::array<double, 2> ready_{};
};

/// Links that exchanges use, as SideBySide numbers them.
struct TokenLinks {
  std::uint32_t exchange = 0;
  std::uint32_t sharers = 0;
  std::uint32_t tensor = 0;
};

TokenLinks token_links(const TrainingSpec& spec, const ExchangeTimes& times) {
  const bool has_levels = spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput;
  return {.exchange = times.links_of(has_levels ? GroupKind::kExpertRail : GroupKind::kExpert),
          .sharers = times.links_of(GroupKind::kExpertTensor),
          .tensor = times.links_of(GroupKind::kTensor)};
}

/// What nothing hides, by what is exchanged.
struct Uncovered {
  double tokens{};
  double tensor{};
};

/// Tokens leave while shared experts gather their inputs and, where `beside` says so, compute. The
/// gather is waited for first; their sum goes beside tokens that come back.
Uncovered one_after_other(const ExpertPass& pass, const SharedExchange& shared, double beside,
                          bool is_beside, const TokenLinks& links) {
  constexpr std::size_t kExperts = 2;  // after these tasks of the tokens
  constexpr std::size_t kShared = 2;   // and these of shared experts
  const TokenTimes& tokens = pass.tokens;
  const SideBySide run({{tokens.out.exchange, links.exchange},
                        {tokens.out.sharers, links.sharers},
                        {pass.experts, 0, kShared},
                        {tokens.back.sharers, links.sharers},
                        {tokens.back.exchange, links.exchange}},
                       {{shared.gather, links.tensor},
                        {beside, 0},
                        {shared.sum, links.tensor, is_beside ? 0 : kExperts + 1}});
  const double back = run.end(0, kExperts + 2);
  const double gathered = run.end(1, 0);
  return {.tokens = back - pass.experts - gathered - beside,
          .tensor = gathered + std::max(0.0, run.end(1, 2) - back)};
}

std::uint32_t layers_of_stage(const TrainingSpec& spec) {
  return std::max(
      1U, spec.model.layers / (spec.parallelism.pipeline * spec.parallelism.virtual_stages));
}

/// What of the exchanges of a pass nothing hides. Of two halves, what shared experts exchange is
/// taken to be beside nothing.
Uncovered uncovered(const TrainingSpec& spec, const ExpertPass& pass, const SharedExchange& shared,
                    double beside, bool is_forward, const TokenLinks& links) {
  if (spec.overlap.experts != OverlapSpec::Experts::kHalves) {
    return one_after_other(pass, shared, beside, spec.overlap.shared_experts, links);
  }
  const std::uint32_t layers = layers_of_stage(spec);
  const double known = pass.before + pass.between + pass.experts;
  const bool shares_links = links.exchange == links.tensor;
  const double all = Halves(pass, shares_links).time(layers, is_forward) / layers;
  const double left = all - known;  // less than nothing: some of attention's is hidden, too
  return {.tokens = std::max(0.0, left),
          .tensor = shared.gather + shared.sum + std::min(0.0, left)};
}

/// Of a layer in one direction: what it computes in all, and of it attention and shared experts.
struct ComputedPass {
  double whole{};
  double attention{};
  double shared{};
  double between{};  ///< what attention waits for exchanges
};

/// Where nothing is computed beside tokens, shared experts are computed with the others.
Uncovered uncovered(const TrainingSpec& spec, const TokenTimes& tokens,
                    const SharedExchange& shared, const ComputedPass& computed, bool is_forward,
                    const TokenLinks& links) {
  const double beside = spec.overlap.shared_experts ? computed.shared : 0;
  const double before = std::min(computed.whole, computed.attention + beside);
  const ExpertPass pass{.before = before,
                        .between = computed.between,
                        .experts = computed.whole - before,
                        .tokens = tokens};
  return uncovered(spec, pass, shared, beside, is_forward, links);
}

/// Two halves hide some of each other's exchanges; what is hidden is less than nothing here. Keys
/// and values have what sums do not have.
void hide(BothWays hidden, LayerCosts& costs) {
  for (const auto way : {&BothWays::forward, &BothWays::backward}) {
    double& sums = costs.tensor.exposed.*way;
    double& keys = costs.context.exposed.*way;
    sums += hidden.*way;
    keys = std::max(0.0, keys + std::min(0.0, sums));
    sums = std::max(0.0, sums);
  }
}

/// Of a layer without tokens, what the other half of the micro-batch hides.
BothWays hidden_by_halves(const TrainingSpec& spec, const LayerCosts& costs) {
  const std::uint32_t layers = layers_of_stage(spec);
  const auto of = [&](double BothWays::*way) {
    const double between = costs.tensor.exposed.*way + costs.context.exposed.*way;
    const ExpertPass pass{
        .before = costs.compute.*way, .between = between, .experts = 0, .tokens = {}};
    const double all = Halves(pass, false).time_without_tokens(layers) / layers;
    return std::min(0.0, all - pass.before - between);
  };
  return {.forward = of(&BothWays::forward), .backward = of(&BothWays::backward)};
}

/// What experts exchange, and what tensor-parallel ranks exchange beside it.
struct ExpertLayer {
  Exchange tokens;
  Exchange tensor;
};

/// Where gradients of weights are a pass of their own, what is gathered for them is beside nothing.
/// `between`: what nothing hides of exchanges of attention.
ExpertLayer expert_exchange(const TrainingSpec& spec, const ExchangeTimes& times, double load,
                            const PassTimes& compute, const BothWays& between) {
  const TokenTimes tokens = token_times(spec, times, load);
  const SharedExchange shared = shared_exchange(spec, times);
  const TokenLinks links = token_links(spec, times);
  const bool is_repeated = repeats_second_half(spec, true);
  const bool is_split = spec.parallelism.schedule == PipelineSchedule::kZeroBubbleH1;
  const LayerParts parts = layer_parts(spec, true);
  const double passes = is_repeated ? 2 : 1;
  ExpertLayer layer;
  layer.tokens.all.forward = tokens.out.all() + tokens.back.all();
  layer.tokens.all.backward = passes * layer.tokens.all.forward;
  layer.tensor.all.forward = shared.gather + shared.sum;
  layer.tensor.all.backward = passes * layer.tensor.all.forward + shared.gather;
  const auto add = [&](double BothWays::*way, const SharedExchange& beside,
                       const ComputedPass& computed, bool is_forward) {
    const Uncovered left = uncovered(spec, tokens, beside, computed, is_forward, links);
    layer.tokens.exposed.*way += left.tokens;
    layer.tensor.exposed.*way += left.tensor;
  };
  const PassTimes& attention = parts.attention;
  const PassTimes& of_shared = parts.shared;
  add(&BothWays::forward, shared,
      {.whole = to_seconds(compute.forward),
       .attention = to_seconds(attention.forward),
       .shared = to_seconds(of_shared.forward),
       .between = between.forward},
      true);
  const double repeated = recomputed_modules(spec).everything ? between.forward : 0;
  const double again = is_split ? 0 : shared.gather;
  add(&BothWays::backward, {.gather = shared.gather + again, .sum = shared.sum},
      {.whole = to_seconds(compute.backward() - compute.apart),
       .attention = to_seconds(attention.backward() - attention.apart),
       .shared = to_seconds(of_shared.backward() - of_shared.apart),
       .between = std::max(0.0, between.backward - repeated)},
      false);
  layer.tensor.exposed.backward += shared.gather - again;
  if (!is_repeated) return layer;
  add(&BothWays::backward, shared,
      {.whole = to_seconds(compute.apart),
       .attention = to_seconds(attention.apart),
       .shared = to_seconds(of_shared.apart),
       .between = repeated},
      true);
  return layer;
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
  const bool goes_in_halves = spec.overlap.experts == OverlapSpec::Experts::kHalves;
  if (!has_experts || !exchanges_tokens(spec.parallelism)) {
    if (goes_in_halves) hide(hidden_by_halves(spec, costs), costs);
    return costs;
  }
  BothWays between = costs.tensor.exposed;
  between += costs.context.exposed;
  const ExpertLayer experts = expert_exchange(spec, times, load, computed, between);
  costs.expert = experts.tokens;
  costs.tensor += experts.tensor;
  hide({}, costs);
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
