#include "protocols/packet_network.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

#include "protocols/packet_model.hpp"
#include "simcore/hash.hpp"

namespace weft::protocols {

Picoseconds standard_pause_response(BitsPerSecond rate) {
  // IEEE 802.3 31B.3.7: pause quanta of 512 bit times within which a port must stop.
  struct Row {
    BitsPerSecond rate;
    std::int64_t quanta;
  };
  constexpr std::array<Row, 8> kTable{{{1_Gbps, 2},
                                       {10_Gbps, 60},
                                       {25_Gbps, 80},
                                       {40_Gbps, 118},
                                       {50_Gbps, 147},
                                       {100_Gbps, 394},
                                       {200_Gbps, 453},
                                       {400_Gbps, 905}}};
  const auto* row = std::find_if(kTable.begin(), kTable.end() - 1,
                                 [rate](const Row& r) { return rate <= r.rate; });
  return transmission_time(Bytes(row->quanta * 64), rate);
}

NetworkConstants::NetworkConstants(const SwitchConfig& switches, const TransportConfig& transport,
                                   std::uint64_t run_seed, Picoseconds control)
    : buffer(switches.buffer.count()),
      pause_frame(switches.pause.wire_bytes().count()),
      kmin(switches.data().ecn.kmin.count()),
      kmax(switches.data().ecn.kmax.count()),
      pmax(static_cast<std::uint64_t>(std::llround(switches.data().ecn.pmax * 4294967296.0))),
      seed(run_seed),
      pfc(switches.any_pfc()),
      pause_until_resume(switches.pause.quanta == PauseConfig::Quanta::kUntilResume),
      ecn(switches.data().ecn.enabled),
      mark_at_dequeue(switches.data().ecn.mark == EcnConfig::Mark::kDequeue),
      release_at_start(switches.release == SwitchConfig::Release::kTransmissionStart),
      spray(switches.load_balancing == LoadBalancing::kSpray),
      reliable(std::holds_alternative<RoceConfig>(transport)),
      control_latency(control.count()) {
  xoff = pfc ? switches.data().pfc().xoff.count() : 0;
  xon = pfc ? switches.data().pfc().xon.count() : 0;
  const RoceConfig defaults;
  const RoceConfig& roce = reliable ? std::get<RoceConfig>(transport) : defaults;
  const PacketFormat& format = reliable ? roce.format : std::get<DatagramConfig>(transport).format;
  any_order = reliable && roce.receiver == RoceConfig::Receiver::kAnyOrder;
  ttl = static_cast<std::uint8_t>(format.ttl);
  ack_flags = roce.ack_class == "control" ? kControlClass : std::uint8_t{0};
  cnp_flags = roce.cnp_class == "data" ? std::uint8_t{0} : kControlClass;
  ack_size = static_cast<std::uint16_t>(roce.ack_size.count());
  ack_every = roce.ack_every;
  window = reliable ? roce.window : 0;
  queue_pairs = reliable ? roce.queue_pairs : 1;
  retry_limit = roce.retry_limit;
  retransmit_timeout = roce.retransmit_timeout.count();
  payload = format.payload.count();
  header = format.header.count();
  if (const auto* config = std::get_if<DcqcnConfig>(&roce.congestion_control);
      reliable && config != nullptr) {
    dcqcn.emplace(*config);
  }
}

/// The loop over windows. One worker today; cells share nothing but lanes, so a window's cells may
/// be spread over several.
class PacketNetwork::Engine {
 public:
  Engine(NetworkState& state, const CellPlan& plan)
      : model(state),
        stall_limit_(kPicosecondsPerSecond + 2 * state.constants.retransmit_timeout),
        plan_(plan) {}

  Status run(std::int64_t& now, std::int64_t until, const Observer& observer);
  void deliver_outbox();

  PacketModel model;
  std::vector<Cell> cells;
  Worker worker;
  Worker::Sums measured_from;

 private:
  [[nodiscard]] std::int64_t earliest_event();
  void run_cells(std::int64_t start, std::int64_t end);
  [[nodiscard]] bool is_stalled(std::int64_t now);

  static constexpr std::uint64_t kWindowsPerObservation = 256;

