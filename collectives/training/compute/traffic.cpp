#include "collectives/training/compute/traffic.hpp"

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/kernels.hpp"

namespace weft::collectives {
namespace {

constexpr double kMask = 1;  ///< bytes

/// Bytes that passes forward and backward read or write, each the given number of times.
Traffic moved(double bytes, double reads_and_writes_forward, double reads_and_writes_backward) {
  return {bytes * reads_and_writes_forward, bytes * reads_and_writes_backward};
}

double number_bytes(const TrainingSpec& spec) { return activation_bytes(spec.precision.compute); }

/// Queries, keys and values of a token.
double projected(const ModelSpec& model) {
  const double key = 1.0 * model.head_size + model.rope_head_size;
  return model.heads * key + model.kv_heads * (key + model.value_head_size);
}

/// A norm reads its input and writes its output; backward it reads its input and a gradient and
/// writes one. A sum of two reads both and writes one; backward it joins two gradients.
Traffic layer_bounds(const TrainingSpec& spec) {
  const double hidden = number_bytes(spec) * spec.model.hidden;
  Traffic traffic = moved(2 * hidden, 2, 3);
  traffic += moved(2 * hidden, 3, 3);
  if (!goes_by_shapes(spec)) return traffic;
  if (spec.model.dropout) {
    traffic += moved(2.0 * spec.model.hidden * kMask, 1, 1);
    traffic += moved(2 * hidden, 0, 2);
  }
  if (spec.model.biases) traffic += moved(2 * hidden, 0, 1);
  return traffic;
}

/// Of queries and the shared key of latent attention.
Traffic latent_rotations(const TrainingSpec& spec) {
  return moved(number_bytes(spec) * (spec.model.heads + 1.0) * spec.model.rope_head_size, 2, 2);
}

/// Its keys and values, put together with rotated parts. Read: what a head has of latent keys and
/// values. Written: the same, and the rotated part.
Traffic latent_keys(const TrainingSpec& spec) {
  const ModelSpec& model = spec.model;
  const double latent = model.heads * (1.0 * model.head_size + model.value_head_size);
  return moved(number_bytes(spec) * (2 * latent + 1.0 * model.heads * model.rope_head_size), 1, 1);
}

/// Rotations read and write; norms of heads as above.
Traffic attention_traffic(const TrainingSpec& spec) {
  const ModelSpec& model = spec.model;
  const double number = number_bytes(spec);
  const double heads = 1.0 * model.heads + model.kv_heads;
  Traffic traffic;
  if (model.kv_rank != 0) {
    traffic += latent_rotations(spec);
  } else if (!model.learned_positions) {
    traffic += moved(number * heads * model.head_size, 2, 2);
  }
  if (model.head_norms) traffic += moved(number * heads * model.head_size, 2, 3);
  traffic += score_traffic(spec);
  if (!goes_by_shapes(spec)) return traffic;
  if (model.kv_rank != 0) traffic += latent_keys(spec);
  if (model.biases || model.qkv_biases) traffic += moved(number * projected(model), 0, 1);
  return traffic;
}

/// Whether copies of tokens are in the order of ranks before that of experts: in an all-to-all,
/// where ranks have several experts.
bool sorts_by_rank(const TrainingSpec& spec) {
  return spec.experts.exchange == ExpertSpec::Exchange::kAllToAll && spec.parallelism.expert > 1 &&
         spec.model.experts > spec.parallelism.expert;
}

/// Of copies of a token. They are put in the order of experts and back, each time read and written.
/// Before an all-to-all, which takes a copy per expert, they are in the order of ranks first.
Traffic copies_traffic(const TrainingSpec& spec) {
  const ModelSpec& model = spec.model;
  const double copies = number_bytes(spec) * model.top_k * model.hidden;
  if (!goes_by_shapes(spec)) return moved(2 * copies, 2, 2);
  const double sharers = expert_tensor_of(spec.parallelism);  // each has the copies of all
  Traffic traffic = moved(2 * sharers * copies, 2, 2);
  if (sorts_by_rank(spec)) traffic += moved(2 * copies, 2, 2);
  return traffic;
}

/// An activation function reads its input, with a gate two, and writes its output; backward it
/// reads them and a gradient, and writes as many gradients as it has inputs.
Traffic feed_forward_traffic(const TrainingSpec& spec, bool has_experts) {
  const ModelSpec& model = spec.model;
  const double inner =
      number_bytes(spec) *
      (has_experts ? (1.0 * model.top_k + model.shared_experts) * model.expert_ffn : model.ffn);
  Traffic traffic = model.gated_ffn ? moved(inner, 3, 5) : moved(inner, 2, 3);
  if (has_experts) traffic += copies_traffic(spec);
  if (goes_by_shapes(spec) && model.biases) {
    traffic += moved((model.gated_ffn ? 2 : 1) * inner, 0, 1);
  }
  return traffic;
}

Traffic routing_traffic(const TrainingSpec& spec) {
  const ModelSpec& model = spec.model;
  const double hidden = number_bytes(spec) * model.hidden;
  Traffic traffic = moved(bytes_of(NumberFormat::kFp32) * model.experts, 2, 3);
  traffic += moved(1.0 * model.experts * kMask, 1, 0);
  traffic += moved(hidden, 0, 3);
  if (model.shared_experts != 0) traffic += moved(hidden, 3, 3);
  return traffic;
}

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  forward += other.forward;
  backward += other.backward;
  return *this;
}

Traffic Traffic::operator*(double factor) const { return {forward * factor, backward * factor}; }

LayerTraffic layer_traffic(const TrainingSpec& spec, bool has_experts) {
  LayerTraffic layer{.between = layer_bounds(spec),
                     .latent = {},
                     .routing = {},
                     .attention = attention_traffic(spec),
                     .feed_forward = feed_forward_traffic(spec, has_experts)};
  if (!goes_by_shapes(spec)) return layer;
  const ModelSpec& model = spec.model;
  if (model.kv_rank != 0) {
    layer.latent = moved(number_bytes(spec) * (1.0 * model.query_rank + model.kv_rank), 2, 3);
  }
  if (has_experts) layer.routing = routing_traffic(spec);
  return layer;
}

Traffic embedding_traffic(const TrainingSpec& spec) {
  const double hidden = number_bytes(spec) * spec.model.hidden;
  Traffic traffic = moved(hidden, 2, 1);  // a row is read and written; backward a gradient is read
  if (!goes_by_shapes(spec)) return traffic;
  if (spec.model.learned_positions) traffic += moved(hidden, 3, 1);
  if (spec.model.dropout) {
    traffic += moved(hidden, 2, 2);
    traffic += moved(1.0 * spec.model.hidden * kMask, 1, 1);
  }
  return traffic;
}

Traffic last_norm_traffic(const TrainingSpec& spec) {
  return moved(number_bytes(spec) * spec.model.hidden, 2, 3);
}

Traffic loss_traffic(const TrainingSpec& spec) {
  const double number = number_bytes(spec);
  const double wide = bytes_of(NumberFormat::kFp32);
  Traffic each{number + wide, wide + number};
  if (goes_by_shapes(spec) && !spec.compute.fused_loss) {
    constexpr double kForward = 1 + 1 + 2 + 2 + 1 + 2;
    constexpr double kBackward = 2 + 1;
    each = {number + kForward * wide, kBackward * wide + number};
  }
  return each * spec.model.vocabulary;
}

double score_bytes(const TrainingSpec& spec) {
  return number_bytes(spec) * spec.model.heads * spec.model.sequence;
}

Traffic score_traffic(const TrainingSpec& spec) {
  if (spec.compute.fused_attention) return {};
  Traffic traffic = moved(score_bytes(spec), 2, 3);
  if (!goes_by_shapes(spec) || !spec.model.dropout) return traffic;
  traffic += moved(score_bytes(spec), 2, 2);
  traffic += moved(1.0 * spec.model.heads * spec.model.sequence * kMask, 1, 1);
  return traffic;
}

double repeated_score_bytes(const TrainingSpec& spec) {
  if (spec.compute.fused_attention) return 0;
  const double softmax = 2 * score_bytes(spec);
  if (!goes_by_shapes(spec) || !spec.model.dropout) return softmax;
  return 2 * softmax + 1.0 * spec.model.heads * spec.model.sequence * kMask;
}

RepeatedTraffic repeated_traffic(const TrainingSpec& spec) {
  const ModelSpec& model = spec.model;
  const double number = number_bytes(spec);
  RepeatedTraffic repeated;
  repeated.norms = moved(2 * number * model.hidden, 2, 3).forward;
  repeated.expert_activation = number * model.top_k * model.expert_ffn * (model.gated_ffn ? 3 : 2);
  if (model.kv_rank == 0) return repeated;
  repeated.latent_up = latent_rotations(spec).forward;
  if (goes_by_shapes(spec)) repeated.latent_up += latent_keys(spec).forward;
  return repeated;
}

Traffic joint_traffic(const TrainingSpec& spec) {
  return moved(2 * number_bytes(spec) * spec.model.hidden, 2, 3);
}

double attention_kernels(const TrainingSpec& spec) {
  double kernels = 3;                         // a norm, a sum, rotations
  if (spec.model.kv_rank != 0) kernels += 3;  // two norms, keys and values
  if (spec.compute.fused_attention) return kernels;
  return kernels + (spec.model.dropout ? 3 : 2);  // a second product, softmax, dropout
}

double feed_forward_kernels(const TrainingSpec& spec, bool has_experts) {
  const double kernels = 3;  // a norm, a sum, the activation function
  if (!has_experts) return kernels;
  return kernels +
         (sorts_by_rank(spec) ? 5 : 3);  // the choice of experts; in their order, and back
}

double shared_expert_kernels(const TrainingSpec& spec, bool has_experts) {
  return has_experts && spec.model.shared_experts != 0 ? 2 : 0;  // the function, the sum
}

double latent_up_kernels(const TrainingSpec& spec) {
  return spec.model.kv_rank != 0 ? 2 : 0;  // rotations, keys and values
}

double output_kernels(const TrainingSpec& spec) {
  return spec.compute.fused_loss ? 2 : 7;  // the norm, and the loss or its six steps
}

}  // namespace weft::collectives
