#include <algorithm>

#include "collectives/runtime/executor.hpp"
#include "collectives/steps/read_program.hpp"
#include "simcore/base/check.hpp"

/// What the steps of programs do, and what lanes wait for before they continue.
namespace weft::collectives {

bool Executor::execute(Turn turn) {
  if (!carry_out(turn)) return false;
  turn.lane.status = LaneStatus::kRunning;
  return true;
}

bool Executor::carry_out(Turn turn) {
  Lane& lane = turn.lane;
  const Step& step = lane.step;
  switch (step.kind) {
    case Step::Kind::kSend:
      return send(turn);
    case Step::Kind::kReceive:
      return receive(turn);
    case Step::Kind::kFlush:
      return continues(turn, lane.unacknowledged == 0, LaneStatus::kFlushing);
    case Step::Kind::kDelay:
      return sleep_until(turn, turn.context.now() + time_of_delay(turn));
    case Step::Kind::kWaitUntil:
      return sleep_until(turn, *processes_[turn.self.value()].begin + step.time());
    case Step::Kind::kControlEvent:
      turn.context.send_control_event(job_of(turn.self).process(step.peer), turn.number);
      return true;
    case Step::Kind::kAwaitControlEvents:
      return await_control_events(turn);
    case Step::Kind::kNotify:
      notify(turn);
      return true;
    case Step::Kind::kAwait:
      return await_lane(turn);
    case Step::Kind::kBegin:
      return begin_iteration(turn);
    case Step::Kind::kEnd:
      return end_iteration(turn);
    case Step::Kind::kRound:
      steps_watch_->on_round(turn.self, turn.number, step, turn.context.now());
      return true;
    case Step::Kind::kCopy:
      fail_check("programs spend the time of a copy as a delay", "false", __FILE_NAME__, __LINE__);
    default:
      return step.is_in_network() ? carry_out_in_network(turn) : carry_out_of_streams(turn);
  }
}

bool Executor::carry_out_in_network(Turn turn) {
  const Step& step = turn.lane.step;
  switch (step.kind) {
    case Step::Kind::kContribute:
      post_in_network(turn, workload_.reduction(turn.self, step.peer, turn.number));
      return true;
    case Step::Kind::kMulticast:
      post_in_network(turn, workload_.multicast(turn.self, turn.number));
      return true;
    case Step::Kind::kReceiveReduced:
      return receive_reduced(turn);
    default:
      return receive_multicast(turn);
  }
}

void Executor::begin_waiting(Turn turn, LaneStatus status) {
  if (turn.lane.status == status) return;  // it was checked again, and still waits
  turn.lane.status = status;
  turn.lane.waits_since = turn.context.now();
}

bool Executor::continues(Turn turn, bool has_come, LaneStatus waiting) {
  if (!has_come) {
    begin_waiting(turn, waiting);
    return false;
  }
  if (turn.lane.status == waiting) record_wait(turn);
  return true;
}

bool Executor::keeps_spans_of(ProcessId process) const {
  return spans_ == Spans::kOfAll ||
         (spans_ == Spans::kKept && job_of(process).program->is_explained());
}

void Executor::record_wait(Turn turn) {
  Lane& lane = turn.lane;
  const bool is_kept = keeps_spans_of(turn.self);
  const bool is_noted = is_watched(turn.self);
  if (lane.waits_since == turn.context.now() || (!is_kept && !is_noted)) return;
  Span span = waited(lane, turn.context.now());
  const Picoseconds excess =
      lane.status == LaneStatus::kSleeping ? lane.step.excess() : Picoseconds(0);
  Span beyond = span;
  if (excess > Picoseconds(0)) {
    beyond.begin = std::max(span.begin, span.end - excess);
    beyond.work = Step::Work::kExcess;
  }
  const bool is_split = excess > Picoseconds(0);
  if (is_kept && (!is_split || spans_ != Spans::kOfAll)) lane.spans.add(span);
  if (is_split) span.end = beyond.begin;
  if (is_kept && is_split && spans_ == Spans::kOfAll) {
    if (span.end > span.begin) lane.spans.add(span);
    lane.spans.add(beyond);
  }
  if (!is_noted) return;
  note(turn.self, turn.number, span, lane.step.block);
  if (is_split) note(turn.self, turn.number, beyond, lane.step.block);
}

Span Executor::waited(const Lane& lane, Picoseconds now) const {
  Span span;
  span.begin = lane.waits_since;
  span.end = now;
  // Who reads waits for data where others wait for acknowledgements.
  const bool is_read =
      lane.status == LaneStatus::kFlushing && workload_.carries_read_data(lane.connection);
  switch (is_read ? LaneStatus::kReceiving : lane.status) {
    case LaneStatus::kReceiving:
      span.kind = Span::Kind::kReceive;
      span.connection = lane.connection;
      span.ordinal = lane.received - 1;
      if (const std::uint32_t relay = workload_.relay_of(lane.connection);
          relay != Workload::kNoRelay) {
        // A lane that waits takes a message as soon as it is complete.
        span.ordinal = relays_[relay].chunks_received - 1;
        span.chunks = relays_[relay].received.chunks();
      }
      break;
    case LaneStatus::kAwaitingLane:
    case LaneStatus::kAwaitingStream:
      span.kind = Span::Kind::kLane;
      span.ordinal = lane.notifier;
      break;
    case LaneStatus::kAwaitingControlEvents:
      span.kind = Span::Kind::kControlEvent;
      span.ordinal = lane.notifier;
      break;
    case LaneStatus::kAwaitingWindow:
    case LaneStatus::kFlushing:
      span.kind = Span::Kind::kAcknowledgement;
      span.connection = lane.connection;
      break;
    default:
      span.work = lane.step.work;
      break;
  }
  return span;
}

bool Executor::await_control_events(Turn turn) {
  Lane& lane = turn.lane;
  const std::int64_t awaited = lane.step.count();
  if (!continues(turn, lane.control_events >= awaited, LaneStatus::kAwaitingControlEvents))
    return false;
  lane.control_events -= awaited;
  return true;
}

bool Executor::await_lane(Turn turn) {
  if (!continues(turn, turn.lane.events > 0, LaneStatus::kAwaitingLane)) return false;
  --turn.lane.events;
  return true;
}

void Executor::notify(Turn turn) {
  Lane& other = lanes_[workload_.lane_index(turn.self, turn.lane.step.peer)];
  ++other.events;
  if (other.status == LaneStatus::kAwaitingLane) make_ready(turn, other, turn.lane.step.peer);
}

void Executor::take_events(ProcessId process, std::uint32_t lane, std::uint32_t count) {
  std::uint32_t& events = lanes_[workload_.lane_index(process, lane)].events;
  WEFT_CHECK(events >= count, "a lane that is through has notified of all that it did");
  events -= count;
}

void Executor::make_ready(Turn turn, Lane& other, std::uint32_t number) {
  other.notifier = turn.number;
  processes_[turn.self.value()].ready.push_back(static_cast<std::uint16_t>(number));
}

bool Executor::begin_iteration(Turn turn) {
  Process& process = processes_[turn.self.value()];
  if (turn.number == 0) {
    process.iterations.begin(turn.context.now());
    const std::uint32_t lanes = process.streams.empty() ? job_of(turn.self).lanes : 0;
    for (std::uint32_t i = 0; i < lanes; ++i) {
      restart(turn.context, workload_.lane_index(turn.self, i));
    }
    wake_lanes(turn);
    return true;
  }
  const bool has_begun = std::int64_t{process.iterations.begun()} > turn.lane.step.count();
  return continues(turn, has_begun, LaneStatus::kAwaitingLane);
}

bool Executor::end_iteration(Turn turn) {
  Process& process = processes_[turn.self.value()];
  const bool has_ended = std::int64_t{process.iterations.ended()} > turn.lane.step.count();
  if (has_ended) {
    record_wait(turn);
    return true;
  }
  if (turn.lane.status == LaneStatus::kAwaitingLane) return false;
  if (++process.lanes_at_end < job_of(turn.self).lanes) {
    begin_waiting(turn, LaneStatus::kAwaitingLane);
    return false;
  }
  process.lanes_at_end = 0;
  process.iterations.end(turn.context.now(), static_cast<std::uint16_t>(turn.number));
  if (is_watched(turn.self)) {
    const std::uint32_t number = process.iterations.ended() - 1;
    watched_->add(turn.self, {.begin = process.iterations[number].begin,
                              .end = turn.context.now(),
                              .kind = Activity::Kind::kIteration,
                              .number = number});
  }
  if (steps_watch_ != nullptr) steps_watch_->on_iteration_end(turn.self, turn.context.now());
  end_streams(turn);
  wake_lanes(turn);
  return true;
}

void Executor::wake_lanes(Turn turn) {
  const std::uint32_t lanes = job_of(turn.self).lanes;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    Lane& other = lanes_[workload_.lane_index(turn.self, i)];
    if (i == turn.number || other.status != LaneStatus::kAwaitingLane) continue;
    make_ready(turn, other, i);
  }
}

