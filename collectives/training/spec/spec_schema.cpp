#include "collectives/training/spec/spec_schema.hpp"

#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {
namespace {

constexpr const char* kNotDivided = "one rank: not divided";
constexpr const char* kPlainMegatron = "Narayanan et al., SC'21, arXiv 2104.04473: plain 1F1B";
constexpr std::uint64_t kMaxVirtualStages = 1024;
constexpr std::uint64_t kMaxSamples = 1U << 24U;
constexpr std::uint64_t kMaxTensorChunks = 64;
constexpr std::uint64_t kMaxExpertGroups = 1024;
constexpr std::uint64_t kMaxTokenChunks = 64;

using ParallelismKeys = schema::Builder<ParallelismSpec>;

void add_pipeline_keys(ParallelismKeys& keys) {
  using P = ParallelismSpec;
  using S = PipelineSchedule;
  keys.field("pipeline", &P::pipeline, "ranks that the layers are divided among")
      .source(kNotDivided)
      .range(1, kMaxHosts)
      .field("virtual_stages", &P::virtual_stages,
             "parts of the model per pipeline rank; above 1 the schedule is interleaved")
      .source(kPlainMegatron)
      .range(1, kMaxVirtualStages)
      .choice("schedule", &P::schedule,
              {{S::kGpipe, "gpipe", "all forward passes, then all backward passes"},
               {S::kOneForwardOneBackward, "1f1b", "one forward, one backward"},
               {S::kZeroBubbleH1, "zb-h1",
                "1f1b whose gradients of weights fill gaps (arXiv 2401.10241)"},
               {S::kDualPipe, "dualpipe", "from both ends at once (arXiv 2412.19437)"}},
              "in what order a rank does its micro-batches")
      // Who says that something is off, as it is anyway, is not warned.
      .matters_if([](const P& p) { return p.pipeline > 1 || p.schedule == P().schedule; },
                  "with several `pipeline` ranks")
      .source(kPlainMegatron)
      .integers("stage_layers", &P::stage_layers,
                "layers by pipeline rank, then virtual stage; empty: evenly")
      .source("evenly, the first stages having one more where they do not divide");
}

void add_data_keys(ParallelismKeys& keys) {
  using P = ParallelismSpec;
  keys.field("data", &P::data, "ranks that have the same part of the model and other samples")
      .source(kNotDivided)
      .range(1, kMaxHosts)
      .field("zero", &P::zero,
             "what data ranks share out: 1 optimiser states, 2 also gradients, 3 also parameters")
      .matters_if([](const P& p) { return p.zero == 0 || p.data > 1 || p.context > 1; },
                  "with several `data` or `context` ranks")
      .source("plain data parallelism")
      .range(0, 3)
      .field("shard_ranks", &P::shard_ranks,
             "consecutive ranks that share these out, of those that add up gradients; 0: all")
      .source("Rajbhandari et al., arXiv 1910.02054: all of them")
      .range(0, kMaxHosts)
      .only_if([](const P& p) { return p.zero != 0; }, "with `zero`")
      .field("reshard_after_forward", &P::reshard_after_forward,
             "ranks give parameters up after a forward pass, and gather them again for the "
             "backward pass")
      .source("Zhao et al., arXiv 2304.11277 (FSDP), section 3.2: they do")
      .only_if([](const P& p) { return p.zero == 3; }, "with `zero: 3`")
      .choice("gradient_sync", &P::gradient_sync,
              {{GradientSync::kAuto, "auto", "with `zero: 3` each micro-batch, else once per step"},
               {GradientSync::kStep, "step", "once, when the last micro-batch has added its own"},
               {GradientSync::kMicroBatch, "micro-batch", "after each micro-batch"}},
              "when ranks with the same parameters reduce their gradients")
      .matters_if(
          [](const P& p) {
            return p.gradient_sync == GradientSync::kAuto || p.data > 1 || p.context > 1;
          },
          "with several `data` or `context` ranks")
      .source("Rajbhandari et al., arXiv 1910.02054, section 7");
}

}  // namespace

schema::Object<ParallelismSpec> parallelism_schema() {
  using P = ParallelismSpec;
  ParallelismKeys keys("parallelism", "how ranks share the work, tensor-parallel ranks adjacent");
  keys.field("tensor", &P::tensor, "ranks that divide every matrix")
      .source(kNotDivided)
      .range(1, kMaxHosts)
      .field("sequence_parallel", &P::sequence_parallel,
             "tensor ranks also divide the tokens between matrices")
      .matters_if([](const P& p) { return !p.sequence_parallel || p.tensor > 1; },
                  "with several `tensor` ranks")
      .source("Shoeybi et al., arXiv 1909.08053: they do not")
      .field("context", &P::context, "ranks that divide a sequence")
      .source(kNotDivided)
      .range(1, kMaxHosts);
  add_pipeline_keys(keys);
  add_data_keys(keys);
  keys.field("expert", &P::expert, "ranks that the experts of a layer are divided among")
      .source(kNotDivided)
      .range(1, kMaxHosts)
      .field("expert_tensor", &P::expert_tensor,
             "ranks that divide the matrices of an expert; 0: as tensor")
      .source("as tensor")
      .range(0, kMaxHosts);
  return keys;
}

