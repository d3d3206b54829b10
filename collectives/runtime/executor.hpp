#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collectives/runtime/activity_log.hpp"
#include "collectives/runtime/arrivals.hpp"
#include "collectives/runtime/call_oracle.hpp"
#include "collectives/runtime/iteration_log.hpp"
#include "collectives/runtime/lane.hpp"
#include "collectives/runtime/post_log.hpp"
#include "collectives/runtime/span_log.hpp"
#include "collectives/runtime/workload.hpp"
#include "collectives/steps/step_watch.hpp"
#include "simcore/messages/message_network.hpp"

namespace weft::collectives {

/// What became of a job so far.
struct JobOutcome {
  bool is_finished = false;  ///< every lane of every rank has run its last step
  bool has_begun = true;     ///< false: it waits for other jobs, and has no times yet
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
/// threads; of relayed connections see SizeLog. A relay sends a chunk on as soon as it has it,
/// without a step of its own rank. It holds any number of them: a message is acknowledged once all
/// of it is at the relay. Everything that asks about jobs is for the time between callbacks.
class Executor final : public ProcessHandler {
 public:
  /// Whose `spans` will be asked for: those of programs that are explained, nobody's, or all.
  enum class Spans : std::uint8_t { kKept, kNotKept, kOfAll };
  /// The workload must outlive it. With a lone job, those that do not run count as finished.
  explicit Executor(const Workload& workload, Spans spans = Spans::kKept,
                    const std::optional<LoneJob>& lone = {});

  /// Before the run: what the ranks do that these watch is written there.
  void watch(ActivityLogs& logs) { watched_ = &logs; }
  /// The run is over: writes what happens.
  void end_watch(Picoseconds now);

  void on_start(ProcessContext& context, ProcessId self) override;
  void on_delivered(ProcessContext& context, ProcessId self, ConnectionId connection) override;
  void on_acknowledged(ProcessContext& context, ProcessId self, ConnectionId connection) override;
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t token) override;
  void on_control_event(ProcessContext& context, ProcessId self, ProcessId from,
                        std::uint64_t token) override;
  bool on_job_timer(ProcessContext& context, ProcessId self, std::uint32_t number) override;

  /// Tasks of communicators begin when their timers fire, not by themselves. Call it before the
  /// run.
  void begin_by_timers() { begins_by_timers_ = true; }
  /// The timers by which the next task of a stream begins, and the running one ends.
  [[nodiscard]] static std::uint32_t timer_of_begin(std::uint32_t stream) { return 2 * stream; }
  [[nodiscard]] static std::uint32_t timer_of_end(std::uint32_t stream) { return 2 * stream + 1; }
  /// Other processes do nothing and count as finished: somebody knows that each does what one of
  /// these does. The first process of each job is among these. Call it before the run, without jobs
  /// that wait for others.
  void run_only(const std::vector<bool>& processes);
  /// Notifies an observer when tasks of communicators begin and end. Call it before the run.
  void set_observer(TaskObserver& observer) { observer_ = &observer; }
  /// Asks an oracle when calls end, where it knows, instead of running their lanes. Call it before
  /// the run.
  void delegate_calls(CallOracle& oracle) { oracle_ = &oracle; }
  /// Installs an interceptor on step streams. Call it before the run.
  void intercept_steps(StepWatch& watch) { steps_watch_ = &watch; }
  /// Between callbacks: removes `count` events from a lane, which skips the steps that would have
  /// used them.
  void take_events(ProcessId process, std::uint32_t lane, std::uint32_t count);
  /// After the run: what a rank sent in calls whose lanes were not run.
  void add_sent(ProcessId process, std::int64_t messages, Bytes bytes, Picoseconds last_progress);
  /// What a rank has posted, and how much.
  [[nodiscard]] std::int64_t messages_of(ProcessId process) const {
    return processes_[process.value()].messages;
  }
  [[nodiscard]] Bytes bytes_of(ProcessId process) const {
    return processes_[process.value()].bytes;
  }

  [[nodiscard]] bool finished(std::uint32_t job) const;
  /// When the last thing happened to a process: see JobOutcome::end.
  [[nodiscard]] Picoseconds last_progress(ProcessId process) const {
    return processes_[process.value()].last_progress;
  }
  [[nodiscard]] bool all_finished() const;
  [[nodiscard]] JobOutcome outcome(std::uint32_t job) const;

