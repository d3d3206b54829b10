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
      .only_if([](const P& p) { return p.zero != 0; }, "with `zero`");
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
      .within({.low = 0, .high = 1000});
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
      .source("Zhao et al., arXiv 2304.11277 (FSDP), section 3.3");
}

}  // namespace weft::collectives