schema::Object<BatchSpec> batch_schema() {
  using B = BatchSpec;
  return schema::describe<B>("batch", "samples of an iteration")
      .field("micro", &B::micro, "samples per micro-batch and data-parallel rank")
      .source("the smallest, which leaves most memory")
      .range(1, kMaxSamples)
      .field("global", &B::global, "samples per iteration, of all ranks together")
      .source("one")
      .range(1, kMaxSamples);
}

schema::Object<RoutingSpec> routing_schema() {
  using R = RoutingSpec;
  return schema::describe<R>("routing", "which experts tokens go to")
      .field("skew", &R::skew, "the i-th most popular expert has weight i^-skew; 0: all alike")
      .source("a balanced router")
      .within({.low = 0, .high = 10})
      .field(
          "capacity", &R::capacity,
          "tokens that an expert takes of a rank, in units of its share if all were alike; those "
          "beyond are dropped; 0: it takes all")
      .source("Megatron-LM: no token is dropped")
      .within({.low = 0, .high = 1000})
      .field("groups", &R::groups, "of experts, in order; a token's experts lie in few of them")
      .source("one group: a token chooses among all experts")
      .range(1, kMaxExpertGroups)
      .field("top_groups", &R::top_groups, "that the experts of a token lie in")
      .source("one, of one group")
      .range(1, kMaxExpertGroups)
      .only_if([](const R& r) { return r.groups > 1; }, "with several `groups`");
}

schema::Object<ExpertSpec> expert_schema() {
  using E = ExpertSpec;
  using X = ExpertSpec::Exchange;
  return schema::describe<E>("experts", "how tokens get to their experts and back")
      .choice("exchange", &E::exchange,
              {{X::kAllToAll, "all-to-all", "a copy per expert, in an all-to-all"},
               {X::kLowLatency, "low-latency", "a copy per expert, all sent at once"},
               {X::kHighThroughput, "high-throughput",
                "a copy per scale-up domain, which a rank there forwards to each rank that has "
                "experts of the token; results are added up on the way back"}},
              "of tokens with the ranks of their experts")
      .source("Megatron-Core: moe_token_dispatcher_type alltoall")
      .field("chunks", &E::chunks, "of the tokens: one is forwarded while the next one comes")
      .source("estimate: as many as leave messages large")
      .range(1, kMaxTokenChunks)
      .only_if([](const E& e) { return e.exchange == X::kHighThroughput; },
               "with `exchange: high-throughput`");
}

schema::Object<OverlapSpec> overlap_schema() {
  using O = OverlapSpec;
  return schema::describe<O>("overlap", "what may overlap computation")
      .field("gradients", &O::gradients, "exchanged bucket by bucket during the last backward pass")
      .source("Li et al., arXiv 2006.15704, section 3.2")
      .field("bucket", &O::bucket, "of gradients; 0: as Megatron-LM has it")
      .matters_if([](const O& o) { return o.gradients; }, "with `gradients: true`")
      .source("Megatron-LM: 40 M parameters, or 1 M for each data rank if that is more")
      .at_most(Bytes(1'000'000'000'000))
      .field("tensor", &O::tensor, "sums of tensor-parallel ranks, beside chunks of products")
      .source("Megatron-LM without overlap of tensor-parallel communication")
      .field("tensor_chunks", &O::tensor_chunks, "of a matrix product")
      .source("estimate: as many as leave products large")
      .range(1, kMaxTensorChunks)
      .only_if([](const O& o) { return o.tensor; }, "with `tensor: true`")
      .field("pipeline", &O::pipeline, "sends between stages")
      .source("Megatron-LM: overlap_p2p_comm")
      .field("prefetch", &O::prefetch, "parameters of ZeRO-3, one layer ahead")
      .source("Zhao et al., arXiv 2304.11277 (FSDP), section 3.3")
      .field("parameters", &O::parameters,
             "what ZeRO-1 and 2 updated, gathered bucket by bucket during the next forward pass")
      .source("Megatron-LM without --overlap-param-gather")
      .choice("experts", &O::experts,
              {{O::Experts::kNone, "none", "nothing else is computed meanwhile"},
               {O::Experts::kHalves, "halves",
                "the two halves of a micro-batch alternate: one computes while the other's tokens "
                "are on their way"},
               {O::Experts::kPairs, "pairs",
                "the forward pass of one micro-batch beside the backward pass of another; with "
                "dualpipe its pairs send tokens out before they compute"}},
              "what exchanges of tokens with experts have beside them")
      .source("Megatron-Core without --overlap-moe-expert-parallel-comm")
      .field("shared_experts", &O::shared_experts,
             "computed while tokens are on their way to other experts")
      .source("Megatron-Core without --moe-shared-expert-overlap")
      .field("weights", &O::weights,
             "gradients of weights, computed once those of inputs are on their way")
      .source("Megatron-Core without --delay-wgrad-compute");
}

}  // namespace weft::collectives
