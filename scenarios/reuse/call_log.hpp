#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/reuse/components.hpp"
#include "scenarios/reuse/phase.hpp"
#include "simcore/base/ids.hpp"

namespace weft::scenarios {

/// A phase that was taken over, and a call of it.
struct CalledPhase {
  const collectives::Component* example = nullptr;  ///< where it would go the same way
  const PhasePlace* place = nullptr;                ///< all ranks and ports of the component
  Picoseconds start;
  std::shared_ptr<const std::vector<PhaseBegin>> begins;
  std::size_t call = 0;  ///< its begin's number

  // Ranks of the job, and as the begins number them.
  [[nodiscard]] std::uint32_t rank_here(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(place->ranks, rank) -
                                      place->ranks.begin());
  }
  [[nodiscard]] std::uint32_t rank_in_whole(std::uint32_t rank) const { return place->ranks[rank]; }
};

/// Which phases calls that have ended were of, by process and stream. Each process is written by
/// one thread at a time.
class CallLog {
 public:
  explicit CallLog(std::size_t processes) : calls_(processes) {}

  /// What every call of a phase that is over has in common, and when the call was.
  void add(ProcessId process, std::uint32_t stream, Picoseconds end,
           const std::shared_ptr<const CalledPhase>& phase, std::size_t call) {
    std::vector<std::vector<Entry>>& streams = calls_[process.value()];
    if (streams.size() <= stream) streams.resize(stream + 1);
    std::vector<Entry>& known = streams[stream];
    // Phases are over nearly in the order of their ends.
    const auto at = std::upper_bound(known.begin(), known.end(), end, before);
    known.insert(at, {end, static_cast<std::uint32_t>(call), phase});
  }
  /// The call of a rank's stream that ended then, and took some time.
  [[nodiscard]] std::optional<CalledPhase> ended_at(ProcessId process, std::uint32_t stream,
                                                    Picoseconds time) const {
    const std::vector<std::vector<Entry>>& streams = calls_[process.value()];
    if (streams.size() <= stream) return {};
    const std::vector<Entry>& known = streams[stream];
    auto at = std::upper_bound(known.begin(), known.end(), time, before);
    while (at != known.begin() && std::prev(at)->end == time) {
      --at;
      CalledPhase phase = *at->phase;
      if (phase.start + (*phase.begins)[at->call].time == time) continue;
      phase.call = at->call;
      return phase;
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
    std::shared_ptr<const CalledPhase> phase;
  };
  static bool before(Picoseconds time, const Entry& entry) { return time < entry.end; }

  std::vector<std::vector<std::vector<Entry>>> calls_;  ///< by process and stream, by their ends
};

}  // namespace weft::scenarios
