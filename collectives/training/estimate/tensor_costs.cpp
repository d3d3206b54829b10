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

}  // namespace

/// A half of a layer is summed up once in the forward pass and once in the backward pass (Shoeybi
/// et al., arXiv 1909.08053, section 3), and where it is repeated, once more. With
/// sequence parallelism a sum is a reduce-scatter and an all-gather, and the backward pass gathers
/// inputs again (Korthikanti et al., arXiv 2205.05198, section 4.2.2). Where experts are sent their
/// tokens, the second half exchanges what shared experts gather and add up, as a whole
/// (Megatron-Core's shared experts turn Transformer Engine's chunks off, `ub_overlap_ag_fprop` and
/// `ub_overlap_rs_fprop`, and gather before the first matrix and scatter after the last).
BothWays tensor_exchange(const TrainingSpec& spec, const ExchangeTimes& times, bool has_experts) {
  const std::uint32_t chunks = spec.overlap.tensor ? std::max(spec.overlap.tensor_chunks, 1U) : 1U;
  const auto of_half = [](const HalfExchange& half, bool repeats) -> BothWays {
    return {.forward = half.once(),
            .backward = (repeats ? 2 : 1) * half.once() + half.whole_gather};
  };
  const HalfExchange half = half_exchange(spec, times, chunks);
  BothWays all = of_half(half, spec.recomputation == Recomputation::kFull);
  const bool sends_tokens = has_experts && exchanges_tokens(spec.parallelism);
  if (sends_tokens && spec.model.shared_experts == 0) return all;
  all += of_half(sends_tokens ? half_exchange(spec, times, 1) : half,
                 repeats_second_half(spec, has_experts));
  return all;
}

double whole_tensor_sum(const TrainingSpec& spec, const ExchangeTimes& times) {
  return half_exchange(spec, times, 1).once();
}

double whole_tensor_gather(const TrainingSpec& spec, const ExchangeTimes& times) {
  return half_exchange(spec, times, 1).whole_gather;
}

}  // namespace weft::collectives
