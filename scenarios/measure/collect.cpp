#include "scenarios/measure/collect.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>

#include "collectives/jobs/collective_program.hpp"
#include "scenarios/ideal/connection_transports.hpp"
#include "scenarios/measure/message_phases.hpp"

namespace weft::scenarios {
namespace {

/// As the `type` key of a job spells it.
const char* job_type_name(const collectives::JobKind& kind) {
  struct Name {
    const char* operator()(const collectives::IncastSpec&) const { return "incast"; }
    const char* operator()(const collectives::PermutationSpec&) const { return "permutation"; }
    const char* operator()(const collectives::CollectiveSpec& spec) const {
      return name_of(spec.operation);
    }
    const char* operator()(const collectives::MessagesSpec&) const { return "messages"; }
    const char* operator()(const collectives::OpenLoopSpec&) const { return "open-loop"; }
  };
  return std::visit(Name{}, kind);
}

}  // namespace

void collect_jobs(const Experiment& e, const collectives::Executor& executor,
                  const std::vector<IdealTimes::Job>& ideal, Results& results) {
  for (std::uint32_t j = 0; j < e.scenario.jobs.size(); ++j) {
    const collectives::JobOutcome outcome = executor.outcome(j);
    const JobSpec& spec = e.scenario.jobs[j];
    JobResult job;
    job.name = spec.name;
    job.type = job_type_name(spec.kind);
    job.ranks = e.workload.jobs()[j].ranks;
    job.bytes = outcome.bytes;
    job.start = outcome.start;
    job.end = outcome.end;
    job.is_finished = outcome.is_finished;
    job.jct = outcome.end - outcome.start;
    job.ideal = ideal[j].time;
    job.ideal_set_by = ideal[j].set_by;
    if (const auto* program = dynamic_cast<const collectives::CollectiveProgram*>(
            e.workload.jobs()[j].program.get())) {
      JobSpec settled = spec;  // with the blocks that a routing made
      settled.kind = program->spec();
      const auto bus = collectives::bus_bytes(settled);
      if (bus && job.is_finished && job.jct > Picoseconds(0)) {
        job.bus_bandwidth = static_cast<double>(bus->count()) / to_seconds(job.jct);
      }
      job.algorithm = name_of(program->spec().algorithm);
      job.protocol = name_of(program->spec().execution.protocol);
      const auto& asked = std::get<collectives::CollectiveSpec>(spec.kind);
      const bool has_chosen = asked.algorithm == collectives::Algorithm::kBest ||
                              asked.algorithm == collectives::Algorithm::kNccl;
      if (has_chosen) job.choice = e.workload.jobs()[j].choice->reason;
    }
    results.jobs.push_back(std::move(job));
  }
}

void collect_messages(const Experiment& e, const collectives::Executor& executor,
                      std::vector<protocols::MessageOutcome> messages, IdealTimes& ideals,
                      Results& results) {
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  const auto& connections = e.workload.connections();
  std::vector<MessageTable::Ends> ends;
  ends.reserve(connections.size());
  for (std::uint32_t c = 0; c < connections.size(); ++c) {
    const Connection& connection = connections[c];
    ends.push_back({.job = e.workload.job_of(connection.source),
                    .source_rank = e.workload.rank_of(connection.source),
                    .destination_rank = e.workload.rank_of(connection.destination),
                    .source = e.workload.process_hosts()[connection.source.value()],
                    .destination = e.workload.process_hosts()[connection.destination.value()],
                    .is_acknowledged = transports.of(ConnectionId(c)).is_acknowledged});
  }
  std::erase_if(messages, [&e](const protocols::MessageOutcome& m) {
    return m.posted < e.scenario.run.warmup;
  });
  std::vector<Picoseconds> times;
  times.reserve(messages.size());
  for (const protocols::MessageOutcome& m : messages) {
    const ZeroLoad ideal = ideals.message(m.connection, m.entropy, m.bytes);
    times.push_back(ends[m.connection.value()].is_acknowledged ? ideal.completed : ideal.delivered);
  }
  std::vector<ProcessId> sources;
  for (const protocols::MessageOutcome& m : messages) {
    sources.push_back(connections[m.connection.value()].source);
  }
  results.messages = MessageTable(std::move(ends), std::move(messages), std::move(times));
  MessagePhases phases(e.workload, executor);
  for (std::size_t i = 0; i < sources.size(); ++i) phases.add(sources[i], results.messages[i]);
  results.phases = phases.take();
}

void explain_jobs(const Experiment& e, const collectives::Executor& executor, Results& results) {
  for (std::string& sentence :
       executor.describe_blocked([&e](HostId host) { return e.fabric.host(host).name; })) {
    results.explanation.push_back(std::move(sentence));
  }
}

void require_slowdowns(const Results& results) {
  for (const MessageResult m : results.messages) {
    if (!m.is_complete() || m.completed - m.start >= m.ideal) continue;
    std::fprintf(stderr,
                 "weft: broken invariant: a message of %lld bytes from host %u to host %u took "
                 "%lld ps, less than its zero-load time of %lld ps\n",
                 static_cast<long long>(m.bytes.count()), m.source.value(), m.destination.value(),
                 static_cast<long long>((m.completed - m.start).count()),
                 static_cast<long long>(m.ideal.count()));
    std::abort();
  }
}

}  // namespace weft::scenarios
