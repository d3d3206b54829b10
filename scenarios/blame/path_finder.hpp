#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/blame/cause.hpp"
#include "scenarios/blame/message_log.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/ideal/ideal_times.hpp"

namespace weft::scenarios {

/// A message on a critical path, from its posting to its delivery. What its packets did meanwhile
/// is found by a second run that looks at them.
struct PathMessage {
  ConnectionId connection;
  MessageLog::Message message;
  Picoseconds from;  ///< the part of it that the path needs
  Picoseconds until;
};

/// The critical path of an iteration, or of a job without iterations: all of (begin, end] is either
/// charged or in a message.
struct JobPath {
  std::uint32_t job = 0;
  std::uint32_t iteration = 0;
  Picoseconds begin;
  Picoseconds end;
  std::vector<Charge> charges;
  std::vector<PathMessage> messages;
};

/// Follows jobs from the last event of an iteration back to the last event of the one before: the
/// cause of an event is what ended last of all that it waited for (of several the rank's own work).
class PathFinder {
 public:
  /// All arguments must outlive it. The executor keeps the spans of all programs.
  PathFinder(const Experiment& experiment, const collectives::Executor& executor);

  /// Messages that are over, or at the end of the run all others.
  void add(std::span<const protocols::MessageOutcome> messages);
  /// All messages of an iteration that ended are over, and the executor will forget it.
  void end_iteration(std::uint32_t job, std::uint32_t iteration);
  /// Jobs that have ended and have no iterations, and all paths.
  [[nodiscard]] std::vector<JobPath> finish();

 private:
  class Walk;

  /// The iteration's last event: its time, and the rank.
  [[nodiscard]] std::pair<Picoseconds, std::uint32_t> last_event(std::uint32_t job,
                                                                 std::uint32_t iteration) const;
  void find_job(std::uint32_t job);

  const Experiment& e_;
  const collectives::Executor& executor_;
  MessageLog log_;
  std::vector<Picoseconds> ended_at_;  ///< by job: its last iteration that was dealt with
  std::vector<JobPath> paths_;
};

/// What passes of a message's time where nothing is known of its packets: latency, its own bytes,
/// and the rest, which counts as queueing.
void charge_by_ideal(const PathMessage& message, IdealTimes& ideals, std::uint32_t job,
                     std::vector<Charge>& charges);

}  // namespace weft::scenarios
