#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "protocols/link/mark_sampler.hpp"
#include "protocols/network/message_outcomes.hpp"
#include "protocols/network/packet_network.hpp"
#include "protocols/network/path_runner.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/engine/work_split.hpp"
#include "simcore/engine/worker_pool.hpp"

namespace weft::protocols {

/// Something to be done whenever simulated time is a multiple of a period. Windows end there, so
/// that what is done sees the same state whatever the partition into logical processes.
class Periodic {
 public:
  /// A period of 0: never.
  explicit Periodic(Picoseconds period = {})
      : period_(period), next_(period > Picoseconds() ? period : EventCalendar::kNever) {}
  [[nodiscard]] Picoseconds next() const { return next_; }
  [[nodiscard]] bool is_due(Picoseconds now) const { return next_ <= now; }
  /// The last time up to `now`.
  [[nodiscard]] Picoseconds latest(Picoseconds now) const { return now / period_ * period_; }
  /// The next time is the first multiple after `now`.
  void advance(Picoseconds now) {
    if (next_ <= now) next_ = (now / period_ + 1) * period_;
  }

 private:
  Picoseconds period_;
  Picoseconds next_;
};

/// The loop over windows. Logical processes share nothing but the queues of links, so a window's
/// logical processes are spread over as many threads as there are workers; what lies between two
/// windows is done by the calling thread alone.
class PacketNetwork::Engine {
 public:
  Engine(NetworkState& state, const LpPlan& plan, const Options& options);

  Status run(Picoseconds& now, Picoseconds until, const Observer& observer);
  void end_observation(Picoseconds now);
  /// Runs a network of one logical process through a window in which no process is told anything,
  /// and nobody checks it.
  void run_apart(Picoseconds start, Picoseconds end) { run_alone(start, end); }
  /// PacketNetwork::stop.
  void stop() { workers_[0]->stops = true; }

  /// Makes workers for the logical processes, once these are complete.
  void spawn();
  [[nodiscard]] std::uint32_t threads() const {
    return static_cast<std::uint32_t>(workers_.size());
  }
  /// How long threads have worked and waited, by the clock.
  [[nodiscard]] ThreadTimes thread_times() const;
  /// When it is checked next whether anything was delivered since the last time: whoever skips what
  /// happens stops there.
  [[nodiscard]] Picoseconds next_check() const { return stall_check_.next(); }
  /// Checks that, if it is due.
  void check_if_due(Picoseconds now);
  /// The time of the last thing that happened.
  [[nodiscard]] Picoseconds last_event() const;
  /// Over all workers, since the start of the run.
  [[nodiscard]] Worker::Sums sums() const;
  [[nodiscard]] std::vector<LatencyBySize> packet_latencies() const;
  void clear_latency();
  /// Counters of queues are about to be 0.
  void before_reset() { marks_.before_reset(); }
  /// That of the calling thread.
  [[nodiscard]] Worker& first_worker() { return *workers_[0]; }
  /// Counts what was simulated elsewhere.
  void add(const Worker::Sums& sums, std::uint8_t latency_group,
           const LatencyBySize& packet_latency, std::uint64_t times);
  [[nodiscard]] std::size_t chunk_bytes() const;

  void start_process(std::uint32_t lp, ProcessId process);
  /// Files the beginnings and ends of the faults in the logical processes that they concern.
  void schedule_faults();

  std::vector<LogicalProcess> lps;
  std::size_t external_links = 0;  ///< between logical processes
  std::size_t activity_words = 1;  ///< that their bitmap need
  Worker::Sums measured_from;
  std::vector<BlockedPort> deadlock;
  std::vector<Stall> stalls;
  Elsewhere was_delivered_elsewhere;  ///< empty: there is nothing elsewhere
  MessageOutcomes outcomes;

 private:
  using Clock = std::chrono::steady_clock;
  /// What a thread spent in windows that threads share; by itself in a cache line.
  struct alignas(64) SharedTime {
    Clock::duration spent{};
  };

