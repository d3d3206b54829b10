#include "collectives/runtime/executor.hpp"

#include <algorithm>
#include <utility>

#include "collectives/runtime/blocked_lanes.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {

namespace {

/// Marks the token of a timer for a message; the rest is its connection.
constexpr std::uint64_t kMessageToken = std::uint64_t{1} << 63U;

// Of control events between jobs; those within a job have the number of a lane.
constexpr std::uint64_t kRankEnded = std::uint64_t{1} << 32U;
constexpr std::uint64_t kJobBegins = kRankEnded + 1;

}  // namespace

Executor::Executor(const Workload& workload, Spans spans, const std::optional<LoneJob>& lone)
    : workload_(workload),
      spans_(spans),
      lone_(lone),
      processes_(workload.process_hosts().size()),
      lanes_(workload.lane_count()),
      outstanding_(workload.connections().size()),
      arrivals_(workload),
      relays_(workload.relays().size()) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const JobPlan& job = job_of(ProcessId(i));
    const std::uint32_t number = workload.job_of(ProcessId(i));
    processes_[i].begin = first_begin_of(number);
    processes_[i].unfinished_lanes = runs(number) ? job.lanes : 0;
    processes_[i].streams.resize(job.program->task_streams().streams());
  }
  for (std::uint32_t c = 0; c < workload.connections().size(); ++c) {
    const ConnectionId connection(c);
    const ProcessId source = workload.connections()[c].source;
    const JobPlan& job = job_of(source);
    if (job.program->task_streams().streams() == 0 || workload.is_second_leg(connection)) continue;
    const LanePlace place{workload.rank_of(source), workload.lane_of(connection)};
    if (!job.program->task_streams().notes_posts(place)) continue;
    posts_.resize(workload.connections().size());
    posts_[c] = std::make_unique<PostLog>();
  }
  for (const JobPlan& job : workload.jobs()) {
    for (std::uint32_t rank = 0; job.reads() && rank < job.ranks; ++rank) {
      const std::uint32_t first = workload.lane_index(job.process(rank), 0);
      reads_.resize(workload.connections().size());
      for (std::uint32_t c = workload.sends_of(first).first;
           c < workload.sends_of(first + job.request_lanes - 1).second; ++c) {
        reads_[c] = std::make_unique<ReadLog>();
      }
    }
  }
}

OptionalTime Executor::first_begin_of(std::uint32_t job) const {
  if (lone_) return lone_->begin;
  const JobPlan& plan = workload_.jobs()[job];
  return plan.after.empty() ? plan.start : OptionalTime();
}

void Executor::run_only(const std::vector<bool>& processes) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes[i]) continue;
    processes_[i].begin = OptionalTime();
    processes_[i].unfinished_lanes = 0;
  }
}

void Executor::on_start(ProcessContext& context, ProcessId self) {
  const OptionalTime begin = processes_[self.value()].begin;
  if (runs(workload_.job_of(self)) && begin) begin_lanes(context, self, *begin);
}

void Executor::begin_lanes(ProcessContext& context, ProcessId self, Picoseconds start) {
  processes_[self.value()].begin = start;
  const std::uint32_t lanes = job_of(self).lanes;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    if (start > context.now()) {
      context.wake_at(start, i);
    } else {
      begin(turn(context, self, i));
    }
  }
}

void Executor::on_delivered(ProcessContext& context, ProcessId self, ConnectionId connection) {
  const std::uint32_t relay = workload_.relay_of(connection);
  if (relay != Workload::kNoRelay && workload_.relays()[relay].first == connection) {
    RelayState& state = relays_[relay];
    context.post(workload_.relays()[relay].second,
                 state.forwarded.take(state.sizes, workload_.relay_chunk()));
    return;
  }
  const Picoseconds latency = job_of(self).program->transfers().receive_latency(
      {workload_.rank_of(self), workload_.lane_of(connection)},
      workload_.rank_of(workload_.origin_of(connection)));
  if (latency > Picoseconds(0)) {
    context.wake_at(context.now() + latency, kMessageToken | connection.value());
  } else {
    message_seen(context, self, connection);
  }
}

