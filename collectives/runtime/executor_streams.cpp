#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "simcore/base/check.hpp"

/// Streams of ranks: tasks that follow one another, each carried out by one lane or several.
namespace weft::collectives {

namespace {

// A communicator's task begins and ends by a timer: after all else that happens to the rank at
// that time, for all lanes of the stream at once and in the order of their numbers. What a task
// does then depends on when the ranks begin it, and on nothing else that went before.

/// A timer after all those of tasks at its time, of the last process.
constexpr std::uint32_t kAskAgain = ~0U;

void charge(Stream& stream, Picoseconds since, Picoseconds until, Picoseconds posted_at) {
  stream.times.waited += until - since;
  stream.times.late += std::max(Picoseconds(0), std::min(posted_at, until) - since);
}

}  // namespace

bool Executor::carry_out_of_streams(Turn turn) {
  switch (turn.lane.step.kind) {
    case Step::Kind::kAfter:
      return await_stream(turn);
    case Step::Kind::kStart:
      return start_task(turn);
    default:
      return finish_task(turn);
  }
}

bool Executor::await_stream(Turn turn) {
  Process& process = processes_[turn.self.value()];
  Stream& stream = process.streams[turn.lane.step.peer];
  if (stream.finished < turn.lane.step.count()) {
    wait_for_stream(turn, stream);
    return false;
  }
  if (turn.lane.status == LaneStatus::kAwaitingStream) {
    // The first stream is carried out by the first lane.
    if (turn.number == 0) {
      note_wait(process, turn.lane.step.peer, turn.lane.waits_since, turn.context.now(),
                stream.finished_posted_at);
    } else if (turn.lane.step.peer != 0) {
      note_hold(turn, stream);
    }
    record_wait(turn);
  }
  return true;
}

void Executor::note_wait(Process& process, std::uint32_t number, Picoseconds since,
                         Picoseconds until, Picoseconds posted_at) {
  Stream& stream = process.streams[number];
  for (const StreamWait& wait : stream.held) {
    const Picoseconds begin = std::max(since, wait.since);
    const Picoseconds end = std::min(until, wait.until);
    if (end <= begin) continue;
    charge(stream, since, begin, posted_at);
    note_wait(process, wait.stream, begin, end, wait.posted_at);
    since = end;
  }
  charge(stream, since, until, posted_at);
}

void Executor::note_hold(Turn turn, const Stream& other) {
  // What an iteration is explained by are the waits of the stream that computes.
  const Lane& computing = lanes_[workload_.lane_index(turn.self, 0)];
  const bool is_waited_for = computing.status == LaneStatus::kAwaitingStream ||
                             computing.status == LaneStatus::kAwaitingLane;
  if (!is_waited_for) return;
  const std::uint32_t own = job_of(turn.self).program->task_streams().stream_of(turn.number);
  std::vector<StreamWait>& held = processes_[turn.self.value()].streams[own].held;
  const Picoseconds now = turn.context.now();
  const bool is_of_earlier_wait = !held.empty() && held.back().until <= computing.waits_since;
  if (is_of_earlier_wait) held.clear();
  if (!held.empty() && held.back().until == now) return;  // by another lane of the stream
  held.push_back({turn.lane.step.peer, turn.lane.waits_since, now, other.finished_posted_at});
}

void Executor::wait_for_stream(Turn turn, Stream& stream) {
  stream.waiting.push_back(static_cast<std::uint16_t>(turn.number));
  begin_waiting(turn, LaneStatus::kAwaitingStream);
}

Picoseconds Executor::time_of_delay(Turn turn) {
  Step& step = turn.lane.step;
  const JobPlan& job = job_of(turn.self);
  if (step.work != Step::Work::kCompute) return step.time();
  Process& process = processes_[turn.self.value()];
  const std::uint32_t rank = workload_.rank_of(turn.self);
  Computing computing{.nominal = step.time(),
                      .start = turn.context.now() - *process.begin,
                      .number = process.computed++};
  for (std::uint32_t i = 0; i < process.streams.size() && !computing.is_slowed; ++i) {
    const Stream& stream = process.streams[i];
    computing.is_slowed =
        stream.started > stream.finished && job.program->task_streams().slows_computing(rank, i);
  }
  const Picoseconds taken = job.program->computing().computing_time(rank, computing);
  step.offset +=
      std::max(std::int64_t{0}, (taken - job.program->computing().planned_time(computing)).count());
  return taken;
}

bool Executor::on_job_timer(ProcessContext& context, ProcessId self, std::uint32_t number) {
  if (number == kAskAgain) {
    asked_.erase(context.now());
    set_ends(context, oracle_->poll_ends(context.now(), context.next_event()));
    if (const auto again = oracle_->next_poll_at()) ask_at(context, *again);
    return false;
  }
  const std::uint32_t stream = number / 2;
  if (number == timer_of_begin(stream)) {
    begin_task(context, self, stream);
  } else if (!knows_oracle_of(self, stream)) {
    end_task(context, self, stream);
  } else if (!come_to_end(context, self, stream)) {
    return false;
  }
  run_ready(context, self);
  return true;
}

void Executor::set_ends(ProcessContext& context, std::span<const CallOracle::End> ends) {
  for (const CallOracle::End& end : ends) {
    Stream& stream = processes_[end.process.value()].streams[end.stream];
    const bool is_known = end.time.has_value();
    if (is_known) stream.posted_at = std::max(stream.posted_before, end.posted_at);
    if (stream.ends_at == end.time) continue;
    stream.ends_at = end.time;
    if (!is_known) continue;
    context.set_job_timer(*end.time, end.process, timer_of_end(end.stream));
  }
}

void Executor::ask_again(ProcessContext& context) {
  if (oracle_->needs_poll()) ask_at(context, context.now());
}

void Executor::ask_at(ProcessContext& context, Picoseconds time) {
  if (!asked_.insert(time).second) return;
  const auto last = static_cast<std::uint32_t>(processes_.size() - 1);
  context.set_job_timer(time, ProcessId(last), kAskAgain);
}

bool Executor::come_to_end(ProcessContext& context, ProcessId self, std::uint32_t number) {
  Process& process = processes_[self.value()];
  Stream& stream = process.streams[number];
  if (stream.ends_at != context.now()) return false;
  stream.ends_at = {};
  stream.is_ending = true;
  oracle_->end(self, number);
  ask_again(context);
  for (const std::uint16_t lane : stream.starting) {
    lanes_[workload_.lane_index(self, lane)].source->omit_task();
    process.ready.push_back(lane);
  }
  stream.starting.clear();
  return true;
}

void Executor::add_sent(ProcessId process, std::int64_t messages, Bytes bytes,
                        Picoseconds last_progress) {
  Process& p = processes_[process.value()];
  p.messages += messages;
  p.bytes += bytes;
  p.last_progress = std::max(p.last_progress, last_progress);
}

bool Executor::start_task(Turn turn) {
  const std::uint32_t number = turn.lane.step.peer;
  Stream& stream = processes_[turn.self.value()].streams[number];
  if (stream.started > turn.lane.step.count()) return true;
  if (number == 0) {
    ++stream.started;
    stream.started_at = turn.context.now();
    stream.started_block = turn.lane.step.block;
    return true;
  }
  if (stream.starting.empty() && !begins_by_timers_) {
    turn.context.set_job_timer(turn.context.now(), turn.self, timer_of_begin(number));
  }
  stream.starting.push_back(static_cast<std::uint16_t>(turn.number));
  begin_waiting(turn, LaneStatus::kAwaitingStream);
  return false;
}

void Executor::begin_task(ProcessContext& context, ProcessId self, std::uint32_t number) {
  Process& process = processes_[self.value()];
  Stream& stream = process.streams[number];
  std::ranges::sort(stream.starting);
  ++stream.started;
  stream.started_at = context.now();
  stream.started_block = lanes_[workload_.lane_index(self, stream.starting.front())].step.block;
  if (observer_ != nullptr) observer_->begun(self, number, stream.started_block, context.now());
  if (knows_oracle_of(self, number)) {  // lanes stay where they are
    stream.posted_before = stream.posted_at;
    set_ends(context, oracle_->begin(self, number, stream.started_block, context.now()));
    ask_again(context);
    return;
  }
  for (const std::uint16_t lane : stream.starting) {
    const std::uint32_t index = workload_.lane_index(self, lane);
    restart(context, index);
    process.ready.push_back(lane);
  }
  stream.starting.clear();
}

bool Executor::finish_task(Turn turn) {
  Process& process = processes_[turn.self.value()];
  const std::uint32_t number = turn.lane.step.peer;
  Stream& stream = process.streams[number];
  if (stream.finished > turn.lane.step.count()) {
    record_wait(turn);
    return true;
  }
  const bool is_new = turn.lane.status != LaneStatus::kAwaitingStream;
  if (is_new) {
    ++stream.lanes_there;
    stream.last_lane = turn.number;
  }
  const TaskStreams& streams = job_of(turn.self).program->task_streams();
  const std::uint32_t lanes =
      stream.is_ending ? 1 : streams.lanes_of(workload_.rank_of(turn.self), number);
  if (is_new && stream.lanes_there == lanes) {
    if (number == 0) {
      end_task(turn.context, turn.self, number);
      return true;
    }
    wait_for_stream(turn, stream);
    if (stream.is_ending) {
      end_task(turn.context, turn.self, number);
    } else {
      turn.context.set_job_timer(turn.context.now(), turn.self, timer_of_end(number));
    }
    return false;
  }
  wait_for_stream(turn, stream);
  return false;
}

void Executor::end_task(ProcessContext& context, ProcessId self, std::uint32_t number) {
  Process& process = processes_[self.value()];
  Stream& stream = process.streams[number];
  stream.lanes_there = 0;
  stream.is_ending = false;
  ++stream.finished;
  if (observer_ != nullptr && number > 0) {
    observer_->ended(self, number, context.now(), stream.posted_at);
  }
  stream.finished_posted_at = stream.posted_at;
  if (number > 0 && is_watched(self)) {  // what the first one does is the work of its lane
    watched_->add(self, {.begin = stream.started_at,
                         .end = context.now(),
                         .kind = Activity::Kind::kTask,
                         .place = static_cast<std::uint16_t>(number),
                         .number = stream.started_block});
  }
  // What had come before the task started was not what it waited for.
  stream.times.busy += context.now() - std::max(stream.started_at, stream.posted_at);
  std::ranges::sort(stream.waiting);
  const Turn last = turn(context, self, stream.last_lane);
  for (const std::uint16_t lane : stream.waiting) {
    make_ready(last, lanes_[workload_.lane_index(self, lane)], lane);
  }
  stream.waiting.clear();
}

void Executor::note_received(Turn turn, ConnectionId connection) {
  if (posts_.empty() || !posts_[connection.value()]) return;
  const std::uint32_t number = job_of(turn.self).program->task_streams().stream_of(turn.number);
  Stream& stream = processes_[turn.self.value()].streams[number];
  stream.posted_at = std::max(stream.posted_at, posts_[connection.value()]->take());
}

void Executor::end_streams(Turn turn) {
  Process& process = processes_[turn.self.value()];
  if (process.streams.empty()) return;
  if (turn.number != 0) {
    // The first stream has nothing left to do, and waits for the last one that has.
    const Lane& first = lanes_[workload_.lane_index(turn.self, 0)];
    const std::uint32_t last = job_of(turn.self).program->task_streams().stream_of(turn.number);
    note_wait(process, last, first.waits_since, turn.context.now(),
              process.streams[last].finished_posted_at);
  }
  std::vector<StreamTimes> times;
  times.reserve(process.streams.size());
  for (Stream& stream : process.streams) {
    WEFT_CHECK(stream.waiting.empty() && stream.started == stream.finished,
               "no task continues when an iteration ends");
    times.push_back(stream.times);
    stream = Stream{};
  }
  process.iterations.add_streams(std::move(times));
}

}  // namespace weft::collectives
