#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/blame/cause.hpp"
#include "scenarios/blame/detour.hpp"
#include "scenarios/blame/lane_walk.hpp"
#include "scenarios/blame/message_log.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {

/// The critical path of an iteration, or of a job without iterations: all of (begin, end] is either
/// charged or in a message.
struct JobPath {
  std::uint32_t job = 0;
  std::uint32_t iteration = 0;
  Picoseconds begin;
  Picoseconds end;
  std::vector<Charge> charges;
  std::vector<PathMessage> messages;
  std::vector<std::unique_ptr<Detour>> detours;  ///< that have messages
};

/// Follows jobs from the last event of an iteration back to the last event of the one before
/// (LaneWalk).
class PathFinder {
 public:
  /// All arguments must outlive it. The executor keeps the spans of all programs.
  PathFinder(const Experiment& experiment, const collectives::Executor& executor);

  /// Before the run: where an oracle knows of calls when they end, paths lead through these. They
  /// must outlive it.
  void follow(Detours& detours) { detours_ = &detours; }
  /// Messages that are over, or at the end of the run all others.
  void add(std::span<const protocols::MessageOutcome> messages);
  /// All messages of an iteration that ended are over, and the executor will forget it.
  void end_iteration(std::uint32_t job, std::uint32_t iteration);
  /// Jobs that have ended and have no iterations, and all paths.
  [[nodiscard]] std::vector<JobPath> finish();

 private:
  /// The iteration's last event: its time, and the rank.
  [[nodiscard]] std::pair<Picoseconds, std::uint32_t> last_event(std::uint32_t job,
                                                                 std::uint32_t iteration) const;
  void find_job(std::uint32_t job);
  /// To the begin of the path.
  void walk(LaneWalk& walk, JobPath& path);
  /// False: there is none from where the walk is.
  bool take_detour(LaneWalk& walk, JobPath& path);

  const Experiment& e_;
  const collectives::Executor& executor_;
  MessageLog log_;
  const WalkedRun run_;
  Detours* detours_ = nullptr;          ///< null: there are none
  std::vector<OptionalTime> ended_at_;  ///< by job: its last iteration that was dealt with
  std::vector<JobPath> paths_;
};

/// What passes of a message's time where nothing is known of its packets: latency, its own bytes,
/// and the rest, which counts as queueing.
void charge_by_ideal(const PathMessage& message, ZeroLoadTimes& ideals, std::uint32_t job,
                     std::vector<Charge>& charges);

}  // namespace weft::scenarios
