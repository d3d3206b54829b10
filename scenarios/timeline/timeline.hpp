#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/runtime/activity_log.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/timeline/timeline_tracks.hpp"
#include "scenarios/timeline/trace_part.hpp"
#include "simcore/base/id_vector.hpp"

namespace weft::scenarios {

/// Part of a job's critical path. Those of an iteration follow each other without gaps.
struct PathPiece {
  Picoseconds begin;
  Picoseconds end;
  const char* cause = "";
  std::string culprit;
  std::string port;  ///< where; empty: nowhere on the fabric
};

/// Writes what ranks do when as a trace that grows during the run: what is written is
/// forgotten. The same bytes for the same run, however many threads it has.
class Timeline {
 public:
  /// Who sends what the samples of a queue pair are about.
  struct Flow {
    std::string name;
    Bytes payload;  ///< of a full packet
  };

  /// Of an experiment that has one, which must outlive it; in an existing folder.
  Timeline(const Experiment& experiment, const std::filesystem::path& folder);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// The file's name.
  [[nodiscard]] static const char* file_name(ObserveSpec::Timeline::Format format);

  /// Where the run notes what ranks do.
  [[nodiscard]] collectives::ActivityLogs& activities() { return activities_; }
  /// Writes what was noted; between callbacks, at times that do not depend on threads.
  void take_activities();
  /// Messages that are over, by the time when they were.
  void add(std::span<const protocols::MessageOutcome> ended);
  /// Those that never were, after all others; `now` is the end of the run.
  void add_pending(std::span<const protocols::MessageOutcome> pending, Picoseconds now);
  /// Samples of queues and rates; others do not matter. `flow_of` says what a queue pair is.
  void add(const protocols::TraceRecord& record,
           const std::function<Flow(std::uint32_t flow)>& flow_of);
  void add(std::span<const protocols::PauseInterval> pauses);
  /// An iteration, or a job without any, by its critical path.
  void add_path(std::uint32_t job, std::uint32_t iteration, const std::vector<PathPiece>& path);
  /// The trace is whole.
  void finish();

  [[nodiscard]] bool has_failed() const { return part_.has_failed() || counters_.has_failed(); }
  /// What was left out, in a sentence; empty: nothing.
  [[nodiscard]] std::string omitted() const;

 private:
  struct Counter {
    TraceTrack track;
    std::string name;
  };
  struct FlowCounters {
    Flow flow;
    Counter rate;
    Counter goodput;
    Picoseconds time;
    std::int64_t progress = 0;
  };

  void add(ProcessId process, const collectives::Activity& activity);
  [[nodiscard]] std::string name_of(ProcessId process, const collectives::Activity& activity) const;
  void add_message(const protocols::MessageOutcome& message, Picoseconds end, bool is_over);
  /// Ranks that a message came to, of those that are shown.
  [[nodiscard]] std::vector<ProcessId> receivers(const Connection& connection) const;
  void add_value(Counter& counter, const std::string& name, bool is_of_bytes, Picoseconds time,
                 std::int64_t value);
  [[nodiscard]] bool is_shown(Picoseconds time) const {
    return time >= plan_.from && time < plan_.until;
  }
  /// Whether there is room for something; if not, what is of this time is left out.
  [[nodiscard]] bool has_room(Picoseconds time) { return has_room(part_, time, path_limit_); }
  [[nodiscard]] bool has_room(const TracePart& part, Picoseconds time, Bytes reserved);

  const Experiment& e_;
  const TimelinePlan& plan_;
  IdVector<ClassId, std::string> classes_;
  Bytes path_limit_;  ///< what is kept for critical paths
  TracePart part_;
  TracePart counters_;
  TimelineTracks tracks_;
  collectives::ActivityLogs activities_;
  std::uint64_t next_arrow_ = 1;
  std::uint64_t last_counter_ = 1;  ///< odd
  TraceTrack fabric_;
  std::map<std::pair<std::uint32_t, ClassId>, Counter> queues_;
  std::map<std::pair<std::uint32_t, ClassId>, Counter> pauses_;
  std::map<std::uint32_t, FlowCounters> flows_;
  std::optional<Picoseconds> full_since_;
};

}  // namespace weft::scenarios
