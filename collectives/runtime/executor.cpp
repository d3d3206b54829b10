#include "collectives/runtime/executor.hpp"

#include <algorithm>

#include "simcore/base/check.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::collectives {

namespace {

/// Numbers connections by destination, those to the same one by connection.
std::vector<std::uint32_t> number_by_destination(const Workload& workload) {
  const std::vector<Connection>& connections = workload.connections();
  std::vector<std::uint32_t> next(workload.process_hosts().size() + 1);
  for (const Connection& c : connections) ++next[c.destination.value() + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> slots(connections.size());
  for (std::size_t i = 0; i < connections.size(); ++i) {
    slots[i] = next[connections[i].destination.value()]++;
  }
  return slots;
}

/// Marks the token of an alarm for a message; the rest is its connection.
constexpr std::uint64_t kMessageToken = std::uint64_t{1} << 63U;

std::string time_text(Picoseconds time) {
  return quantity_text(time.count(), dimension_of<Picoseconds>());
}

}  // namespace

Executor::Executor(const Workload& workload, Spans spans)
    : workload_(workload),
      keeps_spans_(spans == Spans::kKept),
      processes_(workload.process_hosts().size()),
      lanes_(workload.lane_count()),
      outstanding_(workload.connections().size()),
      arrived_(workload.connections().size()),
      received_(workload.connections().size()),
      slot_of_connection_(number_by_destination(workload)),
      relays_(workload.relays().size()) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    processes_[i].unfinished_lanes = workload.jobs()[workload.job_of(ProcessId(i))].lanes;
  }
}

