#include "protocols/network/packet_engine.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <tuple>
#include <utility>

#include "protocols/link/egress.hpp"
#include "protocols/network/network_audit.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {
namespace {

/// In a full window: some hundred microseconds of work, against the few that sharing it costs.
constexpr double kPacketsPerThread = 500;

Picoseconds longest_timeout(const NetworkConstants& constants) {
  Picoseconds longest;
  for (const TransportConstants& t : constants.transports) {
    longest = std::max({longest, t.retransmit_timeout, t.max_timeout});
    if (!t.has_contexts) continue;
    longest = std::max(longest, t.delivery.timeout_after(t.delivery.timeout, t.delivery.retries));
  }
  return longest;
}

/// Until a watchdog has found a storm, at most.
Picoseconds longest_watch(const NetworkConstants& constants) {
  Picoseconds longest = constants.watchdog.is_on ? constants.watchdog.detection : Picoseconds();
  for (const SettingsConstants& some : constants.settings) {
    if (some.watchdog.is_on) longest = std::max(longest, some.watchdog.detection);
  }
  return longest;
}

bool has_lossless_class(const SwitchConfig& switches) {
  return switches.any_pfc() || switches.any_credit();
}

}  // namespace

PacketNetwork::Engine::Engine(NetworkState& state, const LpPlan& plan, const Options& options)
    : stall_limit_(Picoseconds(kPicosecondsPerSecond) + 2 * longest_timeout(state.constants) +
                   2 * longest_watch(state.constants)),
      longest_key_span_(options.longest_key_span),
      s_(state),
      path_(choose_path(state, options.extra_features)),
      plan_(plan),
      parallelism_(options.parallelism),
      observation_(options.observation),
      sink_(options.trace_sink),
      message_sink_(options.message_trace_sink),
      deadlock_check_(has_lossless_class(options.switches) ? kDeadlockPeriod : Picoseconds()),
      queue_sample_(observation_.queue_ports.empty() ? Picoseconds() : observation_.queue_period),
      mark_sample_(observation_.mark_ports.empty() ? Picoseconds() : observation_.mark_period),
      rate_sample_(observation_.rate_flows.empty() ? Picoseconds() : observation_.rate_period),
      on_many_messages_(options.on_many_messages),
      on_period_(options.on_period),
      many_messages_(options.many_messages),
      message_offer_(on_many_messages_ || on_period_ ? kMessagePeriod : Picoseconds()),
      last_queue_sample_(observation_.queue_ports.size() * state.constants.classes),
      marks_(state, observation_.mark_ports) {
  WEFT_CHECK(observation_.messages.empty() || message_sink_, "what is observed goes somewhere");
  WEFT_CHECK(!observation_.any_but_messages() || (sink_ && observation_.messages.empty()),
             "what is observed goes somewhere, and to one place");
}

void PacketNetwork::Engine::spawn() {
  std::uint32_t threads = parallelism_.threads;
  if (threads == 0) threads = useful_threads();
  threads = std::clamp<std::uint32_t>(threads, 1, static_cast<std::uint32_t>(lps.size()));
  if (threads > 1) pool_ = std::make_unique<WorkerPool>(threads, parallelism_.waits_for_all);
  const std::uint32_t size = pool_ == nullptr ? 1 : pool_->size();
  for (std::uint32_t i = 0; i < size; ++i) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->number = i;
    workers_.back()->packet_latency.resize(s_.latency_groups * kSizeClasses);
    workers_.back()->pool.exchange_by(depot_);
    workers_.back()->activity.reset(activity_words);
  }
  s_.telemetry.spawn(size);
  s_.acks.spawn(size);
  shared_times_.resize(size);
  if (pool_ == nullptr) return;
  std::vector<std::uint32_t> weights;
  for (const LogicalProcess& lp : lps) weights.push_back(lp.port_count() + 1);
  shares_ = std::make_unique<WorkSplit>(weights, size);
}

std::uint32_t PacketNetwork::Engine::useful_threads() const {
  // What the ports can start in a window at full rate, in packets of full size.
  const double window = to_seconds(plan_.lookahead);
  const double packet = static_cast<double>(s_.constants.largest_packet().count()) * 8;
  double packets = 0;
  for (const PortState& port : s_.ports) {
    packets += static_cast<double>(port.nominal_rate.count()) * window / packet;
  }
  const double useful = std::min(packets / kPacketsPerThread, static_cast<double>(lps.size()));
  const std::uint32_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  return static_cast<std::uint32_t>(std::clamp<double>(useful, 1, cores));
}

