#include "scenarios/memo/epoch_replay.hpp"

#include <algorithm>
#include <utility>

#include "collectives/memo/matching_calls.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using collectives::TaskProgram;
using protocols::PacketNetwork;

/// Any connection of the job: they have its label, class and transport in common.
const Connection& example_of(const Experiment& e, const collectives::GpuSet& gpu_set) {
  const collectives::JobPlan& plan = e.workload.jobs()[gpu_set.job];
  const std::uint32_t first = e.workload.lane_index(plan.process(0), 0);
  for (std::uint32_t lane = first; lane < first + plan.ranks * plan.lanes; ++lane) {
    const auto [begin, end] = e.workload.sends_of(lane);
    if (begin != end) return e.workload.connections()[begin];
  }
  fail_check("communicators have connections", "false", __FILE_NAME__, __LINE__);
}

PacketNetwork::Options options_of(PacketNetwork::Options options, std::int32_t domain,
                                  const EpochView& view) {
  if (domain < 0) {
    options.scale_up_of_domain.clear();
  } else if (!options.scale_up_of_domain.empty()) {
    options.scale_up_of_domain = {options.scale_up_of_domain[static_cast<std::size_t>(domain)]};
  }
  // Of ports between servers, and of lossy or PFC classes: nothing that is here has any.
  options.switches.by_port = {};
  options.switches.watchdog = {};
  for (protocols::TrafficClass& c : options.switches.classes) c.wred = {};
  options.faults.clear();
  options.route_changes.clear();
  options.observation = {};
  options.trace_sink = {};
  options.observation.messages = view.messages;
  options.message_trace_sink = view.sink;
  options.on_many_messages = {};
  options.on_period = {};
  options.cut = LpPlan::Cut::kOne;
  options.skips = view.messages.empty();
  options.parallelism = {};
  return options;
}

}  // namespace

const TaskProgram& program_of(const Experiment& e, const collectives::GpuSet& gpu_set) {
  return dynamic_cast<const TaskProgram&>(*e.workload.jobs()[gpu_set.job].program);
}

PartFabric part_of(const Experiment& e, const collectives::GpuSet& gpu_set) {
  if (gpu_set.domain >= 0) return fabric_of_domain(e.fabric, e.routes, gpu_set.domain);
  const collectives::JobPlan& plan = e.workload.jobs()[gpu_set.job];
  std::vector<HostId> hosts;
  for (const std::uint32_t rank : gpu_set.ranks) {
    hosts.push_back(e.workload.process_hosts()[plan.process(rank).value()]);
  }
  return fabric_of_rail(e.fabric, e.routes, hosts);
}

EpochReplay::EpochReplay(const Experiment& e, const PacketNetwork::Options& options,
                         const collectives::GpuSet& gpu_set, const EpochView& view)
    : whole_(program_of(e, gpu_set)), gpu_set_(gpu_set), part_(part_of(e, gpu_set)) {
  make_workload(e, gpu_set);
  using Spans = collectives::Executor::Spans;
  executor_ = std::make_unique<collectives::Executor>(
      workload_, view.at_lanes ? Spans::kOfAll : Spans::kNotKept);
  executor_->begin_by_timers();
  executor_->set_observer(*this);
  network_ = std::make_unique<PacketNetwork>(
      part_.fabric, part_.routes, options_of(options, gpu_set.domain, view),
      workload_.process_hosts(), workload_.connections(), workload_.groups());
  network_->start(*executor_);
}

