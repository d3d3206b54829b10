#include "scenarios/measure/collect.hpp"

#include <utility>
#include <variant>

#include "collectives/jobs/collective_program.hpp"

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

void explain_jobs(const Experiment& e, const collectives::Executor& executor, Results& results) {
  for (std::string& sentence :
       executor.describe_blocked([&e](HostId host) { return e.fabric.host(host).name; })) {
    results.explanation.push_back(std::move(sentence));
  }
}

}  // namespace weft::scenarios