void PacketNetwork::Engine::start_process(std::uint32_t lp, ProcessId process) {
  path_->start_process(Here{lps[lp], *workers_[0], {}}, process);
}

void PacketNetwork::Engine::schedule_faults() {
  for (LogicalProcess& lp : lps) {
    for (const PortId id : lp.ports) path_->schedule_faults(lp, s_.ports[id.value()]);
  }
}

Worker::Sums PacketNetwork::Engine::sums() const {
  Worker::Sums sums;
  for (const auto& worker : workers_) sums += worker->sums;
  return sums;
}

std::vector<LatencyBySize> PacketNetwork::Engine::packet_latencies() const {
  std::vector<LatencyBySize> groups(s_.latency_groups);
  for (std::size_t i = 0; i < groups.size() * kSizeClasses; ++i) {
    SizedLatency size{.size_class = static_cast<std::uint32_t>(i % kSizeClasses), .latency = {}};
    for (const auto& worker : workers_) size.latency.merge(worker->packet_latency[i]);
    if (!size.latency.is_empty()) groups[i / kSizeClasses].push_back(size);
  }
  return groups;
}

void PacketNetwork::Engine::add(const Worker::Sums& sums, std::uint8_t latency_group,
                                const LatencyBySize& packet_latency, std::uint64_t times) {
  workers_[0]->sums.add(sums, times);
  // That it is counted now says nothing of whether anything moves now.
  delivered_at_check_ += times * sums.packets_delivered;
  hops_at_progress_ += times * sums.packet_hops;
  const std::size_t first = latency_group * kSizeClasses;
  for (const SizedLatency& size : packet_latency) {
    workers_[0]->packet_latency[first + size.size_class].merge(size.latency, times);
  }
}

void PacketNetwork::Engine::clear_latency() {
  for (const auto& worker : workers_) {
    for (Histogram& group : worker->packet_latency) group.clear();
  }
}

std::size_t PacketNetwork::Engine::chunk_bytes() const {
  std::size_t bytes = 0;
  for (const auto& worker : workers_) bytes += worker->pool.allocated_bytes();
  return bytes;
}

void PacketNetwork::Engine::collect() {
  for (const auto& worker : workers_) {
    for (const Worker::Outgoing& message : worker->outbox) {
      LogicalProcess& lp = lps[message.lp];
      ++lp.job_events;
      schedule(lp, message.event);
    }
    worker->outbox.clear();
    if (worker == workers_[0] || worker->trace.empty()) [[likely]]
      continue;
    // Records of one queue come from one logical process, so they stay in the order in which they
    // came about.
    std::vector<TraceRecord>& all = workers_[0]->trace;
    all.insert(all.end(), worker->trace.begin(), worker->trace.end());
    worker->trace.clear();
  }
}

Picoseconds PacketNetwork::Engine::last_event() const {
  Picoseconds latest;
  for (const LogicalProcess& lp : lps) latest = std::max(latest, lp.last_event_time);
  return latest;
}

Picoseconds PacketNetwork::Engine::earliest_event(Picoseconds now) {
  Picoseconds earliest = EventCalendar::kNever;
  for (LogicalProcess& lp : lps) earliest = std::min(earliest, next_event_time(lp, now));
  return earliest;
}

ThreadTimes PacketNetwork::Engine::thread_times() const {
  using Seconds = std::chrono::duration<double>;
  ThreadTimes times;
  const Clock::duration alone = in_all_windows_ - in_shared_windows_;
  for (std::size_t i = 0; i < shared_times_.size(); ++i) {
    const Clock::duration busy = shared_times_[i].spent + (i == 0 ? alone : Clock::duration());
    times.busy_seconds.push_back(Seconds(busy).count());
    times.idle_seconds.push_back(Seconds(in_all_windows_ - busy).count());
  }
  return times;
}

PacketNetwork::Status PacketNetwork::Engine::run(Picoseconds& now, Picoseconds until,
                                                 const Observer& observer) {
  const Clock::time_point begin = Clock::now();
  const Status status = run_windows(now, until, observer);
  count_returned_credits(now);
  in_all_windows_ += Clock::now() - begin;
  return status;
}

