#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/workload.hpp"
#include "simcore/message_network.hpp"

namespace weft::collectives {

/// What became of a job so far.
struct JobOutcome {
  bool is_finished = false;  ///< every lane of every rank has run its last step
  Picoseconds start;
  /// When the last thing happened to one of its ranks: the last step that ended, or a delivery.
  /// Where the transport acknowledges, sends of jobs that are no collectives end with it.
  Picoseconds end;
  std::int64_t messages = 0;  ///< posted
  Bytes bytes;                ///< posted
};

/// Runs the programs of all ranks of all jobs on any message network: one state machine per lane.
///
/// The state of a process is touched by its own callbacks only, so processes may run on different
/// threads. Everything that asks about jobs is for the time between callbacks.
class Executor final : public ProcessHandler {
 public:
  /// The workload must outlive it.
  explicit Executor(const Workload& workload);

  void on_start(ProcessContext& context, ProcessId self) override;
  void on_delivered(ProcessContext& context, ProcessId self, ConnectionId connection) override;
  void on_acknowledged(ProcessContext& context, ProcessId self, ConnectionId connection) override;
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t token) override;
  void on_signal(ProcessContext& context, ProcessId self, ProcessId from,
                 std::uint64_t token) override;

  [[nodiscard]] bool finished(std::uint32_t job) const;
  [[nodiscard]] bool all_finished() const;
  [[nodiscard]] JobOutcome outcome(std::uint32_t job) const;

  /// One sentence per waiting lane of unfinished jobs, such as `rank 3 of job x (h3) waits for a
  /// message from rank 2 (h2)`; after `limit` of them the number of the others.
  [[nodiscard]] std::vector<std::string> describe_blocked(
      const std::function<std::string(HostId)>& host_name, std::size_t limit = 10) const;

 private:
  enum class LaneStatus : std::uint8_t {
    kNotStarted,
    kRunning,
    kReceiving,
    kFlushing,
    kSleeping,
    kAwaitingSignals,
    kDone,
  };
  struct Lane {
    std::unique_ptr<StepSource> source;
    Step step;                 ///< the one that waits
    ConnectionId connection;   ///< that a kReceive waits for
    std::int64_t signals = 0;  ///< received and not yet used
    std::int64_t unacknowledged = 0;
    LaneStatus status = LaneStatus::kNotStarted;
  };
  struct Process {
    std::int64_t messages = 0;
    Bytes bytes;
    Picoseconds last_progress;
    std::uint32_t unfinished_lanes = 0;
  };
  /// A lane while one of its callbacks runs.
  struct Turn {
    ProcessContext& context;
    ProcessId self;
    std::uint32_t number;  ///< of the lane within the rank
    Lane& lane;
  };

  [[nodiscard]] Turn turn(ProcessContext& context, ProcessId self, std::uint32_t number);
  void begin(Turn turn);
  void run(Turn turn);
  /// False if the step waits.
  [[nodiscard]] bool execute(Turn turn);
  void send(Turn turn);
  [[nodiscard]] bool receive(Turn turn);
  [[nodiscard]] bool sleep_until(Turn turn, Picoseconds time);
  [[nodiscard]] std::string describe(ProcessId process, std::uint32_t number,
                                     const std::function<std::string(HostId)>& host_name) const;
  [[nodiscard]] std::string describe_wait(
      ProcessId process, std::uint32_t number,
      const std::function<std::string(ProcessId)>& peer_name) const;

  const Workload& workload_;
  std::vector<Process> processes_;
  std::vector<Lane> lanes_;  ///< by lane index: a rank's are neighbours
  /// By connection, written by its source: posted and not acknowledged.
  std::vector<std::uint32_t> outstanding_;
  /// By slot, written by the connection's destination: delivered and not yet received. Slots are
  /// sorted by destination.
  std::vector<std::uint32_t> arrived_;
  std::vector<std::uint32_t> slot_of_connection_;
};

}  // namespace weft::collectives
