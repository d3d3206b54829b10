#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "collectives/costs/choose.hpp"
#include "collectives/jobs/job_order.hpp"
#include "collectives/jobs/list.hpp"
#include "collectives/runtime/workload.hpp"
#include "collectives/steps/read_program.hpp"
#include "collectives/traffic/expert_routing.hpp"

namespace weft::collectives {

namespace {

/// An algorithm has up to four lanes per channel.
static_assert(kMaxChannels <= kMaxLanes / 4);

/// What is wrong with one job, by key.
Problems problems_of(const JobDescription& job, bool has_rates) {
  const std::size_t ranks = job.ranks.size();
  if (ranks < 2) {
    return {{"ranks", "there are " + std::to_string(ranks) + "; a job needs two"}};
  }
  Problems problems = broken_limits(job.kind);
  check(job.kind, static_cast<std::uint32_t>(ranks), problems);
  if (needs_access_rates(job.kind) && !has_rates) {
    problems.push_back({"load", "the access rates of the hosts are not known"});
  }
  if (job.start < Picoseconds(0)) problems.push_back({"start", "is before the beginning"});
  std::vector<HostId> hosts = job.ranks;
  std::sort(hosts.begin(), hosts.end());
  if (std::adjacent_find(hosts.begin(), hosts.end()) != hosts.end()) {
    problems.push_back({"ranks", "a host appears twice; ranks of a job live on different hosts"});
  }
  return problems;
}

using ProgramResult = Result<std::unique_ptr<const JobProgram>>;

/// The program of a job; a collective's kind leaves nothing open.
ProgramResult make_program(const ProgramSetting& setting, const JobKind& kind,
                           const RankLayout& layout) {
  return JobTypes::visit(
      [&]<class J>(const typename J::Spec& spec) -> ProgramResult {
        if constexpr (requires { J::make(setting, spec, layout); }) {
          return J::make(setting, spec, layout);
        } else if constexpr (std::is_constructible_v<J, ProgramSetting, typename J::Spec,
                                                     RankLayout>) {
          return std::unique_ptr<const JobProgram>(std::make_unique<J>(setting, spec, layout));
        } else {
          return std::unique_ptr<const JobProgram>(std::make_unique<J>(setting, spec));
        }
      },
      kind);
}

/// Errors whose keys are those of a job become errors of the scenario.
Errors of_job(Errors errors, std::size_t number) {
  for (Error& error : errors) {
    const std::string job = "jobs[" + std::to_string(number) + "]";
    error.where.key = error.where.key.empty() ? job : job + "." + error.where.key;
  }
  return errors;
}

ProgramSetting setting_of(const JobDescription& job, std::size_t number,
                          const WorkloadOptions& options) {
  ProgramSetting setting;
  setting.seed = options.seed;
  setting.job = static_cast<std::uint32_t>(number);
  setting.ranks = static_cast<std::uint32_t>(job.ranks.size());
  // The data of a read says itself that it has come.
  setting.has_acknowledgements = job.has_acknowledgements || verb_of(job.kind) == Verb::kRead;
  if (needs_access_rates(job.kind)) {
    for (const HostId host : job.ranks) {
      setting.access_rates.push_back(options.access_rates[host.value()]);
    }
  }
  return setting;
}

/// What a job runs, and why.
struct MadeProgram {
  std::unique_ptr<const JobProgram> program;
  std::optional<AlgorithmChoice> choice;
};

/// Its errors name the field.
Result<MadeProgram> make_program_of(const JobDescription& job, std::size_t number,
                                    const WorkloadOptions& options) {
  const ProgramSetting setting = setting_of(job, number, options);
  const RankLayout layout = layout_of(job);
  JobKind kind = job.kind;
  std::optional<AlgorithmChoice> choice;
  if (auto* spec = std::get_if<CollectiveSpec>(&kind)) {
    fill_matrix(*spec, setting.ranks, setting.seed, setting.job);
    auto settled = resolve_algorithm(*spec, setting.ranks, layout);
    if (!settled) {
      Errors errors = settled.errors();
      for (Error& error : errors) error.where.key = "algorithm";
      return of_job(std::move(errors), number);
    }
    choice = std::move(settled).value();
  }
  ProgramResult program = make_program(setting, kind, layout);
  if (!program) return of_job(program.errors(), number);
  if (verb_of(kind) == Verb::kRead) {
    program = std::unique_ptr<const JobProgram>(
        std::make_unique<ReadProgram>(std::move(program).value(), setting.ranks));
  }
  return MadeProgram{std::move(program).value(), std::move(choice)};
}

/// Adds the job; its errors name the field.
Errors add(Workload& workload, const JobDescription& job, MadeProgram made, std::size_t number,
           const WorkloadOptions& options) {
  const auto* collective = std::get_if<CollectiveSpec>(&job.kind);
  const bool waits = collective != nullptr && collective->execution.in_flight > 0;
  Errors errors = workload.add_job(job.name, job.start, job.ranks, std::move(made.program),
                                   job.has_acknowledgements,
                                   {job.traffic_class, job.queue_pairs, job.transport,
                                    options.max_connections, static_cast<std::uint32_t>(number)},
                                   std::move(made.choice));
  if (waits && !job.has_acknowledgements) {
    for (Error& error : errors) error.where.key = "execution.in_flight";
  }
  return of_job(std::move(errors), number);
}

/// Room for the connections of all jobs, an eighth more than is likely.
void reserve(Workload& workload, std::span<const JobDescription> jobs,
             const std::vector<MadeProgram>& programs, const WorkloadOptions& options) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    sum += Workload::likely_connections(*programs[i].program,
                                        static_cast<std::uint32_t>(jobs[i].ranks.size()));
  }
  const std::uint64_t direct = std::min(sum + sum / 8, options.max_connections);
  workload.reserve(options.has_relays ? 2 * direct : direct);
}

}  // namespace

Result<Workload> build_workload(std::span<const JobDescription> jobs,
                                const WorkloadOptions& options) {
  Errors errors;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (schema::Problem& problem : problems_of(jobs[i], !options.access_rates.empty())) {
      errors.push_back(
          {std::move(problem.message),
           {.key = "jobs[" + std::to_string(number_of(jobs[i], i)) + "]." + problem.key}});
    }
  }
  if (errors.empty()) errors = check_order(jobs);
  if (!errors.empty()) return errors;

  std::vector<MadeProgram> programs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto made = make_program_of(jobs[i], number_of(jobs[i], i), options);
    if (!made) return made.errors();
    programs.push_back(std::move(made).value());
  }
  Workload workload;
  reserve(workload, jobs, programs, options);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (Errors refused =
            add(workload, jobs[i], std::move(programs[i]), number_of(jobs[i], i), options);
        !refused.empty()) {
      return refused;
    }
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    workload.begin_after(static_cast<std::uint32_t>(i), jobs[i].after);
  }
  return workload;
}

}  // namespace weft::collectives
