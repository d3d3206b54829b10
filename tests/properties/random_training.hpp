#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "simcore/base/random.hpp"

namespace weft::testing {

/// The text of a random scenario of servers of eight GPUs with training plans, of which a part of
/// the calls can be simulated once: fabric, plans, other jobs beside them, faults, traces, a
/// warm-up and where the run stops are drawn by `seed`.
class RandomTraining {
 public:
  explicit RandomTraining(std::uint64_t seed)
      : random_(seed, Purpose::kTestScenario, 9), seed_(seed) {}

  std::string text() {
    servers_ = 1 + below(4);
    std::string yaml = fmt::format(
        "name: training-{}\nseed: {}\nracks: {{count: {}, servers: 1, server: hgx-h100}}\n", seed_,
        below(1000), servers_);
    fabric(yaml);
    yaml += "jobs:\n";
    const std::uint64_t trained =
        below(4) == 0 ? std::max<std::uint64_t>(1, servers_ / 2) : servers_;
    if (fresh(8) == 0) {
      mixture(yaml, "train", 0, trained);
    } else {
      training(yaml, "train", 0, trained);
    }
    if (trained < servers_ && below(2) == 0) training(yaml, "other", trained, servers_);
    if (below(3) == 0) other_job(yaml);
    if (has_links_ && below(2) == 0) faults(yaml);
    if (below(3) == 0) observe(yaml);
    run(yaml);
    return yaml;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(counter_++, n); }
  /// Of what came later, so that scenarios without it stay as they were.
  std::uint64_t fresh(std::uint64_t n) {
    return random_.below((std::uint64_t{3} << 32U) + fresh_counter_++, n);
  }
  template <std::size_t N>
  const char* fresh_of(const char* const (&choices)[N]) {
    return choices[fresh(N)];
  }
  template <std::size_t N>
  const char* one_of(const char* const (&choices)[N]) {
    return choices[below(N)];
  }
  [[nodiscard]] std::uint64_t gpu() { return below(8 * servers_); }

  void fabric(std::string& yaml) {
    if (servers_ == 1 && below(2) == 0) {
      yaml += "fabric: {topology: single-domain}\n";
      return;
    }
    has_links_ = true;
    yaml += "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n";
    const std::uint64_t group = servers_ % 2 == 0 && below(2) == 0 ? servers_ / 2 : servers_;
    switch (below(3)) {
      case 0:
        yaml += fmt::format(
            "fabric: {{topology: rail-optimised, group: {}, spines: 2, switch: quantum-2, "
            "load_balancing: spray, convergence: {}us}}\n"
            "transport: {{type: roce, receiver: any-order, congestion_control: none, "
            "ack: {{every: {}}}, retransmit_timeout: {}}}\n",
            group, 1 + below(50), acks(), timeout());
        return;
      case 1:
        yaml += fmt::format(
            "fabric: {{topology: rail-optimised, group: {}, spines: 2, switch: spectrum-4, "
            "convergence: {}us}}\ntransport: {{type: roce, congestion_control: {}, "
            "retransmit_timeout: {}}}\n",
            group, 1 + below(50), one_of({"dcqcn", "swift", "none"}), timeout());
        return;
      default:
        yaml += fmt::format(
            "fabric: {{topology: leaf-spine, spines: 2, switch: spectrum-4, load_balancing: {}, "
            "flow_control: {}}}\ntransport: {{type: roce, receiver: any-order, "
            "congestion_control: {}, retransmit_timeout: {}}}\n",
            one_of({"ecmp", "spray"}), one_of({"pfc", "{type: credit, buffer: 128KiB}"}),
            one_of({"dcqcn", "none"}), timeout());
    }
  }

  [[nodiscard]] const char* acks() const {
    const char* choices[] = {"1", "message", "16"};
    return choices[seed_ % std::size(choices)];
  }

  /// After the longer one, nothing may have moved for more than the 10 ms of a stall.
  const char* timeout() { return below(4) == 0 ? "12ms" : "200us"; }

