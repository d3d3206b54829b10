#include "scenarios/blame/explain/run_facts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "protocols/config/switch_config.hpp"
#include "protocols/config/transports/transport.hpp"
#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/text/text_file.hpp"

namespace weft::scenarios {
namespace {

/// A job is not slowed down by settings up to this multiple of its zero-load time.
constexpr double kHealthy = 1.1;
/// What the times of jobs call their own dependencies.
constexpr const char* kDependencies = "dependencies";

std::string text_at(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_at(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

Picoseconds time_at(const nlohmann::ordered_json& object, const char* key) {
  return Picoseconds(std::llround(number_at(object, key) * 1e12));
}

void add_reactions(const nlohmann::ordered_json& summary, RunFacts& facts) {
  const auto rows = summary.find("reactions");
  if (rows == summary.end() || !rows->is_array()) return;
  for (const auto& row : *rows) {
    if (!row.is_object()) continue;
    facts.reactions.push_back({.job = text_at(row, "job"),
                               .port = text_at(row, "port"),
                               .held = time_at(row, "held_seconds"),
                               .others_share = number_at(row, "others_share"),
                               .other_job = text_at(row, "other_job"),
                               .other_job_share = number_at(row, "other_job_share"),
                               .load_ratio = number_at(row, "load_ratio"),
                               .paused = time_at(row, "paused_seconds")});
  }
}

void add_classes(const LoadedScenario& scenario, RunFacts& facts) {
  facts.lists_classes = scenario.scenario.lists_classes;
  for (const JobSpec& job : scenario.scenario.jobs) {
    const protocols::TrafficClass& own = scenario.scenario.switches.classes[job.traffic_class];
    facts.job_classes.push_back(
        {.job = job.name,
         .name = own.name,
         .is_strict = own.scheduling == protocols::TrafficClass::Scheduling::kStrict,
         .is_lossless = own.is_lossless()});
  }
}

/// Nothing but windows and pauses holds back what it sends.
bool is_uncontrolled(const protocols::TransportConfig& transport) {
  const protocols::TransportTraits t = protocols::traits_of(transport);
  const bool has_none =
      std::holds_alternative<protocols::congestion::NoControlConfig>(t.congestion_control);
  return has_none && !t.receiver_control && !t.is_stream;
}

}  // namespace

RunFacts facts_of(const LoadedScenario& scenario) {
  const Scenario& s = scenario.scenario;
  RunFacts facts;
  facts.slow_links = slow_links(scenario);
  facts.degradations = degradations_of(scenario, facts.slow_links);
  facts.late_ranks = late_ranks(scenario);
  facts.changed_places = changed_places(scenario);
  const bool can_spray = overrides_without("collisions", scenario).ok();
  for (const JobSpec& job : s.jobs) {
    const bool is_hashed = can_spray && !s.sprays(job.traffic_class, job.transport);
    if (is_hashed) facts.hashed_jobs.push_back(job.name);
    if (is_uncontrolled(s.transport_of(job.transport))) facts.uncontrolled_jobs.push_back(job.name);
  }
  add_classes(scenario, facts);
  facts.trims = std::ranges::any_of(
      s.switches.classes, [](const protocols::TrafficClass& one) { return one.trimming.enabled; });
  return facts;
}

void add_outcome(const nlohmann::ordered_json& summary, RunFacts& facts) {
  if (!summary.is_object()) return;
  if (const auto network = summary.find("network"); network != summary.end()) {
    const auto count = [&](const char* key) {
      return network->is_object() ? std::llround(number_at(*network, key)) : 0;
    };
    facts.losses = {.by_failed_links = count("fault_drops"),
                    .by_watchdogs = count("watchdog_drops"),
                    .by_errors = count("error_drops"),
                    .frames_replayed = count("frames_replayed")};
  }
  add_reactions(summary, facts);
  if (!summary.contains("jobs") || !summary["jobs"].is_array()) return;
  for (const auto& job : summary["jobs"]) {
    if (!job.is_object()) continue;
    const double time = number_at(job, "jct_seconds");
    const double ideal = number_at(job, "ideal_seconds");
    const std::string name = text_at(job, "name");
    const std::string by = text_at(job, "ideal_set_by");
    if (const Picoseconds nominal = time_at(job, "nominal_ideal_seconds");
        nominal > Picoseconds(0) && time > 0) {
      facts.nominal_ideals.push_back({name, nominal, time_at(job, "jct_seconds")});
    }
    if (time > kHealthy * ideal && by.starts_with("tier ")) {
      facts.narrow_tiers.push_back({name, by, Picoseconds(std::llround(ideal * 1e12))});
    }
    if (time <= 0 || time > kHealthy * ideal) continue;
    const auto late = std::ranges::find(facts.late_ranks, name, &LateRanks::job);
    if (late != facts.late_ranks.end()) continue;
    facts.limits.push_back({name, by == kDependencies ? std::string() : by});
  }
}

RunFacts facts_of_folder(const std::filesystem::path& folder) {
  const auto loaded = load_scenario(folder / "resolved.yaml");
  RunFacts facts = loaded ? facts_of(loaded.value()) : RunFacts();
  if (const auto summary = read_json(folder / "summary.json")) add_outcome(summary.value(), facts);
  return facts;
}

}  // namespace weft::scenarios