  Status run_windows(Picoseconds& now, Picoseconds until, const Observer& observer);
  /// Nothing is left of a run that began at `begin`: `now` is when the last thing happened.
  Status come_to_rest(Picoseconds begin, Picoseconds& now);
  [[nodiscard]] std::uint32_t useful_threads() const;
  [[nodiscard]] Picoseconds earliest_event(Picoseconds now);
  /// From now on times are counted from here.
  void move_origin(Picoseconds now);
  /// Adds the credits that came back before `now` without events to those of their senders.
  void count_returned_credits(Picoseconds now);
  /// Runs all logical processes through a window; returns the number of events.
  std::uint64_t run_window_of_all(Picoseconds start, Picoseconds end);
  void run_shared(Picoseconds start, Picoseconds end);
  /// On the calling thread.
  void run_alone(Picoseconds start, Picoseconds end);
  /// Runs a block of logical processes; `rest` is what the same thread runs from there on, the
  /// block included.
  void run_lps(Worker& worker, WorkSplit::Range block, WorkSplit::Range rest, Picoseconds start,
               Picoseconds end);
  /// What was touched last is touched first in the next window.
  [[nodiscard]] bool runs_backwards() const { return windows_ % 2 != 0; }
  /// Gathers what workers have for each other and for the trace.
  void collect();
  [[nodiscard]] bool is_stalled(Picoseconds now);
  [[nodiscard]] bool is_deadlocked();
  [[nodiscard]] Picoseconds next_instant() const;
  /// Does what is due up to `end`, before which nothing happens: once each, for it sees the same
  /// state all the time. Returns when that was found to be a deadlock.
  [[nodiscard]] std::optional<Picoseconds> observe_gap(Picoseconds end);
  /// When samples are due next.
  [[nodiscard]] Picoseconds next_sample() const;
  /// Takes the samples that are due at `now`, and none after that until `until`.
  void take_samples(Picoseconds now, Picoseconds until);
  /// Does what is due at `now`; false: the run is deadlocked.
  [[nodiscard]] bool observe(Picoseconds now);
  /// Whether anything was delivered since the last time, if that was earlier; notes a stall if not.
  void check_for_stall(Picoseconds now);
  /// Checks for a stall during a jump to `target`, on the way to which nothing happens.
  void check_for_stall_until(Picoseconds target);
  void sample_queues(Picoseconds now);
  void sample_rates(Picoseconds now);
  void sample_control(const SendingEnd& sender, TraceRecord record);
  /// Has messages taken, if there are many.
  void offer_messages();
  /// Hands on what was traced before `now`, in order.
  void drain_trace(Picoseconds now);

  static constexpr std::uint64_t kWindowsPerObservation = 256;
  static constexpr std::uint64_t kEventsPerObservation = std::uint64_t{1} << 20U;
  static constexpr Picoseconds kDeadlockPeriod{100'000'000};  ///< 100 us
  static constexpr Picoseconds kStallPeriod{10'000'000'000};  ///< 10 ms
  static constexpr std::size_t kStallsKept = 16;
  static constexpr Picoseconds kMessagePeriod{20'000'000};  ///< 20 us
  static constexpr std::size_t kBlockedNamed = 8;

  /// Simulated time without any packet starting, while no job has anything planned, after which the
  /// run counts as stalled: a second, and two retransmission time-outs, each of which would have
  /// started a packet if it could.
  const Picoseconds stall_limit_;
  const Picoseconds longest_key_span_;  ///< PacketNetwork::Options
  NetworkState& s_;
  const std::unique_ptr<PathRunner> path_;
  const LpPlan& plan_;
  const Parallelism parallelism_;
  const ObservationConfig& observation_;
  const TraceSink& sink_;
  const MessageTraceSink& message_sink_;
  Periodic deadlock_check_;
  Periodic queue_sample_;
  Periodic mark_sample_;
  Periodic rate_sample_;
  const std::function<void()>& on_many_messages_;
  const std::function<void()>& on_period_;
  const std::uint64_t many_messages_;
  Periodic message_offer_;
  Periodic stall_check_{kStallPeriod};
  std::vector<QueuePairId> sampled_queue_pairs_;
  std::vector<Bytes> last_queue_sample_;  ///< by sampled port and class
  MarkSampler marks_;
  ChunkDepot depot_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< the first is the calling thread's
  std::unique_ptr<WorkSplit> shares_;             ///< both null where one thread runs all
  std::unique_ptr<WorkerPool> pool_;
  std::vector<SharedTime> shared_times_;  ///< by worker
  Clock::duration in_shared_windows_{};
  Clock::duration in_all_windows_{};
  std::uint64_t events_ = 0;         ///< until the last window
  std::uint64_t window_events_ = 0;  ///< in the last window
  std::uint64_t windows_ = 0;
  std::uint64_t hops_at_progress_ = 0;
  std::uint64_t events_at_observation_ = 0;
  Picoseconds keys_end_;  ///< no window goes beyond
  std::uint64_t delivered_at_check_ = 0;
  std::uint64_t halves_at_offer_ = 0;  ///< of messages: sent, and delivered
  Picoseconds last_stall_check_;
  bool is_in_stall_ = false;
  Picoseconds last_progress_;
};

}  // namespace weft::protocols
