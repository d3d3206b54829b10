#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/messages/message_network.hpp"

namespace weft {

/// A message network without contention: every message takes the time it would take alone. What a
/// job needs on it is the length of its longest chain of dependencies, a lower bound for any fabric
/// with these delays.
///
/// Messages do not wait for each other, not even on one connection, or the bound would not hold for
/// transports that spread a connection over several queue pairs.
///
/// Events run one by one in the order (time, kind, process, number of the event): deliveries before
/// acknowledgements before control events before wakes before timers.
class ZeroLoadNetwork {
 public:
  struct Delay {
    Picoseconds delivered;                    ///< from the post, >= 0
    std::optional<Picoseconds> acknowledged;  ///< from the post; nothing: never
  };
  using DelayOf = std::function<Delay(ConnectionId connection, Bytes size)>;
  /// Called in the order of `now`: it may remember what it has let through (PortDelays).
  using TimedDelayOf = std::function<Delay(ConnectionId connection, Bytes size, Picoseconds now)>;

  ZeroLoadNetwork(std::size_t processes, std::vector<Connection> connections, TimedDelayOf delay_of,
                  Picoseconds control_latency, std::vector<ProcessGroup> groups = {});
  ZeroLoadNetwork(std::size_t processes, std::vector<Connection> connections, DelayOf delay_of,
                  Picoseconds control_latency, std::vector<ProcessGroup> groups = {});

  /// Starts every process at time 0 and runs what happens before `until`, or until nothing is left,
  /// or `continues`, which is asked now and then, says no.
  /// Returns the time of the last event. Once per network.
  Picoseconds run(ProcessHandler& handler, std::optional<Picoseconds> until = {},
                  const std::function<bool()>& continues = {});

 private:
  class Context;
  enum class Kind : std::uint8_t { kDelivered, kAcknowledged, kControlEvent, kWake, kJobTimer };
  struct Event {
    std::int64_t time;
    Kind kind;
    ProcessId process;
    std::uint64_t number;  ///< of the event, in the order they were made; of the timer
    std::uint32_t source;  ///< connection or signalling process
    std::uint64_t token;

    friend bool operator>(const Event& a, const Event& b) {
      return std::tie(a.time, a.kind, a.process, a.number) >
             std::tie(b.time, b.kind, b.process, b.number);
    }
  };

  void push(Picoseconds time, Kind kind, ProcessId process, std::uint32_t source,
            std::uint64_t token);
  void dispatch(ProcessHandler& handler, const Event& event);

  /// What a group adds up for one of its members: one sum after the other.
  struct Reduction {
    struct Sum {
      std::uint32_t contributions = 0;
      Picoseconds latest;  ///< when the last of them is there
    };
    ConnectionId own;  ///< of the member to itself, on which sums are delivered
    std::vector<Sum> sums;
  };
  void find_reductions();
  void contribute(ConnectionId connection, Picoseconds arrival);

  std::size_t processes_;
  std::vector<Connection> connections_;
  TimedDelayOf delay_of_;
  Picoseconds control_latency_;
  std::vector<ProcessGroup> groups_;
  std::vector<Reduction> reductions_;
  std::vector<std::uint32_t> reduction_of_;  ///< by connection
  std::vector<std::uint32_t> contributed_;   ///< by connection: messages so far
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t next_number_ = 0;
};

}  // namespace weft
