#include "scenarios/results/tables/training_table.hpp"

#include "scenarios/results/coverage.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

namespace {

double per_step_second(const TrainingRow& row, double amount) {
  return amount / to_seconds(row.training.mean_step);
}

double per_gpu(const TrainingRow& row, double amount) {
  return per_step_second(row, amount) / row.job.ranks;
}

}  // namespace

const Table<TrainingRow>& TrainingTable::declaration() {
  using Row = TrainingRow;
  static const Table<Row> table{
      "training.csv",
      "a training job that ended an iteration",
      {{"job", "its name", [](const Row& r) { return r.job.name; }, "job"},
       {"iterations", "that all ranks ended", [](const Row& r) { return r.training.iterations; },
        "iterations"},
       {"step_s", "an iteration, mean", [](const Row& r) { return r.training.mean_step; },
        "step_seconds/mean"},
       {"step_p50_s", "half of the iterations took at most this",
        [](const Row& r) { return r.training.median_step; }, "step_seconds/p50"},
       {"step_p99_s", "99 of 100 took at most this",
        [](const Row& r) { return r.training.p99_step; }, "step_seconds/p99"},
       {"step_max_s", "the longest", [](const Row& r) { return r.training.longest_step; },
        "step_seconds/max"},
       {"tokens_per_s", "of all ranks together",
        [](const Row& r) { return per_second(per_step_second(r, r.training.tokens)); },
        "tokens_per_second"},
       {"model_flops_per_s", "of a GPU, without what is recomputed",
        [](const Row& r) { return per_second(per_gpu(r, r.training.model_flops)); },
        "model_flops_per_second"},
       {"mfu", "the same, of the GPU's peak in the format that it computes in",
        [](const Row& r) {
          return ratio(per_gpu(r, r.training.model_flops) / r.training.peak_flops);
        },
        "mfu"},
       {"hfu", "with what is recomputed",
        [](const Row& r) {
          return ratio(per_gpu(r, r.training.hardware_flops) / r.training.peak_flops);
        },
        "hfu"},
       {"communication_ratio", "communication, exposed or hidden, to computing",
        [](const Row& r) { return ratio(r.training.communication); }, "communication_ratio"},
       {"communication_class", "low below 0.2, medium to 0.6, high above",
        [](const Row& r) { return r.training.ratio_class; }, "communication_class"},
       {"memory_bytes", "that the fullest GPU needs; what libraries take is left out",
        [](const Row& r) { return r.training.memory; }, "memory_bytes"},
       {"gpu_memory_bytes", "that a GPU has", [](const Row& r) { return r.training.gpu_memory; },
        "gpu_memory_bytes"},
       Column<Row>(
           kCutOff,
           "of which iterations the percentiles are, if the run was cut off before all were ended",
           [](const Row& r) { return cut_off_text(coverage_of(r)); })
           .derived()},
      [](const Results& r, const auto& visit) {
        for (const TrainingResult& t : r.training) visit({r.jobs[t.job], t});
      },
      [](const Results& r) { return !r.training.empty(); }};
  return table;
}

}  // namespace weft::scenarios