void Executor::message_seen(ProcessContext& context, ProcessId self, ConnectionId connection) {
  processes_[self.value()].last_progress = context.now();
  if (const std::uint32_t relay = workload_.relay_of(connection); relay != Workload::kNoRelay) {
    RelayState& state = relays_[relay];
    (void)state.received.take(state.sizes, workload_.relay_chunk());
    ++state.chunks_received;
    if (!state.received.is_message_complete()) return;
  }
  if (workload_.carries_read_data(connection)) return end_read(context, self, connection);
  const Turn t = turn(context, self, workload_.lane_of(connection));
  if (job_of(self).reads()) respond(t, connection);
  const Connection& c = workload_.connections()[connection.value()];
  if (c.kind == Connection::Kind::kMulticast) {
    ++multicasts_from(t, c.source).waiting;
  } else {
    ++arrivals_.of(connection).waiting;
  }
  if (t.lane.status == LaneStatus::kReceiving && t.lane.connection == connection) run(t);
}

void Executor::on_acknowledged(ProcessContext& context, ProcessId self, ConnectionId connection) {
  if (job_of(self).reads()) return;  // who reads waits for data, who responds for nothing
  if (const std::uint32_t relay = workload_.relay_of(connection); relay != Workload::kNoRelay) {
    if (workload_.relays()[relay].second == connection) return;
    RelayState& state = relays_[relay];
    (void)state.acknowledged.take(state.sizes, workload_.relay_chunk());
    if (!state.acknowledged.is_message_complete()) return;
  }
  end_message(turn(context, self, workload_.lane_of(connection)), connection, connection);
}

void Executor::end_message(Turn turn, ConnectionId connection, ConnectionId leg) {
  Lane& lane = turn.lane;
  WEFT_CHECK(outstanding_[connection.value()] > 0, "one acknowledgement per message");
  --outstanding_[connection.value()];
  --lane.unacknowledged;
  if (lane.status == LaneStatus::kFlushing) lane.connection = leg;
  const bool may_go_on =
      (lane.status == LaneStatus::kFlushing && lane.unacknowledged == 0) ||
      (lane.status == LaneStatus::kAwaitingWindow && lane.connection == connection);
  if (may_go_on) run(turn);
}

void Executor::respond(Turn turn, ConnectionId request) {
  const std::uint32_t relay = workload_.relay_of(request);
  const ConnectionId posted =
      relay == Workload::kNoRelay ? request : workload_.relays()[relay].first;
  const Bytes size = reads_[posted.value()]->take();
  Process& process = processes_[turn.self.value()];
  ++process.messages;
  process.bytes += size;
  post(turn, workload_.data_of(request), size);
}

void Executor::end_read(ProcessContext& context, ProcessId self, ConnectionId data) {
  const ConnectionId request = workload_.request_of(data);
  const Turn t = turn(context, self, workload_.lane_of(request));
  const std::uint32_t received = ++arrivals_.of(data).received;
  if (t.lane.status == LaneStatus::kFlushing) t.lane.received = received;
  end_message(t, request, data);
}

void Executor::on_wake(ProcessContext& context, ProcessId self, std::uint64_t token) {
  if ((token & kMessageToken) != 0) {
    message_seen(context, self, ConnectionId(static_cast<std::uint32_t>(token & ~kMessageToken)));
    return;
  }
  const Turn t = turn(context, self, static_cast<std::uint32_t>(token));
  if (t.lane.status == LaneStatus::kNotStarted) {
    begin(t);
  } else {
    WEFT_CHECK(t.lane.status == LaneStatus::kSleeping, "a lane has one timer at a time");
    record_wait(t);
    t.lane.status = LaneStatus::kRunning;
    run(t);
  }
}

void Executor::rank_ended(ProcessContext& context, ProcessId self) {
  const JobPlan& job = job_of(self);
  if (++processes_[self.value()].ended_ranks < job.awaited_ranks) return;
  // All ranks begin at the same time, this one too.
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    context.send_control_event(job.process(rank), kJobBegins);
  }
}

void Executor::on_control_event(ProcessContext& context, ProcessId self, ProcessId from,
                                std::uint64_t token) {
  if (token == kRankEnded) return rank_ended(context, self);
  if (token == kJobBegins) {
    return begin_lanes(context, self, context.now() + job_of(self).start);
  }
  const Turn t = turn(context, self, static_cast<std::uint32_t>(token));
  ++t.lane.control_events;
  if (t.lane.status != LaneStatus::kAwaitingControlEvents) return;
  t.lane.notifier = workload_.rank_of(from);
  run(t);
}

void Executor::restart(ProcessContext& context, std::uint32_t lane_index) {
  const auto [first, end] = workload_.sends_of(lane_index);
  for (std::uint32_t c = first; c < end; ++c) context.restart(ConnectionId(c));
}

Executor::Turn Executor::turn(ProcessContext& context, ProcessId self, std::uint32_t number) {
  return {context, self, number, lanes_[workload_.lane_index(self, number)]};
}