PacketNetwork::Status PacketNetwork::Engine::run_windows(Picoseconds& now, Picoseconds until,
                                                         const Observer& observer) {
  const Picoseconds begin = now;
  const Picoseconds lookahead = std::min(plan_.lookahead, kLongestWindow);
  Picoseconds window_end = now;
  collect();
  bool was_idle = true;
  while (now < until) {
    if (was_idle) {
      // Nothing happened in the last window: jump to where something does.
      const Picoseconds next = earliest_event(now);
      const Picoseconds target = std::min(until, std::max(now, next));
      if (next == EventCalendar::kNever) {
        const Status status = come_to_rest(begin, now);
        static_cast<void>(observe_gap(target));
        return status;
      }
      if (const auto deadlocked_at = observe_gap(target)) {
        now = *deadlocked_at;
        return Status::kDeadlocked;
      }
      check_for_stall_until(target);
      now = target;
      if (now == until) break;
      stall_check_.advance(now);
    }
    if ((was_idle || windows_ % kWindowsPerObservation == 0) && is_stalled(now)) {
      return is_deadlocked() ? Status::kDeadlocked : Status::kStalled;
    }
    const Picoseconds limit = std::min(until, next_instant());
    const Picoseconds end = limit - now < lookahead ? limit : now + lookahead;
    if (s_.old_packets.is_check_due(end)) [[unlikely]]
      s_.old_packets.check(s_, window_end, end, sums().packets_in_flight() > 0);
    if (end > keys_end_) [[unlikely]]
      move_origin(now);
    window_events_ = run_window_of_all(now, end);
    collect();
    if (workers_[0]->stops) [[unlikely]] {
      workers_[0]->stops = false;
      now = workers_[0]->stopped_at;
      return Status::kInterrupted;
    }
    was_idle = window_events_ == 0;
    now = window_end = end;
#ifndef NDEBUG
    for (const std::string& violation : violated_laws(s_, lps, sums(), false)) {
      throw BrokenInvariant("broken invariant: " + violation);
    }
#endif
    if (!observe(now)) return Status::kDeadlocked;
    ++windows_;
    const bool is_long = events_ - events_at_observation_ >= kEventsPerObservation;
    if (windows_ % kWindowsPerObservation != 0 && !is_long) continue;
    events_at_observation_ = events_;
    if (observer && !observer(now, sums().packet_hops)) return Status::kInterrupted;
  }
  // Whether the last window leads up to the limit, or another one follows that shows that nothing
  // is left, depends on the cut.
  return earliest_event(now) == EventCalendar::kNever ? come_to_rest(begin, now)
                                                      : Status::kTimeLimit;
}

PacketNetwork::Status PacketNetwork::Engine::come_to_rest(Picoseconds begin, Picoseconds& now) {
  // Where the last window ended depends on the partition into logical processes; what happened last
  // does not.
  count_returned_credits(now);
  now = std::max(begin, std::min(now, last_event()));
  return is_deadlocked() ? Status::kDeadlocked : Status::kQuiescent;
}

void PacketNetwork::Engine::count_returned_credits(Picoseconds now) {
  if (!s_.constants.has_credit_returns) return;
  for (LogicalProcess& lp : lps) {
    for (const PortId id : lp.ports) {
      const PortState& port = s_.ports[id.value()];
      for (const ClassId c : s_.classes_of(port)) {
        CreditReturns& returns = s_.returns(port, c);
        while (!returns.empty() && returns.first().time < now) {
          lp.last_event_time = std::max(lp.last_event_time, returns.first().time);
          s_.queue(port, c).credits += returns.take_first();
        }
      }
    }
  }
}

void PacketNetwork::Engine::move_origin(Picoseconds now) {
  if (lps.empty()) return;
  const Picoseconds before = lps.front().keys.origin;
  for (LogicalProcess& lp : lps) weft::move_origin(lp, now);
  keys_end_ = now + std::min(longest_key_span_, reach_of(s_.constants, lps.front().keys));
  if (!s_.constants.cut_through) return;
  for (const PortState& port : s_.ports) {
    if (port.owner_is_host) continue;
    for (const ClassId c : s_.classes_of(port)) {
      s_.queue(port, c).packets.for_each([&](Packet& packet) {
        const Picoseconds tail = tail_arrival(packet, before);
        packet.stamp = waiting_stamp(waiting_port(packet), tail, now);
      });
    }
  }
}

