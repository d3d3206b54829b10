#include "simcore/messages/zero_load_network.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft {

class ZeroLoadNetwork::Context final : public ProcessContext {
 public:
  Context(ZeroLoadNetwork& network, ProcessId self, Picoseconds now)
      : network_(network), self_(self), now_(now) {}

  [[nodiscard]] Picoseconds now() const override { return now_; }

  void post(ConnectionId connection, Bytes size) override {
    const Connection& c = network_.connections_[connection.value()];
    WEFT_CHECK(c.source == self_, "a process posts on its own connections only");
    WEFT_CHECK(size.count() >= 1, "a message has bytes");
    const Delay delay = network_.delay_of_(connection, size, now_);
    if (c.kind == Connection::Kind::kReduce) {
      network_.contribute(connection, now_ + delay.delivered);
      return;
    }
    if (c.kind == Connection::Kind::kMulticast) {
      for (const ProcessId member : network_.groups_[c.group].members) {
        network_.push(now_ + delay.delivered, Kind::kDelivered, member, connection.value(), 0);
      }
      return;
    }
    network_.push(now_ + delay.delivered, Kind::kDelivered, c.destination, connection.value(), 0);
    if (delay.acknowledged) {
      network_.push(now_ + *delay.acknowledged, Kind::kAcknowledged, self_, connection.value(), 0);
    }
  }

  void wake_at(Picoseconds time, std::uint64_t token) override {
    WEFT_CHECK(time >= now_, "nobody wakes in the past");
    network_.push(time, Kind::kWake, self_, 0, token);
  }

  void send_control_event(ProcessId to, std::uint64_t token) override {
    network_.push(now_ + network_.control_latency_, Kind::kControlEvent, to, self_.value(), token);
  }

  void set_job_timer(Picoseconds time, ProcessId process, std::uint32_t number) override {
    WEFT_CHECK(time >= now_, "nobody wakes in the past");
    network_.events_.push({time.count(), Kind::kJobTimer, process, number, 0, number});
  }

 private:
  ZeroLoadNetwork& network_;
  ProcessId self_;
  Picoseconds now_;
};

ZeroLoadNetwork::ZeroLoadNetwork(std::size_t processes, std::vector<Connection> connections,
                                 DelayOf delay_of, Picoseconds control_latency,
                                 std::vector<ProcessGroup> groups)
    : ZeroLoadNetwork(processes, std::move(connections),
                      TimedDelayOf([delay = std::move(delay_of)](ConnectionId connection,
                                                                 Bytes size, Picoseconds) {
                        return delay(connection, size);
                      }),
                      control_latency, std::move(groups)) {}

ZeroLoadNetwork::ZeroLoadNetwork(std::size_t processes, std::vector<Connection> connections,
                                 TimedDelayOf delay_of, Picoseconds control_latency,
                                 std::vector<ProcessGroup> groups)
    : processes_(processes),
      connections_(std::move(connections)),
      delay_of_(std::move(delay_of)),
      control_latency_(control_latency),
      groups_(std::move(groups)) {
  find_reductions();
}

void ZeroLoadNetwork::find_reductions() {
  std::map<std::tuple<std::uint32_t, std::uint32_t, ProcessId>, std::uint32_t> number;
  reduction_of_.resize(connections_.size());
  contributed_.resize(connections_.size());
  for (std::uint32_t i = 0; i < connections_.size(); ++i) {
    const Connection& c = connections_[i];
    if (c.kind != Connection::Kind::kReduce) continue;
    const auto [it, is_new] = number.emplace(std::tuple(c.group, c.flow_label, c.destination),
                                             static_cast<std::uint32_t>(reductions_.size()));
    if (is_new) reductions_.emplace_back();
    reduction_of_[i] = it->second;
    if (c.source == c.destination) reductions_[it->second].own = ConnectionId(i);
  }
}

void ZeroLoadNetwork::contribute(ConnectionId connection, Picoseconds arrival) {
  Reduction& reduction = reductions_[reduction_of_[connection.value()]];
  const std::uint32_t sum_number = contributed_[connection.value()]++;
  if (sum_number == reduction.sums.size()) reduction.sums.emplace_back();
  Reduction::Sum& sum = reduction.sums[sum_number];
  sum.latest = std::max(sum.latest, arrival);
  const Connection& own = connections_[reduction.own.value()];
  if (++sum.contributions < groups_[own.group].members.size()) return;
  push(sum.latest, Kind::kDelivered, own.destination, reduction.own.value(), 0);
}

Picoseconds ZeroLoadNetwork::run(ProcessHandler& handler, std::optional<Picoseconds> until,
                                 const std::function<bool()>& continues) {
  constexpr std::uint64_t kEventsBetweenQuestions = 1 << 16;
  for (std::size_t i = 0; i < processes_; ++i) {
    Context context(*this, ProcessId(i), Picoseconds(0));
    handler.on_start(context, ProcessId(i));
  }
  Picoseconds last;
  std::uint64_t dispatched = 0;
  while (!events_.empty()) {
    if (continues && dispatched++ % kEventsBetweenQuestions == 0 && !continues()) break;
    const Event event = events_.top();
    if (until && Picoseconds(event.time) >= *until) break;
    events_.pop();
    last = Picoseconds(event.time);
    dispatch(handler, event);
  }
  return last;
}

void ZeroLoadNetwork::push(Picoseconds time, Kind kind, ProcessId process, std::uint32_t source,
                           std::uint64_t token) {
  events_.push({time.count(), kind, process, next_number_++, source, token});
}

void ZeroLoadNetwork::dispatch(ProcessHandler& handler, const Event& event) {
  Context context(*this, event.process, Picoseconds(event.time));
  switch (event.kind) {
    case Kind::kDelivered:
      handler.on_delivered(context, event.process, ConnectionId(event.source));
      break;
    case Kind::kAcknowledged:
      handler.on_acknowledged(context, event.process, ConnectionId(event.source));
      break;
    case Kind::kControlEvent:
      handler.on_control_event(context, event.process, ProcessId(event.source), event.token);
      break;
    case Kind::kWake:
      handler.on_wake(context, event.process, event.token);
      break;
    case Kind::kJobTimer:
      (void)handler.on_job_timer(context, event.process, static_cast<std::uint32_t>(event.token));
      break;
  }
}

}  // namespace weft