void Executor::begin(Turn turn) {
  const JobProgram& program = *job_of(turn.self).program;
  turn.lane.source = is_delegated(turn.self, turn.number)
                         ? program.task_streams().delegated_steps(place_of(turn))
                         : program.steps(place_of(turn));
  if (steps_watch_ != nullptr) {
    turn.lane.source = steps_watch_->follow(turn.self, turn.number, std::move(turn.lane.source));
  }
  turn.lane.status = LaneStatus::kRunning;
  run(turn);
}

bool Executor::is_delegated(ProcessId process, std::uint32_t lane) const {
  const TaskStreams& streams = job_of(process).program->task_streams();
  return oracle_ != nullptr && streams.streams() > 0 &&
         oracle_->takes(process, streams.stream_of(lane));
}

std::uint32_t Executor::lane_of_waits(ProcessId process, std::uint32_t lane) const {
  if (!is_delegated(process, lane)) return lane;
  const TaskStreams& streams = job_of(process).program->task_streams();
  const std::uint32_t stream = streams.stream_of(lane);
  std::uint32_t first = lane;
  while (first > 0 && streams.stream_of(first - 1) == stream) --first;
  return first + streams.lanes_of(workload_.rank_of(process), stream) - 1;
}

void Executor::run(Turn first) {
  run_lane(first);
  run_ready(first.context, first.self);
}

void Executor::run_ready(ProcessContext& context, ProcessId self) {
  Process& process = processes_[self.value()];
  if (process.is_resuming) return;
  process.is_resuming = true;
  for (std::size_t i = 0; i < process.ready.size(); ++i) {
    const Turn next = turn(context, self, process.ready[i]);
    const bool waits = next.lane.status == LaneStatus::kAwaitingLane ||
                       next.lane.status == LaneStatus::kAwaitingStream;
    if (waits) run_lane(next);
  }
  process.ready.clear();
  process.is_resuming = false;
}

void Executor::run_lane(Turn turn) {
  // A lane that waits for something countable looks again; one that slept continues.
  if (turn.lane.status != LaneStatus::kRunning && !execute(turn)) return;
  Process& process = processes_[turn.self.value()];
  process.last_progress = turn.context.now();
  while (turn.lane.source->next(turn.lane.step)) {
    if (!execute(turn)) return;
  }
  turn.lane.status = LaneStatus::kDone;
  turn.lane.source.reset();
  if (--process.unfinished_lanes > 0 || lone_) return;
  for (const std::uint32_t follower : job_of(turn.self).followers) {
    turn.context.send_control_event(workload_.jobs()[follower].process(0), kRankEnded);
  }
}

void Executor::forget_before(std::uint32_t job, std::uint32_t iteration) {
  const JobPlan& plan = workload_.jobs()[job];
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const ProcessId process = plan.process(rank);
    IterationLog& iterations = processes_[process.value()].iterations;
    if (iteration == 0 || !iterations.knows(iteration - 1)) continue;
    const Picoseconds end = *iterations[iteration - 1].end;
    for (std::uint32_t lane = 0; lane < plan.lanes; ++lane) {
      // One that ends with the iteration may be the beginning of the next one.
      lanes_[workload_.lane_index(process, lane)].spans.forget_before(end);
    }
    iterations.forget_before(iteration);
  }
}

bool Executor::finished(std::uint32_t job) const {
  const JobPlan& plan = workload_.jobs()[job];
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    if (processes_[plan.process(rank).value()].unfinished_lanes > 0) return false;
  }
  return true;
}

bool Executor::all_finished() const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [](const Process& p) { return p.unfinished_lanes == 0; });
}

JobOutcome Executor::outcome(std::uint32_t job) const {
  const JobPlan& plan = workload_.jobs()[job];
  JobOutcome outcome;
  outcome.is_finished = finished(job);
  const OptionalTime begin = processes_[plan.first_process].begin;
  outcome.has_begun = begin.has_value();
  if (!outcome.has_begun) return outcome;
  outcome.start = outcome.end = *begin;
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const Process& process = processes_[plan.process(rank).value()];
    outcome.end = std::max(outcome.end, process.last_progress);
    outcome.messages += process.messages;
    outcome.bytes += process.bytes;
  }
  return outcome;
}

std::vector<std::string> Executor::describe_blocked(
    const std::function<std::string(HostId)>& host_name, std::size_t limit) const {
  return BlockedLanes{workload_, processes_, lanes_, outstanding_, host_name}.describe(limit);
}

}  // namespace weft::collectives
