#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/steps/step.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Something that a rank did for a while, for whoever watches it.
struct Activity {
  enum class Kind : std::uint8_t {
    kIteration,        ///< `number` is its own
    kTask,             ///< of stream `place`; `number`: Step::block of its start
    kWork,             ///< of lane `place`; computing: `number` is Step::block of the delay
    kReceive,          ///< lane `place` waited for a message of `connection`
    kAcknowledgement,  ///< lane `place` waited until a message of `connection` was acknowledged
    kControlEvent,     ///< lane `place` waited for a control event, which came from rank `number`
  };
  Picoseconds begin;
  Picoseconds end;
  Kind kind = Kind::kWork;
  Step::Work work = Step::Work::kOther;
  std::uint16_t place = 0;
  std::uint32_t number = 0;
  ConnectionId connection = {};
};

/// What chosen ranks did, until somebody takes it. Each process writes its own part; taking is for
/// the time between callbacks.
class ActivityLogs {
 public:
  /// By process whether it is watched, and the time in which it is.
  ActivityLogs(std::vector<bool> is_watched, Picoseconds from, Picoseconds until)
      : is_watched_(std::move(is_watched)), from_(from), until_(until), logs_(is_watched_.size()) {}

  [[nodiscard]] bool watches(ProcessId process) const { return is_watched_[process.value()]; }
  /// Keeps what of it is in the watched time. Of a watched process.
  void add(ProcessId process, const Activity& activity) {
    if (activity.end < from_ || activity.begin >= until_) return;
    std::vector<Activity>& log = logs_[process.value()];
    log.push_back(activity);
    log.back().begin = std::max(activity.begin, from_);
    log.back().end = std::min(activity.end, until_);
  }
  /// Visits what there is, by the time when it ended and by process; it is forgotten.
  template <class Visit>
  void take(Visit visit) {
    for (std::uint32_t p = 0; p < logs_.size(); ++p) {
      for (const Activity& a : logs_[p]) sorted_.emplace_back(ProcessId(p), a);
      if (logs_[p].capacity() > kKept) logs_[p] = {};
      logs_[p].clear();
    }
    std::ranges::stable_sort(sorted_, {}, [](const auto& of) { return of.second.end; });
    for (const auto& [process, activity] : sorted_) visit(process, activity);
    sorted_.clear();
  }

 private:
  /// Activities of a process whose memory is not given back: few enough for many processes.
  static constexpr std::size_t kKept = 256;

  std::vector<bool> is_watched_;
  Picoseconds from_;
  Picoseconds until_;
  std::vector<std::vector<Activity>> logs_;  ///< by process
  std::vector<std::pair<ProcessId, Activity>> sorted_;
};

}  // namespace weft::collectives
