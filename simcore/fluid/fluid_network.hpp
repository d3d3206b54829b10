#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fluid/flow_solver.hpp"
#include "simcore/messages/message_network.hpp"
#include "simcore/messages/split_message.hpp"

namespace weft {

/// What a message is to the fluid engine.
struct FluidTransfer {
  Bytes wire_bytes;         ///< that every link of the route carries, > 0
  Picoseconds before;       ///< from the post until bytes flow: latencies, filling the path
  Picoseconds min_flowing;  ///< what the bytes take on the slowest link of the route
  /// From the delivery until the sender knows; nothing: it never learns.
  std::optional<Picoseconds> acknowledged_after;
};

/// What became of one message, or of the part of one that a queue pair has. Times since the start
/// of the run; missing: it did not happen.
struct FluidMessage {
  ConnectionId connection;
  std::uint32_t queue_pair = 0;  ///< of the connection
  Bytes bytes;
  Bytes whole;  ///< of the message
  Picoseconds posted;
  OptionalTime delivered;
  OptionalTime acknowledged;
  std::uint32_t next = 0;  ///< the engine's: the message behind it in the queue pair
};

/// The fluid engine behind the message network: every queue pair that has something to send is a
/// flow, flows share links max-min fairly, and nothing waits in a queue.
///
/// The messages of a queue pair flow one after the other. A message is delivered `before` plus the
/// time its bytes flow after its post, and waits for its predecessor to be through. The latency
/// comes first so that no link carries a byte before it could have arrived there.
///
/// What the engine cannot know it does not report: queues, marks, pauses, losses.
///
/// One per process, and after `load_flow_solver`. Events at the same picosecond run in the order of
/// kind and model-defined numbers, so the same input gives the same bits.
class FluidNetwork final : private FlowSolver::Listener {
 public:
  /// A link that gets slower or faster during the run.
  struct CapacityChange {
    Picoseconds at;
    std::uint32_t link = 0;
    BitsPerSecond capacity;  ///< > 0
  };
  struct Plan {
    std::vector<BitsPerSecond> capacities;  ///< by link, > 0
    std::vector<CapacityChange> changes{};  ///< in any order
    std::uint32_t queue_pairs = 1;  ///< of a connection that does not say; messages take turns
    Picoseconds control_latency = 1_us;
    /// The links that the messages of a queue pair cross, each once; empty: none, they are
    /// delivered at once. Asked for at the first message.
    std::function<std::vector<std::uint32_t>(ConnectionId, std::uint32_t queue_pair)> route_of;
    std::function<FluidTransfer(ConnectionId, std::uint32_t queue_pair, Bytes size)> transfer_of;
    /// Whether messages of a connection are split over its queue pairs; empty: none are.
    std::function<bool(ConnectionId)> is_split{};
    /// What a queue pair's part of such a message waits for the parts of others to begin.
    std::function<Picoseconds(ConnectionId, std::uint32_t queue_pair, Bytes whole)> part_delay{};
  };
  enum class Status : std::uint8_t {
    kQuiescent,    ///< nothing is left to happen
    kTimeLimit,    ///< the given time was reached
    kInterrupted,  ///< the observer asked to stop
  };
  /// Called now and then; returning false stops the run.
  using Observer = std::function<bool(Picoseconds now, std::uint64_t messages_delivered)>;

  FluidNetwork(std::size_t processes, std::vector<Connection> connections, Plan plan);

  /// No run lasts longer: 26 days. A flow over a link that stays down is met here.
  static constexpr Picoseconds kLongestRun{std::int64_t{1} << 61};

  /// Starts every process at time 0 and runs everything that happens before `until`. What links
  /// carry counts from `measured_from` on. Once per network.
  Status run(ProcessHandler& handler, std::optional<Picoseconds> until = {},
             Picoseconds measured_from = {}, const Observer& observer = {});

