// What a network tells of its run: counters, pauses, messages.

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "protocols/network/network_audit.hpp"
#include "protocols/network/packet_engine.hpp"
#include "protocols/network/packet_network.hpp"
#include "protocols/state/fields.hpp"
#include "protocols/steady_state/live_part.hpp"

namespace weft::protocols {

namespace {

/// Restarts statistics: counters at zero, peaks at what is there now.
class StatisticsReset {
 public:
  explicit StatisticsReset(Picoseconds now) : now_(now) {}
  template <class T>
  void counter(T& field) const {
    field = {};
  }
  template <class T>
  void peak(T& field, const T& now) const {
    field = now;
  }
  template <class T>
  void log(T& field) const {
    field.clear();
  }
  void translate_only(Picoseconds& counted_until) const { counted_until = now_; }

 private:
  Picoseconds now_;
};

/// Counts the memory of lists in the state.
class ListMemory {
 public:
  template <class T>
  void log(T& field) {
    list(field);
  }
  template <class T>
  void list(T& field) {
    if constexpr (requires { field.capacity(); }) {
      bytes += field.capacity() * sizeof(field[0]);
    } else {
      bytes += field.memory_bytes();
    }
  }

  std::size_t bytes = 0;
};

}  // namespace

void PacketNetwork::reset_statistics() {
  NetworkState& s = *state_;
  engine_->before_reset();
  StatisticsReset reset(now_);
  for (PortState& port : s.ports) {
    visit_fields(port, reset, kVisitsNothing);
    for (const ClassId c : s.classes_of(port)) {
      ClassQueue& q = s.queue(port, c);
      visit_fields(q, reset, false, kVisitsNothing);
      visit_fields(s.account(port, c), reset);
      if ((port.blocked & class_bit(c)) != 0) q.blocked_since = std::max(q.blocked_since, now_);
    }
  }
  for (SwitchState& sw : s.switches) visit_fields(sw, reset);
  for (FrameLosses& losses : s.losses) losses.clear_count();
  for (std::vector<PortIncident>& incidents : s.incidents) {
    for (PortIncident& incident : incidents) incident.clear_losses();
  }
  for (path_selection::PathHistory& history : s.path_histories) history.clear();
  for (RetryState& retry : s.retries) retry.clear_counters(now_);
  for (EarlyDrops& one : s.early_drops) one.drops_before = one.drops;
  for (Watchdog& dog : s.watchdogs) {
    dog.drops_before = dog.drops;
    dog.storms_before = dog.storms;
  }
  engine_->clear_latency();
  engine_->measured_from = engine_->sums();
  note_change();
}

Picoseconds PacketNetwork::last_event() const { return engine_->last_event(); }

std::uint64_t PacketNetwork::packet_hops() const {
  return engine_->sums().packet_hops - engine_->measured_from.packet_hops;
}

NetworkTotals PacketNetwork::totals() const {
  const Worker::Sums now = engine_->sums();
  const Worker::Sums& then = engine_->measured_from;
  NetworkTotals t;
  t.events = now.events - then.events;
  t.packet_hops = packet_hops();
  t.packets_injected = now.packets_injected - then.packets_injected;
  t.packets_delivered = now.packets_delivered - then.packets_delivered;
  t.packets_retransmitted = now.packets_retransmitted - then.packets_retransmitted;
  t.timeouts = now.timeouts - then.timeouts;
  t.packets_trimmed = now.packets_trimmed - then.packets_trimmed;
  t.losses_inferred = now.losses_inferred - then.losses_inferred;
  t.path_probes = now.path_probes - then.path_probes;
  t.path_probes_answered = now.path_probes_answered - then.path_probes_answered;
  for (const PortState& port : state_->ports) {
    const PortCounters c = port_counters(port.id);
    t.buffer_drops += c.buffer_drops;
    t.ttl_drops += c.ttl_drops;
    t.fault_drops += c.fault_drops;
    t.error_drops += c.error_drops;
    t.replays += c.replays;
    t.frames_replayed += c.frames_replayed;
    t.retry_drops += c.retry_drops;
    t.poison_drops += c.poison_drops;
    t.wred_drops += c.wred_drops;
    t.watchdog_drops += c.watchdog_drops;
    t.pause_storms += c.pause_storms;
    t.ecn_marked += c.ecn_marked;
    t.pauses += c.pauses_sent;
    t.paused_time += c.paused_time;
    t.credit_stalls += c.credit_stalls;
    t.credit_stall_time += c.credit_stall_time;
  }
  for (const SwitchState& sw : state_->switches) {
    t.headroom_pool_drops += sw.pool_drops;
    t.headroom_pool_peak = std::max(t.headroom_pool_peak, sw.pool_peak);
  }
  return t;
}

Features PacketNetwork::features() const { return state_->constants.needs(); }

bool PacketNetwork::trims() const {
  return std::ranges::any_of(state_->constants.of_class, &ClassConstants::trims);
}

bool PacketNetwork::has_link_errors() const { return state_->constants.has_losses; }

PortCounters PacketNetwork::port_counters(PortId id) const {
  const NetworkState& s = *state_;
  const PortState& port = s.ports[id.value()];
  PortCounters sum;
  sum.peak_backlog = port.peak_backlog;
  sum.ttl_drops = port.ttl_drops;
  sum.fault_drops = port.fault_drops;
  if (!s.losses.empty()) sum.error_drops = s.losses[id.value()].count();
  sum.poison_drops = port.poison_drops;
  if (port.has_retry) count_retry(port, sum);
  sum.pauses_sent = port.pauses_sent;
  for (const ClassId c : s.classes_of(port)) {
    const ClassQueue& q = s.queue(port, c);
    const ClassCounters counters = class_counters(id, c);
    sum.bytes += counters.bytes;
    sum.packets += counters.packets;
    sum.ecn_marked += q.marked;
    sum.trimmed += counters.trimmed;
    sum.paused_time += counters.paused_time;
    sum.pauses_received += counters.pauses_received;
    sum.buffer_drops += counters.buffer_drops;
    sum.wred_drops += counters.wred_drops;
    sum.watchdog_drops += counters.watchdog_drops;
    sum.pause_storms += counters.pause_storms;
    sum.credit_stalls += counters.credit_stalls;
    sum.credit_stall_time += counters.credit_stall_time;
    sum.queue_integral +=
        q.integral + static_cast<WideUnsigned>(q.packets.bytes().count()) *
                         static_cast<std::uint64_t>((now_ - q.changed_at).count());
  }
  return sum;
}

/// Of corrupted frames only those are lost that had no numbers.
void PacketNetwork::count_retry(const PortState& port, PortCounters& sum) const {
  const RetryState& r = state_->retries[port.index];
  sum.error_drops = state_->retries[port.peer.value()].lost;
  sum.replays = r.replays_begun;
  sum.bytes += r.replayed;
  sum.frames_replayed = r.replayed_frames;
  sum.retry_nacks = r.nacks_sent;
  sum.retry_acks = r.acks_sent;
  sum.retry_flushes = r.flushes;
  sum.retry_drops = r.flushed;
  sum.retry_held_time = r.held_time;
  if (port.is_held) sum.retry_held_time += std::max(now_ - r.held_since, Picoseconds());
}

ClassCounters PacketNetwork::class_counters(PortId id, ClassId c) const {
  const NetworkState& s = *state_;
  const PortState& port = s.ports[id.value()];
  if (s.constants.of_class[c].network != port.network) return {};
  const ClassQueue& q = s.queue(port, c);
  const IngressAccount& account = s.account(port, c);
  ClassCounters counters{.bytes = q.bytes,
                         .packets = q.started - q.counted_from,
                         .peak_bytes = q.peak_bytes,
                         .trimmed = q.trimmed - q.trimmed_before,
                         .buffer_drops = account.drops,
                         .paused_time = q.paused_time,
                         .pauses_received = q.pauses_received,
                         .credit_stalls = q.stalls,
                         .credit_stall_time = q.stall_time};
  if (!s.early_drops.empty()) counters.wred_drops = s.early_drops_at(port, c).counted();
  if (!s.watchdogs.empty()) {
    const Watchdog& dog = s.watchdog_at(port, c);
    counters.watchdog_drops = dog.drops - dog.drops_before;
    counters.pause_storms = dog.storms - dog.storms_before;
  }
  const Picoseconds so_far = now_ - q.blocked_since;
  if ((port.paused & class_bit(c)) != 0) counters.paused_time += so_far;
  if ((port.starved & class_bit(c)) != 0) counters.credit_stall_time += so_far;
  return counters;
}

void PacketNetwork::forget_flows() {
  NetworkState& s = *state_;
  s.senders = SendingEnds();
  s.receivers = decltype(s.receivers)();
  s.copy_receivers = decltype(s.copy_receivers)();
  s.connections = decltype(s.connections)();
  s.delivered_parts = s.acknowledged_parts = PartCounts();
}

bool PacketNetwork::is_quiet(HostId host) const {
  const NetworkState& s = *state_;
  for (const Port& link : s.fabric.ports_of(s.fabric.hosts[host.value()])) {
    const PortState& peer = s.ports[link.peer.value()];
    if (!is_idle(s, peer) || !is_idle(s, s.ports[peer.peer.value()])) return false;
  }
  const auto is_busy = [&](const SendingEnd& sender) {
    if (sender.host != host && s.routing_key_of(sender).destination != host) return false;
    if (sender.next != sender.posted) return true;
    return !sender.is_added_up() && sender.whole().has_outstanding();
  };
  return std::ranges::none_of(s.senders.all_whole(), is_busy) &&
         std::ranges::none_of(s.senders.all_added_up(), is_busy);
}

std::vector<PauseInterval> PacketNetwork::pauses() const {
  const NetworkState& s = *state_;
  std::vector<PauseInterval> all;
  for (const PortState& port : s.ports) {
    const std::size_t first = all.size();
    all.insert(all.end(), port.pauses.begin(), port.pauses.end());
    for (const ClassId c : s.classes_of(port)) {
      if ((port.paused & class_bit(c)) == 0) continue;
      const ClassQueue& q = s.queue(port, c);
      all.push_back({.port = port.id,
                     .cause = q.pause_cause,
                     .start = q.blocked_since,
                     .end = now_,
                     .traffic_class = c,
                     .is_lasting = true});
    }
    std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
  }
  return all;
}

const std::vector<PortIncident>& PacketNetwork::incidents(PortId port) const {
  static const std::vector<PortIncident> kNone;
  return state_->incidents.empty() ? kNone : state_->incidents[port.value()];
}

std::span<const SenderNotices> PacketNetwork::notices() const {
  return {state_->notices.data(), state_->notices.size()};
}

std::vector<HostPaths> PacketNetwork::host_paths() const {
  NetworkState& s = *state_;
  if (s.path_histories.empty()) return {};
  const std::uint32_t planes = s.path_planes();
  std::vector<HostPaths> all(s.path_histories.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    all[i].host = HostId(i / planes);
    all[i].plane = i % planes;
    all[i].history = s.path_histories[i];
  }
  for (const SenderState& sender : s.senders.all_whole()) {
    const QueuePairId qp = s.senders.queue_pair_of(sender);
    const path_selection::ChoiceRef choice = s.constants.transports[sender.transport].entropy;
    if (choice.is_fixed()) continue;
    s.entropies.at_prober(choice, qp, [&](const auto& paths, const auto& p) {
      for (std::uint32_t plane = 0; plane < s.planes_of(qp); ++plane) {
        HostPaths& of_host = all[std::size_t{sender.host.value()} * planes + plane];
        ++of_host.queue_pairs;
        of_host.states += paths.count(p, plane);
      }
    });
  }
  std::erase_if(all, [](const HostPaths& of_host) { return of_host.queue_pairs == 0; });
  return all;
}

const std::vector<PauseInterval>& PacketNetwork::ended_pauses(PortId port) const {
  return state_->ports[port.value()].pauses;
}

const MessageWatch& PacketNetwork::watch() const { return state_->watch; }

bool PacketNetwork::has_paused() const {
  return std::ranges::any_of(state_->ports, [](const PortState& port) {
    return port.paused != 0 || !port.pauses.empty();
  });
}

std::uint64_t PacketNetwork::pauses_lost() const {
  return std::accumulate(
      state_->ports.begin(), state_->ports.end(), std::uint64_t{0},
      [](std::uint64_t sum, const PortState& port) { return sum + port.pauses_lost; });
}

std::vector<CreditWait> PacketNetwork::credit_waits() const {
  const NetworkState& s = *state_;
  std::vector<CreditWait> all;
  for (const PortState& port : s.ports) {
    const auto add = [&](ClassId c, Picoseconds start, Picoseconds end, Picoseconds time) {
      all.push_back(
          {.port = port.id, .traffic_class = c, .start = start, .end = end, .waited = time});
    };
    const std::size_t first = all.size();
    for (const StallLog::Entry& e : port.stalls.entries()) {
      add(e.traffic_class, e.start, e.end, e.stalled);
    }
    for (const ClassId c : s.classes_of(port)) {
      if ((port.starved & class_bit(c)) == 0) continue;
      const Picoseconds since = s.queue(port, c).blocked_since;
      add(c, since, now_, now_ - since);
    }
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
              [](const CreditWait& a, const CreditWait& b) {
                return std::tuple(a.traffic_class, a.start) < std::tuple(b.traffic_class, b.start);
              });
  }
  return all;
}