void Executor::on_start(ProcessContext& context, ProcessId self) {
  const JobPlan& job = workload_.jobs()[workload_.job_of(self)];
  for (std::uint32_t i = 0; i < job.lanes; ++i) {
    if (job.start > context.now()) {
      context.wake_at(job.start, i);
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
  const Picoseconds latency = job_of(self).program->receive_latency(
      workload_.rank_of(workload_.origin_of(connection)), workload_.rank_of(self));
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
  const Turn t = turn(context, self, workload_.lane_of(connection));
  const Connection& c = workload_.connections()[connection.value()];
  if (c.kind == Connection::Kind::kMulticast) {
    ++multicasts_from(t, c.source).arrived;
  } else {
    ++arrived_[slot_of_connection_[connection.value()]];
  }
  if (t.lane.status == LaneStatus::kReceiving && t.lane.connection == connection) run(t);
}

void Executor::on_acknowledged(ProcessContext& context, ProcessId self, ConnectionId connection) {
  if (const std::uint32_t relay = workload_.relay_of(connection); relay != Workload::kNoRelay) {
    if (workload_.relays()[relay].second == connection) return;
    RelayState& state = relays_[relay];
    (void)state.acknowledged.take(state.sizes, workload_.relay_chunk());
    if (!state.acknowledged.is_message_complete()) return;
  }
  const Turn t = turn(context, self, workload_.lane_of(connection));
  WEFT_CHECK(outstanding_[connection.value()] > 0, "one acknowledgement per message");
  --outstanding_[connection.value()];
  --t.lane.unacknowledged;
  const bool may_go_on =
      (t.lane.status == LaneStatus::kFlushing && t.lane.unacknowledged == 0) ||
      (t.lane.status == LaneStatus::kAwaitingWindow && t.lane.connection == connection);
  if (may_go_on) run(t);
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
    WEFT_CHECK(t.lane.status == LaneStatus::kSleeping, "a lane has one alarm at a time");
    record_wait(t);
    t.lane.status = LaneStatus::kRunning;
    run(t);
  }
}

void Executor::on_signal(ProcessContext& context, ProcessId self, ProcessId, std::uint64_t token) {
  const Turn t = turn(context, self, static_cast<std::uint32_t>(token));
  ++t.lane.signals;
  if (t.lane.status == LaneStatus::kAwaitingSignals) run(t);
}

Executor::Turn Executor::turn(ProcessContext& context, ProcessId self, std::uint32_t number) {
  return {context, self, number, lanes_[workload_.lane_index(self, number)]};
}

void Executor::begin(Turn turn) {
  turn.lane.source = job_of(turn.self).program->steps(workload_.rank_of(turn.self), turn.number);
  turn.lane.status = LaneStatus::kRunning;
  run(turn);
}

void Executor::run(Turn first) {
  Process& process = processes_[first.self.value()];
  run_lane(first);
  if (process.is_resuming) return;
  process.is_resuming = true;
  for (std::size_t i = 0; i < process.ready.size(); ++i) {
    const Turn next = turn(first.context, first.self, process.ready[i]);
    if (next.lane.status == LaneStatus::kAwaitingLane) run_lane(next);
  }
  process.ready.clear();
  process.is_resuming = false;
}

void Executor::run_lane(Turn turn) {
  // A lane that waits for something countable looks again; one that slept goes on.
  if (turn.lane.status != LaneStatus::kRunning && !execute(turn)) return;
  Process& process = processes_[turn.self.value()];
  process.last_progress = turn.context.now();
  while (turn.lane.source->next(turn.lane.step)) {
    if (!execute(turn)) return;
  }
  turn.lane.status = LaneStatus::kDone;
  turn.lane.source.reset();
  --process.unfinished_lanes;
}

void Executor::begin_waiting(Turn turn, LaneStatus status) {
  if (turn.lane.status == status) return;  // it looked again in vain
  turn.lane.status = status;
  turn.lane.waits_since = turn.context.now();
}

void Executor::record_wait(Turn turn) {
  Lane& lane = turn.lane;
  if (!keeps_spans_ || lane.waits_since == turn.context.now()) return;
  if (job_of(turn.self).program->iterations() == 0) return;
  Span span;
  span.begin = lane.waits_since;
  span.end = turn.context.now();
  switch (lane.status) {
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
      span.kind = Span::Kind::kLane;
      span.ordinal = lane.notifier;
      break;
    case LaneStatus::kAwaitingWindow:
    case LaneStatus::kAwaitingSignals:
    case LaneStatus::kFlushing:
      span.kind = Span::Kind::kWindow;
      break;
    default:
      span.work = lane.step.work;
      break;
  }
  lane.spans.add(span);
}

bool Executor::execute(Turn turn) {
  Lane& lane = turn.lane;
  switch (lane.step.kind) {
    case Step::Kind::kSend:
      if (!send(turn)) return false;
      break;
    case Step::Kind::kReceive:
      if (!receive(turn)) return false;
      break;
    case Step::Kind::kFlush:
      if (lane.unacknowledged > 0) {
        begin_waiting(turn, LaneStatus::kFlushing);
        return false;
      }
      if (lane.status == LaneStatus::kFlushing) record_wait(turn);
      break;
    case Step::Kind::kDelay:
      return sleep_until(turn, turn.context.now() + lane.step.time());
    case Step::Kind::kWaitUntil:
      return sleep_until(turn, lane.step.time());
    case Step::Kind::kSignal:
      turn.context.signal(job_of(turn.self).process(lane.step.peer), turn.number);
      break;
    case Step::Kind::kAwaitSignals:
      if (lane.signals < lane.step.count()) {
        begin_waiting(turn, LaneStatus::kAwaitingSignals);
        return false;
      }
      if (lane.status == LaneStatus::kAwaitingSignals) record_wait(turn);
      lane.signals -= lane.step.count();
      break;
    case Step::Kind::kNotify: {
      Lane& other = lanes_[workload_.lane_index(turn.self, lane.step.peer)];
      ++other.events;
      if (other.status != LaneStatus::kAwaitingLane) break;
      other.notifier = turn.number;
      processes_[turn.self.value()].ready.push_back(static_cast<std::uint8_t>(lane.step.peer));
      break;
    }
    case Step::Kind::kAwait:
      if (lane.events == 0) {
        begin_waiting(turn, LaneStatus::kAwaitingLane);
        return false;
      }
      if (lane.status == LaneStatus::kAwaitingLane) record_wait(turn);
      --lane.events;
      break;
    case Step::Kind::kBegin:
      if (!begin_iteration(turn)) return false;
      break;
    case Step::Kind::kEnd:
      if (!end_iteration(turn)) return false;
      break;
    case Step::Kind::kCopy:
      WEFT_CHECK(false, "programs spend the time of a copy as a delay");
      break;
    case Step::Kind::kContribute:
      post_in_network(turn, workload_.reduction(turn.self, lane.step.peer, turn.number));
      break;
    case Step::Kind::kMulticast:
      post_in_network(turn, workload_.multicast(turn.self, turn.number));
      break;
    case Step::Kind::kReceiveReduced:
      if (!receive_reduced(turn)) return false;
      break;
    case Step::Kind::kReceiveMulticast:
      if (!receive_multicast(turn)) return false;
      break;
  }
  lane.status = LaneStatus::kRunning;
  return true;
}

void Executor::forget_before(std::uint32_t job, std::uint32_t iteration) {
  const JobPlan& plan = workload_.jobs()[job];
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const ProcessId process = plan.process(rank);
    IterationLog& iterations = processes_[process.value()].iterations;
    if (iteration == 0 || !iterations.knows(iteration - 1)) continue;
    const Picoseconds end = iterations[iteration - 1].end;
    for (std::uint32_t lane = 0; lane < plan.lanes; ++lane) {
      // One that ends with the iteration may be the beginning of the next one.
      lanes_[workload_.lane_index(process, lane)].spans.forget_before(end);
    }
    iterations.forget_before(iteration);
  }
}