  /// On all GPUs of these servers.
  void training(std::string& yaml, const char* name, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t ranks = 8 * (last - first);
    const std::uint64_t tensor = std::uint64_t{2} << below(3);
    const std::uint64_t groups = ranks / tensor;
    const std::uint64_t pipeline = groups % 2 == 0 && below(2) == 0 ? 2 : 1;
    const std::uint64_t data = groups / pipeline;
    yaml += fmt::format(
        "  - {{name: {}, type: training, ranks: {}-{}, model: {{preset: gpt-13b, layers: {}, "
        "hidden: 512, heads: 8, head_size: 64, ffn: {}, vocabulary: 1024, sequence: 128}}, "
        "parallelism: {{tensor: {}, pipeline: {}, data: {}",
        name, 8 * first, 8 * last - 1, 2 * (1 + below(2)), 1024 + 512 * below(3), tensor, pipeline,
        data);
    if (pipeline > 1) yaml += fmt::format(", schedule: {}", one_of({"gpipe", "1f1b", "zb-h1"}));
    if (below(3) == 0) yaml += ", sequence_parallel: true";
    if (data > 1) yaml += fmt::format(", zero: {}", pipeline > 1 ? below(2) : one_of_zeros());
    yaml += fmt::format("}}, batch: {{micro: 1, global: {}}}", data * (1 + below(3)));
    if (below(3) == 0) yaml += ", iterations: 2";
    noise(yaml, ranks);
    exchanges(yaml);
    yaml += "}\n";
  }

  /// What frameworks choose of exchanges and kernels, of a plan without experts.
  void exchanges(std::string& yaml) {
    if (fresh(2) == 0) return;
    if (fresh(4) == 0) {
      yaml += fmt::format(", framework: {}", fresh_of({"megatron-core", "fsdp2", "deepspeed"}));
      return;
    }
    if (fresh(3) == 0) {
      yaml += fmt::format(
          ", precision: {{exchange: {{gradients: {}, parameters: {}, pipeline: {}}}}}",
          fresh_of({"bf16", "fp32"}), fresh_of({"fp8", "bf16"}), fresh_of({"mxfp8", "bf16"}));
    }
    if (fresh(3) == 0) yaml += ", overlap: {parameters: true}";
    if (fresh(4) == 0) yaml += ", compute: {kernels: roofline}";
  }

  /// On all GPUs of these servers: a mixture of experts, with what exchanges of tokens can have.
  void mixture(std::string& yaml, const char* name, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t ranks = 8 * (last - first);
    const std::uint64_t pipeline = fresh(3) == 0 ? 2 : 1;
    const std::uint64_t data = ranks / pipeline;
    const std::uint64_t expert = std::uint64_t{2} << fresh(data % 16 == 0  ? 4
                                                           : data % 8 == 0 ? 3
                                                                           : 2);
    const std::uint64_t micro_batches = pipeline * (1 + fresh(2));
    yaml += fmt::format(
        "  - {{name: {}, type: training, ranks: {}-{}, model: {{preset: gpt-13b, layers: {}, "
        "hidden: 512, heads: 8, head_size: 64, ffn: 1024, vocabulary: 1024, sequence: 128, "
        "experts: 16, top_k: {}, expert_ffn: 512, shared_experts: {}}}, parallelism: {{pipeline: "
        "{}, data: {}, expert: {}",
        name, 8 * first, 8 * last - 1, 2 * pipeline, 1 + fresh(4), fresh(2), pipeline, data,
        expert);
    if (fresh(2) == 0) yaml += fmt::format(", zero: {}", pipeline > 1 ? 1 : one_of_zeros());
    yaml += fmt::format("}}, batch: {{micro: 1, global: {}}}", data * micro_batches);
    yaml += fmt::format(", experts: {{exchange: {}}}",
                        fresh_of({"all-to-all", "low-latency", "high-throughput"}));
    yaml +=
        fmt::format(", overlap: {{experts: {}, shared_experts: {}, parameters: {}, weights: {}}}",
                    fresh_of({"none", "halves", "pairs"}), fresh_of({"true", "false"}),
                    fresh_of({"true", "false"}), fresh_of({"true", "false"}));
    switch (fresh(3)) {
      case 0:
        yaml += ", routing: {groups: 4, top_groups: 2}";
        break;
      case 1:
        yaml += fmt::format(", routing: {{skew: 0.{}, capacity: {}}}", 1 + fresh(9), fresh(3));
        break;
      default:
        break;
    }
    if (fresh(2) == 0) yaml += ", precision: {exchange: {dispatch: fp8, combine: bf16}}";
    if (fresh(3) == 0) yaml += ", compute: {kernels: roofline}";
    if (fresh(3) == 0) yaml += ", iterations: 2";
    noise(yaml, ranks);
    yaml += "}\n";
  }

  std::uint64_t one_of_zeros() {
    constexpr std::uint64_t kStages[] = {0, 1, 3};
    return kStages[below(std::size(kStages))];
  }

