#include "scenarios/estimate/scenario_estimate.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "collectives/costs/choose.hpp"
#include "collectives/costs/cost_model.hpp"
#include "collectives/jobs/list.hpp"
#include "collectives/training/plan/expert_domains.hpp"
#include "scenarios/build/rank_layouts.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/memo/part_fabric.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

std::optional<double> collective_seconds(const JobSpec& job) {
  const auto* given = std::get_if<collectives::CollectiveSpec>(&job.kind);
  if (given == nullptr) return std::nullopt;
  collectives::CollectiveSpec spec = *given;
  const auto ranks = static_cast<std::uint32_t>(job.ranks.size());
  const collectives::RankLayout layout = collectives::layout_of(job);
  if (!collectives::resolve_algorithm(spec, ranks, layout)) return std::nullopt;
  return collectives::estimate(spec, spec.algorithm, ranks, layout);
}

JobEstimate estimate_job(const JobSpec& job) {
  JobEstimate e{.name = job.name,
                .type = collectives::type_name(job.kind),
                .ranks = static_cast<std::uint32_t>(job.ranks.size()),
                .training = {},
                .collective_seconds = collective_seconds(job),
                .ideal = {},
                .notes = {}};
  if (const auto* collective = std::get_if<collectives::CollectiveSpec>(&job.kind)) {
    e.iterations = collective->iterations;
  } else if (const auto* training = std::get_if<collectives::TrainingSpec>(&job.kind)) {
    e.iterations = training->iterations;
    e.training = estimate_training(job);
  }
  return e;
}

/// What the closed form of a job leaves out.
void add_notes(const Scenario& scenario, const JobSpec& job, JobEstimate& estimate) {
  if (!estimate.training && !estimate.collective_seconds) return;
  const collectives::NicPlanes& planes = job.layout.planes;
  if (planes.are_several() && planes.is_by_flow) {
    estimate.notes.push_back(
        fmt::format("each queue pair keeps to one of {} planes by a hash: times are the mean over "
                    "such hashes, and a run has one of them",
                    planes.count));
  }
  if (!scenario.faults.empty()) {
    estimate.notes.push_back(
        fmt::format("as if nothing failed: {} not counted",
                    scenario.faults.size() == 1 ? "one fault is" : "faults are"));
  }
}

/// Why tokens of a training job cannot go to their experts as it has them go; absent: they can.
std::optional<Error> misplaced_experts(const JobSpec& job, std::size_t number) {
  const auto* training = std::get_if<collectives::TrainingSpec>(&job.kind);
  if (training == nullptr) return std::nullopt;
  const auto domain = collectives::expert_domain_of(*training, job.layout);
  const auto* reason = std::get_if<std::string>(&domain);
  if (reason == nullptr) return std::nullopt;
  const std::string key = "jobs[" + std::to_string(number) + "].experts.exchange";
  return Error{"is high-throughput; " + *reason, {.key = key}};
}

void add_ideal_runs(const Experiment& e, std::vector<JobEstimate>& jobs) {
  ZeroLoadTimes ideals(e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload);
  const std::vector<ZeroLoadTimes::Job> ideal = ideals.jobs(gpu_sets_inside(e.fabric, e.workload));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (ideal[i].time == Picoseconds(0)) continue;
    jobs[i].ideal = ZeroLoadRun{to_seconds(ideal[i].time), ideal[i].set_by};
  }
}

}  // namespace

Result<ScenarioEstimate> estimate_scenario(Scenario scenario, const EstimateParts& parts) {
  const auto fabric = build_scenario_fabric(scenario);
  if (!fabric) return fabric.errors();
  const auto routes = topologies::build_routes(fabric.value(), scenario.topology);
  if (!routes) return routes.errors();
  fill_layouts(scenario, fabric.value(), routes.value());
  ScenarioEstimate estimate;
  estimate.name = scenario.name;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    if (auto error = misplaced_experts(scenario.jobs[i], i)) return *std::move(error);
  }
  for (const JobSpec& job : scenario.jobs) {
    estimate.jobs.push_back(estimate_job(job));
    add_notes(scenario, job, estimate.jobs.back());
  }
  if (!parts.run && !parts.ideal) return estimate;
  auto experiment = build_experiment(std::move(scenario));
  if (experiment && parts.ideal) add_ideal_runs(experiment.value(), estimate.jobs);
  if (!parts.run) {
    if (!experiment) return experiment.errors();
    return estimate;
  }
  if (experiment) {
    estimate.run = RunForecast{.forecast = forecast(experiment.value()), .refused = {}};
  } else {
    estimate.run = RunForecast{.forecast = {}, .refused = experiment.errors()};
  }
  return estimate;
}

}  // namespace weft::scenarios
