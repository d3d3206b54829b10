#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results/coverage.hpp"
#include "simcore/base/result.hpp"
#include "tools/sweep/language/sweep.hpp"

namespace weft::sweep {

/// A sweep as its database has it: what export, summary and plots work on.
struct Table {
  struct Row {
    std::int64_t id = 0;
    std::int64_t configuration = 0;
    std::int64_t search = 0;
    std::string status;
    std::string outcome;
    std::string message;
    std::string results_sha256;
    std::optional<bool> holds;
    std::optional<double> wall_seconds;
    std::vector<Value> values;  ///< one per parameter
    std::map<std::string, double> metrics;
    std::vector<std::string> warnings;

    [[nodiscard]] bool is_done() const { return status == "done"; }
    /// The run did what its scenario asks for: its jobs finished, or it came to its horizon.
    [[nodiscard]] bool is_success() const { return outcome == "finished" || outcome == "horizon"; }
    [[nodiscard]] bool has_failed() const;
    /// Nothing if the point has no such result.
    [[nodiscard]] std::optional<double> metric(const std::string& name) const;
    /// What a percentile is of; nothing of other results.
    [[nodiscard]] std::optional<scenarios::Coverage> coverage(const std::string& name) const;
    /// The same, where the run was cut off before all was over.
    [[nodiscard]] std::optional<scenarios::Coverage> cut_off(const std::string& name) const;
    /// The same of the messages of the run.
    [[nodiscard]] std::optional<scenarios::Coverage> cut_off() const;
  };

  std::string name;
  std::string program;
  std::string bisected;        ///< path of the bisected parameter, or empty
  std::string condition;       ///< of the bisection
  std::string where;           ///< what holds for these points alone; empty: they are all
  bool ranks_cut_off = false;  ///< percentiles of runs that were cut off count as all others
  std::optional<Choice> choice;
  std::vector<Parameter> parameters;
  std::vector<Objective> objectives;
  std::vector<std::string> metrics;  ///< every name that some point has, sorted
  std::vector<Row> rows;             ///< by id

  /// SHA-256 over parameters, outcomes and result digests of all points in their order: equal for
  /// equal results, however they were computed.
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] std::optional<std::size_t> parameter(const std::string& name_or_path) const;
  /// An objective by name or metric, or any metric as one to be minimised; errors name the nearest.
  [[nodiscard]] Result<Objective> objective(const std::string& name) const;
  /// What to tell a user who gives a result its former name; empty: the name is current.
  [[nodiscard]] std::string former_name_warning(const std::string& name) const;
};

/// Reads a database, or the one in a sweep's folder.
[[nodiscard]] Result<Table> read_table(const std::filesystem::path& path);

/// The scenario of one point, to be run by `weft run`: YAML with the same results.
[[nodiscard]] Result<std::string> point_scenario(const std::filesystem::path& path,
                                                 std::int64_t id);

}  // namespace weft::sweep
