#include "collectives/training/spec/frameworks.hpp"

#include <algorithm>
#include <array>

#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {
namespace {

bool model_has_experts(const TrainingSpec& spec) {
  return spec.model.experts > 0 && spec.parallelism.expert > 1;
}

bool has_replicas(const ParallelismSpec& plan) { return plan.data > 1 || plan.context > 1; }

/// Megatron-Core's README has its runs overlap what data-, tensor- and pipeline-parallel ranks
/// exchange; its distributed optimiser reduces in FP32 and gathers BF16.
void choose_megatron_core(TrainingSpec& spec) {
  ParallelismSpec& plan = spec.parallelism;
  plan.sequence_parallel = plan.tensor > 1;
  if (has_replicas(plan)) plan.zero = 1;
  spec.overlap.gradients = true;
  spec.overlap.parameters = plan.zero == 1;
  spec.overlap.tensor = plan.tensor > 1;
  spec.overlap.pipeline = true;
}

/// fully_shard: parameters and gradients in `param_dtype` and `reduce_dtype`; gathered before each
/// pass, one layer ahead, and given up after it; reduced after each micro-batch.
void choose_fsdp2(TrainingSpec& spec) {
  ParallelismSpec& plan = spec.parallelism;
  if (has_replicas(plan)) plan.zero = 3;
  plan.reshard_after_forward = true;
  plan.gradient_sync = GradientSync::kMicroBatch;
  spec.precision.parameters = NumberFormat::kFp32;  // shards; products take a BF16 copy
  spec.precision.master = NumberFormat::kFp32;
  spec.precision.exchange.parameters = NumberFormat::kBf16;
  spec.precision.exchange.gradients = NumberFormat::kBf16;
  spec.overlap.gradients = true;
  spec.overlap.prefetch = true;
}

/// ZeRO stage 3 with overlap_comm, buckets of 5e8 numbers of 16 bits.
void choose_deepspeed(TrainingSpec& spec) {
  ParallelismSpec& plan = spec.parallelism;
  if (has_replicas(plan)) plan.zero = 3;
  plan.reshard_after_forward = true;
  plan.gradient_sync = GradientSync::kMicroBatch;
  spec.precision.exchange.gradients = NumberFormat::kBf16;
  spec.overlap.gradients = true;
  spec.overlap.prefetch = true;
  spec.overlap.bucket = Bytes(1'000'000'000);
}

/// DeepSeek-V3: ZeRO-1 and DualPipe; tokens go out in FP8 to four of eight groups of experts, once
/// per server, and come back in BF16.
void choose_deepseek(TrainingSpec& spec) {
  ParallelismSpec& plan = spec.parallelism;
  if (has_replicas(plan)) plan.zero = 1;
  const std::uint32_t micro_batches =
      spec.batch.global / std::max(1U, spec.batch.micro * plan.data);
  const bool can_pair = plan.pipeline > 1 && plan.pipeline % 2 == 0 && plan.virtual_stages == 1 &&
                        micro_batches % 2 == 0 && micro_batches >= 2 * plan.pipeline;
  if (can_pair) plan.schedule = PipelineSchedule::kDualPipe;
  spec.precision.exchange.dispatch = NumberFormat::kFp8;
  spec.precision.exchange.combine = NumberFormat::kBf16;
  spec.experts.exchange = ExpertSpec::Exchange::kHighThroughput;
  // Section 3.2.2: 20 of 132 multiprocessors communicate.
  constexpr double kSlowdown = 132.0 / 112;
  if (model_has_experts(spec)) spec.compute.communication_slowdown = kSlowdown;
  // Sections 3.2.3 and 3.3.3: norms, up-projections and the result of the activation function.
  if (spec.recomputation == Recomputation::kNone) spec.recomputation = Recomputation::kSelective;
  if (spec.recomputation == Recomputation::kSelective && spec.recomputed_modules.empty()) {
    spec.recomputed_modules = {"layernorm"};
    if (spec.model.kv_rank != 0) spec.recomputed_modules.emplace_back("mla_up_proj");
    if (spec.model.experts != 0) spec.recomputed_modules.emplace_back("moe_act");
  }
  // Section 3.2.1, figure 4: gradients of weights beside exchanges.
  spec.overlap.weights = plan.schedule != PipelineSchedule::kZeroBubbleH1;
  const bool is_possible = plan.schedule == PipelineSchedule::kDualPipe ||
                           plan.schedule == PipelineSchedule::kOneForwardOneBackward;
  if (is_possible && !repeats_second_half(spec, true)) {
    spec.overlap.experts = OverlapSpec::Experts::kPairs;
  }
  constexpr std::uint32_t kGroups = 8;
  constexpr std::uint32_t kTopGroups = 4;
  const ModelSpec& model = spec.model;
  constexpr std::uint32_t kMinExperts = 64;  // of fewer, none has such groups
  if (spec.routing.skew == 0 && model.experts >= kMinExperts && model.experts % kGroups == 0 &&
      model.top_k <= model.experts / kGroups * kTopGroups) {
    spec.routing.groups = kGroups;
    spec.routing.top_groups = kTopGroups;
  }
}

constexpr std::array<FrameworkChoices, 4> kFrameworks{{
    {Framework::kMegatronCore, "megatron-core",
     "distributed optimiser; gradients, parameters and tensor-parallel sums overlap",
     "NVIDIA/Megatron-LM, README: --use-distributed-optimizer --overlap-grad-reduce "
     "--overlap-param-gather --tp-comm-overlap --sequence-parallel",
     choose_megatron_core},
    {Framework::kFsdp2, "fsdp2", "parameters sharded layer by layer, sent in BF16",
     "PyTorch, torch.distributed.fsdp.fully_shard: reshard_after_forward=True, "
     "MixedPrecisionPolicy(param_dtype=bfloat16, reduce_dtype=bfloat16)",
     choose_fsdp2},
    {Framework::kDeepSpeed, "deepspeed", "ZeRO-3 with overlap_comm",
     "DeepSpeed configuration: zero_optimization {stage: 3, overlap_comm: true, "
     "reduce_bucket_size: 5e8}",
     choose_deepspeed},
    {Framework::kDeepSeek, "deepseek",
     "ZeRO-1, tokens to experts in FP8 once per server, in four of eight groups; norms, latent "
     "projections and activation functions run again; gradients of weights beside exchanges",
     "DeepSeek-AI, arXiv 2412.19437, sections 2.1.2, 3.2 and 3.3; DeepEP's normal kernels",
     choose_deepseek},
}};

}  // namespace

std::span<const FrameworkChoices> frameworks() { return kFrameworks; }

const FrameworkChoices* find_framework(Framework framework) {
  const auto* found = std::ranges::find(kFrameworks, framework, &FrameworkChoices::framework);
  return found == kFrameworks.end() ? nullptr : found;
}

}  // namespace weft::collectives