  /// The iterations of a collective on a rank.
  [[nodiscard]] const IterationLog& iterations(ProcessId process) const {
    return processes_[process.value()].iterations;
  }
  /// What a lane has spent its time on, in order; of programs that are explained, or of all. The
  /// lane's index: Workload.
  [[nodiscard]] const SpanLog& spans(std::uint32_t lane_index) const {
    return lanes_[lane_index].spans;
  }
  /// The lane of the process whose spans say what this one waited for between tasks. An oracle's
  /// stream has its last lane do for all (TaskStreams::delegated_steps); other lanes do themselves.
  [[nodiscard]] std::uint32_t lane_of_waits(ProcessId process, std::uint32_t lane) const;
  /// Of a stream's task that ends now: the lane that came to its end last.
  [[nodiscard]] std::uint32_t last_lane(ProcessId process, std::uint32_t stream) const {
    return processes_[process.value()].streams[stream].last_lane;
  }
  /// Nobody will ask for iterations of a job before this one, which all ranks have begun or may
  /// begin next, nor for what lanes did in them.
  void forget_before(std::uint32_t job, std::uint32_t iteration);

  /// One sentence per waiting lane of unfinished jobs, such as `rank 3 of job x (h3) waits for a
  /// message from rank 2 (h2)`; after `limit` of them the number of the others.
  [[nodiscard]] std::vector<std::string> describe_blocked(
      const std::function<std::string(HostId)>& host_name, std::size_t limit = 10) const;

 private:
  /// A lane while one of its callbacks runs.
  struct Turn {
    ProcessContext& context;
    ProcessId self;
    std::uint32_t number;  ///< of the lane within the rank
    Lane& lane;
  };

