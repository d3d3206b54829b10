#include "collectives/training/estimate/tensor_costs.hpp"

#include <algorithm>
#include <cstdint>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/work.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {
namespace {

/// What a half of a layer exchanges of one of its chunks, in seconds, and of all of them at once.
struct HalfExchange {
  double gather{};  ///< of a chunk of the inputs; nothing without sequence parallelism
  double sum{};     ///< of a chunk of the results
  double whole_gather{};
  std::uint32_t chunks{};

  [[nodiscard]] double once() const { return chunks * (gather + sum); }
};

/// A micro-batch that goes through layers in halves has smaller calls, and more of them.
HalfExchange half_exchange(const TrainingSpec& spec, const ExchangeTimes& times,
                           std::uint32_t chunks) {
  const TokenBytes token = token_bytes(spec.precision, spec.model.hidden);
  const double parts = pass_parts(spec.overlap);
  const auto of = [&](Operation operation, Bytes each, double pieces) {
    const double bytes = rank_tokens(spec) * static_cast<double>(each.count());
    return parts * times.collective(GroupKind::kTensor, operation, bytes / (parts * pieces));
  };
  if (!spec.parallelism.sequence_parallel) {
    return {.gather = 0,
            .sum = of(Operation::kAllReduce, token.tensor, chunks),
            .whole_gather = 0,
            .chunks = chunks};
  }
  return {.gather = of(Operation::kAllGather, token.tensor_gather, chunks),
          .sum = of(Operation::kReduceScatter, token.tensor, chunks),
          .whole_gather = of(Operation::kAllGather, token.tensor_gather, 1),
          .chunks = chunks};
}

/// What nothing hides of a half that computes for `computed` seconds. One chunk is computed at a
/// time and one call is under way at a time, in the order in which the job asks for them: the next
/// chunk's gather goes before this one's sum, and what is gathered `again` for the last chunk goes
/// beside the last but one (TrainingScript::dense).
double exposed_half(const HalfExchange& half, double computed, double again) {
  const std::uint32_t last = half.chunks - 1;
  const std::uint32_t regathered_with = last > 0 ? last - 1 : 0;
  const double chunk = computed / half.chunks;
  double sends_until = half.gather;
  double arrived = sends_until;
  double regathered = 0;
  double computes_until = 0;
  for (std::uint32_t i = 0; i < half.chunks; ++i) {
    double here = arrived;
    if (i < last) arrived = sends_until += half.gather;
    if (again > 0 && i == regathered_with) regathered = sends_until += again;
    if (i == last) here = std::max(here, regathered);
    computes_until = std::max(computes_until, here) + chunk;
    sends_until = std::max(sends_until, computes_until) + half.sum;
  }
  return sends_until - computed;
}

/// The same of attention with keys that go round: inputs are gathered beside chunks of the
/// projection `before` scores, results are summed up beside chunks of the one `after` them
/// (TrainingScript::attention_round_ring).
double exposed_projections(const HalfExchange& half, double before, double after, double again) {
  const double chunks = half.chunks;
  const bool has_beside = half.chunks > 1;
  double first = 0;
  double last = 0;
  double sends_until = 0;
  double regathered = 0;
  for (std::uint32_t i = 0; i < half.chunks; ++i) {
    first = std::max(first, (i + 1) * half.gather + (has_beside ? 0 : again)) + before / chunks;
    if (has_beside && i + 2 == half.chunks) regathered = sends_until += again;
    if (i + 1 == half.chunks) last = std::max(last, regathered);
    last += after / chunks;
    sends_until = std::max(sends_until, last) + half.sum;
  }
  return first - before + sends_until - after;
}

/// Of a half of a layer in seconds: its passes, as jobs do them.
struct HalfTimes {
  double forward{};
  double backward{};  ///< without what is repeated in a pass of its own
  double apart{};
  double weights{};  ///< of the backward pass
};

HalfTimes half_times(const PassTimes& times) {
  return {.forward = to_seconds(times.forward),
          .backward = to_seconds(times.backward() - times.apart),
          .apart = to_seconds(times.apart),
          .weights = to_seconds(times.backward_weights)};
}

HalfTimes rest_of(const HalfTimes& whole, const HalfTimes& half) {
  return {.forward = std::max(0.0, whole.forward - half.forward),
          .backward = std::max(0.0, whole.backward - half.backward),
          .apart = std::max(0.0, whole.apart - half.apart),
          .weights = std::max(0.0, whole.weights - half.weights)};
}

HalfTimes attention_times(const TrainingSpec& spec, bool has_experts, const HalfTimes& whole) {
  if (knows_layer_parts(spec)) return half_times(layer_parts(spec, has_experts).attention);
  return {.forward = whole.forward / 2,
          .backward = whole.backward / 2,
          .apart = whole.apart / 2,
          .weights = whole.weights / 2};
}

/// A half that is computed `repeats` times more before its backward pass. Where gradients of
/// weights are a pass of their own, that pass waits for what is gathered again.
Exchange of_half(const TrainingSpec& spec, const HalfExchange& half, const HalfTimes& times,
                 double repeats) {
  const bool is_split = spec.parallelism.schedule == PipelineSchedule::kZeroBubbleH1;
  const double again = half.whole_gather;
  Exchange e;
  e.all = {.forward = half.once(), .backward = (1 + repeats) * half.once() + again};
  e.exposed.forward = exposed_half(half, times.forward, 0);
  e.exposed.backward = repeats * exposed_half(half, times.apart, 0);
  e.exposed.backward += is_split ? exposed_half(half, times.backward - times.weights, 0) + again
                                 : exposed_half(half, times.backward, again);
  return e;
}

/// The same of attention with keys that go round.
Exchange of_attention_round_ring(const TrainingSpec& spec, const HalfExchange& half,
                                 const HalfTimes& attention, const LayerParts& parts,
                                 double repeats) {
  const bool is_split = spec.parallelism.schedule == PipelineSchedule::kZeroBubbleH1;
  const HalfTimes rest = rest_of(attention, half_times(parts.scores));
  const double share = parts.last_projection;
  const auto up = [&](double computed) {
    return exposed_projections(half, (1 - share) * computed, share * computed, 0);
  };
  const auto down = [&](double computed, double again) {
    return exposed_projections(half, share * computed, (1 - share) * computed, again);
  };
  const double again = half.whole_gather;
  Exchange e;
  e.all = {.forward = half.once(), .backward = (1 + repeats) * half.once() + again};
  e.exposed.forward = up(rest.forward);
  e.exposed.backward = repeats * up(rest.apart);
  e.exposed.backward +=
      is_split ? down(rest.backward - rest.weights, 0) + again : down(rest.backward, again);
  return e;
}

}  // namespace

