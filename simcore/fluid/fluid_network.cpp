#include "simcore/fluid/fluid_network.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft {
namespace {

/// Where an event takes microseconds, the observer is asked now and then; where a solve of all that
/// flows stands behind each, by the clock.
constexpr std::uint64_t kEventsPerObservation = 64;
constexpr std::chrono::milliseconds kBetweenObservations{50};

}  // namespace

class FluidNetwork::Context final : public ProcessContext {
 public:
  Context(FluidNetwork& network, ProcessId self) : network_(network), self_(self) {}

  [[nodiscard]] Picoseconds now() const override { return network_.now_; }

  void post(ConnectionId connection, Bytes size) override {
    WEFT_CHECK(network_.connections_[connection.value()].source == self_,
               "a process posts on its own connections only");
    WEFT_CHECK(size >= Bytes(1), "a message has bytes");
    network_.post(connection, size);
  }

  void wake_at(Picoseconds time, std::uint64_t token) override {
    WEFT_CHECK(time >= now(), "nobody wakes in the past");
    network_.push(time, Kind::kWake, self_.value(), 0, token);
  }

  void send_control_event(ProcessId to, std::uint64_t token) override {
    network_.push(now() + network_.plan_.control_latency, Kind::kControlEvent, to.value(),
                  self_.value(), token);
  }

  void set_job_timer(Picoseconds time, ProcessId process, std::uint32_t number) override {
    WEFT_CHECK(time >= now(), "nobody wakes in the past");
    network_.events_.push({time.count(), Kind::kJobTimer, process.value(), number, 0, number});
  }

 private:
  FluidNetwork& network_;
  ProcessId self_;
};

FluidNetwork::FluidNetwork(std::size_t processes, std::vector<Connection> connections, Plan plan)
    : processes_(processes),
      connections_(std::move(connections)),
      plan_(std::move(plan)),
      max_queue_pairs_(std::max(plan_.queue_pairs, max_queue_pairs(connections_))),
      solver_(make_flow_solver(plan_.capacities, connections_.size() * max_queue_pairs_)),
      queue_pairs_(connections_.size() * max_queue_pairs_),
      next_queue_pair_(connections_.size()),
      delivered_parts_(plan_.is_split ? queue_pairs_.size() : 0),
      acknowledged_parts_(delivered_parts_) {}

FluidNetwork::Status FluidNetwork::run(ProcessHandler& handler, std::optional<Picoseconds> until,
                                       Picoseconds measured_from, const Observer& observer) {
  handler_ = &handler;
  observer_ = observer;
  is_limited_ = until.has_value();
  push(std::min(until.value_or(kLongestRun), kLongestRun), Kind::kLimit, 0);
  if (measured_from > Picoseconds(0)) push(measured_from, Kind::kMeasure, 0);
  for (std::uint32_t i = 0; i < plan_.changes.size(); ++i) {
    push(plan_.changes[i].at, Kind::kCapacity, i);
  }
  for (std::size_t i = 0; i < processes_; ++i) {
    Context context(*this, ProcessId(i));
    handler.on_start(context, ProcessId(i));
  }
  solver_->set_timer(Picoseconds(events_.top().time));
  solver_->run(*this);
  return status_;
}

void FluidNetwork::push(Picoseconds time, Kind kind, std::uint32_t target, std::uint32_t source,
                        std::uint64_t token) {
  events_.push({time.count(), kind, target, next_number_++, source, token});
}

void FluidNetwork::on_timer(Picoseconds time) {
  while (!is_stopped_ && !events_.empty() && Picoseconds(events_.top().time) <= time) {
    const Event event = events_.top();
    events_.pop();
    dispatch(event);
    ++events_done_;
    observe();
  }
  if (!is_stopped_ && !events_.empty()) solver_->set_timer(Picoseconds(events_.top().time));
}

/// Wall time never changes what is simulated: it is only when somebody may stop it.
void FluidNetwork::observe() {
  if (!observer_) return;
  const auto now = std::chrono::steady_clock::now();
  if (events_done_ % kEventsPerObservation != 0 && now - observed_at_ < kBetweenObservations)
    return;
  observed_at_ = now;
  if (!observer_(now_, delivered_)) stop(Status::kInterrupted);
}

void FluidNetwork::on_drained(std::uint32_t flow, Picoseconds at) {
  const QueuePair& qp = queue_pairs_[flow];
  // The solver joins completions within a picosecond, and late in a long run its clock is coarser.
  const Picoseconds end = std::max({at, now_, qp.flowing_since + qp.transfer.min_flowing});
  push(end, Kind::kDelivered, flow);
  solver_->set_timer(end);
}

void FluidNetwork::dispatch(const Event& event) {
  if (event.kind == Kind::kLimit) {
    // Unless nothing is left to happen, in which case the limit is not reached.
    if (flowing_ > 0 || !events_.empty()) {
      if (is_limited_) now_ = Picoseconds(event.time);
      stop(Status::kTimeLimit);
    }
    return;
  }
  if (event.kind == Kind::kMeasure) return begin_measurement();
  if (event.kind == Kind::kCapacity) {
    const CapacityChange& change = plan_.changes[event.target];
    return solver_->set_capacity(change.link, change.capacity);
  }
  now_ = Picoseconds(event.time);
  switch (event.kind) {
    case Kind::kDelivered:
      return deliver(event.target);
    case Kind::kAcknowledged:
      return acknowledge(event.source);
    case Kind::kControlEvent: {
      Context context(*this, ProcessId(event.target));
      return handler_->on_control_event(context, ProcessId(event.target), ProcessId(event.source),
                                        event.token);
    }
    case Kind::kWake: {
      Context context(*this, ProcessId(event.target));
      return handler_->on_wake(context, ProcessId(event.target), event.token);
    }
    case Kind::kJobTimer: {
      Context context(*this, ProcessId(event.target));
      (void)handler_->on_job_timer(context, ProcessId(event.target),
                                   static_cast<std::uint32_t>(event.token));
      return;
    }
    default:
      return begin_flow(event.target);
  }
}

