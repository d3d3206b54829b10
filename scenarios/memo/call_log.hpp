#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "collectives/memo/matching_calls.hpp"
#include "collectives/runtime/workload.hpp"
#include "scenarios/memo/comm_epoch.hpp"
#include "simcore/base/ids.hpp"

namespace weft::scenarios {

/// The calls of a running epoch.
struct OpenCalls {
  /// Of all members of a communicator.
  struct Call {
    std::uint32_t communicator = 0;  ///< of the program
    std::uint64_t number = 0;        ///< among its calls in the epoch, or in the run
    std::uint32_t members = 0;
    bool waits_for_all = false;  ///< no rank ends it before all have begun it
    std::uint32_t begun = 0;     ///< by this many members
    [[nodiscard]] bool is_complete() const { return begun == members; }
  };
  Picoseconds start;
  std::vector<EpochBegin> begins;  ///< by time
  std::vector<bool> has_ended;     ///< by begin
  std::vector<Call> calls;
  std::vector<std::uint32_t> call_of;  ///< by begin

  /// A call that others may have begun.
  void add(const collectives::TaskProgram& program, std::uint32_t communicator,
           std::uint64_t number, const EpochBegin& begin);
  [[nodiscard]] bool has_begun(std::uint32_t communicator, std::uint64_t number) const;
  [[nodiscard]] bool is_complete() const { return std::ranges::all_of(calls, &Call::is_complete); }
  /// Some rank may come to an end of a call without any other that begins.
  [[nodiscard]] bool is_running() const;
  /// Of a rank's stream, the first begin that has not ended: there is one.
  [[nodiscard]] std::size_t running(std::uint32_t rank, std::uint32_t stream) const;
  /// The begin of a rank's stream that ended at a time of the run, if it took some; `ends`: by
  /// begin.
  [[nodiscard]] std::optional<std::size_t> ended_at(std::uint32_t rank, std::uint32_t stream,
                                                    Picoseconds time,
                                                    std::span<const EpochEnd> ends) const;

 private:
  [[nodiscard]] std::size_t place_of(std::uint32_t communicator, std::uint64_t number) const;
};

inline std::size_t OpenCalls::place_of(std::uint32_t communicator, std::uint64_t number) const {
  const auto call = std::ranges::find_if(
      calls, [&](const Call& c) { return c.communicator == communicator && c.number == number; });
  return static_cast<std::size_t>(call - calls.begin());
}

inline bool OpenCalls::has_begun(std::uint32_t communicator, std::uint64_t number) const {
  return place_of(communicator, number) < calls.size();
}

inline void OpenCalls::add(const collectives::TaskProgram& program, std::uint32_t communicator,
                           std::uint64_t number, const EpochBegin& begin) {
  const std::size_t place = place_of(communicator, number);
  if (place == calls.size()) {
    const auto members =
        static_cast<std::uint32_t>(program.task_set().communicators()[communicator].ranks.size());
    const std::uint32_t call = program.calls_of(communicator)[begin.call];
    calls.push_back(
        {communicator, number, members, collectives::waits_for_all(program.call(call).spec())});
  }
  ++calls[place].begun;
  begins.push_back(begin);
  has_ended.push_back(false);
  call_of.push_back(static_cast<std::uint32_t>(place));
}

inline bool OpenCalls::is_running() const {
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const Call& call = calls[call_of[i]];
    if (!has_ended[i] && (call.is_complete() || !call.waits_for_all)) return true;
  }
  return false;
}

inline std::size_t OpenCalls::running(std::uint32_t rank, std::uint32_t stream) const {
  std::size_t i = 0;
  while (has_ended[i] || begins[i].rank != rank || begins[i].stream != stream) ++i;
  return i;
}

inline std::optional<std::size_t> OpenCalls::ended_at(std::uint32_t rank, std::uint32_t stream,
                                                      Picoseconds time,
                                                      std::span<const EpochEnd> ends) const {
  const Picoseconds t = time - start;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const EpochBegin& begin = begins[i];
    const bool is_of_stream = begin.rank == rank && begin.stream == stream;
    if (is_of_stream && has_ended[i] && ends[i].time == t && begin.time < t) return i;
  }
  return {};
}

/// An epoch that was memoised, and a call of it.
struct CalledEpoch {
  const collectives::GpuSet* example = nullptr;  ///< where it would go the same way
  const EpochPlace* place = nullptr;             ///< all ranks and ports of the GPU set
  Picoseconds start;
  std::shared_ptr<const std::vector<EpochBegin>> begins;
  std::size_t call = 0;  ///< its begin's number

  // Ranks of the job, and as the begins number them.
  [[nodiscard]] std::uint32_t rank_here(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(place->ranks, rank) -
                                      place->ranks.begin());
  }
  [[nodiscard]] std::uint32_t rank_in_whole(std::uint32_t rank) const { return place->ranks[rank]; }
};

/// Which epochs calls that have ended were of, by process and stream. Each process is written by
/// one thread at a time.
class CallLog {
 public:
  explicit CallLog(std::size_t processes) : calls_(processes) {}

  /// Those of an epoch that is closed which have ended; `ends`: by begin.
  void add(const collectives::JobPlan& job, const OpenCalls& calls, std::span<const EpochEnd> ends,
           const CalledEpoch& called) {
    const auto epoch = std::make_shared<const CalledEpoch>(called);
    for (std::size_t i = 0; i < calls.begins.size(); ++i) {
      if (!calls.has_ended[i]) continue;
      const EpochBegin& begin = calls.begins[i];
      add(job.process(called.rank_in_whole(begin.rank)), begin.stream,
          {calls.start + *ends[i].time, static_cast<std::uint32_t>(i), epoch});
    }
  }
  /// The call of a rank's stream that ended then, and took some time.
  [[nodiscard]] std::optional<CalledEpoch> ended_at(ProcessId process, std::uint32_t stream,
                                                    Picoseconds time) const {
    const std::vector<std::vector<Entry>>& streams = calls_[process.value()];
    if (streams.size() <= stream) return {};
    const std::vector<Entry>& known = streams[stream];
    auto at = std::upper_bound(known.begin(), known.end(), time, before);
    while (at != known.begin() && std::prev(at)->end == time) {
      --at;
      CalledEpoch epoch = *at->epoch;
      if (epoch.start + (*epoch.begins)[at->call].time == time) continue;
      epoch.call = at->call;
      return epoch;
    }
    return {};
  }
  /// Of a process, those that ended before this time.
  void forget_before(ProcessId process, Picoseconds time) {
    for (std::vector<Entry>& known : calls_[process.value()]) {
      std::erase_if(known, [time](const Entry& e) { return e.end < time; });
    }
  }

 private:
  struct Entry {
    Picoseconds end;
    std::uint32_t call = 0;
    std::shared_ptr<const CalledEpoch> epoch;
  };
  static bool before(Picoseconds time, const Entry& entry) { return time < entry.end; }

  void add(ProcessId process, std::uint32_t stream, Entry entry) {
    std::vector<std::vector<Entry>>& streams = calls_[process.value()];
    if (streams.size() <= stream) streams.resize(stream + 1);
    std::vector<Entry>& known = streams[stream];
    // Epochs are over nearly in the order of their ends.
    const auto at = std::upper_bound(known.begin(), known.end(), entry.end, before);
    known.insert(at, std::move(entry));
  }

  std::vector<std::vector<std::vector<Entry>>> calls_;  ///< by process and stream, by their ends
};

}  // namespace weft::scenarios
