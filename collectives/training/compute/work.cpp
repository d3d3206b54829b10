#include "collectives/training/compute/work.hpp"

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/model/flops.hpp"

namespace weft::collectives {
namespace {

/// Numbers per token that a direction reads and writes outside of matrix products.
struct Traffic {
  double forward{};
  double backward{};

  void add(double numbers, double reads_and_writes_forward, double reads_and_writes_backward) {
    forward += numbers * reads_and_writes_forward;
    backward += numbers * reads_and_writes_backward;
  }
};

/// What lies between the blocks. A norm reads its input and writes its output; backward it reads
/// its input and a gradient and writes one. A sum of two reads both and writes one; backward it
/// joins two gradients.
Traffic block_traffic(const ModelSpec& model) {
  Traffic traffic;
  const double norms = 2.0 * model.hidden;
  const double sums = 2.0 * model.hidden;
  traffic.add(norms, 2, 3);
  traffic.add(sums, 3, 3);
  return traffic;
}

/// Rotations read and write; norms of heads as above; scores that leave the chip are read and
/// written by the softmax, and backward read with a gradient, for which another is written.
void add_attention(Traffic& traffic, const TrainingSpec& spec) {
  const ModelSpec& model = spec.model;
  const double heads = 1.0 * model.heads + model.kv_heads;
  if (model.kv_rank != 0) {
    traffic.add((model.heads + 1.0) * model.rope_head_size, 2, 2);
  } else if (!model.learned_positions) {
    traffic.add(heads * model.head_size, 2, 2);
  }
  if (model.head_norms) traffic.add(heads * model.head_size, 2, 3);
  if (!spec.compute.fused_attention) traffic.add(1.0 * model.heads * model.sequence, 2, 3);
}

/// An activation function reads its input, with a gate two, and writes its output; backward it
/// reads them and a gradient, and writes as many gradients as it has inputs. Tokens are put in the
/// order of their experts and back: each time read and written.
void add_feed_forward(Traffic& traffic, const ModelSpec& model, bool has_experts) {
  double inner = model.ffn;
  if (has_experts) {
    inner = (1.0 * model.top_k + model.shared_experts) * model.expert_ffn;
    traffic.add(2.0 * model.top_k * model.hidden, 2, 2);
  }
  if (model.gated_ffn) {
    traffic.add(inner, 3, 5);
  } else {
    traffic.add(inner, 2, 3);
  }
}

/// By how much what tensor parallelism leaves whole is divided.
double sequence_share(const ParallelismSpec& parallelism) {
  return parallelism.sequence_parallel ? parallelism.tensor : 1.0;
}

Work recomputed_work(const PassWork& pass, Recomputation recomputation, const Work& attention) {
  switch (recomputation) {
    case Recomputation::kNone:
      return {};
    case Recomputation::kSelective:
      return attention;
    case Recomputation::kFull:
      break;
  }
  return pass.forward;
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  flops += other.flops;
  wide_flops += other.wide_flops;
  bytes += other.bytes;
  return *this;
}

Work Work::operator*(double factor) const {
  return {flops * factor, wide_flops * factor, bytes * factor};
}

double rank_tokens(const TrainingSpec& spec) {
  return 1.0 * spec.batch.micro * spec.model.sequence / spec.parallelism.context;
}

namespace {

PassWork evenly_loaded_work(const TrainingSpec& spec, bool has_experts) {
  const double tokens = rank_tokens(spec);
  const double sharded = tokens / spec.parallelism.tensor;
  const double replicated = tokens / sequence_share(spec.parallelism);
  const double number = activation_bytes(spec.precision.compute);
  const LayerFlops flops = layer_flops(spec.model, has_experts);
  const Traffic between = block_traffic(spec.model);
  Traffic inside;
  add_attention(inside, spec);
  add_feed_forward(inside, spec.model, has_experts);

  PassWork pass;
  pass.forward = {.flops = sharded * flops.sharded.forward + replicated * flops.replicated.forward,
                  .wide_flops = sharded * flops.attention.forward,
                  .bytes = number * (replicated * between.forward + sharded * inside.forward)};
  pass.backward_inputs = {
      .flops =
          sharded * flops.sharded.backward_inputs + replicated * flops.replicated.backward_inputs,
      .wide_flops = sharded * flops.attention.backward_inputs,
      .bytes = number * (replicated * between.backward + sharded * inside.backward)};
  pass.backward_weights = {.flops = sharded * flops.sharded.backward_weights +
                                    replicated * flops.replicated.backward_weights,
                           .wide_flops = 0,
                           .bytes = 0};
  Work attention{.flops = 0, .wide_flops = pass.forward.wide_flops, .bytes = 0};
  if (!spec.compute.fused_attention) {
    attention.bytes = number * sharded * 2 * spec.model.heads * spec.model.sequence;
  }
  pass.recomputed = recomputed_work(pass, spec.recomputation, attention);
  return pass;
}

}  // namespace

PassWork layer_work(const TrainingSpec& spec, bool has_experts, double load) {
  PassWork pass = evenly_loaded_work(spec, has_experts);
  if (!has_experts || load == 1) return pass;
  // What experts do is in proportion to the tokens that they get.
  TrainingSpec without = spec;
  without.model.top_k = 0;
  const PassWork rest = evenly_loaded_work(without, true);
  for (const auto member : {&PassWork::forward, &PassWork::backward_inputs,
                            &PassWork::backward_weights, &PassWork::recomputed}) {
    Work loaded = pass.*member * load;
    loaded += rest.*member * (1 - load);
    pass.*member = loaded;
  }
  return pass;
}

PassWork attention_work(const TrainingSpec& spec) {
  // What is left of a layer whose feed-forward has no columns, but for the second norm and sum.
  TrainingSpec without = spec;
  without.model.ffn = 0;
  PassWork pass = evenly_loaded_work(without, false);
  const double between = rank_tokens(spec) / sequence_share(spec.parallelism) *
                         activation_bytes(spec.precision.compute) / 2;
  const Traffic blocks = block_traffic(spec.model);
  pass.forward.bytes -= between * blocks.forward;
  pass.backward_inputs.bytes -= between * blocks.backward;
  if (spec.recomputation == Recomputation::kFull) pass.recomputed = pass.forward;
  return pass;
}

PassWork shared_expert_work(const TrainingSpec& spec) {
  TrainingSpec without = spec;
  without.model.shared_experts = 0;
  PassWork pass = evenly_loaded_work(spec, true);
  const PassWork rest = evenly_loaded_work(without, true);
  for (const auto member : {&PassWork::forward, &PassWork::backward_inputs,
                            &PassWork::backward_weights, &PassWork::recomputed}) {
    pass.*member += rest.*member * -1;
  }
  return pass;
}

PassWork embedding_work(const TrainingSpec& spec) {
  // A row is read and written; backward a gradient is read, and added to one that is read and
  // written.
  const double numbers = rank_tokens(spec) * spec.model.hidden;
  const double number = activation_bytes(spec.precision.compute);
  PassWork pass;
  pass.forward.bytes = numbers * 2 * number;
  pass.backward_weights.bytes = numbers * (number + 2 * bytes_of(spec.precision.gradients));
  return pass;
}

PassWork output_work(const TrainingSpec& spec) {
  const double tokens = rank_tokens(spec);
  const double sharded = tokens / spec.parallelism.tensor;
  const double replicated = tokens / sequence_share(spec.parallelism);
  const double number = activation_bytes(spec.precision.compute);
  const PassFlops logits = logit_flops(spec.model);
  const double wide = bytes_of(NumberFormat::kFp32);
  // The norm as in layers. The loss reads logits and writes probabilities in 32 bits; backward
  // these are read, and gradients written.
  PassWork pass;
  pass.forward = {.flops = 0,
                  .wide_flops = sharded * logits.forward,
                  .bytes = replicated * 2 * spec.model.hidden * number +
                           sharded * spec.model.vocabulary * (number + wide)};
  pass.backward_inputs = {.flops = 0,
                          .wide_flops = sharded * logits.backward_inputs,
                          .bytes = replicated * 3 * spec.model.hidden * number +
                                   sharded * spec.model.vocabulary * (wide + number)};
  pass.backward_weights.wide_flops = sharded * logits.backward_weights;
  return pass;
}

double optimizer_bytes(const PrecisionSpec& precision) {
  const double kept = bytes_of(precision.master) + 2 * bytes_of(precision.moments);
  const bool has_copy = precision.master != precision.parameters;
  return bytes_of(precision.gradients) + 2 * kept + (has_copy ? bytes_of(precision.parameters) : 0);
}

}  // namespace weft::collectives
