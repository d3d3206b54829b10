#pragma once

#include <filesystem>
#include <string>

#include "scenarios/result_folder.hpp"
#include "scenarios/results.hpp"
#include "scenarios/trace_files.hpp"
#include "simcore/result.hpp"

namespace weft::scenarios {

struct WriteOptions {
  bool messages = true;          ///< write messages.csv
  bool pauses = false;           ///< write pauses.csv
  TraceFiles* traces = nullptr;  ///< of this run, for the same folder
};

/// Writes summary.json, jobs.csv, messages.csv, ports.csv, classes.csv, resolved.yaml and what else
/// there is (README.md) to `folder`, which appears complete or not at all: see ResultFolder.
/// Returns the folder.
[[nodiscard]] Result<std::filesystem::path> write_results(const Results& results,
                                                          const std::string& resolved_scenario,
                                                          const std::filesystem::path& folder,
                                                          const WriteOptions& options);

}  // namespace weft::scenarios
