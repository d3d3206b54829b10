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
#include "collectives/training/model/flops.hpp"
#include "collectives/training/spec/recomputed.hpp"
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
          .recomputed = time_of(pass.recomputed, spec),
          .apart = time_of(pass.apart, spec)};
}

PassTimes measured(const MeasuredLayer& layer) {
  return {.forward = layer.forward,
          .backward_inputs = layer.backward - layer.backward_weights,
          .backward_weights = layer.backward_weights,
          .recomputed = {},
          .apart = {}};
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

/// Products, and the number of kernels between them.
struct Kernels {
  std::vector<MatrixProduct> products;
  double others = 0;

  void add(const std::vector<MatrixProduct>& more, double more_others) {
    products.insert(products.end(), more.begin(), more.end());
    others += more_others;
  }
};

/// What runs in a part of a layer.
struct PartKernels {
  Kernels forward;
  Kernels repeated;  ///< within the backward pass
  Kernels apart;     ///< before it
};

/// Products by their shape, scores in waves, and everything else as memory has it.
PassTimes by_shape(const PassWork& work, const PartKernels& kernels, const TrainingSpec& spec) {
  const Gpu& gpu = gpu_of(spec);
  const double parts = pass_parts(spec.overlap);  // each with products of its own
  const ProductTimes times = product_times(kernels.forward.products, spec);
  const double launch = to_seconds(spec.compute.kernels.launch);
  const auto other = [&](double launches, const Work& pass, double score_passes) {
    return parts * (launches * launch) + attention_time(pass.wide_flops, spec, score_passes) +
           memory_seconds(gpu, spec.compute, pass.bytes);
  };
  const auto again = [&](const Kernels& part, const Work& pass) {
    return parts * product_times(part.products, spec).forward +
           other(part.others, pass, kScorePassesForward);
  };
  const double between = kernels.forward.others;
  PassTimes pass;
  pass.forward =
      whole_picoseconds(parts * times.forward + other(between, work.forward, kScorePassesForward));
  pass.backward_inputs = whole_picoseconds(
      parts * times.backward_inputs + other(between, work.backward_inputs, kScorePassesBackward));
  pass.backward_weights = whole_picoseconds(parts * times.backward_weights);
  if (spec.recomputation == Recomputation::kFull) pass.recomputed = pass.apart = pass.forward;
  if (spec.recomputation == Recomputation::kSelective) {
    Work within = work.recomputed;
    within += work.apart * -1;
    pass.apart = whole_picoseconds(again(kernels.apart, work.apart));
    pass.recomputed = pass.apart + whole_picoseconds(again(kernels.repeated, within));
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
    PartKernels kernels = of_attention(products);
    const RecomputedModules modules = recomputed_modules(spec_);
    kernels.forward.add(products.feed_forward, products.feed_forward_kernels);
    kernels.forward.add(products.shared, products.shared_kernels);
    if (modules.norms) ++kernels.repeated.others;
    if (modules.expert_activation && has_experts_) ++kernels.repeated.others;
    if (modules.second_half(has_experts_)) {
      constexpr double kNormAndSum = 2;
      kernels.apart.add(products.feed_forward, products.feed_forward_kernels - kNormAndSum);
      kernels.apart.add(products.shared, products.shared_kernels);
    }
    return by_shape(work, kernels, spec_);
  }
  [[nodiscard]] PassTimes attention() const {
    const PassWork work = attention_work(spec_);
    if (!goes_by_shapes(spec_)) return times_of(work, spec_);
    return by_shape(work, of_attention(layer_products(spec_, has_experts_, load_)), spec_);
  }
  [[nodiscard]] PassTimes scores() const {
    const PassWork work = score_work(spec_);
    return goes_by_shapes(spec_) ? by_shape(work, {}, spec_) : times_of(work, spec_);
  }
  [[nodiscard]] PassTimes shared() const {
    if (!has_experts_ || spec_.model.shared_experts == 0) return {};
    const PassWork work = shared_expert_work(spec_);
    if (!goes_by_shapes(spec_)) return times_of(work, spec_);
    const LayerProducts products = layer_products(spec_, true, load_);
    PartKernels kernels;
    kernels.forward.add(products.shared, products.shared_kernels);
    if (recomputed_modules(spec_).expert_half) kernels.apart = kernels.forward;
    return by_shape(work, kernels, spec_);
  }

 private:
  [[nodiscard]] PartKernels of_attention(const LayerProducts& products) const {
    const RecomputedModules modules = recomputed_modules(spec_);
    PartKernels kernels;
    kernels.forward.add(products.attention, products.attention_kernels);
    if (modules.norms) ++kernels.repeated.others;
    if (modules.latent_up) {
      kernels.repeated.add(products.latent_up, latent_up_kernels(spec_));
    }
    return kernels;
  }

  const TrainingSpec& spec_;
  bool has_experts_;
  double load_;
};

constexpr std::array kDirections{&PassTimes::forward, &PassTimes::backward_inputs,
                                 &PassTimes::backward_weights, &PassTimes::recomputed,
                                 &PassTimes::apart};

}  // namespace

