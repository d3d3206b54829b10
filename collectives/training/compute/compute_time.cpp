#include "collectives/training/compute/compute_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/kernels.hpp"
#include "collectives/training/compute/traffic.hpp"
#include "simcore/base/check.hpp"
#include "simcore/text/nearest.hpp"

namespace weft::collectives {
namespace {

/// What attention and logits are computed in.
NumberFormat wide_format(NumberFormat compute) {
  return bytes_of(compute) < 2 ? NumberFormat::kBf16 : compute;
}

Picoseconds whole_picoseconds(double seconds) {
  constexpr double kMax = 4e18;
  return Picoseconds(std::llround(std::min(seconds * 1e12, kMax)));
}

double memory_seconds(const Gpu& gpu, const ComputeSpec& compute, double bytes) {
  const double rate = static_cast<double>(gpu.bandwidth.count()) / 8 * compute.memory_efficiency;
  return bytes / rate;
}

PassTimes times_of(const PassWork& pass, const TrainingSpec& spec) {
  return {.forward = time_of(pass.forward, spec),
          .backward_inputs = time_of(pass.backward_inputs, spec),
          .backward_weights = time_of(pass.backward_weights, spec),
          .recomputed = time_of(pass.recomputed, spec)};
}

PassTimes measured(const MeasuredLayer& layer) {
  return {.forward = layer.forward,
          .backward_inputs = layer.backward - layer.backward_weights,
          .backward_weights = layer.backward_weights,
          .recomputed = {}};
}

const Gpu& gpu_of(const TrainingSpec& spec) {
  const Gpu* gpu = find_gpu(spec.compute.gpu);
  WEFT_CHECK(gpu != nullptr, "the GPU of a training job is one of the table");
  return *gpu;
}

}  // namespace

std::vector<schema::Problem> compute_problems(const ComputeSpec& compute,
                                              const PrecisionSpec& precision) {
  const Gpu* gpu = find_gpu(compute.gpu);
  if (gpu == nullptr) {
    std::vector<std::string> accepted;
    for (const Gpu& known : gpus()) accepted.emplace_back(known.name);
    return {{"gpu",
             "is unknown; accepted: " + listing(accepted) + did_you_mean(compute.gpu, accepted)}};
  }
  if (peak_flops(*gpu, precision.compute)) return {};
  std::string accepted;
  for (std::size_t i = 0; i < kNumberFormats; ++i) {
    const auto format = static_cast<NumberFormat>(i);
    if (!peak_flops(*gpu, format)) continue;
    accepted += (accepted.empty() ? "" : ", ") + std::string(name_of(format));
  }
  return {{"gpu", "does not compute in " + std::string(name_of(precision.compute)) + "; it has " +
                      accepted}};
}

Picoseconds time_of(const Work& work, const TrainingSpec& spec) {
  const Gpu& gpu = gpu_of(spec);
  const auto narrow = peak_flops(gpu, spec.precision.compute);
  const auto wide = peak_flops(gpu, wide_format(spec.precision.compute));
  WEFT_CHECK(narrow && wide, "the GPU of a training job has the format that it computes in");
  const double products = work.flops / *narrow + work.wide_flops / *wide;
  return whole_picoseconds(products / spec.compute.gemm_efficiency +
                           memory_seconds(gpu, spec.compute, work.bytes));
}

namespace {

/// Products by their shape, scores in waves, and everything else as memory has it.
PassTimes by_shape(const PassWork& work, const std::vector<MatrixProduct>& products, double kernels,
                   const TrainingSpec& spec) {
  const Gpu& gpu = gpu_of(spec);
  const double parts = pass_parts(spec.overlap);  // each with products of its own
  const ProductTimes times = product_times(products, spec);
  const double launches = kernels * to_seconds(spec.compute.kernels.launch);
  const auto other = [&](const Work& pass, double score_passes) {
    return parts * launches + attention_time(pass.wide_flops, spec, score_passes) +
           memory_seconds(gpu, spec.compute, pass.bytes);
  };
  PassTimes pass;
  const double forward = parts * times.forward + other(work.forward, kScorePassesForward);
  pass.forward = whole_picoseconds(forward);
  pass.backward_inputs = whole_picoseconds(parts * times.backward_inputs +
                                           other(work.backward_inputs, kScorePassesBackward));
  pass.backward_weights = whole_picoseconds(parts * times.backward_weights);
  if (spec.recomputation == Recomputation::kFull) pass.recomputed = pass.forward;
  if (spec.recomputation == Recomputation::kSelective) {
    pass.recomputed =
        whole_picoseconds(attention_time(work.recomputed.wide_flops, spec, kScorePassesForward) +
                          memory_seconds(gpu, spec.compute, work.recomputed.bytes));
  }
  return pass;
}

/// What the GPU of the specification takes for a layer, or for a part of it.
class GpuLayer {
 public:
  GpuLayer(const TrainingSpec& spec, bool has_experts, double load)
      : spec_(spec), has_experts_(has_experts), load_(load) {}