/// A half of a layer is summed up once in the forward pass and once in the backward pass (Shoeybi
/// et al., arXiv 1909.08053, section 3), and where it is repeated, once more. With
/// sequence parallelism a sum is a reduce-scatter and an all-gather, and the backward pass gathers
/// inputs again (Korthikanti et al., arXiv 2205.05198, section 4.2.2).
Exchange tensor_exchange(const TrainingSpec& spec, const ExchangeTimes& times, bool has_experts,
                         const PassTimes& whole) {
  const std::uint32_t chunks = spec.overlap.tensor ? std::max(spec.overlap.tensor_chunks, 1U) : 1U;
  const HalfExchange half = half_exchange(spec, times, chunks);
  const HalfTimes layer = half_times(whole);
  const HalfTimes attention = attention_times(spec, has_experts, layer);
  const bool repeats_all = spec.recomputation == Recomputation::kFull;
  const double repeats = repeats_all ? 1 : 0;
  Exchange e =
      spec.parallelism.context > 1
          ? of_attention_round_ring(spec, half, attention, layer_parts(spec, has_experts), repeats)
          : of_half(spec, half, attention, repeats);
  if (has_experts && exchanges_tokens(spec.parallelism)) return e;
  const bool repeats_second = repeats_all || repeats_second_half(spec, has_experts);
  e += of_half(spec, half, rest_of(layer, attention), repeats_second ? 1 : 0);
  return e;
}

SharedExchange shared_exchange(const TrainingSpec& spec, const ExchangeTimes& times) {
  if (spec.model.shared_experts == 0) return {};
  const HalfExchange whole = half_exchange(spec, times, 1);
  return {.gather = whole.gather, .sum = whole.sum};
}

double whole_tensor_sum(const TrainingSpec& spec, const ExchangeTimes& times) {
  return half_exchange(spec, times, 1).once();
}

double whole_tensor_gather(const TrainingSpec& spec, const ExchangeTimes& times) {
  return half_exchange(spec, times, 1).whole_gather;
}

}  // namespace weft::collectives