  void noise(std::string& yaml, std::uint64_t ranks) {
    switch (below(6)) {
      case 0:
        yaml += fmt::format(", noise: [{{ranks: {}, factor: 1.{}}}]", below(ranks), 1 + below(9));
        return;
      case 1:
        yaml += ", noise: [{jitter: {type: exponential, mean: 1us}}]";
        return;
      default:
        return;
    }
  }

  /// That shares GPUs or links with the training.
  void other_job(std::string& yaml) {
    const std::uint64_t a = gpu();
    const std::uint64_t b = (a + 1 + below(8 * servers_ - 1)) % (8 * servers_);
    const std::uint64_t size = 1 + below(2'000);
    // Where there are no NICs, only GPUs of one server reach each other.
    if (below(2) == 0) {
      yaml += fmt::format(
          "  - {{name: pair, type: messages, ranks: {{hosts: [{}, {}]}}, start: {}us, list: "
          "[{{from: 0, to: 1, size: {}KiB}}]}}\n",
          a, b, below(300), size);
      return;
    }
    yaml += fmt::format(
        "  - {{name: sum, type: all-reduce, algorithm: ring, ranks: {{hosts: [{}, {}]}}, start: "
        "{}us, size: {}KiB, iterations: {}}}\n",
        a, b, below(300), size, 1 + below(3));
  }

  std::string when() {
    const std::uint64_t at = below(400'000);
    if (below(4) == 0) return fmt::format("at: {}ns", at);
    return fmt::format("at: {}ns, until: {}ns", at, at + 1 + below(150'000));
  }
  std::string passing() {
    const std::uint64_t at = below(400'000);
    return fmt::format("at: {}ns, until: {}ns", at, at + 1 + below(150'000));
  }

  void faults(std::string& yaml) {
    yaml += "faults:\n";
    const std::uint64_t count = 1 + below(2);
    std::uint64_t type = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      // Two of one type must not overlap on a link.
      type = i == 0 ? below(6) : (type + 1 + below(5)) % 6;
      switch (type) {
        case 0:
          yaml += fmt::format("  - {{type: link-rate, from: gpu{}, rate: 50Gbps, {}}}\n", gpu(),
                              when());
          break;
        case 1:
          yaml += fmt::format(
              "  - {{type: link-rate, from: gpu{}, network: scale-up, rate: 25Gbps, {}}}\n", gpu(),
              when());
          break;
        case 2:
          yaml += fmt::format("  - {{type: link-down, from: gpu{}, {}}}\n", gpu(), passing());
          break;
        case 3:
          yaml +=
              fmt::format("  - {{type: switch-down, switch: spine{}, {}}}\n", below(2), passing());
          break;
        case 4:
          yaml += fmt::format(
              "  - {{type: link-latency, from: leaf0, to: spine1, added: {}ns, "
              "{}}}\n",
              1 + below(5'000), when());
          break;
        default:
          yaml += fmt::format("  - {{type: bit-errors, from: gpu{}, frame_loss_rate: 0.0{}, {}}}\n",
                              gpu(), 1 + below(3), passing());
      }
    }
  }

  void observe(std::string& yaml) {
    yaml += "observe: {pauses: true";
    if (below(2) == 0) {
      yaml += fmt::format(", queues: {{ports: [\"{}\"]", has_links_ && below(2) == 0
                                                             ? std::string("leaf0->*")
                                                             : fmt::format("gpu{}->*", gpu()));
      if (below(2) == 0) yaml += fmt::format(", period: {}ns", 500 + below(5'000));
      yaml += "}";
    }
    if (below(2) == 0) yaml += ", packets: {flows: [\"train:0->*\"]}";
    if (below(8) == 0) yaml += ", credits: true";
    if (below(8) == 0) yaml += ", rates: {flows: [train]}";
    yaml += "}\n";
  }

  void run(std::string& yaml) {
    const std::uint64_t warmup = below(3) == 0 ? 1 + below(400'000'000) : 0;
    const std::uint64_t until = below(4) == 0 ? warmup + 1 + below(400'000'000) : 0;
    if (warmup == 0 && until == 0) return;
    yaml += "run: {";
    if (warmup > 0) yaml += fmt::format("warmup: {}ps, ", warmup);
    if (until > 0) yaml += fmt::format("until: {}ps", until);
    yaml += "}\n";
  }

  RandomStream random_;
  std::uint64_t counter_ = 0;
  std::uint64_t fresh_counter_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t servers_ = 0;
  bool has_links_ = false;
};

}  // namespace weft::testing