  /// Time of the last thing that happened, or of `until` if that came first.
  [[nodiscard]] Picoseconds now() const { return now_; }
  /// All messages and parts of messages, in the order of posting.
  [[nodiscard]] const std::vector<FluidMessage>& messages() const { return messages_; }
  /// Wire bytes of a queue pair that flowed since the measurement began.
  [[nodiscard]] double carried(ConnectionId connection, std::uint32_t queue_pair) const {
    return queue_pairs_[index_of(connection, queue_pair)].carried;
  }

 private:
  class Context;
  /// What comes first at one time. New flows come last, so that those that begin together are
  /// solved together.
  enum class Kind : std::uint8_t {
    kLimit,
    kMeasure,
    kCapacity,
    kDelivered,
    kAcknowledged,
    kControlEvent,
    kWake,
    kFlow,
    kJobTimer
  };
  struct Event {
    std::int64_t time;
    Kind kind;
    std::uint32_t target;  ///< process, index of the queue pair, or capacity change
    std::uint64_t number;  ///< of the event, in the order they were made; of the timer
    std::uint32_t source;  ///< message or signalling process
    std::uint64_t token;

    friend bool operator>(const Event& a, const Event& b) {
      return std::tie(a.time, a.kind, a.target, a.number) >
             std::tie(b.time, b.kind, b.target, b.number);
    }
  };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct QueuePair {
    std::uint32_t route = kNone;
    std::uint32_t last = kNone;     ///< posted
    std::uint32_t present = kNone;  ///< the message that flows or will flow next
    bool flows = false;             ///< the present one does
    FluidTransfer transfer;         ///< of the present one
    Picoseconds flowing_since;
    double counted_before = 0;  ///< of the present one: what flowed before the measurement
    double carried = 0;
  };

  void on_drained(std::uint32_t flow, Picoseconds at) override;
  void on_timer(Picoseconds time) override;

  [[nodiscard]] std::uint32_t queue_pairs_of(const Connection& connection) const {
    return connection.queue_pairs > 0 ? connection.queue_pairs : plan_.queue_pairs;
  }
  [[nodiscard]] std::size_t index_of(ConnectionId connection, std::uint32_t queue_pair) const {
    return std::size_t{connection.value()} * max_queue_pairs_ + queue_pair;
  }
  void push(Picoseconds time, Kind kind, std::uint32_t target, std::uint32_t source = 0,
            std::uint64_t token = 0);
  void dispatch(const Event& event);
  void post(ConnectionId connection, Bytes size);
  void post_on(ConnectionId connection, std::uint32_t queue_pair, Bytes size, Bytes whole);
  [[nodiscard]] bool is_split(ConnectionId connection) const {
    return plan_.is_split && plan_.is_split(connection);
  }
  /// A message is through, or a part, which `parts` counts. Returns whether nothing is missing.
  [[nodiscard]] bool is_whole(PartCounts& parts, const FluidMessage& message) const;
  /// Makes a message the present one of its queue pair.
  void present(std::uint32_t index, std::uint32_t message);
  void begin_flow(std::uint32_t index);
  void deliver(std::uint32_t index);
  void acknowledge(std::uint32_t message);
  void begin_measurement();
  void stop(Status status);
  void observe();
  /// Adds what has flowed of the present messages to what was carried.
  void count_present_flows();

  std::size_t processes_;
  std::vector<Connection> connections_;
  Plan plan_;
  std::uint32_t max_queue_pairs_;  ///< of a connection
  std::unique_ptr<FlowSolver> solver_;
  std::vector<QueuePair> queue_pairs_;
  std::vector<std::uint32_t> next_queue_pair_;  ///< by connection
  PartCounts delivered_parts_;
  PartCounts acknowledged_parts_;
  std::vector<FluidMessage> messages_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t next_number_ = 0;
  std::uint64_t events_done_ = 0;
  std::chrono::steady_clock::time_point observed_at_{};
  std::uint64_t delivered_ = 0;
  std::uint32_t flowing_ = 0;

  ProcessHandler* handler_ = nullptr;
  Observer observer_;
  Picoseconds now_;
  Status status_ = Status::kQuiescent;
  bool is_limited_ = false;  ///< by the caller
  bool is_stopped_ = false;
};

}  // namespace weft
