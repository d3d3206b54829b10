#include "tools/sweep/language/metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "scenarios/output/summary.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "scenarios/results/value.hpp"

namespace weft::sweep {
namespace {

using Json = nlohmann::ordered_json;
using Values = SummaryNumbers;

/// Not results of the model: they differ from machine to machine, or are given.
constexpr std::array<std::string_view, 6> kNoResult{
    "wall_seconds", "seed", "threads", "thread_seconds", "logical_processes", "lists_messages"};

/// Words behind the one that says what is counted.
constexpr std::array<std::string_view, 8> kStatistics{"mean", "p50", "p95",    "p99",
                                                      "p999", "max", "shared", "isolated"};

/// Of jobs and their like.
const Json* name_in(const Json& item, const std::string& path) {
  if (!item.is_object()) return nullptr;
  const auto found = item.find(scenarios::row_name_key(path));
  return found == item.end() ? nullptr : &*found;
}

void flatten(const Json& json, const std::string& path, Values& values) {
  const auto child = [&path](const std::string& key) {
    return path.empty() ? key : path + "." + key;
  };
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) flatten(value, child(key), values);
  } else if (json.is_array()) {
    for (const Json& item : json) {
      if (const Json* name = name_in(item, path)) {
        flatten(item, child(name->get<std::string>()), values);
      }
    }
  } else if (json.is_number()) {
    values.emplace_back(path, json.get<double>());
  } else if (json.is_boolean()) {
    values.emplace_back(path, json.get<bool>() ? 1.0 : 0.0);
  } else if (json.is_null()) {
    values.emplace_back(path, std::nullopt);
  }
}

void add_ports(const scenarios::Results& results, Values& values) {
  double peak = 0;
  double mean = 0;
  double utilisation = 0;
  for (const scenarios::PortResult& port : results.ports) {
    peak = std::max(peak, static_cast<double>(port.counters.peak_backlog.count()));
    mean = std::max(mean, port.mean_queue_bytes);
    utilisation = std::max(utilisation, port.utilisation);
  }
  values.emplace_back("ports.peak_queue_bytes", peak);
  values.emplace_back("ports.mean_queue_bytes", mean);
  values.emplace_back("ports.utilisation", utilisation);
}

void add_worst_slowdown(const scenarios::Results& results, Values& values) {
  if (results.isolated.empty()) return;
  double worst = 0;
  bool has_all = results.isolated.size() == results.jobs.size();
  for (const scenarios::IsolatedResult& i : results.isolated) {
    const auto slowdown = scenarios::slowdown_of(i.shared.completion, i.alone.completion);
    has_all = has_all && slowdown;
    worst = std::max(worst, slowdown.value_or(0));
  }
  values.emplace_back(kWorstSlowdown, has_all ? std::optional(worst) : std::nullopt);
}

Values values_of(const scenarios::Results& results) {
  Values values = numbers_of(scenarios::summary_json(results));
  add_ports(results, values);
  add_worst_slowdown(results, values);
  return values;
}

/// Results of a run of the scenario, without values.
scenarios::Results without_values(const scenarios::Scenario& scenario, bool is_isolated) {
  scenarios::Results results;
  for (const scenarios::JobSpec& job : scenario.jobs) {
    if (is_isolated) {
      results.isolated.emplace_back().job = static_cast<std::uint32_t>(results.jobs.size());
    }
    if (std::holds_alternative<collectives::TrainingSpec>(job.kind)) {
      results.training.emplace_back().job = static_cast<std::uint32_t>(results.jobs.size());
    }
    const auto classes = static_cast<std::uint32_t>(collectives::size_classes(job.kind).size());
    for (std::uint32_t number = 1; number <= classes; ++number) {
      scenarios::SizeResult& size = results.sizes.emplace_back();
      size.job = static_cast<std::uint32_t>(results.jobs.size());
      size.number = number;
    }
    results.jobs.emplace_back().name = job.name;
  }
  return results;
}

std::vector<std::string> names_of(Values values) {
  std::vector<std::string> names;
  for (auto& [name, value] : values) names.push_back(std::move(name));
  return names;
}

}  // namespace

SummaryNumbers numbers_of(Json summary) {
  for (const std::string_view key : kNoResult) summary.erase(std::string(key));
  Values values;
  flatten(summary, {}, values);
  return values;
}

std::vector<std::string> summary_names(const scenarios::Scenario& scenario, bool is_isolated) {
  return names_of(numbers_of(scenarios::summary_json(without_values(scenario, is_isolated))));
}

Metrics metrics_of(const scenarios::Results& results) {
  Metrics metrics;
  for (auto& [name, value] : values_of(results)) {
    if (value) metrics.emplace_back(std::move(name), *value);
  }
  return metrics;
}

std::vector<std::string> metric_names(const scenarios::Scenario& scenario, bool is_isolated) {
  return names_of(values_of(without_values(scenario, is_isolated)));
}

Metrics metrics_of(const scenarios::ScenarioEstimate& estimate, std::string_view prefix) {
  Values values;
  flatten(scenarios::estimate_json(estimate), {}, values);
  Metrics metrics;
  for (const auto& [name, value] : values) {
    if (value && std::isfinite(*value)) metrics.emplace_back(std::string(prefix) + name, *value);
  }
  return metrics;
}

bool is_estimate(std::string_view name) {
  return name.starts_with(kEstimatePrefix) || name.starts_with(kSlicePrefix);
}

std::vector<std::string> results_beside(std::string_view estimate) {
  const std::string path(estimate.substr(kEstimatePrefix.size()));
  constexpr std::string_view kJobs = "jobs.";
  if (!path.starts_with(kJobs)) return {path};
  const std::string training = "training." + path.substr(kJobs.size());
  return {training + ".mean", training, path};
}

std::string metric_unit(const std::string& name) {
  std::string_view path = name;
  const auto last_word = [&path] { return path.substr(path.rfind('.') + 1); };
  // Of a mean or percentile the word before says it.
  if (std::ranges::find(kStatistics, last_word()) != kStatistics.end()) {
    path = path.substr(0, path.size() - last_word().size() - 1);
  }
  const std::string_view unit = scenarios::unit_of(last_word());
  if (unit == "bytes/s") return "B/s";
  // Expressions have no unit for these: `tokens_per_second > 1e6`.
  if (unit == "tokens/s" || unit == "FLOP/s" || unit == "$") return {};
  return unit == "bytes" ? "B" : std::string(unit);
}

}  // namespace weft::sweep
