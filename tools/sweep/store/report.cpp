#include "tools/sweep/store/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "scenarios/build/experiment.hpp"
#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/isolated/isolated_runs.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/json_text.hpp"
#include "simcore/base/digest.hpp"

namespace weft::sweep {
namespace {

using PlainJson = nlohmann::json;

constexpr int kOneLine = -1;

std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += (text.empty() ? "" : "\n") + error.to_string();
  return text;
}

Report failure(const Task& task, std::string message, Status status = Status::kError) {
  Report report;
  report.id = task.id;
  report.status = status;
  report.message = std::move(message);
  return report;
}

/// Which jobs do not fit into the memory of their GPUs; empty if all do.
std::string excess_of(const scenarios::ScenarioEstimate& estimate) {
  const auto text = [](Bytes bytes) {
    return scenarios::format_bytes(static_cast<double>(bytes.count()));
  };
  std::string excess;
  for (const scenarios::JobEstimate& job : estimate.jobs) {
    if (!job.training || job.training->fits()) continue;
    excess += fmt::format("{}a GPU of job {} needs {}, and has {} (pipeline rank {})",
                          excess.empty() ? "" : "; ", job.name, text(job.training->memory.total()),
                          text(job.training->memory_available), job.training->memory_rank);
  }
  return excess;
}

constexpr std::array kStatuses{Status::kDone,      Status::kError,      Status::kCrash,
                               Status::kKilled,    Status::kTimeLimit,  Status::kMemoryLimit,
                               Status::kEstimated, Status::kOverMemory, Status::kRefused};

}  // namespace

bool is_failure(Status status) {
  return status != Status::kDone && status != Status::kEstimated && status != Status::kOverMemory &&
         status != Status::kRefused;
}

bool is_failure(std::string_view status) {
  return std::ranges::any_of(
      kStatuses, [status](Status s) { return is_failure(s) && status == status_name(s); });
}

const char* status_name(Status status) {
  switch (status) {
    case Status::kDone:
      return "done";
    case Status::kError:
      return "error";
    case Status::kCrash:
      return "crash";
    case Status::kKilled:
      return "killed";
    case Status::kTimeLimit:
      return "time limit";
    case Status::kMemoryLimit:
      return "memory limit";
    case Status::kEstimated:
      return "estimated";
    case Status::kOverMemory:
      return "over memory";
    case Status::kRefused:
      return "refused";
  }
  return "unknown";
}

std::string Task::to_json() const {
  return scenarios::json_text(PlainJson{{"id", id},
                                        {"is_estimate", is_estimate},
                                        {"overrides", overrides},
                                        {"sweep_sha256", sweep_sha256}},
                              kOneLine);
}

std::optional<Task> Task::from_json(std::string_view text) {
  try {
    const PlainJson json = PlainJson::parse(text);
    Task task;
    json.at("id").get_to(task.id);
    json.at("is_estimate").get_to(task.is_estimate);
    json.at("overrides").get_to(task.overrides);
    json.at("sweep_sha256").get_to(task.sweep_sha256);
    return task;
  } catch (const PlainJson::exception&) {
    return std::nullopt;
  }
}

std::string Report::to_json() const {
  // Messages may hold what a crashing process wrote: not necessarily UTF-8.
  return scenarios::json_text(PlainJson{{"id", id},
                                        {"status", static_cast<int>(status)},
                                        {"message", message},
                                        {"outcome", outcome},
                                        {"results_sha256", results_sha256},
                                        {"scenario_sha256", scenario_sha256},
                                        {"wall_seconds", wall_seconds},
                                        {"peak_memory", peak_memory},
                                        {"metrics", metrics},
                                        {"warnings", warnings}},
                              kOneLine);
}

std::optional<Report> Report::from_json(std::string_view text) {
  try {
    const PlainJson json = PlainJson::parse(text);
    Report report;
    json.at("id").get_to(report.id);
    report.status = static_cast<Status>(json.at("status").get<int>());
    json.at("message").get_to(report.message);
    json.at("outcome").get_to(report.outcome);
    json.at("results_sha256").get_to(report.results_sha256);
    json.at("scenario_sha256").get_to(report.scenario_sha256);
    json.at("wall_seconds").get_to(report.wall_seconds);
    json.at("peak_memory").get_to(report.peak_memory);
    json.at("metrics").get_to(report.metrics);
    json.at("warnings").get_to(report.warnings);
    return report;
  } catch (const PlainJson::exception&) {
    return std::nullopt;
  }
}