bool Executor::begin_iteration(Turn turn) {
  Process& process = processes_[turn.self.value()];
  if (turn.number == 0) {
    process.iterations.begin(turn.context.now());
    wake_lanes(turn);
  } else if (std::int64_t{process.iterations.begun()} <= turn.lane.step.count()) {
    begin_waiting(turn, LaneStatus::kAwaitingLane);
    return false;
  } else if (turn.lane.status == LaneStatus::kAwaitingLane) {
    record_wait(turn);
  }
  return true;
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
  process.iterations.end(turn.context.now(), static_cast<std::uint8_t>(turn.number));
  wake_lanes(turn);
  return true;
}

void Executor::wake_lanes(Turn turn) {
  const std::uint32_t lanes = job_of(turn.self).lanes;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    Lane& other = lanes_[workload_.lane_index(turn.self, i)];
    if (i == turn.number || other.status != LaneStatus::kAwaitingLane) continue;
    other.notifier = turn.number;
    processes_[turn.self.value()].ready.push_back(static_cast<std::uint8_t>(i));
  }
}

bool Executor::send(Turn turn) {
  const JobPlan& job = job_of(turn.self);
  Lane& lane = turn.lane;
  const ConnectionId connection =
      workload_.find(turn.self, job.process(lane.step.peer), turn.number);
  WEFT_CHECK(!connection.is_none(), "a program sends to its send_peers only");
  const std::uint32_t window = job.program->window();
  if (window > 0 && outstanding_[connection.value()] >= window) {
    lane.connection = connection;
    begin_waiting(turn, LaneStatus::kAwaitingWindow);
    return false;
  }
  if (lane.status == LaneStatus::kAwaitingWindow) record_wait(turn);
  const Bytes size = job.program->wire_size(lane.step.bytes());
  Process& process = processes_[turn.self.value()];
  ++process.messages;
  process.bytes += size;
  ++outstanding_[connection.value()];
  ++lane.unacknowledged;
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
  const std::uint32_t slot = slot_of_connection_[lane.connection.value()];
  return take(turn, arrived_[slot], received_[slot]);
}

bool Executor::take(Turn turn, std::uint32_t& arrived, std::uint32_t& received) {
  if (arrived == 0) {
    begin_waiting(turn, LaneStatus::kReceiving);
    return false;
  }
  --arrived;
  turn.lane.received = ++received;
  if (turn.lane.status == LaneStatus::kReceiving) record_wait(turn);
  return true;
}

void Executor::post_in_network(Turn turn, ConnectionId connection) {
  const Bytes size = job_of(turn.self).program->wire_size(turn.lane.step.bytes());
  Process& process = processes_[turn.self.value()];
  ++process.messages;
  process.bytes += size;
  turn.context.post(connection, size);
}