std::uint64_t PacketNetwork::Engine::run_window_of_all(Picoseconds start, Picoseconds end) {
  // Measured: below four events per link there are enough idle ones to pay for reading the activity
  // bitmap.
  const bool is_sparse = window_events_ < 4 * external_links;
  for (const auto& worker : workers_) worker->activity.turn(is_sparse);
  if (pool_ != nullptr && window_events_ >= parallelism_.share_from) {
    run_shared(start, end);
  } else {
    run_alone(start, end);
  }
  std::uint64_t events = 0;
  for (const auto& worker : workers_) events += worker->sums.events;
  std::swap(events, events_);
  return events_ - events;
}

void PacketNetwork::Engine::run_alone(Picoseconds start, Picoseconds end) {
  const WorkSplit::Range all{.first = 0, .last = static_cast<std::uint32_t>(lps.size())};
  run_lps(*workers_[0], all, all, start, end);
}

void PacketNetwork::Engine::run_shared(Picoseconds start, Picoseconds end) {
  if (windows_ % kWindowsPerObservation == 0) shares_->balance();
  shares_->begin(runs_backwards());
  const Clock::time_point shared = Clock::now();
  auto work = [&](std::uint32_t self) {
    const Clock::time_point begin = Clock::now();
    Worker& worker = *workers_[self];
    shares_->take(self, [&](WorkSplit::Range block, WorkSplit::Range rest) {
      const std::uint64_t before = worker.sums.events;
      run_lps(worker, block, rest, start, end);
      return worker.sums.events - before;
    });
    shared_times_[self].spent += Clock::now() - begin;
  };
  pool_->run(work);
  in_shared_windows_ += Clock::now() - shared;
}

void PacketNetwork::Engine::run_lps(Worker& worker, WorkSplit::Range block, WorkSplit::Range rest,
                                    Picoseconds start, Picoseconds end) {
  if (worker.activity.is_read()) {
    const std::size_t first_word = lps[block.first].first_activity_word;
    const std::size_t last_word =
        block.last == lps.size() ? activity_words : lps[block.last].first_activity_word;
    for (const auto& other : workers_) {
      if (other.get() != &worker) worker.activity.join(other->activity, first_word, last_word);
    }
  }
  path_->run_window({.lps = lps,
                     .worker = worker,
                     .first = block.first,
                     .last = block.last,
                     .rest = runs_backwards() ? block.last - rest.first : rest.last - block.first,
                     .runs_backwards = runs_backwards(),
                     .start = start,
                     .end = end});
}

bool PacketNetwork::Engine::is_stalled(Picoseconds now) {
  const bool has_plans = std::any_of(lps.begin(), lps.end(),
                                     [](const LogicalProcess& lp) { return lp.job_events > 0; });
  const std::uint64_t hops = sums().packet_hops;
  if (has_plans || hops != hops_at_progress_) {
    hops_at_progress_ = hops;
    last_progress_ = now;
  }
  return now - last_progress_ > stall_limit_;
}

bool PacketNetwork::Engine::is_deadlocked() {
  // Looking at all ports takes long in a large network, which may be empty most of the time.
  deadlock = sums().packets_in_flight() > 0 ? find_deadlock(s_) : std::vector<BlockedPort>();
  return !deadlock.empty();
}

Picoseconds PacketNetwork::Engine::next_instant() const {
  return std::min(
      {deadlock_check_.next(), next_sample(), stall_check_.next(), message_offer_.next()});
}

Picoseconds PacketNetwork::Engine::next_sample() const {
  return std::min({queue_sample_.next(), mark_sample_.next(), rate_sample_.next()});
}

void PacketNetwork::Engine::take_samples(Picoseconds now, Picoseconds until) {
  if (queue_sample_.is_due(now)) {
    sample_queues(now);
    queue_sample_.advance(until);
  }
  if (mark_sample_.is_due(now)) {
    marks_.sample(now, workers_[0]->trace);
    mark_sample_.advance(until);
  }
  if (rate_sample_.is_due(now)) {
    sample_rates(now);
    rate_sample_.advance(until);
  }
}