  /// Simulated time without any packet starting, while no job has anything planned, after which the
  /// run counts as stalled: a second, and two retransmission time-outs, each of which would have
  /// started a packet if it could.
  const std::int64_t stall_limit_;
  const CellPlan& plan_;
  std::uint64_t windows_ = 0;
  std::uint64_t hops_at_progress_ = 0;
  std::int64_t last_progress_ = 0;
};

void PacketNetwork::Engine::deliver_outbox() {
  for (const Worker::Outgoing& message : worker.outbox) {
    Cell& cell = cells[message.cell];
    ++cell.job_events;
    schedule(cell, message.event);
  }
  worker.outbox.clear();
}

std::int64_t PacketNetwork::Engine::earliest_event() {
  std::int64_t earliest = Agenda::kNever;
  for (Cell& cell : cells) earliest = std::min(earliest, next_event_time(cell));
  return earliest;
}

PacketNetwork::Status PacketNetwork::Engine::run(std::int64_t& now, std::int64_t until,
                                                 const Observer& observer) {
  const std::int64_t lookahead = plan_.lookahead.count();
  deliver_outbox();
  bool was_idle = true;
  while (now < until) {
    if (was_idle) {
      // Nothing happened in the last window: jump to where something does.
      const std::int64_t next = earliest_event();
      if (next == Agenda::kNever) return Status::kQuiescent;
      now = std::min(until, std::max(now, next));
      if (now == until) break;
    }
    if ((was_idle || windows_ % kWindowsPerObservation == 0) && is_stalled(now)) {
      return Status::kStalled;
    }
    const std::int64_t end = until - now < lookahead ? until : now + lookahead;
    const std::uint64_t events_before = worker.sums.events;
    run_cells(now, end);
    deliver_outbox();
    was_idle = worker.sums.events == events_before;
    now = end;
    if (++windows_ % kWindowsPerObservation == 0 && observer &&
        !observer(Picoseconds(now), worker.sums.packet_hops)) {
      return Status::kInterrupted;
    }
  }
  return Status::kTimeLimit;
}

void PacketNetwork::Engine::run_cells(std::int64_t start, std::int64_t end) {
  // Each stage asks for what the one before it has brought: a cell, its first ports, their packets,
  // the flows of hosts. Most cells are hosts, with one port.
  constexpr std::size_t kFirstPorts = 4;
  const std::size_t n = cells.size();
  for (std::size_t c = 0; c < n; ++c) {
    if (c + 4 < n) fetch_lines<3>(&cells[c + 4]);
    if (c + 3 < n) {
      const Cell& cell = cells[c + 3];
      const std::size_t ports = std::min(kFirstPorts, cell.external_in.size());
      for (std::size_t i = 0; i < ports; ++i) model.fetch_state(cell, cell.external_in[i]);
    }
    if (c + 2 < n) {
      const Cell& cell = cells[c + 2];
      const std::size_t ports = std::min(kFirstPorts, cell.external_in.size());
      for (std::size_t i = 0; i < ports; ++i) model.fetch_packets(cell, cell.external_in[i]);
    }
    if (c + 1 < n && !cells[c + 1].external_in.empty()) {
      model.fetch_flows(cells[c + 1], cells[c + 1].external_in[0]);
    }
    run_window(cells[c], worker, model, start, end);
  }
}

bool PacketNetwork::Engine::is_stalled(std::int64_t now) {
  const bool has_plans =
      std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.job_events > 0; });
  if (has_plans || worker.sums.packet_hops != hops_at_progress_) {
    hops_at_progress_ = worker.sums.packet_hops;
    last_progress_ = now;
  }
  return now - last_progress_ > stall_limit_;
}

PacketNetwork::PacketNetwork(const Fabric& fabric, const Routes& routes, const Options& options,
                             const std::vector<HostId>& processes,
                             const std::vector<Connection>& connections)
    : state_(
          std::make_unique<NetworkState>(fabric, routes,
                                         NetworkConstants(options.switches, options.transport,
                                                          options.seed, options.control_latency))) {
  build_ports(options);
  std::vector<Picoseconds> crossing(fabric.ports.size());
  for (std::size_t p = 0; p < crossing.size(); ++p) {
    crossing[p] = fabric.data_latency(PortId{p});
    if (options.switches.any_pfc()) {
      crossing[p] = std::min(crossing[p], Picoseconds(state_->ports[p].control_latency));
    }
  }
  plan_ = plan_cells(fabric, crossing, options.control_latency, options.cut);
  engine_ = std::make_unique<Engine>(*state_, plan_);
  build_cells();
  state_->processes.resize(processes.size());
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const NodeId node = fabric.hosts[processes[p].value()];
    state_->processes[p] = {.host = processes[p].value(), .cell = plan_.cell_of_node[node.value()]};
  }
  build_queue_pairs(connections);
}