  [[nodiscard]] Turn turn(ProcessContext& context, ProcessId self, std::uint32_t number);
  /// Begins all lanes of a process, at `start`.
  void begin_lanes(ProcessContext& context, ProcessId self, Picoseconds start);
  void begin(Turn turn);
  /// A rank of a job that this one waits for has ended; `self` is the job's first rank.
  void rank_ended(ProcessContext& context, ProcessId self);
  /// Continues with a lane, and then with the lanes of its rank that it made ready.
  void run(Turn turn);
  void run_lane(Turn turn);
  /// Continues with the lanes of a rank that are ready, and with those that they make ready.
  void run_ready(ProcessContext& context, ProcessId self);
  /// What the lane posts from now on takes links and queue pairs as if nothing had been before.
  void restart(ProcessContext& context, std::uint32_t lane_index);
  void begin_waiting(Turn turn, LaneStatus status);
  /// Where something has not come, the lane waits; where it has, a wait for it is over.
  [[nodiscard]] bool continues(Turn turn, bool has_come, LaneStatus waiting);
  void record_wait(Turn turn);
  /// What a lane has waited for.
  [[nodiscard]] Span waited(const Lane& lane, Picoseconds now) const;
  /// For whoever watches the rank.
  void note(ProcessId self, std::uint32_t lane, const Span& span, std::uint32_t number);
  [[nodiscard]] bool is_watched(ProcessId process) const {
    return watched_ != nullptr && watched_->watches(process);
  }
  [[nodiscard]] bool keeps_spans_of(ProcessId process) const;
  [[nodiscard]] const JobPlan& job_of(ProcessId process) const {
    return workload_.jobs()[workload_.job_of(process)];
  }
  [[nodiscard]] LanePlace place_of(const Turn& turn) const {
    return {workload_.rank_of(turn.self), turn.number};
  }
  void message_seen(ProcessContext& context, ProcessId self, ConnectionId connection);
  /// A request has come: its data leaves, whatever the lane does.
  void respond(Turn turn, ConnectionId request);
  /// The data of a read has come.
  void end_read(ProcessContext& context, ProcessId self, ConnectionId data);
  /// A message on a connection is over for who posted it; on `connection` by `leg`, which the lane
  /// then waited for.
  void end_message(Turn turn, ConnectionId connection, ConnectionId leg);
  /// Posts a message on its connection, or its chunks on the first leg.
  void post(Turn turn, ConnectionId connection, Bytes size);
  /// What `connection` delivers to a receiver arrives on this one.
  [[nodiscard]] ConnectionId last_leg(ConnectionId connection) const {
    const std::uint32_t relay = workload_.relay_of(connection);
    return relay == Workload::kNoRelay ? connection : workload_.relays()[relay].second;
  }
  /// False if the step waits, as of all that follow.
  [[nodiscard]] bool execute(Turn turn);
  [[nodiscard]] bool carry_out(Turn turn);
  [[nodiscard]] bool carry_out_in_network(Turn turn);
  [[nodiscard]] bool begin_iteration(Turn turn);
  [[nodiscard]] bool end_iteration(Turn turn);
  void wake_lanes(Turn turn);
  [[nodiscard]] bool carry_out_of_streams(Turn turn);
  [[nodiscard]] bool await_stream(Turn turn);
  [[nodiscard]] bool start_task(Turn turn);
  void begin_task(ProcessContext& context, ProcessId self, std::uint32_t number);
  void end_task(ProcessContext& context, ProcessId self, std::uint32_t number);
  [[nodiscard]] bool knows_oracle_of(ProcessId process, std::uint32_t stream) const {
    return oracle_ != nullptr && oracle_->takes(process, stream);
  }
  /// The lane is of a stream whose tasks the oracle knows.
  [[nodiscard]] bool is_delegated(ProcessId process, std::uint32_t lane) const;
  /// The calls that have begun, of ranks of one domain, end when their timeline says so.
  void set_ends(ProcessContext& context, std::span<const CallOracle::End> ends);
  /// Whoever takes calls over is asked again after all else of this time.
  void ask_again(ProcessContext& context);
  void ask_at(ProcessContext& context, Picoseconds time);
  /// The end of a call that the oracle has told. False: it has another end by now.
  [[nodiscard]] bool come_to_end(ProcessContext& context, ProcessId self, std::uint32_t number);
  /// Of a delay, on this rank.
  [[nodiscard]] Picoseconds time_of_delay(Turn turn);
  [[nodiscard]] bool finish_task(Turn turn);
  void wait_for_stream(Turn turn, Stream& stream);
  /// The rank's first stream waited for a task of stream `number`, whose last message was posted at
  /// `posted_at`: charged to it, but for the time in which that stream waited itself, which is
  /// charged to those that it waited for.
  static void note_wait(Process& process, std::uint32_t number, Picoseconds since,
                        Picoseconds until, Picoseconds posted_at);
  /// The lane's stream waited for a task of another one before a task of its own.
  void note_hold(Turn turn, const Stream& other);
  void end_streams(Turn turn);
  void note_received(Turn turn, ConnectionId connection);
  [[nodiscard]] bool await_control_events(Turn turn);
  [[nodiscard]] bool await_lane(Turn turn);
  void notify(Turn turn);
  /// A lane that waits for another one continues after this turn.
  void make_ready(Turn turn, Lane& other, std::uint32_t number);
  [[nodiscard]] bool send(Turn turn);
  [[nodiscard]] bool receive(Turn turn);
  [[nodiscard]] Arrivals& multicasts_from(Turn turn, ProcessId source) const;
  void post_in_network(Turn turn, ConnectionId connection);
  [[nodiscard]] bool receive_reduced(Turn turn);
  [[nodiscard]] bool receive_multicast(Turn turn);
  /// Takes a message on the connection, or waits for one.
  [[nodiscard]] bool take(Turn turn, Arrivals& arrivals);
  [[nodiscard]] bool sleep_until(Turn turn, Picoseconds time);

  [[nodiscard]] bool runs(std::uint32_t job) const { return !lone_ || lone_->job == job; }
  /// Of all its processes; -1: it waits for others.
  [[nodiscard]] OptionalTime first_begin_of(std::uint32_t job) const;

  const Workload& workload_;
  const Spans spans_;
  const std::optional<LoneJob> lone_;
  std::vector<Process> processes_;
  std::vector<Lane> lanes_;  ///< by lane index: a rank's are neighbours
  /// Messages of each connection that are posted and not acknowledged, or read and not come; its
  /// source writes this.
  std::vector<std::uint32_t> outstanding_;
  ArrivalTable arrivals_;
  std::vector<std::unique_ptr<PostLog>> posts_;  ///< by connection, where lanes note posts
  std::vector<RelayState> relays_;
  std::vector<std::unique_ptr<ReadLog>> reads_;  ///< by connection of requests
  ActivityLogs* watched_ = nullptr;
  TaskObserver* observer_ = nullptr;
  CallOracle* oracle_ = nullptr;
  std::set<Picoseconds> asked_;  ///< when `oracle_` is to be asked again
  bool begins_by_timers_ = false;
  StepWatch* steps_watch_ = nullptr;
};

}  // namespace weft::collectives
