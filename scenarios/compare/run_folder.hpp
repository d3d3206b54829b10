#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// Messages of a run that are compared one by one: those of two runs then take some 2 GiB.
inline constexpr std::size_t kMaxPaired = 10'000'000;

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
  /// A line of ports.csv: its numbers in the order of `port_columns`, NaN where there is none.
  struct Port {
    std::string name;
    std::vector<double> numbers;
  };

  std::string folder;
  std::string engine;
  std::string scenario_sha256;
  std::uint64_t seed = 0;
  std::string results_sha256;
  std::string outcome;
  std::vector<Job> jobs;
  /// Every key of resolved.yaml, such as `jobs[0].size`, and its value.
  std::vector<std::pair<std::string, std::string>> keys;
  /// Every number of summary.json by its path, lists of named things by their names.
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<std::string> port_columns;
  std::vector<Port> ports;
  /// In the order of messages.csv; nothing: the run wrote none, or too many.
  std::optional<std::vector<Message>> messages;
  bool has_too_many_messages = false;  ///< to be compared one by one (kMostPaired)
};

/// Errors name the file and, where there is one, the line.
[[nodiscard]] Result<RunFolder> read_run_folder(const std::filesystem::path& folder);

}  // namespace weft::scenarios
