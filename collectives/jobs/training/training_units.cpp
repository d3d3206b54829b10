#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/jobs/training/training_script.hpp"
#include "collectives/steps/step.hpp"
#include "simcore/base/check.hpp"

/// What passes do of a unit: half a layer at a time, the embedding, or the output layer.
namespace weft::collectives {

namespace {

/// Part `i` of `n` equal ones, to the picosecond.
Picoseconds part_of_time(Picoseconds time, std::uint32_t n, std::uint32_t i) {
  return Picoseconds(part_of({0, time.count()}, n, i).size);
}

}  // namespace

/// Where something else is computed beside exchanges of tokens, they leave before the other half or
/// micro-batch comes to its experts: the way out is a part of its own.
std::uint32_t TrainingScript::parts_of_pass(const Pass& pass) const {
  const bool goes_apart = plan_.spec.overlap.experts != OverlapSpec::Experts::kNone &&
                          pass.kind != SlotKind::kBackwardWeights;
  const bool has_tokens =
      pass.current().kind == TrainingUnit::Kind::kExpertLayer && plan_.exchanges_tokens;
  return goes_apart && has_tokens ? kLayerHalves + 1 : kLayerHalves;
}

LayerOrder TrainingScript::order_of(const Pass& pass) const {
  const std::uint32_t each = parts_of_pass(pass);
  LayerOrder order{.is_forward = pass.is_forward(), .each = each};
  if (pass.kind == SlotKind::kBackward || pass.kind == SlotKind::kBackwardInput) {
    const bool has_experts = pass.current().kind == TrainingUnit::Kind::kExpertLayer;
    order.again = repeated_parts(repeats_, has_experts, each);
  }
  return order;
}

std::uint32_t TrainingScript::parts_of(const Pass& pass) const {
  return pass.current().is_layer() ? order_of(pass).parts() : 1;
}

bool TrainingScript::has_weights_apart(const Pass& pass) const {
  return plan_.spec.overlap.weights && pass.kind == SlotKind::kBackward &&
         pass.current().is_layer();
}

Picoseconds TrainingScript::time_of(SlotKind kind, const PassTimes& times) {
  const Picoseconds again = times.recomputed - times.apart;
  switch (kind) {
    case SlotKind::kForward:
      return times.forward;
    case SlotKind::kBackwardInput:
      return again + times.backward_inputs;
    case SlotKind::kBackwardWeights:
      return times.backward_weights;
    default:
      return again + times.backward_inputs + times.backward_weights;
  }
}

Picoseconds TrainingScript::of_part(const Pass& pass, Picoseconds time) const {
  return part_of_time(time, plan_.parts, pass.half);
}

Picoseconds TrainingScript::half_time(const Pass& pass, const Phase& phase) const {
  return of_part(pass, whole_half_time(pass, phase, kind_before_weights(pass)));
}

Picoseconds TrainingScript::weights_time(const Pass& pass, const Phase& phase) const {
  return of_part(pass, whole_half_time(pass, phase, SlotKind::kBackward)) - half_time(pass, phase);
}

/// Halves take equally long where nothing says what attention takes, and experts are loaded alike.
/// What more or fewer tokens take is the feed-forward's.
Picoseconds TrainingScript::whole_half_time(const Pass& pass, const Phase& phase,
                                            SlotKind kind) const {
  const TrainingUnit& unit = pass.current();
  const bool is_attention = phase.is_attention;
  const auto whole = [&](const PassTimes& times) {
    return phase.is_recomputing ? times.apart : time_of(kind, times);
  };
  const Picoseconds even = whole(unit.times);
  const std::uint32_t number = phase.half;
  if (unit.shares) {
    const Picoseconds loaded = unit.loaded.empty() ? even : whole(unit.loaded[expert_place_]);
    const Picoseconds attention = std::min(whole(unit.shares->attention), loaded);
    return is_attention ? attention : loaded - attention;
  }
  if (unit.loaded.empty()) return part_of_time(even, kLayerHalves, number);
  const Picoseconds loaded = whole(unit.loaded[expert_place_]);
  const std::uint32_t of_attention = is_attention ? number : 1 - number;
  const Picoseconds attention = std::min(part_of_time(even, kLayerHalves, of_attention), loaded);
  return is_attention ? attention : loaded - attention;
}

Picoseconds TrainingScript::shared_time(const Pass& pass, bool is_recomputing) const {
  const TrainingUnit& unit = pass.current();
  if (!unit.shares || !plan_.spec.overlap.shared_experts) return {};
  const PassTimes& shared = unit.shares->shared;
  return of_part(pass, is_recomputing ? shared.apart : time_of(pass, shared));
}

Waits TrainingScript::summed(Bytes size, const Waits& after) {
  return call(GroupKind::kTensor,
              is_sequence_parallel_ ? Operation::kReduceScatter : Operation::kAllReduce, size,
              after);
}

Waits TrainingScript::gathered_input(Bytes size, const Waits& after) {
  if (!is_sequence_parallel_) return after;
  return call(GroupKind::kTensor, Operation::kAllGather, size, after);
}

Waits TrainingScript::embedding(const Pass& pass) {
  if (pass.is_forward()) return summed(plan_.activations, compute(time_of(pass), pass.ready));
  // Its input has no gradient; its weights' comes with them.
  const bool is_first = pass.kind != SlotKind::kBackwardWeights;
  const Waits ready = is_first ? gathered_input(plan_.gathered_inputs, pass.ready) : pass.ready;
  return compute(time_of(pass), ready);
}

Waits TrainingScript::output(const Pass& pass) {
  if (pass.kind == SlotKind::kBackwardWeights) return compute(time_of(pass), pass.ready);
  const Waits ready = gathered_input(plan_.gathered_inputs, pass.ready);
  const Waits computed = compute(time_of(pass), ready);
  return pass.is_forward() ? computed : summed(plan_.activations, computed);
}

/// Gradients of weights come right after those of inputs, which leave meanwhile: DeepSeek-V3 (arXiv
/// 2412.19437, figure 4) and Megatron-Core (`delay_wgrad_compute`, TransformerLayerSchedulePlan)
/// have both halves of a layer so.
Waits TrainingScript::half(Pass& pass) {
  const Phase phase = order_of(pass).at(pass.part);
  Waits ready = half_before_weights(pass, phase);
  if (has_weights_apart(pass) && !phase.is_recomputing && phase.piece != Phase::Piece::kOut) {
    compute(weights_time(pass, phase), {});
  }
  return ready;
}

Waits TrainingScript::half_before_weights(Pass& pass, const Phase& phase) {
  const TrainingUnit& unit = pass.current();
  const bool is_recomputing = phase.is_recomputing;
  const Picoseconds time = half_time(pass, phase);
  const bool is_of_weights = pass.kind == SlotKind::kBackwardWeights;
  const bool is_of_experts = !phase.is_attention && unit.kind == TrainingUnit::Kind::kExpertLayer &&
                             plan_.exchanges_tokens;
  const bool has_shared = plan_.spec.model.shared_experts > 0;
  if (is_of_weights) {
    const Waits now = last_computed();
    const bool has_input = !is_of_experts || has_shared;
    return compute(time, has_input ? gathered_input(plan_.gathered_inputs, now) : now);
  }
  // Frameworks recompute a layer once its gradient has come: PyTorch's checkpoints run with their
  // backward pass (torch.utils.checkpoint).
  if (phase.is_attention) return attention(pass, phase);
  if (is_of_experts) {
    const Picoseconds shared = std::min(time, shared_time(pass, is_recomputing));
    if (phase.piece != Phase::Piece::kRest) {
      pass.tokens = send_tokens(
          shared, pass.ready,
          {.sums = has_shared, .regathers = pass.kind == SlotKind::kBackward && !is_recomputing});
    }
    if (phase.piece == Phase::Piece::kOut) return pass.ready;
    return experts(time - shared, pass.tokens);
  }
  return dense(time, pass.ready, pass.kind == SlotKind::kBackward && !is_recomputing);
}

Waits TrainingScript::attention(const Pass& pass, const Phase& phase) {
  const bool is_backward = !pass.is_forward() && !phase.is_recomputing;
  const bool regathers = is_backward && pass.kind == SlotKind::kBackward;
  if (!plan_.groups.of(GroupKind::kContext, rank_)) {
    return dense(half_time(pass, phase), pass.ready, regathers);
  }
  return attention_round_ring(attention_times(pass, phase), pass.ready, is_backward, regathers);
}

TrainingScript::AttentionTimes TrainingScript::attention_times(const Pass& pass,
                                                               const Phase& phase) const {
  const Picoseconds whole = half_time(pass, phase);
  const std::optional<LayerParts>& parts = pass.current().shares;
  WEFT_CHECK(parts.has_value(), "a plan with a context group knows what scores take");
  const Picoseconds scores =
      phase.is_recomputing ? parts->scores.apart : time_of(pass, parts->scores);
  AttentionTimes times;
  times.scores = std::min(whole, of_part(pass, scores));
  const Picoseconds rest = whole - times.scores;
  if (!pass.is_forward() && !phase.is_recomputing) {
    const PassTimes& of_scores = parts->scores;
    times.repeated = std::min(times.scores, of_part(pass, of_scores.recomputed - of_scores.apart));
    times.scores -= times.repeated;
  }
  const Picoseconds last(std::llround(static_cast<double>(rest.count()) * parts->last_projection));
  const bool goes_up = pass.is_forward() || phase.is_recomputing;
  times.before = goes_up ? rest - last : last;
  times.after = rest - times.before;
  return times;
}

/// Projections go in chunks: inputs are gathered beside chunks of the first one, results are summed
/// up beside chunks of the last one (Transformer Engine gives `ub_overlap_ag` and `ub_overlap_rs`
/// to projections, whatever attention lies between). Between them keys and values go round, and
/// where scores are computed again, once more before they go with gradients.
Waits TrainingScript::attention_round_ring(const AttentionTimes& times, const Waits& ready,
                                           bool has_gradients, bool regathers) {
  const bool is_shared = plan_.groups.of(GroupKind::kTensor, rank_).has_value();
  // Without chunks there is nothing to have it beside.
  const bool is_whole = !is_shared || plan_.tensor_chunks() == 1;
  const Waits projected = gathered_chunks(times.before, ready, regathers && is_whole);
  Waits here = projected;
  if (has_gradients && repeats_.core_attention) here = ring_of_keys(times.repeated, here, false);
  const Waits attended = ring_of_keys(times.scores, here, has_gradients);
  if (!is_shared) return compute(times.after, attended);
  return summed_chunks(times.after, attended, regathers && !is_whole);
}

Waits TrainingScript::gathered_chunks(Picoseconds time, const Waits& ready, bool regathers) {
  const bool is_gathered =
      is_sequence_parallel_ && plan_.groups.of(GroupKind::kTensor, rank_).has_value();
  const std::uint32_t chunks = is_gathered ? plan_.tensor_chunks() : 1;
  Waits projected;
  for (std::uint32_t c = 0; c < chunks; ++c) {
    Waits input = gathered_input(plan_.gathered_chunk(c), ready);
    if (regathers) input.add(gathered_input(plan_.gathered_inputs, ready));
    projected.add(compute(part_of_time(time, chunks, c), input));
  }
  return projected;
}

/// A rank works on the keys and values that it has while the next ones come; in a backward pass
/// gradients of those before come along, and what follows needs all of them (Transformer Engine,
/// attention with `cp_comm_type: p2p`: the ring is within attention's scores).
Waits TrainingScript::ring_of_keys(Picoseconds time, const Waits& ready, bool has_gradients) {
  const std::uint32_t ranks = plan_.grid.size_of(GroupKind::kContext);
  Waits arrived = ready;
  Waits sent_back;
  for (std::uint32_t i = 0; i + 1 < ranks; ++i) {
    const Waits here = arrived;
    arrived = send_keys(here);
    const Waits computed = compute(part_of_time(time, ranks, i), here);
    if (has_gradients) sent_back.add(send_keys(computed));
  }
  sent_back.add(compute(part_of_time(time, ranks, ranks - 1), arrived));
  return sent_back;
}

Waits TrainingScript::send_keys(const Waits& after) {
  return call(GroupKind::kContext, Operation::kSendReceive, plan_.keys_and_values, after);
}

/// Gathers inputs once more beside the last chunk but one where `regathers` says so.
Waits TrainingScript::summed_chunks(Picoseconds time, const Waits& ready, bool regathers) {
  const std::uint32_t chunks = plan_.tensor_chunks();
  Waits done;
  Waits here = ready;
  for (std::uint32_t c = 0; c < chunks; ++c) {
    if (regathers && is_sequence_parallel_ && c + 2 == chunks) {
      here.add(gathered_input(plan_.gathered_inputs, ready));
    }
    const Waits computed = compute(part_of_time(time, chunks, c), c + 1 == chunks ? here : ready);
    done.add(summed(plan_.activation_chunk(c), computed));
  }
  return done;
}

/// Tensor-parallel: sums of each chunk are under way while the next chunk is computed.
/// Sequence-parallel inputs are gathered chunk by chunk likewise. Weights' gradients, which come
/// last, need all of what the forward pass gathered: it is gathered once more, beside the last
/// chunk but one (as Transformer Engine has it beside the product of the inputs' gradients,
/// `ub_bulk_dgrad`).
Waits TrainingScript::dense(Picoseconds time, const Waits& ready, bool regathers) {
  if (!plan_.groups.of(GroupKind::kTensor, rank_)) return compute(time, ready);
  const std::uint32_t chunks = plan_.tensor_chunks();
  const std::uint32_t last = chunks - 1;
  const std::uint32_t regathered_with = last > 0 ? last - 1 : 0;
  Waits input = gathered_input(plan_.gathered_chunk(0), ready);
  Waits again;
  Waits done;
  for (std::uint32_t i = 0; i < chunks; ++i) {
    Waits here = input;
    if (i < last) input = gathered_input(plan_.gathered_chunk(i + 1), ready);
    if (regathers && is_sequence_parallel_ && i == regathered_with) {
      again = gathered_input(plan_.gathered_inputs, ready);
    }
    if (i == last) here.add(again);
    const Dependency computed = compute(part_of_time(time, chunks, i), here);
    done.add(summed(plan_.activation_chunk(i), computed));
  }
  return done;
}

/// Tokens go to their experts. Those that every token goes to are computed meanwhile, or with the
/// others.
TrainingScript::TokensOut TrainingScript::send_tokens(Picoseconds shared_time, const Waits& ready,
                                                      SharedExperts shared) {
  using Way = TrainingGroups::TokenWay;
  TokensOut out;
  out.arrived = exchange_tokens(Way::kOut, ready);
  out.arrived = call(GroupKind::kExpertTensor, Operation::kAllGather,
                     plan_.shared_tokens_with(rank_, Way::kOut), out.arrived);
  Waits of_shared;
  if (shared.sums) of_shared = gathered_input(plan_.gathered_inputs, ready);
  if (shared.sums && shared.regathers) of_shared.add(gathered_input(plan_.gathered_inputs, ready));
  out.has_shared = shared.sums;
  if (shared_time > Picoseconds(0)) {
    Waits needs = ready;
    needs.add(of_shared);
    out.shared_done = compute(shared_time, needs);
  } else if (shared.sums) {
    out.arrived.add(of_shared);
  }
  return out;
}

/// What came is computed and goes back; sums of shared experts are tensor-parallel.
Waits TrainingScript::experts(Picoseconds time, const TokensOut& out) {
  using Way = TrainingGroups::TokenWay;
  const Dependency computed = compute(time, out.arrived);
  Waits done = call(GroupKind::kExpertTensor, Operation::kReduceScatter,
                    plan_.shared_tokens_with(rank_, Way::kBack), computed);
  done = exchange_tokens(Way::kBack, done);
  if (out.has_shared && plan_.groups.of(GroupKind::kTensor, rank_)) {
    done.add(summed(plan_.activations, out.shared_done.count > 0 ? out.shared_done : computed));
  }
  return done;
}

}  // namespace weft::collectives
