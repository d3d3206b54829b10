#include "collectives/training/compute/compute_schema.hpp"

#include <string>
#include <vector>

#include "collectives/training/compute/gpu.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {
namespace {

constexpr const char* kMixedPrecision =
    "Micikevicius et al., arXiv 1710.03740, section 3.1; gradients in 32 bits as Megatron-LM adds "
    "them up";
constexpr Picoseconds kLongestPass(1'000'000'000'000'000);

std::vector<schema::Enumerator<NumberFormat>> format_choices() {
  using Format = NumberFormat;
  return {{Format::kFp32, "fp32", "32 bits"},
          {Format::kTf32, "tf32", "stored in 32 bits, multiplied in 19"},
          {Format::kBf16, "bf16", "16 bits, the range of 32"},
          {Format::kFp16, "fp16", "16 bits"},
          {Format::kFp8, "fp8", "8 bits"},
          {Format::kMxfp8, "mxfp8", "8 bits, a scale per block of 32"},
          {Format::kFp4, "fp4", "4 bits, a scale per block"}};
}

schema::Object<MeasuredLayer> measured_layer_schema() {
  using L = MeasuredLayer;
  return schema::describe<L>("layer", "a layer's time as measured, of one micro-batch on one rank")
      .field("forward", &L::forward, "of the forward pass, without communication")
      .required()
      .at_most(kLongestPass)
      .field("backward", &L::backward, "of gradients of inputs and weights together")
      .required()
      .at_most(kLongestPass)
      .field("backward_weights", &L::backward_weights, "of these, those of weights")
      .required()
      .at_most(kLongestPass)
      .check([](const L& layer, std::vector<schema::Problem>& problems) {
        if (layer.backward_weights > layer.backward) {
          problems.push_back({"backward_weights", "is more than backward, of which it is a part"});
        }
      });
}

std::string gpu_doc() {
  std::string doc = "by name:";
  for (const Gpu& gpu : gpus()) doc += " " + std::string(gpu.name);
  return doc;
}

}  // namespace

schema::Object<PrecisionSpec> precision_schema() {
  using P = PrecisionSpec;
  return schema::describe<P>("precision", "what numbers are kept in")
      .choice("compute", &P::compute, format_choices(), "of matrix products")
      .source(kMixedPrecision)
      .choice("parameters", &P::parameters, format_choices(), "that layers compute with")
      .source(kMixedPrecision)
      .choice("gradients", &P::gradients, format_choices(),
              "as they are kept, added up and exchanged")
      .source(kMixedPrecision)
      .choice("master", &P::master, format_choices(),
              "the optimiser's copy of parameters; the same format: there is no copy")
      .source(kMixedPrecision)
      .choice("moments", &P::moments, format_choices(), "two per parameter (Adam)")
      .source(kMixedPrecision);
}

schema::Object<ComputeSpec> compute_schema() {
  using C = ComputeSpec;
  return schema::describe<C>("compute", "what computes, and how fast")
      .field("gpu", &C::gpu, gpu_doc())
      .source("H100 SXM")
      .field("gemm_efficiency", &C::gemm_efficiency, "of the peak, in matrix products")
      .source("estimate: what large matrix products reach")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("memory_efficiency", &C::memory_efficiency,
             "of the bandwidth of memory, in everything else")
      .source("estimate: what streaming kernels reach")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("communication_slowdown", &C::communication_slowdown,
             "multiplier of computing time while the rank communicates")
      .source("communication takes nothing from computation")
      .within({.low = 1, .high = 100})
      .field("fused_attention", &C::fused_attention, "scores of attention stay on the chip")
      .source("Dao et al., arXiv 2205.14135 (FlashAttention), which training libraries use")
      .object("layer", &C::layer, measured_layer_schema(),
              "measured times of a layer, instead of what the GPU would take")
      .source("as the GPU takes")
      .object("expert_layer", &C::expert_layer, measured_layer_schema(),
              "measured times of a layer with experts")
      .source("as `layer`, and as the GPU takes without it")
      .object("embedding", &C::embedding, measured_layer_schema(),
              "measured times of what comes before the layers")
      .source("as the GPU takes")
      .object("output", &C::output, measured_layer_schema(),
              "measured times of the output layer and the loss")
      .source("as the GPU takes")
      .field("optimizer", &C::optimizer, "a step of the optimiser")
      .source("as memory allows")
      .at_most(kLongestPass)
      .shorthand("gpu");
}

}  // namespace weft::collectives