bool Executor::receive_reduced(Turn turn) {
  const std::uint32_t own = workload_.rank_of(turn.self);
  turn.lane.connection = workload_.reduction(turn.self, own, turn.number);
  const std::uint32_t slot = slot_of_connection_[turn.lane.connection.value()];
  return take(turn, arrived_[slot], received_[slot]);
}

bool Executor::receive_multicast(Turn turn) {
  const ProcessId source = job_of(turn.self).process(turn.lane.step.peer);
  turn.lane.connection = workload_.multicast(source, turn.number);
  Multicasts& multicasts = multicasts_from(turn, source);
  return take(turn, multicasts.arrived, multicasts.received);
}

Executor::Multicasts& Executor::multicasts_from(Turn turn, ProcessId source) const {
  std::vector<Multicasts>& by_place = turn.lane.multicasts;
  const std::uint32_t place = workload_.place_in_group(source);
  if (by_place.size() <= place) by_place.resize(place + 1);
  return by_place[place];
}

bool Executor::sleep_until(Turn turn, Picoseconds time) {
  if (time <= turn.context.now()) return true;
  begin_waiting(turn, LaneStatus::kSleeping);
  const Step::Work work = turn.lane.step.work;
  turn.lane.step = Step::wait_until(time);
  turn.lane.step.work = work;
  turn.context.wake_at(time, turn.number);
  return false;
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
  outcome.start = outcome.end = plan.start;
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
  std::vector<std::string> sentences;
  std::size_t others = 0;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const ProcessId process(i);
    const std::uint32_t lanes = workload_.jobs()[workload_.job_of(process)].lanes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (lanes_[workload_.lane_index(process, lane)].status == LaneStatus::kDone) continue;
      if (sentences.size() < limit) {
        sentences.push_back(describe(process, lane, host_name));
      } else {
        ++others;
      }
    }
  }
  if (others > 0) sentences.push_back("and " + std::to_string(others) + " more wait");
  return sentences;
}

std::string Executor::describe(ProcessId process, std::uint32_t number,
                               const std::function<std::string(HostId)>& host_name) const {
  const JobPlan& job = workload_.jobs()[workload_.job_of(process)];
  const auto rank_name = [&](ProcessId p) {
    return "rank " + std::to_string(workload_.rank_of(p));
  };
  const auto place = [&](ProcessId p) {
    return " (" + host_name(workload_.process_hosts()[p.value()]) + ")";
  };
  const std::string lane = job.lanes > 1 ? ", lane " + std::to_string(number) + "," : "";
  return rank_name(process) + " of job " + job.name + place(process) + lane + " waits " +
         describe_wait(process, number,
                       [&](ProcessId peer) { return rank_name(peer) + place(peer); });
}

std::string Executor::describe_wait(ProcessId process, std::uint32_t number,
                                    const std::function<std::string(ProcessId)>& peer_name) const {
  const std::uint32_t index = workload_.lane_index(process, number);
  const Lane& lane = lanes_[index];
  switch (lane.status) {
    case LaneStatus::kNotStarted:
      return "until the job starts at " +
             time_text(workload_.jobs()[workload_.job_of(process)].start);
    case LaneStatus::kReceiving:
      return "for a message from " + peer_name(workload_.origin_of(lane.connection));
    case LaneStatus::kFlushing: {
      auto [connection, end] = workload_.sends_of(index);
      while (connection + 1 < end && outstanding_[connection] == 0) ++connection;
      return "for the acknowledgement of a message to " +
             peer_name(workload_.target_of(ConnectionId(connection)));
    }
    case LaneStatus::kAwaitingLane:
      return "for another lane of the rank";
    case LaneStatus::kAwaitingWindow:
      return "for the acknowledgement of one of " +
             std::to_string(outstanding_[lane.connection.value()]) + " messages to " +
             peer_name(workload_.target_of(lane.connection));
    case LaneStatus::kSleeping:
      return "until " + time_text(lane.step.time());
    case LaneStatus::kAwaitingSignals:
      return "for signals: " + std::to_string(lane.signals) + " of " +
             std::to_string(lane.step.count()) + " have come";
    case LaneStatus::kRunning:
    case LaneStatus::kDone:
      break;
  }
  return "for nothing";
}

}  // namespace weft::collectives
