#include "protocols/packet_engine.hpp"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "protocols/network_audit.hpp"

namespace weft::protocols {
namespace {

bool has_lossless_class(const SwitchConfig& switches) {
  return switches.any_pfc() || switches.any_credit();
}

}  // namespace

PacketNetwork::Engine::Engine(NetworkState& state, const CellPlan& plan, const Options& options)
    : stall_limit_(kPicosecondsPerSecond + 2 * state.constants.transports[0].retransmit_timeout),
      s_(state),
      model_(PacketModel<PlainPath>(state)),
      plan_(plan),
      observation_(options.observation),
      sink_(options.trace_sink),
      deadlock_check_(has_lossless_class(options.switches) ? kDeadlockPeriod : 0),
      queue_sample_(observation_.queue_ports.empty() ? 0 : observation_.queue_period.count()),
      rate_sample_(observation_.rate_flows.empty() ? 0 : observation_.rate_period.count()),
      last_queue_sample_(observation_.queue_ports.size() * state.constants.classes) {
  assert(!observation_.any() || sink_);
  if (options.force_general_path || state.constants.needs_general_path()) {
    model_.emplace<PacketModel<GeneralPath>>(state);
  }
}

void PacketNetwork::Engine::start_process(std::uint32_t cell, ProcessId process) {
  std::visit([&](auto& model) { model.start_process(cells[cell], worker, process); }, model_);
}

void PacketNetwork::Engine::schedule_faults() {
  for (Cell& cell : cells) {
    for (const PortId id : cell.ports) {
      std::visit([&](auto& model) { model.schedule_faults(cell, s_.ports[id.value()]); }, model_);
    }
  }
}

void PacketNetwork::Engine::deliver_outbox() {
  for (const Worker::Outgoing& message : worker.outbox) {
    Cell& cell = cells[message.cell];
    ++cell.job_events;
    schedule(cell, message.event);
  }
  worker.outbox.clear();
}

std::int64_t PacketNetwork::Engine::earliest_event(std::int64_t now) {
  std::int64_t earliest = Agenda::kNever;
  for (Cell& cell : cells) earliest = std::min(earliest, next_event_time(cell, now));
  return earliest;
}

PacketNetwork::Status PacketNetwork::Engine::run(std::int64_t& now, std::int64_t until,
                                                 const Observer& observer) {
  const std::int64_t lookahead = plan_.lookahead.count();
  deliver_outbox();
  bool was_idle = true;
  while (now < until) {
    if (was_idle) {
      // Nothing happened in the last window: jump to where something does. What is due on the way
      // sees the same state whenever it is done, so once is enough.
      const std::int64_t next = earliest_event(now);
      const std::int64_t target = std::min(until, std::max(now, next));
      if (next_instant() <= std::min(target, until)) {
        if (!observe(next_instant())) return Status::kDeadlocked;
      }
      if (next == Agenda::kNever) return is_deadlocked() ? Status::kDeadlocked : Status::kQuiescent;
      now = target;
      if (now == until) break;
      deadlock_check_.advance(now);
      queue_sample_.advance(now);
      rate_sample_.advance(now);
    }
    if ((was_idle || windows_ % kWindowsPerObservation == 0) && is_stalled(now)) {
      return is_deadlocked() ? Status::kDeadlocked : Status::kStalled;
    }
    const std::int64_t limit = std::min(until, next_instant());
    const std::int64_t end = limit - now < lookahead ? limit : now + lookahead;
    const std::uint64_t events_before = worker.sums.events;
    std::visit([&](auto& model) { run_cells(model, now, end); }, model_);
    deliver_outbox();
    was_idle = worker.sums.events == events_before;
    now = end;
#ifndef NDEBUG
    for (const std::string& violation : violated_laws(s_, cells, worker.sums, false)) {
      std::fprintf(stderr, "%s\n", violation.c_str());
      std::abort();
    }
#endif
    if (!observe(now)) return Status::kDeadlocked;
    if (++windows_ % kWindowsPerObservation == 0 && observer &&
        !observer(Picoseconds(now), worker.sums.packet_hops)) {
      return Status::kInterrupted;
    }
  }
  return Status::kTimeLimit;
}

template <class Model>
void PacketNetwork::Engine::run_cells(Model& model, std::int64_t start, std::int64_t end) {
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

bool PacketNetwork::Engine::is_deadlocked() {
  deadlock = find_deadlock(s_);
  return !deadlock.empty();
}

std::int64_t PacketNetwork::Engine::next_instant() const {
  return std::min({deadlock_check_.next(), queue_sample_.next(), rate_sample_.next()});
}

bool PacketNetwork::Engine::observe(std::int64_t now) {
  drain_trace(now);
  if (next_instant() > now) [[likely]]
    return true;
  if (queue_sample_.is_due(now)) {
    sample_queues(now);
    queue_sample_.advance(now);
  }
  if (rate_sample_.is_due(now)) {
    sample_rates(now);
    rate_sample_.advance(now);
  }
  drain_trace(now + 1);
  if (deadlock_check_.is_due(now)) {
    deadlock_check_.advance(now);
    if (is_deadlocked()) return false;
  }
  return true;
}

void PacketNetwork::Engine::sample_queues(std::int64_t now) {
  std::size_t slot = 0;
  for (const PortId id : observation_.queue_ports) {
    const PortState& port = s_.ports[id.value()];
    for (std::uint8_t c = 0; c < s_.constants.classes; ++c, ++slot) {
      const std::int64_t bytes = s_.queue(port, c).packets.bytes();
      if (bytes == last_queue_sample_[slot]) continue;
      last_queue_sample_[slot] = bytes;
      worker.trace.push_back({.time = now,
                              .value = bytes,
                              .subject = port.index,
                              .kind = TraceRecord::Kind::kQueue,
                              .traffic_class = c});
    }
  }
}

void PacketNetwork::Engine::sample_rates(std::int64_t now) {
  if (sampled_queue_pairs_.empty()) {
    for (const ConnectionId flow : observation_.rate_flows) {
      const std::uint32_t first = s_.connections[flow.value()].first_queue_pair;
      for (std::uint32_t i = 0; i < s_.connections[flow.value()].queue_pairs; ++i) {
        sampled_queue_pairs_.push_back(first + i);
      }
    }
  }
  for (const std::uint32_t qp : sampled_queue_pairs_) {
    const SenderState& sender = s_.senders[qp];
    const PortState& port = s_.ports[sender.port];
    TraceRecord record{.time = now, .subject = qp, .traffic_class = sender.traffic_class};
    record.kind = TraceRecord::Kind::kRate;
    record.value = port.nominal_rate;
    std::int64_t target = port.nominal_rate;
    if (s_.constants.dcqcn && s_.dcqcn[qp].active()) {
      Dcqcn& dcqcn = s_.dcqcn[qp];
      dcqcn.catch_up(*s_.constants.dcqcn, now);
      record.value = dcqcn.rate();
      target = dcqcn.target();
    }
    record.detail = static_cast<std::uint32_t>(target / 1'000'000);
    worker.trace.push_back(record);
    if (s_.constants.dcqcn && s_.dcqcn[qp].active()) {
      record.kind = TraceRecord::Kind::kAlpha;
      record.value = s_.dcqcn[qp].alpha_fixed() << (32 - DcqcnParameters::kAlphaBits);
      record.detail = 0;
      worker.trace.push_back(record);
    }
    record.kind = TraceRecord::Kind::kProgress;
    record.value =
        s_.constants.transports[sender.transport].reliable ? sender.received : sender.next;
    record.detail = 0;
    worker.trace.push_back(record);
  }
}

void PacketNetwork::Engine::end_observation(std::int64_t now) {
  for (const PortState& port : s_.ports) {
    if (!s_.constants.traces_credits) break;
    for (std::uint8_t c = 0; c < s_.constants.classes; ++c) {
      if ((port.starved & class_bit(c)) == 0) continue;
      worker.trace.push_back({.time = now,
                              .value = s_.queue(port, c).blocked_since,
                              .subject = port.index,
                              .kind = TraceRecord::Kind::kCreditStall,
                              .traffic_class = c});
    }
  }
  drain_trace(Agenda::kNever);
}

void PacketNetwork::Engine::drain_trace(std::int64_t now) {
  std::vector<TraceRecord>& trace = worker.trace;
  if (trace.empty()) [[likely]]
    return;
  const auto key = [](const TraceRecord& r) {
    return std::tuple(r.time, r.kind, r.subject, r.traffic_class, r.value, r.detail);
  };
  // Stable: occupancies of one queue at one instant stay in the order in which they came about.
  std::stable_sort(trace.begin(), trace.end(), [&key](const TraceRecord& a, const TraceRecord& b) {
    if (a.kind == TraceRecord::Kind::kQueue && b.kind == TraceRecord::Kind::kQueue) {
      return std::tuple(a.time, a.subject, a.traffic_class) <
             std::tuple(b.time, b.subject, b.traffic_class);
    }
    return key(a) < key(b);
  });
  // With cut-through a packet may start a little after this window.
  const auto end = std::find_if(trace.begin(), trace.end(),
                                [now](const TraceRecord& r) { return r.time >= now; });
  if (end != trace.begin()) sink_({trace.begin(), end});
  trace.erase(trace.begin(), end);
}

}  // namespace weft::protocols