PassTimes layer_time(const TrainingSpec& spec, bool has_experts, double load) {
  const std::optional<MeasuredLayer>& layer =
      has_experts && spec.compute.expert_layer ? spec.compute.expert_layer : spec.compute.layer;
  if (!layer) return GpuLayer(spec, has_experts, load).whole();
  PassTimes times = measured(*layer);
  const PassTimes even = GpuLayer(spec, has_experts, 1).whole();
  if (spec.recomputation == Recomputation::kFull) times.recomputed = times.apart = times.forward;
  if (spec.recomputation == Recomputation::kSelective && even.apart > Picoseconds(0)) {
    times.apart = whole_picoseconds(to_seconds(times.forward) * to_seconds(even.apart) /
                                    to_seconds(even.forward));
    times.recomputed = times.apart;
  }
  if (!has_experts || load == 1) return times;
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
  LayerParts parts{.attention = gpu.attention(),
                   .scores = gpu.scores(),
                   .shared = gpu.shared(),
                   .last_projection = last_projection_share(spec.model)};
  const bool is_measured =
      spec.compute.layer || (has_experts && spec.compute.expert_layer.has_value());
  if (!is_measured) return parts;
  const PassTimes whole = gpu.whole();
  const PassTimes times = layer_time(spec, has_experts);
  for (const auto member : kDirections) {
    if (whole.*member == Picoseconds(0)) continue;
    const double factor = to_seconds(times.*member) / to_seconds(whole.*member);
    for (PassTimes* part : {&parts.attention, &parts.scores, &parts.shared}) {
      part->*member = whole_picoseconds(to_seconds(part->*member) * factor);
    }
  }
  return parts;
}

bool knows_layer_parts(const TrainingSpec& spec) {
  return goes_by_shapes(spec) || spec.overlap.shared_experts || spec.parallelism.context > 1 ||
         (spec.recomputation == Recomputation::kSelective && !spec.recomputed_modules.empty()) ||
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
  PartKernels kernels;
  kernels.forward.add({logits}, output_kernels(spec));
  return by_shape(work, kernels, apart);
}

PassTimes joint_time(const TrainingSpec& spec) {
  PassWork work = joint_work(spec);
  if (!goes_by_shapes(spec)) return times_of(work, spec);
  TrainingSpec apart = spec;
  apart.recomputation = Recomputation::kNone;
  const MatrixProduct product{.m = rank_tokens(spec) / pass_parts(spec.overlap),
                              .n = 1.0 * spec.model.hidden / spec.parallelism.tensor,
                              .k = 2.0 * spec.model.hidden};
  PartKernels kernels;
  constexpr double kLookupAndNorms = 3;
  kernels.forward.add({product}, kLookupAndNorms);
  PassTimes times = by_shape(work, kernels, apart);
  times.backward_weights +=
      whole_picoseconds(memory_seconds(gpu_of(spec), spec.compute, work.backward_weights.bytes));
  return times;
}

Picoseconds optimizer_time(const TrainingSpec& spec, double parameters) {
  if (spec.compute.optimizer) return *spec.compute.optimizer;
  return whole_picoseconds(
      memory_seconds(gpu_of(spec), spec.compute, parameters * optimizer_bytes(spec.precision)));
}

}  // namespace weft::collectives
