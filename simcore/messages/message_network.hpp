#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

/// The seam between jobs and networks. Jobs and collectives know messages between processes; how a
/// message crosses the fabric (packets, fluid flows, or an ideal zero-load network) is the
/// engine's.
namespace weft {

/// One direction between two processes. Messages of a connection are delivered and counted in the
/// order they were posted unless the transport spreads them over several queue pairs.
struct Connection {
  ProcessId source;
  ProcessId destination;
  /// Number among the connections between the same two hosts; part of the ECMP key, so it must come
  /// from the model (job and channel), not from the order of creation.
  std::uint32_t flow_label = 0;
  ClassId traffic_class{};  ///< that its packets travel in
  /// Number among the network's transports between servers; 0: the one of all that name none.
  std::uint8_t transport = 0;

  /// Who is at the far end. All but kUnicast need the scale-up switch of a scale-up domain, and are
  /// never acknowledged.
  enum class Kind : std::uint8_t {
    kUnicast,
    /// The scale-up switches reduce the messages of all members of `group` for `destination`, a
    /// member. Every member has such a connection towards it, itself included, with the same flow
    /// label, and posts the same sizes in the same order; each sum is delivered once, on the
    /// connection of `destination` to itself.
    kReduce,
    /// The scale-up switches repeat every message to all members of `group`, `source` included;
    /// delivered on this connection to each of them. `destination` is the source.
    kMulticast,
  };
  Kind kind = Kind::kUnicast;
  /// Packet latencies are told apart by this: the place of its job, 255 for all from there on.
  std::uint8_t latency_group = 0;
  /// That its messages take in turn, where the network has such; 0: as many as its transport says.
  std::uint16_t queue_pairs = 0;
  std::uint32_t group = 0;  ///< number among the run's process groups
};
static_assert(sizeof(Connection) == 24, "there are millions of them");

/// The largest number of queue pairs that any of them asks for.
[[nodiscard]] inline std::uint32_t max_queue_pairs(const std::vector<Connection>& connections) {
  std::uint32_t max = 0;
  for (const Connection& c : connections) max = std::max<std::uint32_t>(max, c.queue_pairs);
  return max;
}

/// Processes, each on another GPU of one scale-up domain, whose data its scale-up switches reduce
/// and repeat.
struct ProcessGroup {
  std::vector<ProcessId> members;
};

/// What a process may do while one of its callbacks runs.
class ProcessContext {
 public:
  [[nodiscard]] virtual Picoseconds now() const = 0;
  /// Sends `size` bytes (>= 1) on a connection whose source is the running process.
  virtual void post(ConnectionId connection, Bytes size) = 0;
  /// Calls `on_wake` of the running process at `time` (>= now).
  virtual void wake_at(Picoseconds time, std::uint64_t token) = 0;
  /// Calls `on_control_event` of another process after the run's control latency. Job control, not
  /// traffic: it takes no bandwidth.
  virtual void send_control_event(ProcessId to, std::uint64_t token) = 0;
  /// Calls `on_job_timer` of a process at `time` (>= now), after all else that happens to it at
  /// that time. Its timers of one time go off by number, however they were set. `process` is the
  /// running one, or one whose calls end together with its own (CallOracle).
  virtual void set_job_timer(Picoseconds time, ProcessId process, std::uint32_t number) = 0;
  /// The earliest time at which anything may happen to the processes of this thread, as far as is
  /// known: no later than it is.
  [[nodiscard]] virtual Picoseconds next_event() const { return now(); }
  /// What is posted from now on on a connection whose source is the running process goes over the
  /// links of its host as if nothing had been posted on it before. All members of a group that
  /// scale-up switches reduce for do so between the same messages.
  virtual void restart(ConnectionId /*connection*/) {}

 protected:
  ~ProcessContext() = default;
};

/// The job side of the seam. A callback may touch the state of its own process only: processes on
/// different hosts run on different threads.
class ProcessHandler {
 public:
  virtual ~ProcessHandler() = default;
  /// The run begins; called once per process at time 0.
  virtual void on_start(ProcessContext& context, ProcessId self) = 0;
  /// All bytes of the next message of `connection` are at its destination, `self`.
  virtual void on_delivered(ProcessContext& context, ProcessId self, ConnectionId connection) = 0;
  /// The sender `self` knows that a message of `connection` arrived (reliable transports only).
  virtual void on_acknowledged(ProcessContext& context, ProcessId self,
                               ConnectionId connection) = 0;
  virtual void on_wake(ProcessContext& context, ProcessId self, std::uint64_t token) = 0;
  virtual void on_control_event(ProcessContext& context, ProcessId self, ProcessId from,
                                std::uint64_t token) = 0;
  /// False: the timer had become void.
  virtual bool on_job_timer(ProcessContext& /*context*/, ProcessId /*self*/,
                            std::uint32_t /*number*/) {
    return false;
  }
};

}  // namespace weft