bool Executor::send(Turn turn) {
  const JobPlan& job = job_of(turn.self);
  Lane& lane = turn.lane;
  const ConnectionId connection =
      workload_.find(turn.self, job.process(lane.step.peer), turn.number);
  WEFT_CHECK(!connection.is_none(), "a program sends to its send_peers only");
  lane.connection = connection;
  const std::uint32_t window = job.program->transfers().window(place_of(turn));
  const bool is_open = window == 0 || outstanding_[connection.value()] < window;
  if (!continues(turn, is_open, LaneStatus::kAwaitingWindow)) return false;
  const Bytes size = job.reads()
                         ? kReadRequest
                         : job.program->transfers().wire_size(place_of(turn), lane.step.bytes());
  if (job.reads()) reads_[connection.value()]->append(lane.step.bytes());
  Process& process = processes_[turn.self.value()];
  ++process.messages;
  process.bytes += size;
  ++outstanding_[connection.value()];
  ++lane.unacknowledged;
  if (!posts_.empty() && posts_[connection.value()]) {
    posts_[connection.value()]->append(turn.context.now());
  }
  post(turn, connection, size);
  return true;
}

void Executor::post(Turn turn, ConnectionId connection, Bytes size) {
  const std::uint32_t relay = workload_.relay_of(connection);
  if (relay == Workload::kNoRelay) {
    turn.context.post(connection, size);
    return;
  }
  relays_[relay].sizes.append(size);
  for (Bytes left = size; left > 0_B; left = left - std::min(left, workload_.relay_chunk())) {
    turn.context.post(connection, std::min(left, workload_.relay_chunk()));
  }
}