  [[nodiscard]] PassTimes whole() const {
    const PassWork work = layer_work(spec_, has_experts_, load_);
    if (!goes_by_shapes(spec_)) return times_of(work, spec_);
    const LayerProducts products = layer_products(spec_, has_experts_, load_);
    std::vector<MatrixProduct> all = products.attention;
    all.insert(all.end(), products.feed_forward.begin(), products.feed_forward.end());
    all.insert(all.end(), products.shared.begin(), products.shared.end());
    return by_shape(
        work, all,
        products.attention_kernels + products.feed_forward_kernels + products.shared_kernels,
        spec_);
  }
  [[nodiscard]] PassTimes attention() const {
    const PassWork work = attention_work(spec_);
    if (!goes_by_shapes(spec_)) return times_of(work, spec_);
    const LayerProducts products = layer_products(spec_, has_experts_, load_);
    return by_shape(work, products.attention, products.attention_kernels, spec_);
  }
  [[nodiscard]] PassTimes shared() const {
    if (!has_experts_ || spec_.model.shared_experts == 0) return {};
    TrainingSpec apart = spec_;  // selective recomputation repeats nothing of it
    if (spec_.recomputation == Recomputation::kSelective) {
      apart.recomputation = Recomputation::kNone;
    }
    const PassWork work = shared_expert_work(apart);
    if (!goes_by_shapes(spec_)) return times_of(work, apart);
    const LayerProducts products = layer_products(spec_, true, load_);
    return by_shape(work, products.shared, products.shared_kernels, apart);
  }

 private:
  const TrainingSpec& spec_;
  bool has_experts_;
  double load_;
};

constexpr std::array kDirections{&PassTimes::forward, &PassTimes::backward_inputs,
                                 &PassTimes::backward_weights, &PassTimes::recomputed};

}  // namespace

PassTimes layer_time(const TrainingSpec& spec, bool has_experts, double load) {
  const std::optional<MeasuredLayer>& layer =
      has_experts && spec.compute.expert_layer ? spec.compute.expert_layer : spec.compute.layer;
  if (!layer) return GpuLayer(spec, has_experts, load).whole();
  PassTimes times = measured(*layer);
  if (spec.recomputation == Recomputation::kFull) times.recomputed = times.forward;
  if (!has_experts || load == 1) return times;
  const PassTimes even = GpuLayer(spec, has_experts, 1).whole();
  const PassTimes loaded = GpuLayer(spec, has_experts, load).whole();
  for (const auto member : kDirections) {
    if (even.*member == Picoseconds(0)) continue;
    times.*member = whole_picoseconds(to_seconds(times.*member) *
                                      (to_seconds(loaded.*member) / to_seconds(even.*member)));
  }
  return times;
}

LayerParts layer_parts(const TrainingSpec& spec, bool has_experts) {
  const GpuLayer gpu(spec, has_experts, 1);
  LayerParts parts{.attention = gpu.attention(), .shared = gpu.shared()};
  const bool is_measured =
      spec.compute.layer || (has_experts && spec.compute.expert_layer.has_value());
  if (!is_measured) return parts;
  const PassTimes whole = gpu.whole();
  const PassTimes times = layer_time(spec, has_experts);
  for (const auto member : kDirections) {
    if (whole.*member == Picoseconds(0)) continue;
    const double factor = to_seconds(times.*member) / to_seconds(whole.*member);
    for (PassTimes* part : {&parts.attention, &parts.shared}) {
      part->*member = whole_picoseconds(to_seconds(part->*member) * factor);
    }
  }
  return parts;
}

bool knows_layer_parts(const TrainingSpec& spec) {
  return goes_by_shapes(spec) || spec.overlap.shared_experts ||
         spec.overlap.experts != OverlapSpec::Experts::kNone;
}

PassTimes embedding_time(const TrainingSpec& spec) {
  if (spec.compute.embedding) return measured(*spec.compute.embedding);
  return times_of(embedding_work(spec), spec);
}

PassTimes output_time(const TrainingSpec& spec) {
  if (spec.compute.output) return measured(*spec.compute.output);
  PassWork work = output_work(spec);
  if (!goes_by_shapes(spec)) return times_of(work, spec);
  TrainingSpec apart = spec;  // no attention, and nothing of it is repeated
  apart.recomputation = Recomputation::kNone;
  const double tokens = rank_tokens(spec) / pass_parts(spec.overlap);
  const MatrixProduct logits{.m = tokens,
                             .n = 1.0 * spec.model.vocabulary / spec.parallelism.tensor,
                             .k = 1.0 * spec.model.hidden,
                             .count = 1,
                             .is_wide = true};
  for (Work* pass : {&work.forward, &work.backward_inputs}) pass->wide_flops = 0;
  return by_shape(work, {logits}, output_kernels(spec), apart);
}

Picoseconds optimizer_time(const TrainingSpec& spec, double parameters) {
  if (spec.compute.optimizer) return *spec.compute.optimizer;
  return whole_picoseconds(
      memory_seconds(gpu_of(spec), spec.compute, parameters * optimizer_bytes(spec.precision)));
}

}  // namespace weft::collectives
