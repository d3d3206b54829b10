#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "simcore/base/check.hpp"

/// Streams of ranks: tasks that follow one another, each carried out by one lane or several.
namespace weft::collectives {

namespace {

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
      start_task(turn);
      return true;
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
  const std::uint32_t own = job_of(turn.self).program->stream_of(turn.number);
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
                      .start = turn.context.now() - process.begin,
                      .number = process.computed++};
  for (std::uint32_t i = 0; i < process.streams.size() && !computing.is_slowed; ++i) {
    const Stream& stream = process.streams[i];
    computing.is_slowed = stream.started > stream.finished && job.program->slows_computing(rank, i);
  }
  const Picoseconds taken = job.program->computing_time(rank, computing);
  step.offset += std::max(std::int64_t{0}, (taken - job.program->planned_time(computing)).count());
  return taken;
}

void Executor::start_task(Turn turn) {
  Stream& stream = processes_[turn.self.value()].streams[turn.lane.step.peer];
  if (stream.started > turn.lane.step.count()) return;  // another lane was first
  ++stream.started;
  stream.started_at = turn.context.now();
  stream.started_block = turn.lane.step.block;
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
  if (is_new) ++stream.lanes_there;
  const std::uint32_t lanes =
      job_of(turn.self).program->lanes_of(workload_.rank_of(turn.self), number);
  if (!is_new || stream.lanes_there < lanes) {
    wait_for_stream(turn, stream);
    return false;
  }
  stream.lanes_there = 0;
  ++stream.finished;
  stream.finished_posted_at = stream.posted_at;
  if (number > 0 && is_watched(turn.self)) {  // what the first one does is the work of its lane
    watched_->add(turn.self, {.begin = stream.started_at,
                              .end = turn.context.now(),
                              .kind = Activity::Kind::kTask,
                              .place = static_cast<std::uint16_t>(number),
                              .number = stream.started_block});
  }
  // What had come before the task started was not what it waited for.
  stream.times.busy += turn.context.now() - std::max(stream.started_at, stream.posted_at);
  for (const std::uint16_t lane : stream.waiting) {
    make_ready(turn, lanes_[workload_.lane_index(turn.self, lane)], lane);
  }
  stream.waiting.clear();
  return true;
}

void Executor::note_received(Turn turn, ConnectionId connection) {
  if (posts_.empty() || !posts_[connection.value()]) return;
  const std::uint32_t number = job_of(turn.self).program->stream_of(turn.number);
  Stream& stream = processes_[turn.self.value()].streams[number];
  stream.posted_at = std::max(stream.posted_at, posts_[connection.value()]->take());
}

void Executor::end_streams(Turn turn) {
  Process& process = processes_[turn.self.value()];
  if (process.streams.empty()) return;
  if (turn.number != 0) {
    // The first stream has nothing left to do, and waits for the last one that has.
    const Lane& first = lanes_[workload_.lane_index(turn.self, 0)];
    const std::uint32_t last = job_of(turn.self).program->stream_of(turn.number);
    note_wait(process, last, first.waits_since, turn.context.now(),
              process.streams[last].finished_posted_at);
  }
  std::vector<StreamTimes> times;
  times.reserve(process.streams.size());
  for (Stream& stream : process.streams) {
    WEFT_CHECK(stream.waiting.empty() && stream.started == stream.finished,
               "no task goes on when an iteration ends");
    times.push_back(stream.times);
    stream = Stream{};
  }
  process.iterations.add_streams(std::move(times));
}

}  // namespace weft::collectives
