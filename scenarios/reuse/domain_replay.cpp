#include "scenarios/reuse/domain_replay.hpp"

#include <algorithm>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using collectives::PartsProgram;
using protocols::PacketNetwork;

/// Any connection of the job: they have its label, class and transport in common.
const Connection& example_of(const Experiment& e, const collectives::Component& component) {
  const collectives::JobPlan& plan = e.workload.jobs()[component.job];
  const std::uint32_t first = e.workload.lane_index(plan.process(0), 0);
  for (std::uint32_t lane = first; lane < first + plan.ranks * plan.lanes; ++lane) {
    const auto [begin, end] = e.workload.sends_of(lane);
    if (begin != end) return e.workload.connections()[begin];
  }
  fail_check("communicators have connections", "false", __FILE_NAME__, __LINE__);
}

PacketNetwork::Options options_of(PacketNetwork::Options options, std::int32_t domain) {
  if (!options.scale_up_of_domain.empty()) {
    options.scale_up_of_domain = {options.scale_up_of_domain[static_cast<std::size_t>(domain)]};
  }
  options.faults.clear();
  options.route_changes.clear();
  options.observation = {};
  options.trace_sink = {};
  options.message_trace_sink = {};
  options.on_many_messages = {};
  options.on_period = {};
  options.cut = CellPlan::Cut::kOne;
  options.parallelism = {};
  return options;
}

}  // namespace

const PartsProgram& program_of(const Experiment& e, const collectives::Component& component) {
  return dynamic_cast<const PartsProgram&>(*e.workload.jobs()[component.job].program);
}

std::vector<std::uint32_t> calls_of(const PartsProgram& program, std::uint32_t communicator) {
  std::vector<std::uint32_t> calls;
  for (std::uint32_t i = 0; i < program.parts().calls().size(); ++i) {
    if (program.parts().calls()[i].communicator == communicator) calls.push_back(i);
  }
  return calls;
}

DomainReplay::DomainReplay(const Experiment& e, const PacketNetwork::Options& options,
                           const collectives::Component& component)
    : whole_(program_of(e, component)),
      component_(component),
      domain_(fabric_of_domain(e.fabric, e.routes, component.domain)) {
  make_workload(e, component);
  executor_ =
      std::make_unique<collectives::Executor>(workload_, collectives::Executor::Spans::kNotKept);
  executor_->begin_from_outside();
  executor_->tell(*this);
  network_ = std::make_unique<PacketNetwork>(
      domain_.fabric, domain_.routes, options_of(options, component.domain),
      workload_.process_hosts(), workload_.connections(), workload_.groups());
  network_->start(*executor_);
}

void DomainReplay::make_workload(const Experiment& e, const collectives::Component& component) {
  const collectives::JobPlan& plan = e.workload.jobs()[component.job];
  std::vector<HostId> hosts;
  for (const std::uint32_t rank : component.ranks) {
    const HostId host = e.workload.process_hosts()[plan.process(rank).value()];
    const auto place = std::ranges::lower_bound(domain_.hosts, host);
    hosts.emplace_back(static_cast<std::uint32_t>(place - domain_.hosts.begin()));
  }
  auto program =
      std::make_unique<collectives::PhaseProgram>(whole_, component.ranks, component.communicators);
  program_ = program.get();
  const Connection& example = example_of(e, component);
  const std::uint32_t number = collectives::job_of_label(example.flow_label);
  const Errors errors =
      workload_.add_job(plan.name, Picoseconds(0), hosts, std::move(program), true,
                        {.traffic_class = example.traffic_class,
                         .queue_pairs = example.queue_pairs,
                         .transport = example.transport,
                         .number = number});
  WEFT_CHECK(errors.empty(), "a part of a job that could be built can be");
}

std::uint32_t DomainReplay::call_number(const PhaseBegin& begin) const {
  const auto member = whole_.lane_plan().member(component_.ranks[begin.rank], begin.stream);
  return calls_of(whole_, member->communicator)[begin.call];
}

