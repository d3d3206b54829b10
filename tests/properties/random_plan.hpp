#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "simcore/base/random.hpp"

namespace weft::testing {

/// The text of a scenario with one random training plan on one or two servers of eight GPUs, whose
/// keys are drawn by `seed`: each key of the language has a turn. Some plans cannot exist.
class RandomPlan {
 public:
  explicit RandomPlan(std::uint64_t seed) : random_(seed, Purpose::kTestScenario, 23) {}

  std::string text() {
    const std::uint32_t servers = 1 + below(2);
    ranks_ = 8 * servers;
    std::string yaml = fmt::format(
        "name: plan\nracks: {{count: 2, servers: 1, server: hgx-h100}}\nfabric: {{topology: "
        "rail-optimised, group: 2, spines: 8, switch: quantum-2, load_balancing: spray}}\n"
        "transport: {{type: roce, receiver: any-order, congestion_control: none}}\njobs:\n  - "
        "name: train\n    type: training\n    ranks: {}\n",
        ranks_);
    is_mixture_ = below(3) == 0;
    parallelism();
    if (below(6) == 0) {
      add(yaml, "framework", one_of({"megatron-core", "fsdp2", "deepspeed", "deepseek"}));
    }
    yaml += fmt::format("    model: {{{}}}\n    parallelism: {{{}}}\n", model(), plan_);
    yaml += fmt::format("    batch: {{micro: {}, global: {}}}\n", micro_,
                        micro_ * data_ * micro_batches_);
    if (is_mixture_) mixture(yaml);
    precision(yaml);
    if (below(4) == 0) recomputation(yaml);
    overlap(yaml);
    compute(yaml);
    communication(yaml);
    return yaml;
  }