std::uint64_t PacketNetwork::packets_in_flight() const {
  return engine_->sums().packets_in_flight();
}

std::uint64_t PacketNetwork::payload_packets_arrived() const {
  std::uint64_t sum = 0;
  for (const SenderState& s : state_->senders.all_whole()) sum += s.received;
  for (const SendingEnd& s : state_->senders.all_added_up()) sum += NetworkState::received_of(s);
  return sum;
}

const std::vector<Stall>& PacketNetwork::stalls() const { return engine_->stalls; }

std::vector<BlockedPort> PacketNetwork::deadlock() const { return engine_->deadlock; }

Bytes PacketNetwork::headroom_pool_peak(SwitchId at) const {
  return state_->switches[at.value()].pool_peak;
}

Bytes PacketNetwork::buffer_peak(SwitchId at) const {
  return state_->switches[at.value()].buffer_peak;
}

Histogram PacketNetwork::packet_latency() const {
  Histogram all;
  for (const LatencyBySize& group : packet_latencies()) merge(all, group);
  return all;
}

std::vector<LatencyBySize> PacketNetwork::packet_latencies() const {
  return engine_->packet_latencies();
}

std::uint32_t PacketNetwork::threads() const { return engine_->threads(); }

ThreadTimes PacketNetwork::thread_times() const { return engine_->thread_times(); }

