#pragma once

#include <cstdint>
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
  Picoseconds mean_step;
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
};

struct TrainingRow {
  const JobResult& job;
  const TrainingResult& training;
};

/// training.csv
struct TrainingTable {
  std::vector<TrainingResult> training;  ///< by job

  [[nodiscard]] static const Table<TrainingRow>& declaration();
};

}  // namespace weft::scenarios