std::optional<Picoseconds> PacketNetwork::Engine::observe_gap(Picoseconds end) {
  std::optional<Picoseconds> deadlocked_at;
  if (deadlock_check_.is_due(end)) {
    if (is_deadlocked()) end = *(deadlocked_at = deadlock_check_.next());
    deadlock_check_.advance(end);
  }
  for (;;) {
    const Picoseconds instant = next_sample();
    if (instant > end) break;
    take_samples(instant, end);
    drain_trace(instant + Picoseconds(1));
  }
  if (message_offer_.is_due(end)) offer_messages();
  message_offer_.advance(end);
  return deadlocked_at;
}

bool PacketNetwork::Engine::observe(Picoseconds now) {
  drain_trace(now);
  if (next_instant() > now) [[likely]]
    return true;
  take_samples(now, now);
  check_if_due(now);
  drain_trace(now + Picoseconds(1));
  if (message_offer_.is_due(now)) {
    offer_messages();
    message_offer_.advance(now);
  }
  if (deadlock_check_.is_due(now)) {
    deadlock_check_.advance(now);
    if (is_deadlocked()) return false;
  }
  return true;
}

void PacketNetwork::Engine::check_for_stall_until(Picoseconds target) {
  // What is elsewhere may move on that way.
  while (was_delivered_elsewhere && stall_check_.is_due(target)) {
    check_for_stall(stall_check_.next());
    stall_check_.advance(stall_check_.next());
  }
  if (!stall_check_.is_due(target)) return;
  check_for_stall(stall_check_.next());
  if (stall_check_.latest(target) > last_stall_check_) check_for_stall(stall_check_.latest(target));
}

void PacketNetwork::Engine::check_if_due(Picoseconds now) {
  if (!stall_check_.is_due(now)) return;
  check_for_stall(now);
  stall_check_.advance(now);
}

void PacketNetwork::Engine::check_for_stall(Picoseconds now) {
  if (now <= last_stall_check_) return;
  const std::uint64_t delivered = sums().packets_delivered;
  const bool is_silent = delivered == delivered_at_check_;
  const Picoseconds before = std::exchange(last_stall_check_, now);
  delivered_at_check_ = delivered;
  if (!is_silent) {
    is_in_stall_ = false;
    return;
  }
  const auto is_silent_elsewhere = [&] {
    return !was_delivered_elsewhere || !was_delivered_elsewhere(before, now);
  };
  if (is_in_stall_) {
    is_in_stall_ = is_silent_elsewhere();
    if (is_in_stall_) stalls.back().until = now;
    return;
  }
  if (stalls.size() == kStallsKept) return;
  Stall stall{.since = before, .until = now, .blocked = {}};
  for (std::size_t c = 0; c < s_.connections.size(); ++c) {
    bool is_blocked = false;
    for (std::uint32_t i = 0; i < s_.connections[c].queue_pairs; ++i) {
      const SendingEnd& s = s_.senders[s_.connections[c].queue_pair(i)];
      is_blocked |=
          NetworkState::received_of(s) != s.posted && s.schedule != SendingEnd::Schedule::kFailed;
    }
    if (!is_blocked) continue;
    ++stall.blocked_count;
    if (stall.blocked.size() < kBlockedNamed) stall.blocked.emplace_back(c);
  }
  is_in_stall_ = stall.blocked_count > 0 && is_silent_elsewhere();
  if (is_in_stall_) stalls.push_back(std::move(stall));
}

void PacketNetwork::Engine::offer_messages() {
  if (on_period_) on_period_();
  if (!on_many_messages_) return;
  const Worker::Sums so_far = sums();
  const std::uint64_t halves = so_far.messages_sent + so_far.messages_delivered;
  // What waits for its other half is checked again each time.
  if (halves - halves_at_offer_ < 2 * std::max<std::uint64_t>(many_messages_, outcomes.waiting()))
    return;
  halves_at_offer_ = halves;
  on_many_messages_();
}

void PacketNetwork::Engine::sample_queues(Picoseconds now) {
  std::size_t slot = 0;
  for (const PortId id : observation_.queue_ports) {
    const PortState& port = s_.ports[id.value()];
    for (const ClassId c : s_.classes_of(port)) {
      const Bytes bytes = s_.queue(port, c).packets.bytes();
      Bytes& last = last_queue_sample_[slot++];
      if (bytes == last) continue;
      last = bytes;
      workers_[0]->trace.push_back({.time = now,
                                    .value = bytes.count(),
                                    .subject = port.index,
                                    .kind = TraceRecord::Kind::kQueue,
                                    .traffic_class = c});
    }
  }
}