bool Executor::receive(Turn turn) {
  Lane& lane = turn.lane;
  const ConnectionId connection =
      workload_.find(job_of(turn.self).process(lane.step.peer), turn.self, turn.number);
  WEFT_CHECK(!connection.is_none(), "somebody sends what a program waits for");
  lane.connection = last_leg(connection);
  if (!take(turn, arrivals_.of(lane.connection))) return false;
  note_received(turn, connection);
  return true;
}

bool Executor::take(Turn turn, Arrivals& arrivals) {
  if (arrivals.waiting == 0) {
    begin_waiting(turn, LaneStatus::kReceiving);
    return false;
  }
  --arrivals.waiting;
  turn.lane.received = ++arrivals.received;
  if (turn.lane.status == LaneStatus::kReceiving) record_wait(turn);
  return true;
}

void Executor::post_in_network(Turn turn, ConnectionId connection) {
  const Bytes size =
      job_of(turn.self).program->transfers().wire_size(place_of(turn), turn.lane.step.bytes());
  Process& process = processes_[turn.self.value()];
  ++process.messages;
  process.bytes += size;
  turn.context.post(connection, size);
}

bool Executor::receive_reduced(Turn turn) {
  const std::uint32_t own = workload_.rank_of(turn.self);
  turn.lane.connection = workload_.reduction(turn.self, own, turn.number);
  return take(turn, arrivals_.of(turn.lane.connection));
}

bool Executor::receive_multicast(Turn turn) {
  const ProcessId source = job_of(turn.self).process(turn.lane.step.peer);
  turn.lane.connection = workload_.multicast(source, turn.number);
  return take(turn, multicasts_from(turn, source));
}

Arrivals& Executor::multicasts_from(Turn turn, ProcessId source) const {
  std::vector<Arrivals>& by_place = turn.lane.multicasts;
  const std::uint32_t place = workload_.place_in_group(source, turn.number);
  if (by_place.size() <= place) by_place.resize(place + 1);
  return by_place[place];
}

bool Executor::sleep_until(Turn turn, Picoseconds time) {
  if (time <= turn.context.now()) return true;
  begin_waiting(turn, LaneStatus::kSleeping);
  const Step spent = turn.lane.step;
  // For who asks what the lane waits for: it continues behind this step.
  turn.lane.step = Step::wait_until(time);
  turn.lane.step.work = spent.work;
  turn.lane.step.offset = spent.offset;
  turn.lane.step.block = spent.block;
  turn.context.wake_at(time, turn.number);
  return false;
}

}  // namespace weft::collectives
