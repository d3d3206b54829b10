#include <algorithm>
#include <utility>

#include "collectives/jobs/training/training_script.hpp"
#include "collectives/steps/step.hpp"

/// What passes do of a unit: half a layer at a time, the embedding, or the output layer.
namespace weft::collectives {

namespace {

/// Part `i` of `n` equal ones, to the picosecond.
Picoseconds part_of_time(Picoseconds time, std::uint32_t n, std::uint32_t i) {
  return Picoseconds(part_of({0, time.count()}, n, i).size);
}

/// Layers are attention and feed-forward.
constexpr std::uint32_t kHalves = 2;

}  // namespace

std::uint32_t TrainingScript::parts_of(const Pass& pass) const {
  if (!pass.current().is_layer()) return 1;
  const bool goes_twice =
      plan_.spec.recomputation == Recomputation::kFull &&
      (pass.kind == SlotKind::kBackward || pass.kind == SlotKind::kBackwardInput);
  return goes_twice ? 2 * kHalves : kHalves;
}

Picoseconds TrainingScript::time_of(const Pass& pass, const PassTimes& times) const {
  const bool recomputes_apart = plan_.spec.recomputation == Recomputation::kFull;
  const Picoseconds again = recomputes_apart ? Picoseconds(0) : times.recomputed;
  switch (pass.kind) {
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

Picoseconds TrainingScript::half_time(const Pass& pass, bool is_recomputing,
                                      bool is_attention) const {
  return of_part(pass, whole_half_time(pass, is_recomputing, is_attention));
}

/// Halves take equally long where nothing says what attention takes, and experts are loaded alike.
/// What more or fewer tokens take is the feed-forward's.
Picoseconds TrainingScript::whole_half_time(const Pass& pass, bool is_recomputing,
                                            bool is_attention) const {
  const TrainingUnit& unit = pass.current();
  const auto whole = [&](const PassTimes& times) {
    return is_recomputing ? times.recomputed : time_of(pass, times);
  };
  const Picoseconds even = whole(unit.times);
  const std::uint32_t number = pass.part % kHalves;
  if (unit.shares) {
    const Picoseconds loaded = unit.loaded.empty() ? even : whole(unit.loaded[expert_place_]);
    const Picoseconds attention = std::min(whole(unit.shares->attention), loaded);
    return is_attention ? attention : loaded - attention;
  }
  if (unit.loaded.empty()) return part_of_time(even, kHalves, number);
  const Picoseconds loaded = whole(unit.loaded[expert_place_]);
  const std::uint32_t of_attention = is_attention ? number : 1 - number;
  const Picoseconds attention = std::min(part_of_time(even, kHalves, of_attention), loaded);
  return is_attention ? attention : loaded - attention;
}

Picoseconds TrainingScript::shared_time(const Pass& pass, bool is_recomputing) const {
  const TrainingUnit& unit = pass.current();
  if (!unit.shares || !plan_.spec.overlap.shared_experts) return {};
  const PassTimes& shared = unit.shares->shared;
  return of_part(pass, is_recomputing ? shared.recomputed : time_of(pass, shared));
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

Waits TrainingScript::half(const Pass& pass) {
  const TrainingUnit& unit = pass.current();
  const bool is_recomputing = parts_of(pass) > kHalves && pass.part < kHalves;
  const std::uint32_t number = pass.part % kHalves;
  const bool goes_up = pass.is_forward() || is_recomputing;
  const bool is_attention = goes_up == (number == 0);
  const Picoseconds time = half_time(pass, is_recomputing, is_attention);
  const bool is_of_weights = pass.kind == SlotKind::kBackwardWeights;
  const Step step = pass.is_forward() ? Step::kForward
                    : is_recomputing  ? Step::kRecompute
                                      : Step::kBackward;
  if (is_of_weights) return compute(time, gathered_input(plan_.gathered_inputs, last_computed()));
  // Frameworks recompute a layer once its gradient has come: PyTorch's checkpoints run with their
  // backward pass (torch.utils.checkpoint).
  if (is_attention) return attention(step, pass.kind, time, pass.ready);
  if (unit.kind == TrainingUnit::Kind::kExpertLayer && plan_.exchanges_tokens) {
    return experts(time, std::min(time, shared_time(pass, is_recomputing)), pass.ready,
                   plan_.spec.model.shared_experts > 0);
  }
  return dense(time, pass.ready, pass.kind == SlotKind::kBackward && !is_recomputing);
}

Waits TrainingScript::attention(Step step, SlotKind kind, Picoseconds time, const Waits& ready) {
  if (!plan_.groups.of(GroupKind::kContext, rank_)) {
    return dense(time, ready, step == Step::kBackward && kind == SlotKind::kBackward);
  }
  Waits input = gathered_input(plan_.gathered_inputs, ready);
  if (step == Step::kBackward && kind == SlotKind::kBackward) {
    input.add(gathered_input(plan_.gathered_inputs, ready));
  }
  return summed(plan_.activations, ring_of_keys(time, input, step == Step::kBackward));
}

/// A rank works on the keys and values that it has while the next ones come. What comes first is
/// the rank's own, and they are taken to be there as soon as the layer's input is.
Waits TrainingScript::ring_of_keys(Picoseconds time, const Waits& ready, bool has_gradients) {
  const std::uint32_t ranks = plan_.grid.size_of(GroupKind::kContext);
  const Bytes size = plan_.keys_and_values;
  Waits arrived = ready;
  Waits done;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const Waits here = arrived;
    const bool is_last = i + 1 == ranks;
    if (!is_last) arrived = call(GroupKind::kContext, Operation::kSendReceive, size, here);
    const Dependency computed = compute(part_of_time(time, ranks, i), here);
    done.add(computed);
    if (has_gradients && !is_last) {
      done.add(call(GroupKind::kContext, Operation::kSendReceive, size, computed));
    }
  }
  return done;
}

/// Tensor-parallel: sums of each chunk are under way while the next chunk is computed.
/// Sequence-parallel inputs are gathered chunk by chunk likewise, and once more whole where
/// weights' gradients need them.
Waits TrainingScript::dense(Picoseconds time, const Waits& ready, bool regathers) {
  if (!plan_.groups.of(GroupKind::kTensor, rank_)) return compute(time, ready);
  const std::uint32_t chunks = plan_.tensor_chunks();
  Waits again;
  if (regathers) again = is_sequence_parallel_ ? gathered_input(plan_.gathered_inputs, ready) : Waits();
  Waits input = gathered_input(plan_.gathered_chunk(0), ready);
  Waits done;
  for (std::uint32_t i = 0; i < chunks; ++i) {
    Waits here = input;
    if (i + 1 < chunks) input = gathered_input(plan_.gathered_chunk(i + 1), ready);
    if (i + 1 == chunks) here.add(again);
    const Dependency computed = compute(part_of_time(time, chunks, i), here);
    done.add(summed(plan_.activation_chunk(i), computed));
  }
  return done;
}

/// Tokens go to their experts and come back; the sums of shared experts are tensor-parallel. These
/// are computed while tokens are on their way, or with the others.
Waits TrainingScript::experts(Picoseconds time, Picoseconds shared_time, const Waits& ready,
                              bool sums) {
  using Way = TrainingGroups::TokenWay;
  Waits input = exchange_tokens(Way::kOut, ready);
  input = call(GroupKind::kExpertTensor, Operation::kAllGather,
               plan_.shared_tokens_with(rank_, Way::kOut), input);
  Waits of_shared;
  if (sums) of_shared = gathered_input(plan_.gathered_inputs, ready);
  Dependency shared_done;
  const bool is_apart = shared_time > Picoseconds(0);
  if (is_apart) {
    Waits needs = ready;
    needs.add(of_shared);
    shared_done = compute(shared_time, needs);
  } else if (sums) {
    input.add(of_shared);
  }
  const Dependency computed = compute(time - shared_time, input);
  Waits done = call(GroupKind::kExpertTensor, Operation::kReduceScatter,
                    plan_.shared_tokens_with(rank_, Way::kBack), computed);
  done = exchange_tokens(Way::kBack, done);
  if (sums && plan_.groups.of(GroupKind::kTensor, rank_)) {
    done.add(summed(plan_.activations, is_apart ? shared_done : computed));
  }
  return done;
}

}  // namespace weft::collectives
