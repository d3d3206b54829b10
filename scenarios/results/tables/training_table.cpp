#include "scenarios/results/tables/training_table.hpp"

#include "collectives/training/spec/training_spec.hpp"
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

std::optional<double> TrainingRow::dollars_per_step() const {
  if (!training.price_per_gpu_hour) return {};
  return collectives::dollars_of(*training.price_per_gpu_hour, job.ranks,
                                 to_seconds(training.mean_step));
}

std::optional<double> TrainingRow::dollars_per_million_tokens() const {
  const std::optional<double> step = dollars_per_step();
  if (!step) return {};
  return *step / training.tokens * 1e6;
}

const Table<TrainingRow>& TrainingTable::declaration() {
  using Row = TrainingRow;
  static const Table<Row> table{
      "training.csv",
      "a training job that ended an iteration",
      {{"job", "its name", [](const Row& r) { return r.job.name; }, "job"},
       {"iterations", "that all ranks ended", [](const Row& r) { return r.training.iterations; },
        "iterations"},
       {"step_s",
        "from the end of an iteration, or the start of the job, to the end of the next, mean",
        [](const Row& r) { return r.training.mean_step; }, "step_seconds/mean"},
       {"step_p50_s", "half of the steps took at most this",
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
       {"mfu", "model FLOP/s of a GPU, of its peak in the format that it computes in",
        [](const Row& r) {
          return ratio(per_gpu(r, r.training.model_flops) / r.training.peak_flops);
        },
        "mfu"},
       {"hfu", "as mfu, with what is recomputed",
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
           "dollars_per_step",
           "what all its GPUs cost in a step of mean length; empty: `price_per_gpu_hour` is "
           "unknown",
           [](const Row& r) { return derived_dollars(r.dollars_per_step()); }, "dollars_per_step")
           .derived(),
       Column<Row>(
           "dollars_per_million_tokens", "the same, by the tokens of a step",
           [](const Row& r) { return derived_dollars(r.dollars_per_million_tokens()); },
           "dollars_per_million_tokens")
           .derived(),
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
