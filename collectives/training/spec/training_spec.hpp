#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/jitter/jitter_spec.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/units.hpp"

/// A training job as the scenario states it: a model, a plan of parallelism, a batch, and what
/// computes it.
namespace weft::collectives {

/// A transformer, by the numbers that decide what it computes, stores and sends. Zero stands for
/// what follows from the others, as each member says.
struct ModelSpec {
  enum class Preset : std::uint8_t {
    kNone,
    kGpt13b,
    kGpt3Of175b,
    kLlama2Of7b,
    kLlama2Of70b,
    kLlama31Of405b,
    kMixtral8x7b,
    kDeepSeekV3,
  };
  Preset preset = Preset::kNone;
  std::string config{};  ///< a config.json that the rest is still to be read from; empty: none
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t ffn = 0;  ///< inner size of a dense feed-forward; 0: 4 * hidden
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;   ///< 0: as many as heads
  std::uint32_t head_size = 0;  ///< 0: hidden / heads
  std::uint32_t vocabulary = 0;
  std::uint32_t sequence = 0;        ///< tokens of a sample
  bool gated_ffn = false;            ///< three matrices (SwiGLU) instead of two
  bool tied_embeddings = false;      ///< the output layer uses the input embedding's matrix
  bool causal_attention = true;      ///< a token attends to those before it only
  bool learned_positions = false;    ///< a vector per position (GPT-2) instead of rotations
  bool biases = false;               ///< of all matrices and norms (GPT-2)
  bool qkv_biases = false;           ///< of queries, keys and values alone (Qwen2)
  bool head_norms = false;           ///< of queries and keys, head by head (Qwen3)
  bool dropout = false;              ///< its masks are kept for the backward pass
  std::uint32_t experts = 0;         ///< per layer that has some; 0: the model is dense
  std::uint32_t top_k = 0;           ///< experts per token
  std::uint32_t expert_ffn = 0;      ///< inner size of an expert; 0: as ffn
  std::uint32_t shared_experts = 0;  ///< that every token goes to, of expert_ffn each
  std::uint32_t dense_layers = 0;    ///< the first layers that have no experts
  // Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1); 0: the model has
  // none.
  std::uint32_t kv_rank = 0;          ///< of compressed keys and values
  std::uint32_t query_rank = 0;       ///< of compressed queries; 0: they are not compressed
  std::uint32_t rope_head_size = 0;   ///< what a query or key has besides head_size for positions
  std::uint32_t value_head_size = 0;  ///< 0: as head_size
  /// Layers of multi-token prediction (DeepSeek-AI, arXiv 2412.19437, section 2.2): each looks
  /// tokens up once more, puts them together with what the layer before gives, is a layer like the
  /// last one, and goes through the output layer with a loss of its own.
  std::uint32_t mtp_layers = 0;
};

enum class PipelineSchedule : std::uint8_t {
  kGpipe,
  kOneForwardOneBackward,
  kZeroBubbleH1,
  kDualPipe
};

/// When ranks that hold the same parameters reduce their gradients. kAuto: ZeRO-3 after every
/// micro-batch, everything else once per step.
enum class GradientSync : std::uint8_t { kAuto, kStep, kMicroBatch };

/// How ranks share the work. Ranks are numbered as Megatron has them, tensor fastest, then context,
/// data, pipeline; experts are over tensor, context and data together.
struct ParallelismSpec {
  std::uint32_t tensor = 1;
  bool sequence_parallel = false;  ///< activations between tensor-parallel parts are sharded too
  std::uint32_t context = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t virtual_stages = 1;  ///< per rank; above 1 the schedule is interleaved
  PipelineSchedule schedule = PipelineSchedule::kOneForwardOneBackward;
  std::vector<std::uint32_t> stage_layers{};  ///< by stage, then virtual stage; empty: evenly
  std::uint32_t data = 1;
  std::uint32_t zero = 0;         ///< stage 0 .. 3
  std::uint32_t shard_ranks = 0;  ///< of hybrid sharding: consecutive data ranks; 0: all
  /// ZeRO-3: parameters are given up after a forward pass, and gathered again for the backward one.
  bool reshard_after_forward = true;
  GradientSync gradient_sync = GradientSync::kAuto;
  std::uint32_t expert = 1;
  std::uint32_t expert_tensor = 0;  ///< tensor parallelism inside an expert; 0: as tensor
};

/// Tensor parallelism inside an expert, as it is meant.
[[nodiscard]] inline std::uint32_t expert_tensor_of(const ParallelismSpec& parallelism) {
  return parallelism.expert_tensor == 0 ? parallelism.tensor : parallelism.expert_tensor;
}

/// Whether ranks reduce gradients after every micro-batch, so that none keeps sums over them.
[[nodiscard]] inline bool reduces_each_micro_batch(const ParallelismSpec& parallelism) {
  if (parallelism.gradient_sync == GradientSync::kAuto) return parallelism.zero == 3;
  return parallelism.gradient_sync == GradientSync::kMicroBatch;
}

struct BatchSpec {
  std::uint32_t micro = 1;   ///< samples per micro-batch and data-parallel rank
  std::uint32_t global = 1;  ///< samples per iteration
};

/// Where tokens of models with experts go (expert_loads.hpp, token_copies.hpp).
struct RoutingSpec {
  double skew = 0;      ///< exponent of a Zipf law of experts' popularity; 0: all alike
  double capacity = 0;  ///< of an expert, in units of its share if all were alike; 0: no limit
  /// Experts lie in this many groups, in order, and a token chooses among those of `top_groups`.
  std::uint32_t groups = 1;
  std::uint32_t top_groups = 1;