std::optional<scenarios::Coverage> cut_off_of(const Report& report, std::string_view metric) {
  const auto coverage = scenarios::coverage_at(
      metric, report.outcome, [&report](const std::string& path) -> std::optional<double> {
        const auto found = std::ranges::find(report.metrics, path, &Metrics::value_type::first);
        return found == report.metrics.end() ? std::nullopt : std::optional(found->second);
      });
  return coverage && coverage->is_partial() ? coverage : std::nullopt;
}

bool condition_holds(const Bisection& bisection, const Report& report) {
  return bisection.condition.holds([&](const std::string& name) -> Operand {
    if (!bisection.counts_cut_off && cut_off_of(report, name)) return std::nullopt;
    for (const auto& [metric, value] : report.metrics) {
      if (metric == name) return value;
    }
    return std::nullopt;
  });
}

PointRunner::PointRunner(const Sweep& sweep)
    : sweep_(sweep), sweep_sha256_(sha256_hex(sweep.definition())) {}

Task PointRunner::task_of(const Point& point) const {
  return {point.id, simulated_overrides_of(sweep_, point), sweep_sha256_};
}

Task PointRunner::estimate_task_of(const Point& point) const {
  return {point.id, overrides_of(sweep_, point), sweep_sha256_, true};
}

Report PointRunner::operator()(const Task& task) const {
  if (task.sweep_sha256 != sweep_sha256_) {
    return failure(task,
                   "the worker reads another sweep than the coordinator; do all machines see the "
                   "same files and run the same program?");
  }
  return task.is_estimate ? estimated(task) : simulated(task);
}

Report PointRunner::estimated(const Task& task) const {
  const auto loaded = sweep_.base.load(task.overrides);
  if (!loaded.ok()) return failure(task, text_of(loaded.errors()), Status::kRefused);
  const auto estimate = scenarios::estimate_scenario(loaded.value().scenario, {});
  if (!estimate.ok()) {
    return failure(task, text_of(loaded.value().located(estimate.errors())), Status::kRefused);
  }
  const std::string excess = excess_of(estimate.value());
  Report report = failure(task, excess, excess.empty() ? Status::kEstimated : Status::kOverMemory);
  report.metrics = metrics_of(estimate.value(), kEstimatePrefix);
  const bool has_metric = std::ranges::any_of(
      report.metrics, [this](const auto& m) { return m.first == sweep_.choice->metric; });
  if (!has_metric) return failure(task, "has no estimate `" + sweep_.choice->metric + "`");
  return report;
}

Report PointRunner::simulated(const Task& task) const {
  const auto loaded = sweep_.base.load(task.overrides);
  if (!loaded.ok()) return failure(task, text_of(loaded.errors()));
  auto experiment = scenarios::build_experiment(loaded.value());
  if (!experiment.ok()) return failure(task, text_of(loaded.value().located(experiment.errors())));
  scenarios::Results results = scenarios::simulate(experiment.value());
  if (sweep_.is_isolated) {
    const auto unobserved = [](std::uint32_t) { return scenarios::ProgressObserver(); };
    scenarios::run_isolated(experiment.value(), {}, unobserved, results);
  }
  Report report;
  report.id = task.id;
  report.outcome = scenarios::outcome_name(results.outcome);
  for (const std::string& sentence : results.explanation) {
    report.message += (report.message.empty() ? "" : "\n") + sentence;
  }
  report.results_sha256 = results.digest();
  report.scenario_sha256 = sha256_hex(loaded.value().canonical_yaml());
  report.wall_seconds = results.wall_seconds;
  report.metrics = metrics_of(results);
  if (sweep_.choice && !sweep_.choice->slice.empty()) {
    const auto slice = scenarios::estimate_scenario(loaded.value().scenario, {});
    if (!slice.ok()) return failure(task, text_of(slice.errors()));
    const Metrics metrics = metrics_of(slice.value(), kSlicePrefix);
    report.metrics.insert(report.metrics.end(), metrics.begin(), metrics.end());
  }
  report.warnings = results.warnings;
  return report;
}

}  // namespace weft::sweep
