#include "protocols/host/host_model.hpp"

#include "simcore/base/check.hpp"

namespace weft::protocols {

/// What a process sees of the packet network while one of its callbacks runs.
template <class Path>
class HostContext final : public ProcessContext {
 public:
  HostContext(HostModel<Path>& model, const Here& here, ProcessId self)
      : model_(model), here_(here), self_(self) {}

  [[nodiscard]] Picoseconds now() const override { return here_.now; }

  void post(ConnectionId connection, Bytes size) override { model_.post(here_, connection, size); }

  void wake_at(Picoseconds time, std::uint64_t token) override {
    WEFT_CHECK(time >= here_.now, "nobody wakes in the past");
    ++here_.cell.job_events;
    schedule(here_.cell, make_event(EventRank::kTimer, EventType::kWake, time, self_, token));
  }

  void signal(ProcessId to, std::uint64_t token) override {
    const Picoseconds time = here_.now + model_.s_.constants.control_latency;
    const AgendaEvent event = make_event(EventRank::kControl, EventType::kSignal, time, to, token);
    const std::uint32_t target_cell = model_.s_.processes[to.value()].cell;
    if (target_cell == model_.s_.processes[self_.value()].cell) {
      ++here_.cell.job_events;
      schedule(here_.cell, event);
    } else {
      here_.worker.outbox.push_back({target_cell, event});
    }
  }

 private:
  AgendaEvent make_event(EventRank rank, EventType type, Picoseconds time, ProcessId target,
                         std::uint64_t token) {
    const auto number = static_cast<std::uint32_t>(type);
    const std::uint32_t sequence = model_.s_.processes[self_.value()].sequence++;
    return {.time = time,
            .order = AgendaEvent::make_order(rank, number, self_.value(), sequence),
            .type = number,
            .target = target.value(),
            .value = token,
            .origin = self_.value()};
  }

  HostModel<Path>& model_;
  const Here& here_;
  ProcessId self_;
};

template <class Path>
void HostModel<Path>::start_process(const Here& here, ProcessId process) {
  HostContext<Path> context(*this, here, process);
  s_.handler->on_start(context, process);
}

template <class Path>
void HostModel<Path>::wake(const Here& here, ProcessId process, std::uint64_t token) {
  HostContext<Path> context(*this, here, process);
  s_.handler->on_wake(context, process, token);
}

template <class Path>
void HostModel<Path>::signal(const Here& here, ProcessId process, ProcessId from,
                             std::uint64_t token) {
  HostContext<Path> context(*this, here, process);
  s_.handler->on_signal(context, process, from, token);
}

template <class Path>
void HostModel<Path>::take_in(const Here& here, const Packet& packet, PortState& port) {
  const NetworkConstants& k = s_.constants;
  const std::uint8_t c = class_of(packet);
  NicState& nic = s_.nics[port.index];
  if (!k.of_class[c].is_credit && nic.inbox.bytes() + packet.wire_size() > k.receive_buffer) {
    ++s_.account(port, c).drops;
    ++here.worker.sums.packets_dropped;
    return;
  }
  nic.inbox.push(packet, here.worker.pool);
  IngressAccount& account = s_.account(port, c);
  if (k.of_class[c].is_credit) {
    account.bytes += scheduler_.blocks(c, packet.wire_size()) * k.of_class[c].block;
  }
  if (k.of_class[c].is_pfc && !account.is_pausing && nic.inbox.bytes() > k.nic_xoff) {
    account.is_pausing = true;
    control_.send_pause(here, port, c);
  }
  if (nic.inbox.size() == 1) schedule_receive(here, port, packet.wire_size());
}

template <class Path>
void HostModel<Path>::schedule_receive(const Here& here, const PortState& port, Bytes size) {
  const auto type = static_cast<std::uint32_t>(EventType::kReceive);
  const Picoseconds time = here.now + PortState::transmission_at(size, s_.constants.receive_rate);
  schedule(here.cell, {.time = time,
                       .order = AgendaEvent::make_order(EventRank::kTimer, type, port.index, 0),
                       .type = type,
                       .target = port.index});
}

template <class Path>
void HostModel<Path>::finish_receive(const Here& here, PortState& port) {
  const NetworkConstants& k = s_.constants;
  NicState& nic = s_.nics[port.index];
  const Packet packet = nic.inbox.pop(here.worker.pool);
  if (!nic.inbox.empty()) schedule_receive(here, port, nic.inbox.front().wire_size());
  if (const std::uint8_t c = class_of(packet); k.of_class[c].is_credit) {
    s_.account(port, c).bytes -= scheduler_.blocks(c, packet.wire_size()) * k.of_class[c].block;
  }
  grant(here, packet, port);
  for (std::uint8_t c = 0; c < k.classes; ++c) {
    IngressAccount& account = s_.account(port, c);
    if (!account.is_pausing || nic.inbox.bytes() >= k.nic_xon) continue;
    account.is_pausing = false;
    control_.send_pause(here, port, c);
  }
  receive(here, packet, port);
}

template <class Path>
void HostModel<Path>::notify_delivered(const Here& here, std::uint32_t qp) {
  const ReceiverState& r = s_.receivers[qp];
  HostContext<Path> context(*this, here, r.process);
  s_.handler->on_delivered(context, r.process, r.connection);
}

template <class Path>
void HostModel<Path>::notify_acknowledged(const Here& here, ConnectionId connection) {
  const ProcessId self = s_.connections[connection.value()].source;
  HostContext<Path> context(*this, here, self);
  s_.handler->on_acknowledged(context, self, connection);
}

template <class Path>
void HostModel<Path>::post(const Here& here, ConnectionId connection, Bytes size) {
  WEFT_CHECK(size >= Bytes(1), "a message has bytes");
  ConnectionState& c = s_.connections[connection.value()];
  const std::uint32_t qp = c.first_queue_pair + c.next;
  c.next = c.next + 1 == c.queue_pairs ? 0 : c.next + 1;

  SenderState& s = s_.senders[qp];
  const TransportConstants& k = transport(s.transport);
  HostState& host = s_.hosts[s.host];
  const std::int64_t packets = (size + k.payload - Bytes(1)) / k.payload;
  WEFT_CHECK(packets < (std::int64_t{1} << 32) - s.posted, "sequence numbers do not wrap");
  const std::uint32_t place = host.messages.add({.queue_pair = qp,
                                                 .first_sequence = s.posted,
                                                 .packets = static_cast<std::uint32_t>(packets),
                                                 .next = kNoIndex,
                                                 .bytes = size,
                                                 .posted = here.now});
  if (s.newest_message != kNoIndex) host.messages[s.newest_message].next = place;
  s.newest_message = place;
  if (s.oldest_message == kNoIndex) s.oldest_message = place;
  s.posted += static_cast<std::uint32_t>(packets);
  if (s.message == kNoIndex) sender_.load_message(s, place, s.next);
  activate(here, qp);
}

template class HostModel<PlainPath>;
template class HostModel<GeneralPath>;

}  // namespace weft::protocols