bool FluidNetwork::is_whole(PartCounts& parts, const FluidMessage& message) const {
  if (!is_split(message.connection)) return true;
  return parts.add(index_of(message.connection, 0),
                   queue_pairs_of(connections_[message.connection.value()]),
                   index_of(message.connection, message.queue_pair));
}

void FluidNetwork::post(ConnectionId connection, Bytes size) {
  if (is_split(connection)) {
    const std::uint32_t queue_pairs = queue_pairs_of(connections_[connection.value()]);
    for (std::uint32_t i = 0; i < queue_pairs; ++i) {
      post_on(connection, i, part_of(size, queue_pairs, i), size);
    }
    return;
  }
  std::uint32_t& next = next_queue_pair_[connection.value()];
  const std::uint32_t queue_pair = next;
  next = next + 1 == queue_pairs_of(connections_[connection.value()]) ? 0 : next + 1;
  post_on(connection, queue_pair, size, size);
}

void FluidNetwork::post_on(ConnectionId connection, std::uint32_t queue_pair, Bytes size,
                           Bytes whole) {
  const auto number = static_cast<std::uint32_t>(messages_.size());
  messages_.push_back({.connection = connection,
                       .queue_pair = queue_pair,
                       .bytes = size,
                       .whole = whole,
                       .posted = now_,
                       .delivered = {},
                       .acknowledged = {},
                       .next = kNone});
  const auto index = static_cast<std::uint32_t>(index_of(connection, queue_pair));
  QueuePair& qp = queue_pairs_[index];
  if (qp.present == kNone) {
    present(index, number);
  } else {
    messages_[qp.last].next = number;
  }
  qp.last = number;
}

void FluidNetwork::present(std::uint32_t index, std::uint32_t number) {
  QueuePair& qp = queue_pairs_[index];
  const FluidMessage& message = messages_[number];
  qp.present = number;
  qp.transfer = plan_.transfer_of(message.connection, message.queue_pair, message.bytes);
  if (is_split(message.connection)) {
    qp.transfer.before += plan_.part_delay(message.connection, message.queue_pair, message.whole);
  }
  push(std::max(now_, message.posted + qp.transfer.before), Kind::kFlow, index);
}

void FluidNetwork::begin_flow(std::uint32_t index) {
  QueuePair& qp = queue_pairs_[index];
  if (qp.route == kNone) {
    const FluidMessage& message = messages_[qp.present];
    const auto links = plan_.route_of(message.connection, message.queue_pair);
    if (links.empty()) return deliver(index);
    qp.route = solver_->add_route(links);
  }
  qp.flows = true;
  qp.flowing_since = now_;
  qp.counted_before = 0;
  ++flowing_;
  solver_->start(index, qp.route, qp.transfer.wire_bytes);
}

void FluidNetwork::deliver(std::uint32_t index) {
  QueuePair& qp = queue_pairs_[index];
  const std::uint32_t number = qp.present;
  FluidMessage& message = messages_[number];
  message.delivered = now_;
  ++delivered_;
  if (qp.flows) {
    qp.flows = false;
    --flowing_;
    qp.carried += static_cast<double>(qp.transfer.wire_bytes.count()) - qp.counted_before;
  }
  const Connection& connection = connections_[message.connection.value()];
  if (qp.transfer.acknowledged_after) {
    push(now_ + *qp.transfer.acknowledged_after, Kind::kAcknowledged, connection.source.value(),
         number);
  }
  qp.present = kNone;
  if (message.next != kNone) present(index, message.next);
  if (!is_whole(delivered_parts_, message)) return;
  Context context(*this, connection.destination);
  handler_->on_delivered(context, connection.destination, message.connection);
}

void FluidNetwork::acknowledge(std::uint32_t number) {
  FluidMessage& message = messages_[number];
  message.acknowledged = now_;
  if (!is_whole(acknowledged_parts_, message)) return;
  const ConnectionId connection = message.connection;
  const ProcessId self = connections_[connection.value()].source;
  Context context(*this, self);
  handler_->on_acknowledged(context, self, connection);
}

void FluidNetwork::count_present_flows() {
  for (std::size_t i = 0; i < queue_pairs_.size(); ++i) {
    QueuePair& qp = queue_pairs_[i];
    if (!qp.flows) continue;
    const double flowed = static_cast<double>(qp.transfer.wire_bytes.count()) -
                          solver_->remaining_bytes(static_cast<std::uint32_t>(i));
    qp.carried += flowed - qp.counted_before;
    qp.counted_before = flowed;
  }
}

void FluidNetwork::begin_measurement() {
  count_present_flows();
  for (QueuePair& qp : queue_pairs_) qp.carried = 0;
}

void FluidNetwork::stop(Status status) {
  count_present_flows();
  status_ = status;
  is_stopped_ = true;
  solver_->stop();
}

}  // namespace weft
