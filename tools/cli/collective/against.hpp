#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/fabric/gpu_generation.hpp"
#include "tools/cli/collective/collective_options.hpp"
#include "tools/evidence/nccl_tests/tables.hpp"

namespace weft::cli {

/// What a bench is laid beside: one table of a file, and what has to be said of it.
struct Measurement {
  evidence::MeasuredTable table;
  std::string operation;
  std::vector<std::string> remarks;
};

/// Of the file that the command line names, the table of the operation that is asked for, or its
/// first. What it says of itself (operation, ranks) is held against the job. Errors are printed.
[[nodiscard]] std::optional<Measurement> read_measurement(const BenchArguments& arguments,
                                                          const scenarios::JobSpec& job);

/// What is to be said where the machine had other GPUs than those that the job is run on; empty if
/// it had not, or nobody knows.
[[nodiscard]] std::string remark_on_gpus(const Measurement& measurement,
                                         std::optional<GpuGeneration> generation);

/// The same of hosts, where each scale-up domain of the job is one, and of the job as it is run.
[[nodiscard]] std::string remark_on_hosts(const Measurement& measurement,
                                          const scenarios::JobSpec& job);

}  // namespace weft::cli
