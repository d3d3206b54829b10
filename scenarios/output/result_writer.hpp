#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "scenarios/output/result_folder.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

class RunFiles;

struct WriteOptions {
  bool pauses = false;                     ///< write pauses.csv
  std::string expectations = {};           ///< expectations.json; empty: nothing was expected
  RunFiles* files = nullptr;               ///< of this run, for the same folder
  ResultFolder::Continues continues = {};  ///< asked while another run holds the folder
};

/// Writes summary.json, jobs.csv, ports.csv, classes.csv, resolved.yaml and what else there is
/// (scenarios/RESULTS.md) to `folder`, beside the files that grew during the run: see ResultFolder.
/// Returns the folder that has them, which is another where an interrupted run would replace
/// results of one that came to its end.
[[nodiscard]] Result<std::filesystem::path> write_results(const Results& results,
                                                          const std::string& resolved_scenario,
                                                          const std::filesystem::path& folder,
                                                          const WriteOptions& options);

/// What is published of results that are not written yet.
struct ResultParts {
  std::string summary;            ///< summary.json
  std::string resolved_scenario;  ///< resolved.yaml
  bool is_interrupted = false;
  std::function<bool(const std::filesystem::path& partial)> write_tables;  ///< false: it cannot
  ResultFolder::Continues continues;
};

/// The same of parts, and of what lies in `target` already.
[[nodiscard]] Result<std::filesystem::path> publish_results(ResultFolder& target,
                                                            const std::filesystem::path& folder,
                                                            const ResultParts& parts);

}  // namespace weft::scenarios
