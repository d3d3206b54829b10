#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/compare/run_folder.hpp"

namespace weft::scenarios {

/// Runs side by side, such as the packet and the fluid engine's of one scenario, or those of two
/// fabrics. Only what differs is listed; ratios are to the first run.
struct Comparison {
  /// A key of the scenarios; empty where a run does not have it.
  struct Key {
    std::string path;
    std::vector<std::string> values;
  };
  /// A number; nothing where a run does not have it, or has not finished it.
  struct Row {
    std::string name;
    /// `s`, `bytes`, `share`, `x` (a factor), `tokens/s`, `$` or empty: a number of things.
    std::string unit;
    std::vector<std::optional<double>> values;
    /// Of a percentile, by run: what it is of, if not of all messages. Empty: no run was cut off.
    std::vector<std::optional<std::string>> cut_off = {};
  };
  /// A port, and what differs most between the runs.
  struct Port {
    std::string name;
    std::vector<Row> numbers;
  };
  struct MessagePair {
    std::uint32_t job = 0;  ///< of the first run
    std::uint32_t source_rank = 0;
    std::uint32_t destination_rank = 0;
    std::uint64_t bytes = 0;
    double first = 0;  ///< seconds to completion
    double second = 0;
  };

  std::vector<Key> scenario;
  std::vector<Row> jobs;  ///< times and steps, the most different first; training; slowdowns
  std::vector<std::string> same_jobs;  ///< that take the same in all runs
  std::vector<Row> tails;              ///< percentiles of messages, of all and by job
  std::vector<Row> network;            ///< pauses, marks, drops and the like
  std::vector<Port> ports;             ///< the most different first
  std::size_t other_ports = 0;         ///< that differ, too
  std::size_t lone_ports = 0;          ///< that not all runs have
  std::vector<Row> critical_path;      ///< by job and cause, the largest difference first
  /// Of two runs: the messages that differ most.
  std::vector<MessagePair> worst_messages;
  std::uint64_t paired = 0;    ///< messages that both runs completed
  std::uint64_t unpaired = 0;  ///< messages that only one of them completed
  std::vector<std::string> notes;

  [[nodiscard]] bool has_differences() const;
};

struct ComparedRun {
  RunFolder folder;
  std::optional<std::vector<BlameEntry>> blame;  ///< of its critical paths, if it was asked for
};

/// What is to be compared of a folder that `weft run` wrote.
[[nodiscard]] Result<ComparedRun> read_compared_run(const std::filesystem::path& folder);

/// At least two runs. Messages belong together by job, ranks and their number among those. At most
/// `limit` messages, ports and lines of the critical path are named.
[[nodiscard]] Comparison compare_runs(const std::vector<ComparedRun>& runs, std::size_t limit = 10);

/// The tables that `weft compare` prints.
[[nodiscard]] std::string comparison_text(const std::vector<ComparedRun>& runs,
                                          const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json comparison_json(const std::vector<ComparedRun>& runs,
                                                     const Comparison& comparison);

}  // namespace weft::scenarios