 private:
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random_.below(counter_++, n));
  }
  /// Of draws of their own, so that all others stay what they were.
  std::uint32_t fresh(std::uint32_t n) {
    return static_cast<std::uint32_t>(
        random_.below((std::uint64_t{1} << 32U) + fresh_counter_++, n));
  }
  bool is_rare() { return below(6) == 0; }
  template <std::size_t N>
  const char* one_of(const char* const (&choices)[N]) {
    return choices[below(N)];
  }
  static void add(std::string& yaml, const char* key, const std::string& value) {
    yaml += fmt::format("    {}: {}\n", key, value);
  }
  static void put(std::string& map, const std::string& entry) {
    map += (map.empty() ? "" : ", ") + entry;
  }

  /// A divisor of what is left of the ranks, at most `max`.
  std::uint32_t divisor(std::uint32_t& left, std::uint32_t max) {
    std::uint32_t size = 1;
    while (2 * size <= max && left % 2 == 0 && below(2) == 0) {
      size *= 2;
      left /= 2;
    }
    return size;
  }

  void parallelism() {
    std::uint32_t left = ranks_;
    tensor_ = divisor(left, 8);
    const std::uint32_t context = below(3) == 0 ? divisor(left, 4) : 1;
    pipeline_ = divisor(left, 4);
    data_ = left;
    plan_ = fmt::format("tensor: {}, context: {}, pipeline: {}, data: {}", tensor_, context,
                        pipeline_, data_);
    is_sequence_parallel_ = tensor_ > 1 && (is_mixture_ || below(2) == 0);
    if (is_sequence_parallel_) put(plan_, "sequence_parallel: true");
    if (pipeline_ > 1) {
      put(plan_,
          fmt::format("schedule: {}", one_of({"gpipe", "1f1b", "1f1b", "zb-h1", "dualpipe"})));
      if (is_rare()) put(plan_, "virtual_stages: 2");
    }
    micro_ = 1 + below(2);
    micro_batches_ = pipeline_ * (1 + below(3));
    if (data_ * context > 1) {
      const std::uint32_t zero = below(4);
      put(plan_, fmt::format("zero: {}", zero));
      if (zero > 0 && is_rare()) put(plan_, fmt::format("shard_ranks: {}", data_ * context / 2));
      if (zero == 3 && below(3) == 0) put(plan_, "reshard_after_forward: false");
      if (is_rare()) {
        put(plan_, fmt::format("gradient_sync: {}", one_of({"step", "micro-batch"})));
      }
    }
    if (!is_mixture_) return;
    std::uint32_t ranks = tensor_ * context * data_;
    const std::uint32_t shared = below(2) == 0 ? 1 : tensor_;
    ranks /= shared;
    put(plan_, fmt::format("expert_tensor: {}, expert: {}", shared, divisor(ranks, 16)));
  }

  std::string model() {
    std::string keys =
        fmt::format("layers: {}, hidden: {}, heads: 16, vocabulary: {}, sequence: {}",
                    pipeline_ * 2, 512 << below(2), 512 << below(4), 256 << below(3));
    const bool is_latent = is_rare();  // with keys of its own for each head
    if (!is_latent && below(3) == 0) put(keys, "kv_heads: 8");
    if (is_rare()) put(keys, "ffn: 1024");
    for (const char* const key : {"gated_ffn", "tied_embeddings", "learned_positions", "biases",
                                  "qkv_biases", "head_norms", "dropout"}) {
      if (is_rare()) put(keys, fmt::format("{}: true", key));
    }
    if (is_rare()) put(keys, "causal_attention: false");
    if (is_latent) {
      put(keys, "kv_rank: 64, rope_head_size: 16");
      if (below(2) == 0) put(keys, "query_rank: 96");
      if (below(2) == 0) put(keys, "value_head_size: 32");
    }
    if (is_rare()) put(keys, "mtp_layers: 1");
    if (!is_mixture_) return keys;
    put(keys, fmt::format("experts: 16, top_k: {}, expert_ffn: {}", 1 + below(4), 256 << below(3)));
    if (below(3) == 0) put(keys, fmt::format("shared_experts: {}", 1 + below(2)));
    if (is_rare()) put(keys, "dense_layers: 1");
    return keys;
  }

  void mixture(std::string& yaml) {
    switch (below(4)) {
      case 0:
        add(yaml, "routing", "{groups: 4, top_groups: 2}");
        break;
      case 1:
        add(yaml, "routing", fmt::format("{{skew: 0.{}, capacity: {}}}", 1 + below(9), below(3)));
        break;
      default:
        break;
    }
    switch (below(4)) {
      case 0:
        add(yaml, "experts", "{exchange: low-latency}");
        break;
      case 1:
        add(yaml, "experts",
            fmt::format("{{exchange: high-throughput, chunks: {}}}", 1 + below(6)));
        break;
      default:
        break;
    }
  }

  void precision(std::string& yaml) {
    std::string keys;
    if (is_rare()) put(keys, fmt::format("compute: {}", one_of({"fp8", "fp16", "tf32"})));
    if (is_rare()) put(keys, "parameters: fp32");
    if (is_rare()) put(keys, "gradients: bf16");
    if (is_rare()) put(keys, "master: bf16");
    if (is_rare()) put(keys, "moments: bf16");
    std::string sent;
    for (const char* const key : {"gradients", "tensor"}) {
      if (is_rare()) put(sent, fmt::format("{}: {}", key, one_of({"fp32", "bf16"})));
    }
    for (const char* const key :
         {"parameters", "tensor_gather", "context", "pipeline", "dispatch", "combine"}) {
      if (is_rare()) put(sent, fmt::format("{}: {}", key, one_of({"fp8", "mxfp8", "fp32"})));
    }
    if (!sent.empty()) put(keys, fmt::format("exchange: {{{}}}", sent));
    if (!keys.empty()) add(yaml, "precision", fmt::format("{{{}}}", keys));
  }

  void recomputation(std::string& yaml) {
    if (below(2) == 0) {
      add(yaml, "recomputation", "full");
      return;
    }
    add(yaml, "recomputation", "selective");
    if (below(2) == 0) {
      add(yaml, "recomputed_modules",
          one_of({"[core_attn]", "[layernorm]", "[layernorm, mlp]", "[moe_act]", "[moe]",
                  "[mla_up_proj]"}));
    }
  }

  void overlap(std::string& yaml) {
    std::string keys;
    if (below(3) == 0) put(keys, "gradients: false");
    if (below(3) == 0) put(keys, fmt::format("bucket: {}", one_of({"1MB", "4MB", "20MB"})));
    if (below(3) == 0) {
      put(keys, "tensor: true");
      if (below(2) == 0) put(keys, fmt::format("tensor_chunks: {}", 2 + below(3)));
    }
    if (below(3) == 0) put(keys, "pipeline: false");
    if (below(3) == 0) put(keys, "prefetch: false");
    if (below(3) == 0) put(keys, "parameters: true");
    if (is_mixture_ && below(3) == 0) {
      put(keys, fmt::format("experts: {}", one_of({"halves", "pairs"})));
    }
    if (is_mixture_ && below(3) == 0) put(keys, "shared_experts: true");
    if (plan_.find("zb-h1") == std::string::npos && fresh(3) == 0) put(keys, "weights: true");
    if (!keys.empty()) add(yaml, "overlap", fmt::format("{{{}}}", keys));
  }

  void compute(std::string& yaml) {
    std::string keys =
        fmt::format("gpu: {}", one_of({"h100-sxm", "h100-sxm", "a100-sxm-80", "b200"}));
    if (is_rare()) put(keys, "gemm_efficiency: 0.3");
    if (is_rare()) put(keys, "memory_efficiency: 0.5");
    if (is_rare()) put(keys, "fused_attention: false");
    switch (below(4)) {
      case 0:
        put(keys, "kernels: roofline");
        if (below(2) == 0) put(keys, "fused_loss: false");
        break;
      case 1:
        put(keys, "layer: {forward: 100us, backward: 200us, backward_weights: 100us}");
        break;
      default:
        break;
    }
    if (is_rare()) put(keys, "embedding: {forward: 5us, backward: 5us, backward_weights: 5us}");
    if (is_rare()) put(keys, "output: {forward: 20us, backward: 40us, backward_weights: 20us}");
    if (is_rare()) put(keys, "optimizer: 30us");
    add(yaml, "compute", fmt::format("{{{}}}", keys));
  }

  void communication(std::string& yaml) {
    switch (below(5)) {
      case 0:
        add(yaml, "communication", "{algorithm: ring}");
        break;
      case 1:
        add(yaml, "communication", "{execution: {launch: 3us}}");
        break;
      case 2:
        add(yaml, "communication", "{algorithm: nccl, execution: nccl}");
        break;
      default:
        break;
    }
  }

  RandomStream random_;
  std::uint64_t counter_ = 0;
  std::uint64_t fresh_counter_ = 0;
  std::uint32_t ranks_ = 0;
  std::uint32_t tensor_ = 1;
  std::uint32_t pipeline_ = 1;
  std::uint32_t data_ = 1;
  std::uint32_t micro_ = 1;
  std::uint32_t micro_batches_ = 1;
  bool is_mixture_ = false;
  bool is_sequence_parallel_ = false;
  std::string plan_;
};

}  // namespace weft::testing
