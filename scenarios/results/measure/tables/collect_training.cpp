#include "scenarios/results/measure/tables/collect_training.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/memory/memory_use.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/flops.hpp"
#include "collectives/training/plan/plan_check.hpp"

namespace weft::scenarios {
namespace {

/// Steps in order; of a few, the longest one is the 99th of 100.
Picoseconds step_quantile(const std::vector<Picoseconds>& steps, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(steps.size())));
  return steps[std::max<std::size_t>(rank, 1) - 1];
}

/// A step takes from end to end: iterations may overlap, and then from begin to end counts time
/// twice.
void measure_steps(const Results& results, TrainingResult& training) {
  std::vector<Picoseconds> steps;
  Picoseconds compute;
  Picoseconds communication;
  for (const IterationResult& i : results.iterations) {
    if (i.job != training.job) continue;
    steps.push_back(i.since_previous);
    training.mean_step += i.since_previous;
    compute += i.compute;
    communication += i.exposed_in_all() + i.hidden_in_all();
  }
  training.iterations = static_cast<std::uint32_t>(steps.size());
  if (steps.empty()) return;
  std::ranges::sort(steps);
  training.mean_step = training.mean_step / static_cast<std::int64_t>(steps.size());
  training.median_step = step_quantile(steps, 0.5);
  training.p99_step = step_quantile(steps, 0.99);
  training.longest_step = steps.back();
  if (compute > Picoseconds(0)) {
    training.communication = to_seconds(communication) / to_seconds(compute);
  }
  training.ratio_class = collectives::name_of(collectives::ratio_class(training.communication));
}

}  // namespace

void collect_training(const Experiment& experiment, Results& results) {
  for (std::uint32_t j = 0; j < experiment.scenario.jobs.size(); ++j) {
    const auto* given = std::get_if<collectives::TrainingSpec>(&experiment.scenario.jobs[j].kind);
    if (given == nullptr) continue;
    TrainingResult training;
    training.job = j;
    measure_steps(results, training);
    if (training.iterations == 0 || training.mean_step == Picoseconds(0)) continue;
    collectives::TrainingSpec spec = *given;
    spec.model = collectives::completed(spec.model);
    training.tokens = static_cast<double>(spec.batch.global) * spec.model.sequence;
    training.model_flops = training.tokens * collectives::model_flops(spec.model);
    training.hardware_flops = training.tokens * collectives::hardware_flops(spec);
    const collectives::Gpu& gpu = *collectives::find_gpu(spec.compute.gpu);
    training.peak_flops = *collectives::peak_flops(gpu, spec.precision.compute);
    training.memory = collectives::fullest_rank(spec).use.total();
    training.gpu_memory = gpu.memory;
    training.price_per_gpu_hour = spec.compute.price_per_gpu_hour;
    results.training.push_back(training);
  }
}

}  // namespace weft::scenarios