Phase DomainReplay::run(const PhaseBegins& of_phase, std::optional<Picoseconds> until) {
  WEFT_CHECK(is_quiet_, "a phase begins on a quiet network");
  const std::span<const PhaseBegin> begins = of_phase.list;
  begins_ = begins;
  ends_.assign(begins.size(), {});
  queues_.clear();
  start_ = std::max(network_->now(), network_->last_event()) + 1_us;
  std::vector<PhaseSent> before(component_.ranks.size());
  for (std::uint32_t rank = 0; rank < before.size(); ++rank) {
    before[rank] = {
        executor_->messages_of(ProcessId(rank)), executor_->bytes_of(ProcessId(rank)), {}};
  }
  network_->run_until(start_);
  network_->reset_statistics();
  for (std::uint32_t i = 0; i < begins.size(); ++i) {
    queues_[{begins[i].rank, begins[i].stream}].coming.push_back(i);
  }
  // The next of a stream's begins is set when the one before it has ended: until then its lanes are
  // not there. Before that nobody begins it either.
  for (const auto& [place, queue] : queues_) {
    network_->set_alarm(start_ + begins[queue.coming.front()].time, ProcessId(place.first),
                        collectives::Executor::alarm_of_begin(place.second));
  }
  const Picoseconds longest = network_->longest_run();
  const Picoseconds end = until ? std::min(start_ + *until, longest) : longest;
  network_->run_until(end);
  Phase phase;
  phase.ends = std::exchange(ends_, {});
  phase.last = network_->last_event() - start_;
  const bool have_ended =
      std::ranges::all_of(phase.ends, [](const PhaseEnd& e) { return e.time >= Picoseconds(0); });
  phase.is_whole = of_phase.is_complete && have_ended;
  is_quiet_ = phase.is_whole && !until;
  if (!phase.is_whole && !until) {
    phase.share.sums.packet_hops = network_->totals().packet_hops;
    return phase;
  }
  phase.share = network_->share();
  // Begins and ends of tasks are events of the whole run as well.
  std::uint64_t told = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (!until || begins[i].time < *until) ++told;
    if (phase.ends[i].time >= Picoseconds(0)) ++told;
  }
  phase.share.sums.events -= told;
  for (std::uint32_t rank = 0; rank < before.size(); ++rank) {
    const ProcessId process(rank);
    phase.sent.push_back({executor_->messages_of(process) - before[rank].messages,
                          executor_->bytes_of(process) - before[rank].bytes,
                          executor_->last_progress(process) - start_});
  }
  collect_messages(phase);
  return phase;
}

void DomainReplay::collect_messages(Phase& phase) {
  const auto since = [this](Picoseconds time) {
    return time < Picoseconds(0) ? time : time - start_;
  };
  for (const protocols::MessageOutcome& m : network_->take_messages()) {
    phase.messages.push_back({.connection = m.connection,
                              .queue_pair = network_->number_in_connection(m),
                              .bytes = m.bytes,
                              .posted = since(m.posted),
                              .delivered = since(m.delivered),
                              .acknowledged = since(m.acknowledged)});
  }
  phase.messages.shrink_to_fit();
}

void DomainReplay::begun(ProcessId process, std::uint32_t stream, std::uint32_t /*call*/,
                         Picoseconds /*now*/) {
  const Queue& queue = queues_[{process.value(), stream}];
  program_->set_call(process.value(), stream, call_number(begins_[queue.coming[queue.next]]));
}

void DomainReplay::ended(ProcessId process, std::uint32_t stream, Picoseconds now,
                         Picoseconds posted_at) {
  Queue& queue = queues_[{process.value(), stream}];
  ends_[queue.coming[queue.next]] = {now - start_, posted_at - start_};
  if (++queue.next == queue.coming.size()) return;
  const Picoseconds next = start_ + begins_[queue.coming[queue.next]].time;
  network_->set_alarm(std::max(next, now), process, collectives::Executor::alarm_of_begin(stream));
}

std::vector<std::string> DomainReplay::violations() const {
  return network_->violated_invariants(is_quiet_);
}

}  // namespace weft::scenarios
