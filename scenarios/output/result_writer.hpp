#pragma once

#include <filesystem>
#include <string>

#include "scenarios/output/result_folder.hpp"
#include "scenarios/output/trace_files.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

struct WriteOptions {
  bool messages = true;            ///< write messages.csv
  bool pauses = false;             ///< write pauses.csv
  TraceFiles* traces = nullptr;    ///< of this run, for the same folder
  ResultFolder* target = nullptr;  ///< of the same folder, if it was made before the run
};

/// Writes summary.json, jobs.csv, messages.csv, ports.csv, classes.csv, resolved.yaml and what else
/// there is (scenarios/RESULTS.md) to `folder`: see ResultFolder. Returns the folder that has them,
/// which is another where an interrupted run would replace results of one that came to its end.
[[nodiscard]] Result<std::filesystem::path> write_results(const Results& results,
                                                          const std::string& resolved_scenario,
                                                          const std::filesystem::path& folder,
                                                          const WriteOptions& options);

}  // namespace weft::scenarios
