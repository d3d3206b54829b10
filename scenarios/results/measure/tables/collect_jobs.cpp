#include "scenarios/results/measure/tables/collect_jobs.hpp"

#include <utility>
#include <variant>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_bounds.hpp"
#include "collectives/jobs/collective/collective_program.hpp"
#include "scenarios/memo/part_fabric.hpp"
#include "scenarios/zero_load/operation_bound.hpp"

namespace weft::scenarios {

std::vector<ZeroLoadTimes::Job> ideal_jobs_of(const Experiment& e, ZeroLoadTimes& ideals,
                                              const std::function<bool()>& continues) {
  return ideals.jobs(gpu_sets_inside(e.fabric, e.workload), continues);
}

void collect_jobs(const EndedRun& run, Results& results) {
  const Experiment& e = run.experiment;
  results.jobs.reserve(e.scenario.jobs.size());
  for (std::uint32_t j = 0; j < e.scenario.jobs.size(); ++j) {
    const collectives::JobOutcome outcome = run.executor.outcome(j);
    const JobSpec& spec = e.scenario.jobs[j];
    JobResult job;
    job.name = spec.name;
    job.type = collectives::type_name(spec.kind);
    job.ranks = e.workload.jobs()[j].ranks;
    job.bytes = outcome.bytes;
    job.has_begun = outcome.has_begun;
    job.start = outcome.start;
    job.end = outcome.end;
    job.is_finished = outcome.is_finished;
    job.jct = outcome.end - outcome.start;
    job.ideal = run.ideal_jobs[j].time;
    job.ideal_set_by = run.ideal_jobs[j].set_by;
    if (const auto* program = dynamic_cast<const collectives::CollectiveProgram*>(
            e.workload.jobs()[j].program.get())) {
      const auto bus = collectives::bus_bytes(program->spec(), job.ranks);
      if (bus && job.is_finished && job.jct > Picoseconds(0)) {
        job.bus_bandwidth = static_cast<double>(bus->count()) / to_seconds(job.jct);
      }
      const OperationBound bound = operation_bound(e.scenario, e.fabric, program->spec(), spec,
                                                   collectives::layout_of(spec));
      if (bound.time > Picoseconds(0)) {
        job.bound = bound.time;
        job.bound_set_by = bound.set_by;
      }
      job.algorithm = name_of(program->spec().algorithm);
      job.protocol = name_of(program->spec().execution.protocol);
      const auto& asked = std::get<collectives::CollectiveSpec>(spec.kind);
      const bool has_chosen = asked.algorithm == collectives::Algorithm::kBest ||
                              asked.algorithm == collectives::Algorithm::kNccl ||
                              asked.algorithm == collectives::Algorithm::kAuto;
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