void PacketNetwork::Engine::sample_rates(Picoseconds now) {
  if (sampled_queue_pairs_.empty()) {
    for (const ConnectionId flow : observation_.rate_flows) {
      const ConnectionState& connection = s_.connections[flow.value()];
      for (std::uint32_t i = 0; i < connection.queue_pairs; ++i) {
        sampled_queue_pairs_.push_back(connection.queue_pair(i));
      }
    }
  }
  for (const QueuePairId qp : sampled_queue_pairs_) {
    const SendingEnd& sender = s_.senders[qp];
    TraceRecord record{.time = now,
                       .subject = flow_of(qp, sender.marks & kInNetworkFlow),
                       .traffic_class = sender.traffic_class};
    sample_control(sender, record);
    record.kind = TraceRecord::Kind::kProgress;
    record.value = s_.constants.transports[sender.transport].reliable
                       ? NetworkState::received_of(sender)
                       : sender.next;
    record.detail = 0;
    workers_[0]->trace.push_back(record);
  }
}

void PacketNetwork::Engine::sample_control(const SendingEnd& sender, TraceRecord record) {
  const congestion::ControlRef ref = s_.constants.transports[sender.transport].control;
  record.kind = TraceRecord::Kind::kControl;
  const auto add = [&](std::uint32_t column, std::int64_t value) {
    record.detail = column;
    record.value = value;
    workers_[0]->trace.push_back(record);
  };
  const congestion::ControlRef credit = s_.constants.transports[sender.transport].credit;
  if (!credit.is_none() && credit.control != ref.control) {
    const QueuePairId qp = s_.senders.queue_pair_of(sender.whole());
    const auto& source = s_.uec.source(s_.uec.sender(qp).credit_slot);
    add(static_cast<std::uint32_t>(congestion::column_number(credit.control, 0)),
        source.credit().count());
    add(static_cast<std::uint32_t>(congestion::column_number(credit.control, 1)),
        static_cast<std::int32_t>(source.asked() - source.granted()));
  }
  if (ref.is_none()) {
    // What the first columns of all controls mean where there is none.
    add(0, s_.line_rate(sender).count());
    add(1, s_.line_rate(sender).count());
    return;
  }
  using Values = std::array<std::int64_t, congestion::ColumnList::kMax>;
  Values values;
  values.fill(congestion::kNoSample);
  const auto sample = [&](std::uint32_t slot, Values& into) {
    s_.controls.sample(ref, slot, record.time, into);
  };
  sample(sender.whole().control_slot, values);
  // Of planes with a window each: bytes together, and the longest time.
  for (std::uint32_t plane = 1; plane < s_.windows_of(sender.whole()); ++plane) {
    Values own;
    own.fill(congestion::kNoSample);
    sample(sender.whole().control_slot + plane, own);
    const auto& columns = congestion::ControlSpecs::kColumns[ref.control];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_time = columns[i].form == congestion::Column::Form::kSeconds;
      values[i] = is_time ? std::max(values[i], own[i]) : values[i] + own[i];
    }
  }
  for (std::size_t i = 0; i < congestion::ControlSpecs::kColumns[ref.control].size(); ++i) {
    if (values[i] == congestion::kNoSample) continue;
    add(static_cast<std::uint32_t>(congestion::column_number(ref.control, i)), values[i]);
  }
}

void PacketNetwork::Engine::end_observation(Picoseconds now) {
  marks_.sample(now, workers_[0]->trace);
  for (const PortState& port : s_.ports) {
    if (!s_.constants.traces_credits) break;
    for (const ClassId c : s_.classes_of(port)) {
      if ((port.starved & class_bit(c)) == 0) continue;
      workers_[0]->trace.push_back({.time = now,
                                    .value = s_.queue(port, c).blocked_since.count(),
                                    .subject = port.index,
                                    .kind = TraceRecord::Kind::kCreditStall,
                                    .traffic_class = c});
    }
  }
  drain_trace(EventCalendar::kNever);
}

void PacketNetwork::Engine::drain_trace(Picoseconds now) {
  std::vector<TraceRecord>& trace = workers_[0]->trace;
  if (trace.empty()) [[likely]]
    return;
  if (message_sink_) {
    message_sink_(trace, now);
    trace.clear();
    return;
  }
  const auto key = [](const TraceRecord& r) {
    return std::tuple(r.time, r.kind, r.subject, r.what, r.traffic_class, r.value, r.detail);
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
