#include "collectives/training/compute/compute_schema.hpp"

#include <optional>
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

/// Of what is sent: as it is kept, or in another format.
std::vector<schema::Enumerator<std::optional<NumberFormat>>> exchange_choices() {
  std::vector<schema::Enumerator<std::optional<NumberFormat>>> choices{
      {std::nullopt, "auto", "as numbers of the kind are kept"}};
  for (const schema::Enumerator<NumberFormat>& format : format_choices()) {
    choices.push_back({format.value, format.spelling, format.doc});
  }
  return choices;
}

schema::Object<ExchangeFormats> exchange_schema() {
  using E = ExchangeFormats;
  const char* as_kept = "as they are kept";
  const char* as_computed = "as activations are kept: in 16 bits, or as products are computed";
  return schema::describe<E>("exchange",
                             "what numbers are sent in; with the scales that blocks share: of fp8 "
                             "4 bytes for 128 numbers, of mxfp8 1 for 32, of fp4 1 for 16")
      .choice("gradients", &E::gradients, exchange_choices(), "of parameters")
      .source(as_kept)
      .choice("parameters", &E::parameters, exchange_choices(), "that other ranks hold or updated")
      .source(as_kept)
      .choice("tensor", &E::tensor, exchange_choices(), "sums among tensor-parallel ranks")
      .source(as_computed)
      .choice("tensor_gather", &E::tensor_gather, exchange_choices(),
              "inputs that sequence-parallel ranks gather")
      .source("as `tensor`")
      .choice("context", &E::context, exchange_choices(), "keys and values, and their gradients")
      .source(as_computed)
      .choice("pipeline", &E::pipeline, exchange_choices(), "results of stages")
      .source(as_computed)
      .choice("dispatch", &E::dispatch, exchange_choices(), "tokens on their way to experts")
      .source(as_computed)
      .choice("combine", &E::combine, exchange_choices(), "what comes back from experts")
      .source(as_computed)
      .check([](const E& e, std::vector<schema::Problem>& problems) {
        const auto refuse = [&](const char* key, const std::optional<NumberFormat>& format) {
          if (!format || bytes_of(*format) >= 2) return;
          problems.push_back({key, "is " + std::string(name_of(*format)) +
                                       "; it is added up on its way, in 16 bits or more: fp32, "
                                       "tf32, bf16 or fp16"});
        };
        refuse("gradients", e.gradients);
        refuse("tensor", e.tensor);
      });
}

schema::Object<MeasuredProduct> product_schema() {
  using P = MeasuredProduct;
  constexpr std::uint64_t kMaxSide = std::uint64_t{1} << 30U;
  return schema::describe<P>("product", "of m x k and k x n numbers")
      .field("m", &P::m, "rows: tokens in passes forward and of inputs")
      .required()
      .range(1, kMaxSide)
      .field("n", &P::n, "columns")
      .required()
      .range(1, kMaxSide)
      .field("k", &P::k, "what is added up")
      .required()
      .range(1, kMaxSide)
      .field("time", &P::time, "as measured, in `precision.compute`")
      .required()
      .at_least(Picoseconds(1))
      .at_most(kLongestPass);
}

schema::Object<KernelSpec> kernel_schema() {
  using K = KernelSpec;
  using M = KernelSpec::Model;
  const auto has_shapes = [](const K& k) { return k.model != M::kConstant; };
  return schema::describe<K>("kernels", "how long matrix products take, and what lies between them")
      .choice("model", &K::model,
              {{M::kConstant, "constant", "their operations at `gemm_efficiency` of the peak"},
               {M::kRoofline, "roofline",
                "whole tiles in whole waves at that efficiency, or bytes through memory if they "
                "take longer; between them the bytes of every kernel"},
               {M::kMeasured, "measured", "at the rates of `products`, by shape"}},
              "what their times follow from")
      .source("one efficiency for all shapes")
      .field("tile", &K::tile, "of a tile besides its products: first loads and last stores")
      .source("estimate: two accesses to memory")
      .at_most(kLongestPass)
      .only_if([](const K& k) { return k.model == M::kRoofline; }, "with `model: roofline`")
      .field("launch", &K::launch, "from one kernel to the next")
      .source("estimate: what dependent kernels of a stream take")
      .at_most(kLongestPass)
      .only_if(has_shapes, "with `model: roofline` or `measured`")
      .objects("products", &K::products, product_schema(), "measured; others are between them")
      .source("none")
      .only_if([](const K& k) { return k.model == M::kMeasured; }, "with `model: measured`")
      .check([](const K& k, std::vector<schema::Problem>& problems) {
        if (k.model == M::kMeasured && k.products.empty()) {
          problems.push_back({"products", "are what `model: measured` goes by; there are none"});
        }
      })
      .shorthand("model");
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
      .source(kMixedPrecision)
      .object("exchange", &P::exchange, exchange_schema(), "what numbers are sent in, by kind")
      .source("as they are kept");
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
      .field("fused_loss", &C::fused_loss,
             "the loss reads logits once; else each of its steps reads and writes them in 32 bits")
      .source(
          "NVIDIA Transformer Engine, parallel_cross_entropy, which Megatron-Bridge's recipes "
          "use")
      .only_if([](const C& c) { return c.kernels.model != KernelSpec::Model::kConstant; },
               "with `kernels: roofline` or `measured`")
      .object("kernels", &C::kernels, kernel_schema(),
              "how long matrix products take, and what lies between them")
      .source("one efficiency for all shapes")
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
      .field("price_per_gpu_hour", &C::price_per_gpu_hour,
             "dollars that a GPU costs for an hour, with all that belongs to it; results and "
             "estimates then say what a step and a million tokens cost")
      .source("it is not known")
      .within({.low = 0, .high = 10'000, .includes_low = false})
      .changes_output()
      .shorthand("gpu");
}

}  // namespace weft::collectives
