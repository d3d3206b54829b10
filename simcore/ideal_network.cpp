#include "simcore/ideal_network.hpp"

#include <cassert>
#include <utility>

namespace weft {

class IdealNetwork::Context final : public ProcessContext {
 public:
  Context(IdealNetwork& network, ProcessId self, Picoseconds now)
      : network_(network), self_(self), now_(now) {}

  [[nodiscard]] Picoseconds now() const override { return now_; }

  void post(ConnectionId connection, Bytes size) override {
    const Connection& c = network_.connections_[connection.value()];
    assert(c.source == self_ && "a process posts on its own connections only");
    assert(size.count() >= 1);
    const Delay delay = network_.delay_of_(connection, size, now_);
    network_.push(now_ + delay.delivered, Kind::kDelivered, c.destination, connection.value(), 0);
    if (delay.acknowledged) {
      network_.push(now_ + *delay.acknowledged, Kind::kAcknowledged, self_, connection.value(), 0);
    }
  }

  void wake_at(Picoseconds time, std::uint64_t token) override {
    assert(time >= now_);
    network_.push(time, Kind::kWake, self_, 0, token);
  }

  void signal(ProcessId to, std::uint64_t token) override {
    network_.push(now_ + network_.control_latency_, Kind::kSignal, to, self_.value(), token);
  }

 private:
  IdealNetwork& network_;
  ProcessId self_;
  Picoseconds now_;
};

IdealNetwork::IdealNetwork(std::size_t processes, std::vector<Connection> connections,
                           DelayOf delay_of, Picoseconds control_latency)
    : IdealNetwork(processes, std::move(connections),
                   TimedDelayOf([delay = std::move(delay_of)](ConnectionId connection, Bytes size,
                                                              Picoseconds) {
                     return delay(connection, size);
                   }),
                   control_latency) {}

IdealNetwork::IdealNetwork(std::size_t processes, std::vector<Connection> connections,
                           TimedDelayOf delay_of, Picoseconds control_latency)
    : processes_(processes),
      connections_(std::move(connections)),
      delay_of_(std::move(delay_of)),
      control_latency_(control_latency) {}

Picoseconds IdealNetwork::run(ProcessHandler& handler, std::optional<Picoseconds> until) {
  for (std::size_t i = 0; i < processes_; ++i) {
    Context context(*this, ProcessId(i), Picoseconds(0));
    handler.on_start(context, ProcessId(i));
  }
  Picoseconds last;
  while (!events_.empty()) {
    const Event event = events_.top();
    if (until && Picoseconds(event.time) >= *until) break;
    events_.pop();
    last = Picoseconds(event.time);
    dispatch(handler, event);
  }
  return last;
}

void IdealNetwork::push(Picoseconds time, Kind kind, ProcessId process, std::uint32_t source,
                        std::uint64_t token) {
  events_.push({time.count(), kind, process, next_number_++, source, token});
}

void IdealNetwork::dispatch(ProcessHandler& handler, const Event& event) {
  Context context(*this, event.process, Picoseconds(event.time));
  switch (event.kind) {
    case Kind::kDelivered:
      handler.on_delivered(context, event.process, ConnectionId(event.source));
      break;
    case Kind::kAcknowledged:
      handler.on_acknowledged(context, event.process, ConnectionId(event.source));
      break;
    case Kind::kSignal:
      handler.on_signal(context, event.process, ProcessId(event.source), event.token);
      break;
    case Kind::kWake:
      handler.on_wake(context, event.process, event.token);
      break;
  }
}

}  // namespace weft
