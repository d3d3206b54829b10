#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocols/observation/observation.hpp"
#include "scenarios/output/result_folder.hpp"
#include "scenarios/output/trace_writer.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/text/csv_stream.hpp"
#include "scenarios/timeline/timeline.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

struct Experiment;

/// The files that grow during a run, in the folder that its results are published from: traces, the
/// timeline, and the rows of messages. One that cannot be written ends the run: see `has_failed`.
class RunFiles {
 public:
  struct Kinds {
    bool traces = true;     ///< what `observe` asks for
    bool messages = false;  ///< messages.csv
    bool packed = false;    ///< messages.csv.zst instead
  };
  RunFiles(ResultFolder folder, const protocols::ObservationConfig& observation, TraceNames names);
  /// Creates the files for the results of this experiment in `folder`.
  [[nodiscard]] static Result<std::unique_ptr<RunFiles>> create(const Experiment& experiment,
                                                                const std::filesystem::path& folder,
                                                                const Kinds& kinds);
  /// What has been traced does not count: the run restarts.
  void start_over();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;

  /// Tells the names of queue pairs; before the first record that has one.
  void set_flow_names(std::function<TraceNames::Flow(std::uint32_t flow)> flow) {
    names_.flow = std::move(flow);
  }
  /// Records in the order of time.
  void write(std::span<const protocols::TraceRecord> records);
  void write(const MessageResult& message);
  [[nodiscard]] bool has_messages() const { return messages_.has_value(); }
  /// What ranks do; null: the experiment does not ask for it.
  [[nodiscard]] Timeline* timeline() { return timeline_ ? &*timeline_ : nullptr; }
  /// There are no more traces: writes what waited for them. Queue pairs are not named after this.
  void finish_traces();
  void finish_messages();

  [[nodiscard]] bool has_failed() const;
  /// What kept the files from being whole.
  [[nodiscard]] Errors errors() const;
  [[nodiscard]] ResultFolder& folder() { return folder_; }

 private:
  void write(const protocols::TraceRecord& record);

  ResultFolder folder_;
  TraceNames names_;
  std::optional<CsvStream> queues_;
  std::optional<CsvStream> marks_;
  std::optional<CsvStream> credits_;
  std::optional<RateTrace> rates_;
  std::optional<PacketTrace> packets_;
  std::optional<CsvStream> messages_;
  std::optional<Timeline> timeline_;
  std::vector<std::string> jobs_;  ///< their names
  std::string row_;
  const protocols::ObservationConfig observation_;
};

}  // namespace weft::scenarios
