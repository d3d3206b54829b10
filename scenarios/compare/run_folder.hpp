#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// What `write_results` left in a folder, as far as runs can be compared by it.
struct RunFolder {
  struct Job {
    std::string name;
    std::string type;
    std::optional<double> jct;  ///< seconds; nothing: not finished
  };
  struct Message {
    std::uint32_t job = 0;  ///< index into `jobs`
    std::uint32_t source_rank = 0;
    std::uint32_t destination_rank = 0;
    std::uint64_t bytes = 0;
    double start = 0;                  ///< seconds
    std::optional<double> completion;  ///< seconds; nothing: not completed
  };

  std::string folder;
  std::string engine;
  std::string scenario_sha256;
  std::uint64_t seed = 0;
  std::vector<Job> jobs;
  /// In the order of messages.csv; nothing: the run wrote none.
  std::optional<std::vector<Message>> messages;
};

/// Errors name the file and, where there is one, the line.
[[nodiscard]] Result<RunFolder> read_run_folder(const std::filesystem::path& folder);

}  // namespace weft::scenarios