PacketNetwork::~PacketNetwork() = default;

void PacketNetwork::build_ports(const Options& options) {
  NetworkState& s = *state_;
  const Fabric& fabric = s.fabric;
  s.links = std::vector<Link>(fabric.ports.size());
  s.ports = std::vector<PortState>(fabric.ports.size());
  s.hosts.resize(fabric.hosts.size());
  s.switches.resize(fabric.switches.size());
  for (std::uint32_t i = 0; i < fabric.ports.size(); ++i) {
    const PortId id(i);
    const Port& from = fabric.port(id);
    const Node& node = fabric.node(from.node);
    PortState& port = s.ports[i];
    port.id = id;
    port.peer = from.peer;
    port.out = &s.links[i];
    port.rate = from.rate.count();
    constexpr std::int64_t kBytePicoseconds = 8 * kPicosecondsPerSecond;
    port.ps_per_byte = kBytePicoseconds % port.rate == 0 ? kBytePicoseconds / port.rate : 0;
    port.data_latency = fabric.data_latency(id).count();
    const Picoseconds response = options.switches.pause.response < Picoseconds(0)
                                     ? standard_pause_response(from.rate)
                                     : options.switches.pause.response;
    const Picoseconds wire = options.switches.pause.propagates ? from.wire_latency : Picoseconds(0);
    port.control_latency = (wire + response).count();
    port.owner = node.index;
    port.number = static_cast<std::uint16_t>(i - node.first_port.value());
    port.owner_is_host = node.kind == NodeKind::kHost;
    if (port.owner_is_host) s.hosts[node.index].port = i;
  }
  for (std::uint32_t i = 0; i < fabric.switches.size(); ++i) {
    const NodeId node = fabric.switches[i];
    s.switches[i].first_port = fabric.node(node).first_port.value();
    s.switches[i].hash_seed = switch_hash_seed(options.seed, node);
  }
}

void PacketNetwork::build_cells() {
  NetworkState& s = *state_;
  std::uint32_t most_ports = 1;
  for (const auto& ports : plan_.ports_of_cell) {
    most_ports = std::max(most_ports, static_cast<std::uint32_t>(ports.size()));
  }
  const auto shift = static_cast<std::uint32_t>(std::bit_width(most_ports)) + 1;
  engine_->cells.resize(plan_.cell_count);
  for (std::uint32_t c = 0; c < plan_.cell_count; ++c) {
    Cell& cell = engine_->cells[c];
    cell.ports = plan_.ports_of_cell[c];
    cell.key_shift = shift;
    bool has_inside = false;
    for (std::uint32_t local = 0; local < cell.ports.size(); ++local) {
      PortState& port = s.ports[cell.ports[local].value()];
      port.local = local;
      cell.inbound.push_back(&s.links[port.peer.value()]);
      const NodeId peer = s.fabric.port(port.peer).node;
      port.leads_inside = plan_.cell_of_node[peer.value()] == c;
      if (port.leads_inside) {
        has_inside = true;
      } else {
        cell.external_in.push_back(local);
      }
    }
    cell.next.reset(cell.port_count() * (has_inside ? 2 : 1));
  }
  for (PortState& port : s.ports) port.peer_local = s.ports[port.peer.value()].local;
}

void PacketNetwork::build_queue_pairs(const std::vector<Connection>& connections) {
  NetworkState& s = *state_;
  const std::uint32_t per_connection = s.constants.queue_pairs;
  const std::size_t count = connections.size() * per_connection;
  s.connections.resize(connections.size());
  s.senders.resize(count);
  s.receivers.resize(count);
  if (s.constants.dcqcn) s.dcqcn.resize(count);

  // Queue pairs of one host lie together, whatever the order of the connections.
  std::vector<std::uint32_t> order(connections.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return s.processes[connections[a].source.value()].host <
           s.processes[connections[b].source.value()].host;
  });
  std::uint32_t qp = 0;
  for (const std::uint32_t c : order) {
    const Connection& connection = connections[c];
    s.connections[c] = {
        .first_queue_pair = qp, .source = connection.source, .destination = connection.destination};
    const HostId from(s.processes[connection.source.value()].host);
    const HostId to(s.processes[connection.destination.value()].host);
    for (std::uint32_t i = 0; i < per_connection; ++i, ++qp) {
      const std::uint32_t number = queue_pair_number(connection.flow_label, i);
      SenderState& sender = s.senders[qp];
      sender.host = from.value();
      sender.destination = to.value();
      sender.entropy = flow_entropy(from, to, number);
      sender.connection = ConnectionId(c);
      ReceiverState& receiver = s.receivers[qp];
      receiver.host = from.value();
      receiver.ack_entropy = flow_entropy(to, from, number);
      receiver.connection = ConnectionId(c);
    }
  }
}