void PacketNetwork::take_ended_messages(
    const std::function<void(std::span<const MessageOutcome>)>& visit) {
  engine_->outcomes.take_ended(*state_, visit);
}

std::vector<MessageOutcome> PacketNetwork::pending_messages() const {
  return engine_->outcomes.pending(*state_);
}

void PacketNetwork::for_each_ended_message(
    const std::function<void(const MessageOutcome&)>& visit) const {
  engine_->outcomes.visit_ended(*state_, visit);
}

void PacketNetwork::for_each_pending_message(
    const std::function<void(ConnectionId, Picoseconds)>& visit) const {
  engine_->outcomes.for_each_pending(*state_, visit);
}

std::vector<MessageOutcome> PacketNetwork::take_messages() {
  std::vector<MessageOutcome> all;
  take_ended_messages([&all](std::span<const MessageOutcome> ended) {
    all.insert(all.end(), ended.begin(), ended.end());
  });
  const std::vector<MessageOutcome> pending = pending_messages();
  all.insert(all.end(), pending.begin(), pending.end());
  return all;
}

std::uint32_t PacketNetwork::number_in_connection(const MessageOutcome& m) const {
  return state_->connections[m.connection.value()].number_of(m.queue_pair);
}

FlowName PacketNetwork::name_of(std::uint32_t flow) const {
  const NetworkState& s = *state_;
  const QueuePairId queue_pair(flow & ~kInNetworkFlow);
  if ((flow & kInNetworkFlow) != 0) return {s.senders[queue_pair].connection, 0};
  const ReceiverId receiver(flow);
  if (s.is_to_copy(receiver)) return {s.multicast_of(receiver).connection, 0};
  const ConnectionId connection = s.receivers[receiver].connection;
  if (queue_pair >= s.senders.first_added_up()) return {connection, 0};
  return {connection, s.connections[connection.value()].number_of(queue_pair)};
}

