#include "collectives/training/compute/compute_time.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "collectives/training/compute/gpu.hpp"
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

PassTimes layer_time(const TrainingSpec& spec, bool has_experts, double load) {
  const std::optional<MeasuredLayer>& layer =
      has_experts && spec.compute.expert_layer ? spec.compute.expert_layer : spec.compute.layer;
  if (!layer) return times_of(layer_work(spec, has_experts, load), spec);
  PassTimes times = measured(*layer);
  if (spec.recomputation == Recomputation::kFull) times.recomputed = times.forward;
  if (!has_experts || load == 1) return times;
  const PassTimes even = times_of(layer_work(spec, has_experts), spec);
  const PassTimes loaded = times_of(layer_work(spec, has_experts, load), spec);
  for (const auto member : {&PassTimes::forward, &PassTimes::backward_inputs,
                            &PassTimes::backward_weights, &PassTimes::recomputed}) {
    if (even.*member == Picoseconds(0)) continue;
    times.*member = whole_picoseconds(to_seconds(times.*member) *
                                      (to_seconds(loaded.*member) / to_seconds(even.*member)));
  }
  return times;
}

PassTimes embedding_time(const TrainingSpec& spec) {
  if (spec.compute.embedding) return measured(*spec.compute.embedding);
  return times_of(embedding_work(spec), spec);
}

PassTimes output_time(const TrainingSpec& spec) {
  if (spec.compute.output) return measured(*spec.compute.output);
  return times_of(output_work(spec), spec);
}

Picoseconds optimizer_time(const TrainingSpec& spec, double parameters) {
  if (spec.compute.optimizer) return *spec.compute.optimizer;
  return whole_picoseconds(
      memory_seconds(gpu_of(spec), spec.compute, parameters * optimizer_bytes(spec.precision)));
}

}  // namespace weft::collectives
