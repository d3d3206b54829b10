#pragma once

#include <cstdint>

#include "collectives/training/spec/training_spec.hpp"

/// What a rank computes of one micro-batch, counted: operations of matrix products, and bytes that
/// everything else moves through memory. All take a specification whose model is as `completed`
/// leaves it.
namespace weft::collectives {

struct Work {
  double flops{};       ///< in the format that the job computes in
  double wide_flops{};  ///< attention and logits, which 8-bit training keeps in 16 bits
  double bytes{};

  Work& operator+=(const Work& other);
  [[nodiscard]] Work operator*(double factor) const;
};

/// A pass through some part of the model, by direction.
struct PassWork {
  Work forward;
  Work backward_inputs;
  Work backward_weights;
  Work recomputed;  ///< of the forward pass, before the backward pass
  Work apart;       ///< of that, what runs again as a pass of its own, with its exchanges
};

/// Of one layer. `load`: tokens that the rank's experts get for each copy that the rank brings
/// (ExpertLoads); 1 where they are spread evenly, however many experts a rank has.
[[nodiscard]] PassWork layer_work(const TrainingSpec& spec, bool has_experts, double load = 1);
/// Of these, the first half: attention, with the norm before and the sum after it.
[[nodiscard]] PassWork attention_work(const TrainingSpec& spec);
/// Of attention, the products of scores and what moves them: what keys and values are for.
[[nodiscard]] PassWork score_work(const TrainingSpec& spec);
/// And experts that every token goes to.
[[nodiscard]] PassWork shared_expert_work(const TrainingSpec& spec);
/// Of looking tokens up once more, and putting them together with what the last layer gave: for a
/// layer of multi-token prediction.
[[nodiscard]] PassWork joint_work(const TrainingSpec& spec);
/// Of looking tokens up.
[[nodiscard]] PassWork embedding_work(const TrainingSpec& spec);
/// Of the last norm, the logits and their loss.
[[nodiscard]] PassWork output_work(const TrainingSpec& spec);

/// Bytes of one parameter that a step of the optimiser (Adam) reads and writes.
[[nodiscard]] double optimizer_bytes(const PrecisionSpec& precision);

/// Tokens of a micro-batch that a rank has before tensor parallelism divides its work.
[[nodiscard]] double rank_tokens(const TrainingSpec& spec);

/// Parts of a micro-batch that go through layers side by side: two halves, or one whole.
[[nodiscard]] inline std::uint32_t pass_parts(const OverlapSpec& overlap) {
  return overlap.experts == OverlapSpec::Experts::kHalves ? 2 : 1;
}

}  // namespace weft::collectives
