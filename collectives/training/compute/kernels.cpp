#include "collectives/training/compute/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/traffic.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {
namespace {

struct TileSize {
  double m;
  double n;
};
constexpr std::array kTileSizes{TileSize{256, 128}, TileSize{128, 256}, TileSize{128, 128},
                                TileSize{64, 256}, TileSize{64, 128}};

const Gpu& gpu_named(const TrainingSpec& spec) {
  const Gpu* gpu = find_gpu(spec.compute.gpu);
  WEFT_CHECK(gpu != nullptr, "the GPU of a training job is one of the table");
  return *gpu;
}

double peak_of(const MatrixProduct& product, const TrainingSpec& spec, const Gpu& gpu) {
  const NumberFormat format =
      product.is_wide ? activation_format(spec.precision.compute) : spec.precision.compute;
  const auto peak = peak_flops(gpu, format);
  WEFT_CHECK(peak.has_value(), "the GPU of a training job has the format that it computes in");
  return *peak;
}

/// Of one number of a result. Gradients of weights are added to those of micro-batches before,
/// unless these have been reduced (Megatron-LM, --gradient-accumulation-fusion).
double result_bytes(const MatrixProduct& p, const TrainingSpec& spec) {
  if (!p.is_gradient || reduces_each_micro_batch(spec.parallelism)) {
    return activation_bytes(spec.precision.compute);
  }
  return 2 * bytes_of(spec.precision.gradients);
}

double roofline(const MatrixProduct& p, const TrainingSpec& spec) {
  const Gpu& gpu = gpu_named(spec);
  const double units = std::floor(1.0 * gpu.processors / gpu.tile_processors);
  const double rate = peak_of(p, spec, gpu) * spec.compute.gemm_efficiency / units;
  double computed = std::numeric_limits<double>::max();
  for (const TileSize& size : kTileSizes) {
    const double rows = size.m * gpu.tile_processors;
    const double tiles = p.count * std::ceil(p.m / rows) * std::ceil(p.n / size.n);
    const double one = 2 * rows * size.n * p.k / rate + to_seconds(spec.compute.kernels.tile);
    computed = std::min(computed, std::ceil(tiles / units) * one);
  }
  const double number = p.is_wide ? bytes_of(activation_format(spec.precision.compute))
                                  : bytes_of(spec.precision.compute);
  const double bytes =
      p.count * ((p.m * p.k + p.k * p.n) * number + p.m * p.n * result_bytes(p, spec));
  const double bandwidth =
      static_cast<double>(gpu.bandwidth.count()) / 8 * spec.compute.memory_efficiency;
  return std::max(computed, bytes / bandwidth);
}

/// The rate of the shapes that are listed, the near ones above all.
double measured(const MatrixProduct& p, const TrainingSpec& spec) {
  double weights = 0;
  double rates = 0;
  for (const MeasuredProduct& known : spec.compute.kernels.products) {
    const double rate =
        2.0 * known.m * known.n * known.k / to_seconds(known.time);  // operations per second
    const double octaves =
        std::hypot(std::log2(p.m / known.m), std::log2(p.n / known.n), std::log2(p.k / known.k));
    constexpr double kSame = 1e-9;
    if (octaves < kSame) return p.flops() / rate;
    const double weight = 1 / (octaves * octaves);
    weights += weight;
    rates += weight * rate;
  }
  return p.flops() / (rates / weights);
}

/// Counts products of n columns from k, where there are both.
void add(std::vector<MatrixProduct>& products, double tokens, double n, double k,
         double count = 1) {
  if (tokens > 0 && n > 0 && k > 0 && count > 0) {
    products.push_back({.m = tokens, .n = n, .k = k, .count = count});
  }
}

/// From compressed queries, keys and values.
void add_latent_up(std::vector<MatrixProduct>& products, const TrainingSpec& spec, double tokens) {
  const ModelSpec& model = spec.model;
  const double heads = 1.0 * model.heads / spec.parallelism.tensor;
  const double key = 1.0 * model.head_size + model.rope_head_size;
  add(products, tokens, heads * key, model.query_rank != 0 ? model.query_rank : model.hidden);
  add(products, tokens, heads * (1.0 * model.head_size + model.value_head_size), model.kv_rank);
}

void add_attention(std::vector<MatrixProduct>& products, const TrainingSpec& spec, double tokens) {
  const ModelSpec& model = spec.model;
  const double tensor = spec.parallelism.tensor;
  const double whole = spec.parallelism.sequence_parallel ? tokens / tensor : tokens;
  const double hidden = model.hidden;
  const double heads = model.heads / tensor;
  const double key = 1.0 * model.head_size + model.rope_head_size;
  const double value = model.value_head_size;
  if (model.kv_rank == 0) {
    add(products, tokens, heads * key + model.kv_heads / tensor * (key + value), hidden);
  } else {
    add(products, whole, 1.0 * model.query_rank + model.kv_rank + model.rope_head_size, hidden);
    add_latent_up(products, spec, tokens);
  }
  add(products, tokens, hidden, heads * value);
}

void add_feed_forward(std::vector<MatrixProduct>& products, const ModelSpec& model, double tokens,
                      double inner, double count = 1) {
  add(products, tokens, (model.gated_ffn ? 2 : 1) * inner, model.hidden, count);
  add(products, tokens, model.hidden, inner, count);
}

/// Of inputs and gradients of products that are in 8 bits or fewer: read in 16 bits, and written in
/// as few, once by rows and once by columns, for the gradients of weights; by a kernel of its own.
double conversion_time(double numbers, const MatrixProduct& p, const TrainingSpec& spec) {
  const double narrow = bytes_of(spec.precision.compute);
  if (p.is_wide || narrow >= 2) return 0;
  const double bytes = numbers * p.count * (activation_bytes(spec.precision.compute) + 2 * narrow);
  const Gpu& gpu = gpu_named(spec);
  const double bandwidth =
      static_cast<double>(gpu.bandwidth.count()) / 8 * spec.compute.memory_efficiency;
  return to_seconds(spec.compute.kernels.launch) + bytes / bandwidth;
}

}  // namespace