void PacketNetwork::start(ProcessHandler& handler) {
  NetworkState& s = *state_;
  s.handler = &handler;
  for (std::uint32_t p = 0; p < s.processes.size(); ++p) {
    engine_->model.start_process(engine_->cells[s.processes[p].cell], engine_->worker,
                                 ProcessId(p));
  }
}

PacketNetwork::Status PacketNetwork::run_until(Picoseconds until, const Observer& observer) {
  std::int64_t now = now_.count();
  const Status status = engine_->run(now, std::min(until, longest_run()).count(), observer);
  now_ = Picoseconds(now);
  return status;
}

Picoseconds PacketNetwork::longest_run() const {
  const std::uint32_t shift = engine_->cells.empty() ? 1 : engine_->cells.front().key_shift;
  // One bit less than the key holds: arrivals lie beyond the end of the last window.
  return Picoseconds(static_cast<std::int64_t>(std::uint64_t{1} << (63U - shift)));
}

void PacketNetwork::reset_statistics() {
  for (PortState& port : state_->ports) {
    port.counters = {};
    port.queue_changed_at = now_.count();
    port.paused_since = std::max(port.paused_since, port.is_paused ? now_.count() : 0);
    port.note_backlog();
  }
  for (SwitchState& sw : state_->switches) sw.buffer_peak = sw.buffer_used;
  engine_->worker.packet_latency.clear();
  engine_->measured_from = engine_->worker.sums;
}

Picoseconds PacketNetwork::last_event() const {
  std::int64_t latest = 0;
  for (const Cell& cell : engine_->cells) latest = std::max(latest, cell.last_event_time);
  return Picoseconds(latest);
}

NetworkTotals PacketNetwork::totals() const {
  const Worker::Sums& now = engine_->worker.sums;
  const Worker::Sums& then = engine_->measured_from;
  NetworkTotals t;
  t.events = now.events - then.events;
  t.packet_hops = now.packet_hops - then.packet_hops;
  t.packets_injected = now.packets_injected - then.packets_injected;
  t.packets_delivered = now.packets_delivered - then.packets_delivered;
  t.packets_retransmitted = now.packets_retransmitted - then.packets_retransmitted;
  for (const PortState& port : state_->ports) {
    const PortCounters c = port_counters(port.id);
    t.buffer_drops += c.buffer_drops;
    t.ttl_drops += c.ttl_drops;
    t.ecn_marked += c.ecn_marked;
    t.pauses += c.pauses_sent;
    t.paused_time += c.paused_time;
  }
  return t;
}

PortCounters PacketNetwork::port_counters(PortId id) const {
  const PortState& port = state_->ports[id.value()];
  PortCounters c = port.counters;
  const std::int64_t now = now_.count();
  if (port.is_paused) c.paused_time += now - port.paused_since;
  c.queue_integral += static_cast<WideUnsigned>(port.data.bytes()) *
                      static_cast<std::uint64_t>(now - port.queue_changed_at);
  return c;
}

ClassCounters PacketNetwork::class_counters(PortId, std::uint8_t) const { return {}; }
std::vector<PauseInterval> PacketNetwork::pauses() const { return {}; }
std::uint64_t PacketNetwork::pauses_lost() const { return 0; }
std::vector<BlockedPort> PacketNetwork::deadlock() const { return {}; }

std::int64_t PacketNetwork::buffer_peak(SwitchId at) const {
  return state_->switches[at.value()].buffer_peak;
}

const Histogram& PacketNetwork::packet_latency() const { return engine_->worker.packet_latency; }

