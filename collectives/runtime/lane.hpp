#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/runtime/arrivals.hpp"
#include "collectives/runtime/iteration_log.hpp"
#include "collectives/runtime/span_log.hpp"
#include "collectives/steps/step.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

/// The state of ranks while their programs run (executor.hpp).
namespace weft::collectives {

/// What a lane does.
enum class LaneStatus : std::uint8_t {
  kNotStarted,
  kRunning,
  kReceiving,
  kFlushing,
  kSleeping,
  kAwaitingControlEvents,
  kAwaitingLane,  ///< an event of another lane, or its turn to begin or end an iteration
  kAwaitingWindow,
  kAwaitingStream,  ///< until tasks of it are finished
  kDone,
};

/// A lane of a rank as far as it has come.
struct Lane {
  std::unique_ptr<StepSource> source;
  std::vector<Arrivals>
      multicasts;           ///< by place in the group; empty unless scale-up switches repeat
  Step step;                ///< the one that waits
  ConnectionId connection;  ///< that a kReceive waits for, or a kSend waits to use
  SpanLog spans;
  Picoseconds waits_since;
  std::uint32_t notifier = 0;       ///< the lane that the last event came from
  std::uint32_t events = 0;         ///< from other lanes of the rank, and not yet used
  std::int64_t control_events = 0;  ///< received and not yet used
  std::uint32_t received = 0;       ///< messages on `connection`, the last one included
  std::int64_t unacknowledged = 0;
  LaneStatus status = LaneStatus::kNotStarted;
};

/// A stream's wait for a task of another one, while the rank's first stream waited, too.
struct StreamWait {
  std::uint32_t stream = 0;  ///< the other one
  Picoseconds since;
  Picoseconds until;
  Picoseconds posted_at;  ///< of the last message of the task waited for
};

/// A stream of a rank in the running iteration.
struct Stream {
  std::int64_t started = 0;         ///< tasks
  std::int64_t finished = 0;        ///< tasks
  std::uint32_t lanes_there = 0;    ///< at the end of the running task
  std::uint32_t last_lane = 0;      ///< that came there last
  Picoseconds started_at;           ///< of the last task that started
  std::uint32_t started_block = 0;  ///< Step::block of its start
  Picoseconds posted_at;            ///< of the last message received, where lanes note posts
  Picoseconds posted_before;        ///< the same, as the running task began
  Picoseconds finished_posted_at;   ///< the same, of the last task that finished
  OptionalTime ends_at;             ///< the running task, where an oracle knows it
  bool is_ending = false;           ///< that end has come
  StreamTimes times;
  std::vector<StreamWait> held;         ///< while the first stream has waited, one after the other
  std::vector<std::uint16_t> starting;  ///< its lanes that are at the start of the next task
  std::vector<std::uint16_t> waiting;   ///< lanes, for tasks of the stream to finish
};

/// What the lanes of a rank have in common.
struct Process {
  OptionalTime begin;             ///< of its lanes; missing: the job waits for others
  std::uint32_t ended_ranks = 0;  ///< of those others; the job's first rank counts them
  std::int64_t messages = 0;
  Bytes bytes;
  Picoseconds last_progress;
  std::uint32_t unfinished_lanes = 0;
  std::uint64_t computed = 0;  ///< pieces of computing, of programs that have streams
  // Of collectives:
  std::uint32_t lanes_at_end = 0;  ///< of the running iteration
  bool is_resuming = false;
  std::vector<std::uint16_t> ready;  ///< lanes that may continue
  IterationLog iterations;
  std::vector<Stream> streams;
};

}  // namespace weft::collectives