void EpochReplay::make_workload(const Experiment& e, const collectives::GpuSet& gpu_set) {
  const collectives::JobPlan& plan = e.workload.jobs()[gpu_set.job];
  std::vector<HostId> hosts;
  for (const std::uint32_t rank : gpu_set.ranks) {
    const HostId host = e.workload.process_hosts()[plan.process(rank).value()];
    const auto place = std::ranges::lower_bound(part_.hosts, host);
    hosts.emplace_back(static_cast<std::uint32_t>(place - part_.hosts.begin()));
  }
  auto program =
      std::make_unique<collectives::EpochProgram>(whole_, gpu_set.ranks, gpu_set.communicators);
  program_ = program.get();
  const Connection& example = example_of(e, gpu_set);
  const std::uint32_t number = collectives::job_of_label(example.flow_label);
  const Errors errors =
      workload_.add_job(plan.name, Picoseconds(0), hosts, std::move(program), true,
                        {.traffic_class = example.traffic_class,
                         .queue_pairs = example.queue_pairs,
                         .transport = example.transport,
                         .number = number});
  WEFT_CHECK(errors.empty(), "a part of a job that could be built can be");
}

std::uint32_t EpochReplay::call_number(const EpochBegin& begin) const {
  const auto member = whole_.lane_plan().member(gpu_set_.ranks[begin.rank], begin.stream);
  return whole_.calls_of(member->communicator)[begin.call];
}

CommEpoch EpochReplay::run(const EpochBegins& begins, const EpochWindow& window) {
  start();
  for (const EpochBegin& begin : begins.list) add(begin);
  stops_at_ends_ = false;
  if (window.from) {
    network_->run_until(start_ + *window.from);
    before_part_ = network_->share().sums;
    network_->reset_statistics();
  }
  network_->run_until(window.until ? start_ + *window.until : PacketNetwork::kLongestRun);
  return finish(begins.is_complete, window);
}

void EpochReplay::start() {
  WEFT_CHECK(is_quiet_, "an epoch begins on a quiet network");
  is_quiet_ = false;
  begins_.clear();
  turns_.clear();
  ends_.clear();
  last_lanes_.clear();
  queues_.clear();
  start_ = std::max(network_->now(), network_->last_event()) + 1_us;
  before_.clear();
  for (std::uint32_t rank = 0; rank < gpu_set_.ranks.size(); ++rank) {
    before_.push_back(
        {executor_->messages_of(ProcessId(rank)), executor_->bytes_of(ProcessId(rank)), {}});
  }
  before_part_ = {};
  network_->run_until(start_);
  network_->reset_statistics();
  skips_before_ = network_->skips();
}

protocols::SkipCounts EpochReplay::skips() const { return network_->skips() - skips_before_; }

std::uint64_t EpochReplay::packet_hops() const {
  return before_part_.packet_hops + network_->packet_hops() - skips().packet_hops;
}

// The next of a stream's begins is set when the one before it has ended: until then its lanes are
// not there. Before that nobody begins it either.
void EpochReplay::add(const EpochBegin& begin) {
  const auto number = static_cast<std::uint32_t>(begins_.size());
  queues_[{begin.rank, begin.stream}].coming.push_back(number);
  is_quiescent_ = false;
  next_change_.reset();
  turns_.emplace_back();
  for (std::uint32_t i = number; i-- > 0 && begins_[i].time == begin.time;) {
    if (begins_[i].rank != begin.rank) continue;
    turns_[i].behind = number;
    turns_[number].before = i;
    break;
  }
  begins_.push_back(begin);
  ends_.emplace_back();
  last_lanes_.emplace_back();
  begin_in_turn(number, network_->now());
}

void EpochReplay::begin_in_turn(std::uint32_t number, Picoseconds now) {
  const EpochBegin& begin = begins_[number];
  const Queue& queue = queues_[{begin.rank, begin.stream}];
  if (queue.coming[queue.next] != number) return;
  if (turns_[number].before != kNone && !turns_[turns_[number].before].has_come) return;
  network_->file_job_timer(std::max(start_ + begin.time, now), ProcessId(begin.rank),
                           collectives::Executor::timer_of_begin(begin.stream));
}

void EpochReplay::advance(std::optional<Picoseconds> until) {
  stops_at_ends_ = true;
  const Picoseconds end = until ? start_ + *until : PacketNetwork::kLongestRun;
  if (end <= network_->now()) return;
  is_quiescent_ = network_->run_until(end) == PacketNetwork::Status::kQuiescent;
  next_change_.reset();
}