std::vector<MessageOutcome> PacketNetwork::messages() const {
  struct Key {
    std::uint32_t queue_pair;
    std::uint32_t last_sequence;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<std::pair<Key, std::int64_t>> delivered;
  for (const HostState& host : state_->hosts) {
    for (const DeliveryRecord& d : host.deliveries) {
      delivered.push_back({{d.queue_pair, d.last_sequence}, d.time});
    }
  }
  std::sort(delivered.begin(), delivered.end());
  std::vector<MessageOutcome> outcomes;
  for (const HostState& host : state_->hosts) {
    for (const MessageRecord& m : host.messages) {
      MessageOutcome outcome{.connection = m.connection,
                             .queue_pair = m.queue_pair,
                             .entropy = state_->senders[m.queue_pair].entropy,
                             .bytes = m.bytes,
                             .posted = m.posted,
                             .acknowledged = m.acknowledged};
      const Key key{m.queue_pair, m.first_sequence + m.packets - 1};
      const auto it = std::lower_bound(
          delivered.begin(), delivered.end(), key,
          [](const auto& entry, const Key& wanted) { return entry.first < wanted; });
      if (it != delivered.end() && it->first == key) outcome.delivered = it->second;
      outcomes.push_back(outcome);
    }
  }
  return outcomes;
}

ConnectionId PacketNetwork::connection_of(std::uint32_t queue_pair) const {
  return state_->senders[queue_pair].connection;
}

std::uint64_t PacketNetwork::packets_received(ConnectionId connection) const {
  const std::uint32_t first = state_->connections[connection.value()].first_queue_pair;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < state_->constants.queue_pairs; ++i) {
    sum += state_->receivers[first + i].received;
  }
  return sum;
}

std::int64_t PacketNetwork::queue_bytes(PortId port) const {
  return state_->ports[port.value()].data.bytes();
}

std::vector<ConnectionId> PacketNetwork::failed_connections() const {
  std::vector<ConnectionId> failed;
  for (const SenderState& s : state_->senders) {
    if (s.schedule == SenderState::Schedule::kFailed &&
        (failed.empty() || failed.back() != s.connection)) {
      failed.push_back(s.connection);
    }
  }
  return failed;
}

std::vector<std::string> PacketNetwork::violated_invariants(bool is_at_rest) const {
  std::vector<std::string> violations;
  const auto expect = [&violations](bool holds, const std::string& sentence) {
    if (!holds) violations.push_back(sentence);
  };
  std::uint64_t on_links = 0;
  std::uint64_t in_switches = 0;
  for (const PortState& port : state_->ports) {
    on_links += port.out->in_flight();
    if (!port.owner_is_host) in_switches += port.data.size() + port.control.size();
    expect(port.ingress_bytes >= 0,
           "negative ingress bytes at " + state_->fabric.port_name(port.id));
  }
  const Worker::Sums& sums = engine_->worker.sums;
  expect(sums.packets_injected ==
             sums.packets_delivered + sums.packets_dropped + on_links + in_switches,
         "packets injected (" + std::to_string(sums.packets_injected) + ") != delivered (" +
             std::to_string(sums.packets_delivered) + ") + dropped (" +
             std::to_string(sums.packets_dropped) + ") + on links (" + std::to_string(on_links) +
             ") + in switches (" + std::to_string(in_switches) + ")");
  for (std::size_t i = 0; i < state_->switches.size(); ++i) {
    const std::int64_t used = state_->switches[i].buffer_used;
    const std::string& name = state_->fabric.switch_node(SwitchId(i)).name;
    expect(used >= 0, "negative buffer occupancy at " + name);
    if (is_at_rest)
      expect(used == 0, std::to_string(used) + " bytes left in the buffer of " + name);
  }
  return violations;
}

std::size_t PacketNetwork::memory_bytes() const {
  const NetworkState& s = *state_;
  std::size_t bytes =
      s.ports.capacity() * sizeof(PortState) + s.links.capacity() * sizeof(Link) +
      s.switches.capacity() * sizeof(SwitchState) + s.hosts.capacity() * sizeof(HostState) +
      s.senders.capacity() * sizeof(SenderState) + s.receivers.capacity() * sizeof(ReceiverState) +
      s.dcqcn.capacity() * sizeof(Dcqcn) + s.connections.capacity() * sizeof(ConnectionState) +
      s.processes.capacity() * sizeof(ProcessState) + engine_->cells.capacity() * sizeof(Cell);
  for (const Cell& cell : engine_->cells) {
    bytes += cell.ports.capacity() * (sizeof(PortId) + sizeof(void*) + 4 * sizeof(std::uint64_t));
  }
  for (const HostState& host : s.hosts) {
    bytes += host.messages.capacity() * sizeof(MessageRecord) +
             host.deliveries.capacity() * sizeof(DeliveryRecord);
  }
  return bytes + engine_->worker.pool.allocated_bytes();
}

}  // namespace weft::protocols
