#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "protocols/state/observation.hpp"
#include "scenarios/output/result_folder.hpp"
#include "scenarios/output/trace_writer.hpp"
#include "scenarios/text/csv_stream.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

struct Experiment;

/// The trace files of a run, written while it goes on to the folder that its results are published
/// from. A file that cannot be written ends the run: see `has_failed`.
class TraceFiles {
 public:
  /// Creates the files that the observation asks for.
  TraceFiles(ResultFolder folder, const protocols::ObservationConfig& observation,
             TraceNames names);
  /// For the results of this experiment in `folder`; null if nothing is observed.
  [[nodiscard]] static Result<std::unique_ptr<TraceFiles>> create(
      const Experiment& experiment, const std::filesystem::path& folder);
  TraceFiles(const TraceFiles&) = delete;
  TraceFiles& operator=(const TraceFiles&) = delete;

  /// Tells the names of queue pairs; before the first record that has one.
  void set_flow_names(std::function<std::string(std::uint32_t flow)> flow) {
    names_.flow = std::move(flow);
  }
  /// Records in the order of time.
  void write(std::span<const protocols::TraceRecord> records);
  /// The run has ended: writes what waited for more. Queue pairs are not named after this.
  void finish();

  [[nodiscard]] bool has_failed() const;
  /// What kept the files from being whole.
  [[nodiscard]] Errors errors() const;
  [[nodiscard]] ResultFolder& folder() { return folder_; }

 private:
  void write(const protocols::TraceRecord& record);

  ResultFolder folder_;
  TraceNames names_;
  std::optional<CsvStream> queues_;
  std::optional<CsvStream> credits_;
  std::optional<RateTrace> rates_;
  std::optional<PacketTrace> packets_;
};

}  // namespace weft::scenarios