std::optional<Picoseconds> EpochReplay::next_end() {
  if (!next_change_) next_change_ = network_->next_change();
  return *next_change_ ? std::optional(**next_change_ - start_) : std::nullopt;
}

bool EpochReplay::is_quiet(std::span<const std::uint32_t> ranks) const {
  return std::ranges::all_of(ranks, [this](std::uint32_t rank) {
    return network_->is_quiet(workload_.process_hosts()[rank]);
  });
}

CommEpoch EpochReplay::finish(bool is_complete, const EpochWindow& window) {
  CommEpoch epoch;
  epoch.begins = begins_;
  epoch.ends = std::exchange(ends_, {});
  epoch.last = network_->last_event() - start_;
  const bool have_ended =
      std::ranges::all_of(epoch.ends, [](const EpochEnd& e) { return e.time.has_value(); });
  epoch.is_whole = is_complete && have_ended;
  epoch.skips = skips();
  epoch.simulated_hops = packet_hops();
  is_quiet_ = epoch.is_whole && !window.until;
  if (!epoch.is_whole && !window.until) {
    return epoch;
  }
  epoch.share = network_->share();
  epoch.before = before_part_;
  epoch.share.sums.events -= told(epoch.ends, window);
  for (std::uint32_t rank = 0; rank < before_.size(); ++rank) {
    const ProcessId process(rank);
    epoch.sent.push_back({executor_->messages_of(process) - before_[rank].messages,
                          executor_->bytes_of(process) - before_[rank].bytes,
                          executor_->last_progress(process) - start_});
  }
  collect_messages(epoch);
  return epoch;
}

std::uint64_t EpochReplay::told(const std::vector<EpochEnd>& ends,
                                const EpochWindow& window) const {
  const Picoseconds from = window.from.value_or(Picoseconds(0));
  const auto counts = [&](OptionalTime time) {
    return time >= from && (!window.until || time < *window.until);
  };
  std::uint64_t told = 0;
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    if (counts(begins_[i].time)) ++told;
    if (counts(ends[i].time)) ++told;
  }
  return told;
}

void EpochReplay::collect_messages(CommEpoch& epoch) {
  for (const protocols::MessageOutcome& m : network_->take_messages()) {
    if (on_message_) on_message_(m);
    const Connection& c = workload_.connections()[m.connection.value()];
    epoch.messages.push_back({.source = c.source.value(),
                              .destination = c.destination.value(),
                              .lane = workload_.lane_of(m.connection),
                              .kind = c.kind,
                              .queue_pair = network_->number_in_connection(m),
                              .bytes = m.bytes,
                              .posted = m.posted - start_,
                              .delivered = m.delivered - start_,
                              .acknowledged = m.acknowledged - start_});
  }
  epoch.messages.shrink_to_fit();
}

void EpochReplay::begun(ProcessId process, std::uint32_t stream, std::uint32_t /*call*/,
                        Picoseconds now) {
  const Queue& queue = queues_[{process.value(), stream}];
  const std::uint32_t number = queue.coming[queue.next];
  program_->set_call(process.value(), stream, call_number(begins_[number]));
  turns_[number].has_come = true;
  if (turns_[number].behind != kNone) begin_in_turn(turns_[number].behind, now);
}

void EpochReplay::ended(ProcessId process, std::uint32_t stream, Picoseconds now,
                        Picoseconds posted_at) {
  Queue& queue = queues_[{process.value(), stream}];
  // What an earlier epoch received says nothing of this one.
  const Picoseconds posted =
      posted_at < start_ ? Picoseconds(0) - Picoseconds::max() / 4 : posted_at - start_;
  ends_[queue.coming[queue.next]] = {now - start_, posted};
  last_lanes_[queue.coming[queue.next]] = executor_->last_lane(process, stream);
  if (stops_at_ends_) network_->stop();
  if (++queue.next < queue.coming.size()) begin_in_turn(queue.coming[queue.next], now);
}

std::vector<std::string> EpochReplay::violations() const {
  return network_->violated_invariants(is_quiet_);
}

}  // namespace weft::scenarios
