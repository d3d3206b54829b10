#include "collectives/training/estimate/passes/stage_run.hpp"

#include <algorithm>
#include <utility>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/estimate/layer_costs.hpp"
#include "collectives/training/estimate/passes/token_costs.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "collectives/training/plan/rank_grid.hpp"

namespace weft::collectives {

StageRun::StageRun(const TrainingSpec& spec, const ExchangeTimes& times)
    : spec_(spec),
      times_(times),
      repeats_(recomputed_modules(spec)),
      parts_(pass_parts(spec.overlap)),
      chunks_(spec.overlap.tensor ? std::max(spec.overlap.tensor_chunks, 1U) : 1U),
      exchanges_tokens_(exchanges_tokens(spec.parallelism)) {
  units_[Unit::kEmbedding].whole = embedding_time(spec);
  units_[Unit::kOutput].whole = output_time(spec);
  if (spec.model.mtp_layers != 0) units_[Unit::kJoint].whole = joint_time(spec);
  units_[Unit::kDense] = layer_times(spec, false, 1);
  find_tensor_costs();
  if (spec.parallelism.context > 1) {
    keys_ = cost(GroupKind::kContext, Operation::kSendReceive, key_bytes(spec) / parts_);
  }
  if (spec.model.experts == 0) return;
  units_[Unit::kExperts] = layer_times(spec, true, expert_loads(spec).max());
  if (exchanges_tokens_) find_token_costs();
}

/// Halves take equally long where nothing says what attention takes.
StageRun::UnitTimes StageRun::layer_times(const TrainingSpec& spec, bool has_experts, double load) {
  UnitTimes times{.whole = layer_time(spec, has_experts, load),
                  .parts = layer_parts(spec, has_experts)};
  if (knows_layer_parts(spec)) return times;
  const PassTimes even = layer_time(spec, has_experts);
  times.parts.attention = {.forward = even.forward / kLayerHalves,
                           .backward_inputs = even.backward_inputs / kLayerHalves,
                           .backward_weights = even.backward_weights / kLayerHalves,
                           .recomputed = even.recomputed / kLayerHalves,
                           .apart = even.apart / kLayerHalves};
  return times;
}

void StageRun::find_tensor_costs() {
  const TokenBytes token = token_bytes(spec_.precision, spec_.model.hidden);
  const auto of = [&](Operation operation, Bytes each, double pieces) {
    const double bytes = rank_tokens(spec_) * static_cast<double>(each.count());
    return cost(GroupKind::kTensor, operation, bytes / (parts_ * pieces));
  };
  const bool is_sequence_parallel = spec_.parallelism.sequence_parallel;
  const Operation sum = is_sequence_parallel ? Operation::kReduceScatter : Operation::kAllReduce;
  sum_chunk_ = of(sum, token.tensor, chunks_);
  sum_ = of(sum, token.tensor, 1);
  if (!is_sequence_parallel) return;
  gather_chunk_ = of(Operation::kAllGather, token.tensor_gather, chunks_);
  gather_ = of(Operation::kAllGather, token.tensor_gather, 1);
}

void StageRun::find_token_costs() {
  const TokenBytes token = token_bytes(spec_.precision, spec_.model.hidden);
  const TokenSizes sizes(spec_, times_, expert_loads(spec_).max());
  const auto of = [&](Bytes each, Operation among_sharers) {
    const auto bytes = static_cast<double>(each.count());
    TokenCosts costs;
    if (sizes.has_levels()) {
      costs.rail = cost(GroupKind::kExpertRail, Operation::kAllToAll, sizes.rail(bytes));
      costs.domain = cost(GroupKind::kExpertDomain, Operation::kAllToAll, sizes.domain(bytes));
    } else {
      costs.all = cost(GroupKind::kExpert, Operation::kAllToAll, sizes.all(bytes));
    }
    costs.sharers = cost(GroupKind::kExpertTensor, among_sharers, sizes.sharers(bytes));
    return costs;
  };
  token_chunks_ = static_cast<std::uint32_t>(sizes.chunks());
  out_ = of(token.dispatch, Operation::kAllGather);
  back_ = of(token.combine, Operation::kReduceScatter);
}

/// What twice as many bytes take longer is what they occupy links for; the rest is latency.
TaskRun::Cost StageRun::cost(GroupKind kind, Operation operation, double bytes) const {
  const double once = times_.collective(kind, operation, bytes);
  if (once <= 0) return {};
  const double busy = std::clamp(times_.collective(kind, operation, 2 * bytes) - once, 0.0, once);
  return {.seconds = once, .share = busy / once, .links = times_.links_of(kind)};
}

StageTime StageRun::pass(const StageShare& share, Direction direction) const {
  std::vector<Pass> passes(static_cast<std::size_t>(parts_), begin(share, direction));
  return run(std::move(passes));
}

StageTime StageRun::pair(const StageShare& forward, const StageShare& backward) const {
  return run({begin(forward, Direction::kForward), begin(backward, Direction::kBackward)});
}

double StageRun::gathers_for_weights(const StageShare& share) const {
  // Experts that are sent their tokens have no inputs to gather but for shared ones.
  const bool has_inputs = !exchanges_tokens_ || spec_.model.shared_experts != 0;
  const double halves = kLayerHalves * share.dense_layers +
                        (has_inputs ? kLayerHalves : kLayerHalves - 1) * share.expert_layers;
  return parts_ * halves * gather_.seconds;
}

/// As TrainingStage has units: layers of multi-token prediction follow the output layer.
StageRun::Pass StageRun::begin(const StageShare& share, Direction direction) const {
  Pass pass;
  pass.direction = direction;
  std::vector<Unit>& units = pass.units;
  if (share.has_embedding) units.push_back(Unit::kEmbedding);
  units.insert(units.end(), share.dense_layers, Unit::kDense);
  units.insert(units.end(), share.expert_layers, Unit::kExperts);
  units.resize(units.size() - share.mtp_layers);
  if (share.has_output) units.push_back(Unit::kOutput);
  for (std::uint32_t i = 0; i < share.mtp_layers; ++i) {
    const Unit predicts = spec_.model.experts == 0 ? Unit::kDense : Unit::kExperts;
    units.insert(units.end(), {Unit::kJoint, predicts, Unit::kOutput});
  }
  if (!pass.is_forward()) std::ranges::reverse(units);
  return pass;
}

StageTime StageRun::run(std::vector<Pass> passes) const {
  TaskRun run;
  for (bool any = true; any;) {
    any = false;
    for (Pass& pass : passes) any = advance(pass, run) || any;
  }
  const TaskRun::Outcome outcome = run.run();
  StageTime time{.seconds = outcome.computed,
                 .tail = outcome.tail,
                 .tensor = outcome.exposed_of(Stream::kTensor),
                 .context = outcome.exposed_of(Stream::kContext),
                 .expert = outcome.exposed_of(Stream::kExpert) +
                           outcome.exposed_of(Stream::kExpertRail) +
                           outcome.exposed_of(Stream::kExpertDomain) +
                           outcome.exposed_of(Stream::kExpertTensor)};
  // The next pass would begin with a gather, which comes after these sums.
  if (outcome.last != Stream::kTensor || gather_.is_nothing()) return time;
  time.seconds += time.tail;
  time.tensor += std::exchange(time.tail, 0);
  return time;
}

bool StageRun::advance(Pass& pass, TaskRun& run) const {
  if (pass.unit == pass.units.size()) return false;
  const bool goes_in_parts = is_layer(pass);
  pass.ready = goes_in_parts ? layer(pass, run) : end_unit(pass, run);
  const std::uint32_t parts = goes_in_parts ? order_of(pass).parts() : 1;
  if (++pass.part < parts) return true;
  pass.part = 0;
  ++pass.unit;
  return true;
}

/// Tokens leave before the other pass comes to its experts: their way out is a part of its own.
LayerOrder StageRun::order_of(const Pass& pass) const {
  const bool has_experts = pass.units[pass.unit] == Unit::kExperts;
  const std::uint32_t each = kLayerHalves + (has_experts && exchanges_tokens_ ? 1 : 0);
  return {.is_forward = pass.is_forward(),
          .each = each,
          .again = pass.is_forward() ? 0 : repeated_parts(repeats_, has_experts, each)};
}

const StageRun::UnitTimes& StageRun::times_of(const Pass& pass) const {
  return units_.at(pass.units[pass.unit]);
}

bool StageRun::has_weights_apart(const Pass& pass) const {
  return spec_.overlap.weights && pass.direction == Direction::kBackward && is_layer(pass);
}

/// Of a part of a micro-batch.
double StageRun::time_of(const Pass& pass, const PassTimes& times, bool is_recomputing) const {
  Picoseconds time = times.forward;
  if (is_recomputing) {
    time = times.apart;
  } else if (!pass.is_forward()) {
    time = times.backward() - times.apart;
    if (pass.direction == Direction::kBackwardInput || has_weights_apart(pass)) {
      time -= times.backward_weights;
    }
  }
  return to_seconds(time) / parts_;
}

/// The embedding, the output layer, and what joins a layer of multi-token prediction.
TaskRun::Waits StageRun::end_unit(const Pass& pass, TaskRun& run) const {
  const double time = time_of(pass, times_of(pass).whole, false);
  const bool is_output = pass.units[pass.unit] == Unit::kOutput;
  if (!is_output && pass.is_forward()) {
    return call(Stream::kTensor, sum_, compute(time, pass.ready, run), run);
  }
  const Waits computed = compute(time, call(Stream::kTensor, gather_, pass.ready, run), run);
  const bool is_summed = is_output && !pass.is_forward();
  return is_summed ? call(Stream::kTensor, sum_, computed, run) : computed;
}

TaskRun::Waits StageRun::layer(Pass& pass, TaskRun& run) const {
  const LayerPhase phase = order_of(pass).at(pass.part);
  Waits ready = layer_before_weights(pass, phase, run);
  if (has_weights_apart(pass) && !phase.is_recomputing && phase.piece != LayerPhase::Piece::kOut) {
    const UnitTimes& times = times_of(pass);
    const Picoseconds whole = times.whole.backward_weights;
    const Picoseconds attended = std::min(times.parts.attention.backward_weights, whole);
    // Nothing waits for them but what is computed next.
    (void)compute(to_seconds(phase.is_attention ? attended : whole - attended) / parts_, {}, run);
  }
  return ready;
}

TaskRun::Waits StageRun::layer_before_weights(Pass& pass, const LayerPhase& phase,
                                              TaskRun& run) const {
  const UnitTimes& times = times_of(pass);
  const double whole = time_of(pass, times.whole, phase.is_recomputing);
  const double attended =
      std::min(time_of(pass, times.parts.attention, phase.is_recomputing), whole);
  const bool regathers = pass.direction == Direction::kBackward && !phase.is_recomputing;
  if (phase.is_attention) return attention(pass, phase, attended, run);
  const double rest = whole - attended;
  const bool has_tokens = pass.units[pass.unit] == Unit::kExperts && exchanges_tokens_;
  if (!has_tokens) return dense(rest, pass.ready, regathers, run);
  const double shared =
      spec_.overlap.shared_experts
          ? std::min(rest, time_of(pass, times.parts.shared, phase.is_recomputing))
          : 0;
  if (phase.piece != LayerPhase::Piece::kRest) send_tokens(pass, shared, regathers, run);
  return phase.piece == LayerPhase::Piece::kOut ? pass.ready : experts(pass, rest - shared, run);
}

/// With a context group projections go in chunks, and between them keys and values go round
/// (TrainingScript::attention_round_ring).
TaskRun::Waits StageRun::attention(const Pass& pass, const LayerPhase& phase, double time,
                                   TaskRun& run) const {
  const bool is_backward = !pass.is_forward() && !phase.is_recomputing;
  const bool regathers = is_backward && pass.direction == Direction::kBackward;
  if (keys_.is_nothing()) return dense(time, pass.ready, regathers, run);
  const LayerParts& parts = times_of(pass).parts;
  const double scores = std::min(time, time_of(pass, parts.scores, phase.is_recomputing));
  const double last = (time - scores) * parts.last_projection;
  const double after = is_backward ? time - scores - last : last;
  const double before = time - scores - after;
  const std::uint32_t gathered = gather_chunk_.is_nothing() ? 1 : chunks_;
  Waits projected;
  for (std::uint32_t i = 0; i < gathered; ++i) {
    Waits input = call(Stream::kTensor, gather_chunk_, pass.ready, run);
    if (regathers && chunks_ == 1) input += call(Stream::kTensor, gather_, pass.ready, run);
    projected += compute(before / gathered, input, run);
  }
  Waits here = projected;
  double again = 0;
  if (is_backward && repeats_.core_attention) {
    again = std::min(scores, to_seconds(parts.scores.recomputed - parts.scores.apart) / parts_);
    here = ring_of_keys(again, here, false, run);
  }
  const Waits attended = ring_of_keys(scores - again, here, is_backward, run);
  if (sum_chunk_.is_nothing()) return compute(after, attended, run);
  Waits done;
  here = attended;
  for (std::uint32_t i = 0; i < chunks_; ++i) {
    if (regathers && i + 2 == chunks_) here += call(Stream::kTensor, gather_, attended, run);
    const Waits computed = compute(after / chunks_, i + 1 == chunks_ ? here : attended, run);
    done += call(Stream::kTensor, sum_chunk_, computed, run);
  }
  return done;
}

TaskRun::Waits StageRun::ring_of_keys(double time, const Waits& ready, bool has_gradients,
                                      TaskRun& run) const {
  const std::uint32_t ranks = spec_.parallelism.context;
  Waits arrived = ready;
  Waits done;
  for (std::uint32_t i = 0; i + 1 < ranks; ++i) {
    const Waits here = arrived;
    arrived = call(Stream::kContext, keys_, here, run);
    const Waits computed = compute(time / ranks, here, run);
    if (has_gradients) done += call(Stream::kContext, keys_, computed, run);
  }
  done += compute(time / ranks, arrived, run);
  return done;
}

/// Chunk by chunk (TrainingScript::dense).
TaskRun::Waits StageRun::dense(double time, const Waits& ready, bool regathers,
                               TaskRun& run) const {
  if (sum_chunk_.is_nothing()) return compute(time, ready, run);
  const std::uint32_t last = chunks_ - 1;
  const std::uint32_t regathered_with = last > 0 ? last - 1 : 0;
  Waits input = call(Stream::kTensor, gather_chunk_, ready, run);
  Waits again;
  Waits done;
  for (std::uint32_t i = 0; i < chunks_; ++i) {
    Waits here = input;
    if (i < last) input = call(Stream::kTensor, gather_chunk_, ready, run);
    if (regathers && i == regathered_with) again = call(Stream::kTensor, gather_, ready, run);
    if (i == last) here += again;
    done += call(Stream::kTensor, sum_chunk_, compute(time / chunks_, here, run), run);
  }
  return done;
}

void StageRun::send_tokens(Pass& pass, double shared, bool regathers, TaskRun& run) const {
  const Waits& ready = pass.ready;
  pass.tokens_arrived = exchange_tokens(true, ready, run);
  pass.tokens_arrived = call(Stream::kExpertTensor, out_.sharers, pass.tokens_arrived, run);
  pass.shared_done.reset();
  if (spec_.model.shared_experts == 0) return;
  Waits inputs = call(Stream::kTensor, gather_, ready, run);
  if (regathers) inputs += call(Stream::kTensor, gather_, ready, run);
  if (shared > 0) {
    pass.shared_done = compute(shared, inputs, run);
  } else {
    pass.tokens_arrived += inputs;
  }
}

TaskRun::Waits StageRun::experts(const Pass& pass, double time, TaskRun& run) const {
  const Waits computed = compute(time, pass.tokens_arrived, run);
  Waits done = call(Stream::kExpertTensor, back_.sharers, computed, run);
  done = exchange_tokens(false, done, run);
  if (spec_.model.shared_experts != 0) {
    done += call(Stream::kTensor, sum_, pass.shared_done.value_or(computed), run);
  }
  return done;
}

/// By levels tokens go along rails and then inside domains, chunk by chunk; results go the other
/// way.
TaskRun::Waits StageRun::exchange_tokens(bool is_out, const Waits& after, TaskRun& run) const {
  const TokenCosts& costs = is_out ? out_ : back_;
  if (!costs.all.is_nothing()) return call(Stream::kExpert, costs.all, after, run);
  Waits done = after;
  for (std::uint32_t i = 0; i < token_chunks_; ++i) {
    if (is_out) {
      const Waits come = call(Stream::kExpertRail, costs.rail, after, run);
      done += call(Stream::kExpertDomain, costs.domain, come, run);
    } else {
      const Waits come = call(Stream::kExpertDomain, costs.domain, after, run);
      done += call(Stream::kExpertRail, costs.rail, come, run);
    }
  }
  return done;
}

TaskRun::Waits StageRun::call(Stream stream, const Cost& cost, const Waits& after, TaskRun& run) {
  return cost.is_nothing() ? after : run.add(stream, cost, after);
}

TaskRun::Waits StageRun::compute(double time, const Waits& after, TaskRun& run) {
  return run.add(Stream::kCompute, {.seconds = time, .share = 1, .links = 0}, after);
}

}  // namespace weft::collectives
