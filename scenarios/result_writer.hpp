#pragma once

#include <filesystem>
#include <string>

#include "scenarios/results.hpp"
#include "simcore/result.hpp"

namespace weft::scenarios {

struct WriteOptions {
  bool messages = true;  ///< write messages.csv
};

/// Writes summary.json, jobs.csv, messages.csv, ports.csv and resolved.yaml to `folder`, which
/// appears complete or not at all: everything is written beside it first. An existing folder is
/// replaced only if it holds nothing but the results of an earlier run. Returns the folder.
[[nodiscard]] Result<std::filesystem::path> write_results(const Results& results,
                                                          const std::string& resolved_scenario,
                                                          const std::filesystem::path& folder,
                                                          const WriteOptions& options);

/// What would stop `write_results`, to be asked before a long run: a folder in the way that is not
/// weft's, or a place that cannot be written.
[[nodiscard]] Errors check_output_folder(const std::filesystem::path& folder);

}  // namespace weft::scenarios
