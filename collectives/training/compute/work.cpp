#include "collectives/training/compute/work.hpp"

#include <array>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/traffic.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {
namespace {

/// By how much what tensor parallelism leaves whole is divided.
double sequence_share(const ParallelismSpec& parallelism) {
  return parallelism.sequence_parallel ? parallelism.tensor : 1.0;
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

constexpr std::array kPassParts{&PassWork::forward, &PassWork::backward_inputs,
                                &PassWork::backward_weights, &PassWork::recomputed,
                                &PassWork::apart};

/// What runs again of a layer, and in `apart` what of it is a pass of its own: the second half but
/// for its norm and its sum.
void add_recomputed(PassWork& pass, const TrainingSpec& spec, bool has_experts) {
  const RecomputedModules modules = recomputed_modules(spec);
  if (modules.everything) {
    pass.recomputed = pass.apart = pass.forward;
    return;
  }
  const double tokens = rank_tokens(spec);
  const double sharded = tokens / spec.parallelism.tensor;
  const double replicated = tokens / sequence_share(spec.parallelism);
  if (modules.core_attention) {
    pass.recomputed += {.flops = 0,
                        .wide_flops = pass.forward.wide_flops,
                        .bytes = sharded * repeated_score_bytes(spec)};
  }
  const RepeatedTraffic moved = repeated_traffic(spec);
  if (modules.norms) pass.recomputed.bytes += replicated * moved.norms;
  if (modules.latent_up) {
    pass.recomputed += {.flops = sharded * latent_up_flops(spec.model),
                        .wide_flops = 0,
                        .bytes = sharded * moved.latent_up};
  }
  if (modules.expert_activation && has_experts) {
    pass.recomputed.bytes += sharded * moved.expert_activation;
  }
  if (!modules.second_half(has_experts)) return;
  const LayerTraffic traffic = layer_traffic(spec, has_experts);
  const HalfFlops flops = second_half_flops(spec.model, has_experts);
  pass.apart = {
      .flops = sharded * flops.sharded + replicated * flops.replicated,
      .wide_flops = 0,
      .bytes = sharded * traffic.feed_forward.forward + replicated * traffic.routing.forward};
  pass.recomputed += pass.apart;
}

PassWork evenly_loaded_work(const TrainingSpec& spec, bool has_experts) {
  const double tokens = rank_tokens(spec);
  const double sharded = tokens / spec.parallelism.tensor;
  const double replicated = tokens / sequence_share(spec.parallelism);
  const LayerFlops flops = layer_flops(spec.model, has_experts);
  const LayerTraffic traffic = layer_traffic(spec, has_experts);
  Traffic moved = traffic.between;
  moved += traffic.latent;
  moved += traffic.routing;
  Traffic divided = traffic.attention;
  divided += traffic.feed_forward;
  moved = moved * replicated;
  moved += divided * sharded;

  PassWork pass;
  pass.forward = {.flops = sharded * flops.sharded.forward + replicated * flops.replicated.forward,
                  .wide_flops = sharded * flops.attention.forward,
                  .bytes = moved.forward};
  pass.backward_inputs = {.flops = sharded * flops.sharded.backward_inputs +
                                   replicated * flops.replicated.backward_inputs,
                          .wide_flops = sharded * flops.attention.backward_inputs,
                          .bytes = moved.backward};
  pass.backward_weights = {.flops = sharded * flops.sharded.backward_weights +
                                    replicated * flops.replicated.backward_weights,
                           .wide_flops = 0,
                           .bytes = 0};
  add_recomputed(pass, spec, has_experts);
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
  for (const auto member : kPassParts) {
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
  const Traffic half = layer_traffic(without, false).between *
                       (rank_tokens(spec) / sequence_share(spec.parallelism) / 2);
  pass.forward.bytes -= half.forward;
  pass.backward_inputs.bytes -= half.backward;
  const RecomputedModules modules = recomputed_modules(spec);
  if (modules.everything) pass.recomputed = pass.apart = pass.forward;
  if (modules.norms) {
    pass.recomputed.bytes -=
        rank_tokens(spec) / sequence_share(spec.parallelism) * repeated_traffic(spec).norms / 2;
  }
  return pass;
}

PassWork score_work(const TrainingSpec& spec) {
  const double sharded = rank_tokens(spec) / spec.parallelism.tensor;
  const PassFlops flops = layer_flops(spec.model, false).attention;
  const Traffic moved = score_traffic(spec) * sharded;
  PassWork pass;
  pass.forward = {.flops = 0, .wide_flops = sharded * flops.forward, .bytes = moved.forward};
  pass.backward_inputs = {
      .flops = 0, .wide_flops = sharded * flops.backward_inputs, .bytes = moved.backward};
  const RecomputedModules modules = recomputed_modules(spec);
  if (modules.everything) pass.recomputed = pass.apart = pass.forward;
  if (modules.core_attention) {
    pass.recomputed = {.flops = 0,
                       .wide_flops = pass.forward.wide_flops,
                       .bytes = sharded * repeated_score_bytes(spec)};
  }
  return pass;
}

PassWork shared_expert_work(const TrainingSpec& spec) {
  TrainingSpec without = spec;
  without.model.shared_experts = 0;
  PassWork pass = evenly_loaded_work(spec, true);
  const PassWork rest = evenly_loaded_work(without, true);
  for (const auto member : kPassParts) {
    pass.*member += rest.*member * -1;
  }
  return pass;
}

PassWork embedding_work(const TrainingSpec& spec) {
  // Gradients are added to those of rows, which are read and written.
  const double tokens = rank_tokens(spec);
  const Traffic traffic = embedding_traffic(spec) * tokens;
  PassWork pass;
  pass.forward.bytes = traffic.forward;
  pass.backward_weights.bytes =
      traffic.backward + tokens * spec.model.hidden * 2 * bytes_of(spec.precision.gradients);
  return pass;
}

PassWork joint_work(const TrainingSpec& spec) {
  const double tokens = rank_tokens(spec);
  const double flops = tokens / spec.parallelism.tensor * joint_flops(spec.model);
  const Traffic norms = joint_traffic(spec) * (tokens / sequence_share(spec.parallelism));
  PassWork pass = embedding_work(spec);
  pass.forward += {.flops = flops, .wide_flops = 0, .bytes = norms.forward};
  pass.backward_inputs += {.flops = flops, .wide_flops = 0, .bytes = norms.backward};
  pass.backward_weights += {.flops = flops, .wide_flops = 0, .bytes = 0};
  return pass;
}

PassWork output_work(const TrainingSpec& spec) {
  const double tokens = rank_tokens(spec);
  const double sharded = tokens / spec.parallelism.tensor;
  const double replicated = tokens / sequence_share(spec.parallelism);
  const PassFlops logits = logit_flops(spec.model);
  Traffic traffic = last_norm_traffic(spec) * replicated;
  traffic += loss_traffic(spec) * sharded;
  PassWork pass;
  pass.forward = {.flops = 0, .wide_flops = sharded * logits.forward, .bytes = traffic.forward};
  pass.backward_inputs = {
      .flops = 0, .wide_flops = sharded * logits.backward_inputs, .bytes = traffic.backward};
  pass.backward_weights.wide_flops = sharded * logits.backward_weights;
  return pass;
}

double optimizer_bytes(const PrecisionSpec& precision) {
  const double kept = bytes_of(precision.master) + 2 * bytes_of(precision.moments);
  const bool has_copy = precision.master != precision.parameters;
  return bytes_of(precision.gradients) + 2 * kept + (has_copy ? bytes_of(precision.parameters) : 0);
}

}  // namespace weft::collectives
