#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult;

/// What the iterations of a training job come to: how fast it trains, and for how much of what its
/// GPUs can do.
struct TrainingResult {
  std::uint32_t job = 0;
  std::uint32_t iterations = 0;  ///< that all ranks ended
  Picoseconds mean_step;         ///< from the end of an iteration to the end of the next
  Picoseconds median_step;
  Picoseconds p99_step;
  Picoseconds longest_step;
  double tokens = 0;          ///< of a step
  double model_flops = 0;     ///< of a step, without recomputation
  double hardware_flops = 0;  ///< with it
  double peak_flops = 0;      ///< per second of a GPU, in the format that the job computes in
  double communication = 0;   ///< exposed and hidden, for each second of computing
  std::string ratio_class;    ///< of that
  Bytes memory;               ///< of the GPU that needs most
  Bytes gpu_memory;           ///< that it has
  std::optional<double> price_per_gpu_hour;  ///< in dollars; absent: it is not known
};

struct TrainingRow {
  const JobResult& job;
  const TrainingResult& training;

  /// What a step of mean length costs, in dollars; absent: no price is known.
  [[nodiscard]] std::optional<double> dollars_per_step() const;
  [[nodiscard]] std::optional<double> dollars_per_million_tokens() const;
};

/// training.csv
struct TrainingTable {
  std::vector<TrainingResult> training;  ///< by job

  [[nodiscard]] static const Table<TrainingRow>& declaration();
};

}  // namespace weft::scenarios