double product_time(const MatrixProduct& product, const TrainingSpec& spec) {
  switch (spec.compute.kernels.model) {
    case KernelSpec::Model::kRoofline:
      return roofline(product, spec);
    case KernelSpec::Model::kMeasured:
      return measured(product, spec);
    case KernelSpec::Model::kConstant:
      break;
  }
  return product.flops() / (peak_of(product, spec, gpu_named(spec)) * spec.compute.gemm_efficiency);
}

LayerProducts layer_products(const TrainingSpec& spec, bool has_experts, double load) {
  const ModelSpec& model = spec.model;
  const ParallelismSpec& plan = spec.parallelism;
  const double tokens = rank_tokens(spec) / pass_parts(spec.overlap);
  LayerProducts products;
  add_attention(products.attention, spec, tokens);
  if (spec.model.kv_rank != 0) add_latent_up(products.latent_up, spec, tokens);
  products.attention_kernels = attention_kernels(spec);
  products.feed_forward_kernels = feed_forward_kernels(spec, has_experts);
  products.shared_kernels = shared_expert_kernels(spec, has_experts);
  if (!has_experts) {
    add_feed_forward(products.feed_forward, model, tokens, 1.0 * model.ffn / plan.tensor);
    return products;
  }
  const double whole = plan.sequence_parallel ? tokens / plan.tensor : tokens;
  const double sharers = expert_tensor_of(plan);
  const double experts = 1.0 * model.experts / plan.expert;
  // A rank computes as many copies as it brings, where experts get equally many.
  const double brought = tokens / plan.tensor * sharers;
  // Scores of the router are 16-bit products, added up in 32 bits (--moe-router-dtype fp32).
  products.feed_forward.push_back(
      {.m = whole, .n = 1.0 * model.experts, .k = 1.0 * model.hidden, .count = 1, .is_wide = true});
  add_feed_forward(products.feed_forward, model, brought * model.top_k * load / experts,
                   model.expert_ffn / sharers, experts);
  add_feed_forward(products.shared, model, tokens,
                   1.0 * model.shared_experts * model.expert_ffn / plan.tensor);
  return products;
}

ProductTimes& ProductTimes::operator+=(const ProductTimes& other) {
  forward += other.forward;
  backward_inputs += other.backward_inputs;
  backward_weights += other.backward_weights;
  return *this;
}

ProductTimes product_times(const std::vector<MatrixProduct>& products, const TrainingSpec& spec) {
  const double launch = to_seconds(spec.compute.kernels.launch);
  ProductTimes times;
  for (const MatrixProduct& p : products) {
    const auto of = [&](double m, double n, double k, bool is_gradient) {
      return launch + product_time({.m = m,
                                    .n = n,
                                    .k = k,
                                    .count = p.count,
                                    .is_wide = p.is_wide,
                                    .is_gradient = is_gradient},
                                   spec);
    };
    times += {.forward = of(p.m, p.n, p.k, false) + conversion_time(p.m * p.k, p, spec),
              .backward_inputs = of(p.m, p.k, p.n, false) + conversion_time(p.m * p.n, p, spec),
              .backward_weights = of(p.k, p.n, p.m, true)};
  }
  return times;
}

double attention_time(double flops, const TrainingSpec& spec, double score_passes) {
  if (flops <= 0) return 0;
  constexpr double kQueries = 128;
  const Gpu& gpu = gpu_named(spec);
  const double blocks =
      std::ceil(rank_tokens(spec) / kQueries) * spec.model.heads / spec.parallelism.tensor;
  const double waves = std::ceil(blocks / gpu.processors) * gpu.processors / blocks;
  const double peak = peak_of({.is_wide = true}, spec, gpu);
  const double computed = flops * waves / (peak * spec.compute.gemm_efficiency);
  const double launch = to_seconds(spec.compute.kernels.launch);
  if (spec.compute.fused_attention) return launch + computed;
  // Masked scores are computed, too.
  const double all = spec.model.causal_attention ? 2 * computed : computed;
  const double bytes =
      score_passes * score_bytes(spec) * rank_tokens(spec) / spec.parallelism.tensor;
  const double bandwidth =
      static_cast<double>(gpu.bandwidth.count()) / 8 * spec.compute.memory_efficiency;
  return launch + std::max(all, bytes / bandwidth);
}

}  // namespace weft::collectives