  bool operator==(const RoutingSpec&) const = default;
};

/// How tokens get to their experts and back.
struct ExpertSpec {
  enum class Exchange : std::uint8_t {
    kAllToAll,        ///< a copy per expert, in an all-to-all of the expert group
    kLowLatency,      ///< a copy per expert, all sent at once
    kHighThroughput,  ///< a copy per scale-up domain, which is forwarded inside it
  };
  Exchange exchange = Exchange::kAllToAll;
  std::uint32_t chunks = 4;  ///< that a high-throughput exchange forwards one after the other

  bool operator==(const ExpertSpec&) const = default;
};

enum class NumberFormat : std::uint8_t { kFp32, kTf32, kBf16, kFp16, kFp8, kMxfp8, kFp4 };

/// What numbers are sent in, by what they are; absent: as they are kept.
struct ExchangeFormats {
  std::optional<NumberFormat> gradients{};      ///< of parameters
  std::optional<NumberFormat> parameters{};     ///< that other ranks hold, or have updated
  std::optional<NumberFormat> tensor{};         ///< sums among tensor-parallel ranks
  std::optional<NumberFormat> tensor_gather{};  ///< inputs of sequence-parallel ranks
  std::optional<NumberFormat> context{};        ///< keys and values
  std::optional<NumberFormat> pipeline{};       ///< results of stages
  std::optional<NumberFormat> dispatch{};       ///< tokens on their way to experts
  std::optional<NumberFormat> combine{};        ///< what comes back from them
};

/// What numbers are kept in.
struct PrecisionSpec {
  NumberFormat compute = NumberFormat::kBf16;
  NumberFormat parameters = NumberFormat::kBf16;
  NumberFormat gradients = NumberFormat::kFp32;  ///< as they are kept, added up and exchanged
  NumberFormat master = NumberFormat::kFp32;     ///< the optimiser's copy of parameters
  NumberFormat moments = NumberFormat::kFp32;    ///< two per parameter (Adam)
  ExchangeFormats exchange{};
};

enum class Recomputation : std::uint8_t { kNone, kSelective, kFull };

/// What may overlap with computation.
struct OverlapSpec {
  bool gradients = true;    ///< exchanged bucket by bucket during the last backward pass
  Bytes bucket = Bytes(0);  ///< of gradients; 0: 40 M parameters, or as much as data ranks need
  bool tensor = false;      ///< chunked matrix products
  std::uint32_t tensor_chunks = 4;
  bool pipeline = true;  ///< sends between stages
  bool prefetch = true;  ///< of ZeRO-3's parameters, one layer ahead
  /// What ZeRO-1 and 2 updated, gathered bucket by bucket during the next forward pass.
  bool parameters = false;
  /// What exchanges of tokens have beside them. kHalves: the other half of the micro-batch. kPairs:
  /// the backward pass of one micro-batch has the forward pass of another.
  enum class Experts : std::uint8_t { kNone, kHalves, kPairs };
  Experts experts = Experts::kNone;
  bool shared_experts = false;  ///< computed while tokens are on their way to the others
  /// In backward passes gradients of weights are computed once those of inputs are on their way.
  bool weights = false;
};

/// A layer's time as measured, of one micro-batch on one rank, communication apart.
struct MeasuredLayer {
  Picoseconds forward{};
  Picoseconds backward{};          ///< gradients of inputs and weights together
  Picoseconds backward_weights{};  ///< of these, those of weights
};

/// A matrix product of m x k and k x n numbers as measured.
struct MeasuredProduct {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  Picoseconds time{};
};

/// How long matrix products take (kernels.hpp).
struct KernelSpec {
  enum class Model : std::uint8_t {
    kConstant,  ///< their operations at `gemm_efficiency` of the peak, whatever their shape
    kRoofline,  ///< whole tiles in whole waves, or their bytes, whichever takes longer
    kMeasured,  ///< as `products` say
  };
  Model model = Model::kConstant;
  Picoseconds tile = Picoseconds(1'000'000);    ///< of a tile besides its products
  Picoseconds launch = Picoseconds(2'000'000);  ///< from one kernel to the next
  std::vector<MeasuredProduct> products{};
};

/// What computes: a GPU with efficiencies, or measured times.
struct ComputeSpec {
  std::string gpu = "h100-sxm";       ///< by name
  double gemm_efficiency = 0.6;       ///< of the peak of `precision.compute`
  double memory_efficiency = 0.8;     ///< of the bandwidth of memory
  double communication_slowdown = 1;  ///< factor of compute while the rank communicates
  bool fused_attention = true;        ///< scores stay on the chip (FlashAttention)
  bool fused_loss = true;             ///< over logits, where kernels go by shapes
  KernelSpec kernels{};
  std::optional<MeasuredLayer> layer{};         ///< instead of what the GPU would take
  std::optional<MeasuredLayer> expert_layer{};  ///< of one with experts; absent: as `layer`
  /// The same of what comes before and after the layers.
  std::optional<MeasuredLayer> embedding{};
  std::optional<MeasuredLayer> output{};
  std::optional<Picoseconds> optimizer{};      ///< a step of it; absent: as memory allows
  std::optional<double> price_per_gpu_hour{};  ///< in dollars; absent: it is not known
};

/// What `gpus`, of which each costs `price_per_hour` dollars an hour, cost in `seconds`.
[[nodiscard]] constexpr double dollars_of(double price_per_hour, double gpus, double seconds) {
  return price_per_hour * gpus * seconds / 3600;
}

/// How collectives and messages between ranks are carried out.
struct CommunicationSpec {
  Algorithm algorithm = Algorithm::kBest;
  Execution execution{};
  std::optional<GpuGeneration> generation;  ///< absent: as the servers have them
};

/// Whose choices a job starts from (frameworks.hpp).
enum class Framework : std::uint8_t { kNone, kMegatronCore, kFsdp2, kDeepSpeed, kDeepSeek };

struct TrainingSpec {
  Framework framework = Framework::kNone;
  ModelSpec model{};
  ParallelismSpec parallelism{};
  BatchSpec batch{};
  RoutingSpec routing{};
  ExpertSpec experts{};
  PrecisionSpec precision{};
  Recomputation recomputation = Recomputation::kNone;
  std::vector<std::string> recomputed_modules{};  ///< of selective recomputation (recomputed.hpp)
  OverlapSpec overlap{};
  ComputeSpec compute{};
  CommunicationSpec communication{};
  std::vector<JitterSpec> noise{};
  std::uint32_t iterations = 1;
};

}  // namespace weft::collectives
