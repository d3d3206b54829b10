#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/columns/column_table.hpp"
#include "scenarios/output/result_folder.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// What a run leaves: everything that is known of it, as plain values that need neither the run nor
/// the scenario, and that can be sent to another process.
struct RunRecord {
  std::string scenario;  ///< its name
  std::string engine;
  std::string version;
  std::uint64_t seed = 0;
  std::string outcome;  ///< outcome_name
  bool is_success = false;
  bool is_interrupted = false;
  std::vector<std::string> explanation;  ///< who waits for whom, if it did not finish
  std::vector<std::string> warnings;
  std::int64_t simulated_ps = 0;
  double wall_seconds = 0;
  std::uint32_t threads = 1;
  std::uint64_t packet_hops = 0;
  std::string digest;
  std::string scenario_sha256;
  std::string summary_json;
  std::string summary_text;
  std::string resolved_yaml;
  std::string folder;  ///< that has the results; empty: none
  std::vector<ColumnTable> tables;

  /// Null: there is none of this name.
  [[nodiscard]] const ColumnTable* table(std::string_view name) const;
};

/// `tables`: `results` has them already, as columns.
[[nodiscard]] RunRecord record_of(const Results& results, std::string resolved_yaml,
                                  std::vector<ColumnTable> tables);

/// As write_results does, but for traces and timelines, which grow during a run.
[[nodiscard]] Result<std::filesystem::path> write_record(
    const RunRecord& record, const std::filesystem::path& folder,
    const ResultFolder::Continues& continues = {});

[[nodiscard]] std::string bytes_of(const RunRecord& record);
/// Errors: they are no record, or one of another version of weft.
[[nodiscard]] Result<RunRecord> record_from_bytes(std::string_view bytes);

}  // namespace weft::scenarios