std::uint64_t PacketNetwork::packets_received(ConnectionId connection) const {
  const ConnectionState& state = state_->connections[connection.value()];
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < state.queue_pairs; ++i) {
    const ReceiverId receiver = state_->first_receiver(state.queue_pair(i));
    if (state_->is_to_copy(receiver)) {
      const CopyReceiver& r = state_->copy_receiver(receiver);
      sum += r.expected + r.early.held();
    } else {
      sum += state_->receivers[receiver].received;
    }
  }
  return sum;
}

Bytes PacketNetwork::queue_bytes(PortId port) const { return state_->ports[port.value()].backlog; }

std::vector<ConnectionId> PacketNetwork::failed_connections() const {
  std::vector<ConnectionId> failed;
  for (const SenderState& s :
       state_->senders.all_whole()) {  // what scale-up switches reduce never fails
    if (s.schedule == SendingEnd::Schedule::kFailed &&
        (failed.empty() || failed.back() != s.connection)) {
      failed.push_back(s.connection);
    }
  }
  return failed;
}

std::vector<std::string> PacketNetwork::violated_invariants(bool is_quiescent) const {
  return violated_laws(*state_, engine_->lps, engine_->sums(), is_quiescent);
}

std::size_t PacketNetwork::memory_bytes() const {
  const NetworkState& s = *state_;
  std::size_t bytes =
      s.ports.capacity() * sizeof(PortState) + s.links.capacity() * sizeof(Link) +
      s.queues.capacity() * sizeof(ClassQueue) + s.ingress.capacity() * sizeof(IngressAccount) +
      s.credit_returns.capacity() * sizeof(CreditReturns) +
      s.early_drops.capacity() * sizeof(EarlyDrops) + s.watchdogs.capacity() * sizeof(Watchdog) +
      s.cbfc.capacity() * sizeof(CbfcState) + s.ready.capacity() * sizeof(ReadyList) +
      s.switches.capacity() * sizeof(SwitchState) + s.flowlets.capacity() * sizeof(Flowlet) +
      s.hosts.capacity() * sizeof(HostState) + s.nics.capacity() * sizeof(NicState) +
      s.senders.memory_bytes() + s.receivers.capacity() * sizeof(ReceiverState) +
      s.copy_receivers.capacity() * sizeof(CopyReceiver) + s.controls.memory_bytes() +
      s.grants.memory_bytes() + s.planes.memory_bytes() + s.entropies.memory_bytes() +
      s.path_histories.capacity() * sizeof(path_selection::PathHistory) + s.tcp.memory_bytes() +
      s.telemetry.memory_bytes() + s.acks.memory_bytes() + s.uec.memory_bytes() +
      s.connections.capacity() * sizeof(ConnectionState) + s.delivered_parts.memory_bytes() +
      s.acknowledged_parts.memory_bytes() + s.losses.capacity() * sizeof(FrameLosses) +
      s.retries.capacity() * sizeof(RetryState) + s.repairs.capacity() * sizeof(Repair) +
      s.next_nack.capacity() * sizeof(Picoseconds) + s.processes.capacity() * sizeof(ProcessState) +
      engine_->lps.capacity() * sizeof(LogicalProcess);
  for (const LogicalProcess& lp : engine_->lps) {
    bytes += lp.ports.capacity() * (sizeof(PortId) + sizeof(void*) + 4 * sizeof(std::uint64_t));
  }
  for (const Repair& repair : s.repairs) {
    bytes +=
        repair.board.memory_bytes() + repair.known.memory_bytes() + repair.trimmed.memory_bytes();
  }
  for (const HostState& host : s.hosts) {
    bytes += host.messages.memory_bytes() + host.delivered.capacity() * sizeof(DeliveryRecord);
  }
  ListMemory lists;
  for (PortState& port : state_->ports) visit_fields(port, lists, kVisitsNothing);
  for (NicState& nic : state_->nics) visit_fields(nic, lists);
  return bytes + lists.bytes + engine_->chunk_bytes();
}

}  // namespace weft::protocols
