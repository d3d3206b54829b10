#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/timeline/trace_part.hpp"

namespace weft::scenarios {

/// The tracks of a trace's jobs and ranks: a process per rank, and in it a thread for its
/// iterations, one for each stream and one for the steps of each lane, then arrivals and messages.
/// Described when they are used for the first time.
class TimelineTracks {
 public:
  /// Both must outlive it.
  TimelineTracks(const Experiment& experiment, TracePart& part);

  [[nodiscard]] const TraceTrack& iterations(ProcessId process);
  [[nodiscard]] const TraceTrack& stream(ProcessId process, std::uint32_t stream);
  [[nodiscard]] const TraceTrack& lane(ProcessId process, std::uint32_t lane);
  [[nodiscard]] const TraceTrack& arrivals(ProcessId process);
  /// One on which nothing runs any more at `begin`; taken until `end`. Asked for in the order
  /// of `end`.
  [[nodiscard]] const TraceTrack& messages(ProcessId process, Picoseconds begin, Picoseconds end);
  enum class OfJob : std::uint8_t { kIterations, kCriticalPath };
  [[nodiscard]] const TraceTrack& of_job(std::uint32_t job, OfJob which);
  /// The number of a process that is neither a job nor a rank.
  [[nodiscard]] std::int32_t free_process() const;

 private:
  struct Rank {
    TraceTrack self;
    std::map<std::uint32_t, TraceTrack> threads;            ///< by place
    std::set<std::pair<Picoseconds, std::uint32_t>> slots;  ///< of messages: until when, and place
    std::uint32_t slots_made = 0;
  };
  [[nodiscard]] Rank& rank(ProcessId process);
  /// Thread `place` of a rank; `name()` is asked for when it is new.
  template <class Name>
  [[nodiscard]] const TraceTrack& thread(ProcessId process, std::uint32_t place, Name name);
  [[nodiscard]] TraceTrack new_process(std::int32_t number, const std::string& name);
  [[nodiscard]] TraceTrack new_thread(const TraceTrack& process, std::int32_t number,
                                      const std::string& name);
  /// How many threads of a rank have places of their own; messages come after them.
  [[nodiscard]] std::uint32_t fixed_places(std::uint32_t job) const;
  [[nodiscard]] std::string lane_name(ProcessId process, std::uint32_t lane) const;

  const Experiment& e_;
  TracePart& part_;
  std::vector<std::vector<std::uint32_t>> first_lane_;  ///< by job and stream
  std::map<std::uint32_t, Rank> ranks_;
  struct Job {
    TraceTrack self;
    std::map<OfJob, TraceTrack> threads;
  };
  std::map<std::uint32_t, Job> jobs_;
  std::uint64_t last_id_ = 0;
  std::int32_t next_thread_;
};

}  // namespace weft::scenarios
