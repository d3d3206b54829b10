#include "scenarios/blame/explain/counterfactual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "scenarios/blame/explain/said_keys.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::scenarios {
namespace {

using Overrides = std::vector<std::string>;

Error refusal(std::string message) { return {.message = std::move(message), .where = {}}; }

/// Takes out the faults of some types; those of others stay.
void take_out_faults(const SaidKeys& keys, std::initializer_list<std::string_view> types,
                     Overrides& overrides) {
  const std::vector<SaidKey> faults = keys.find({"faults[]"});
  std::string kept;
  std::size_t count = 0;
  for (const SaidKey& fault : faults) {
    if (std::ranges::find(types, fault.word()) != types.end()) continue;
    ++count;
    kept += (kept.empty() ? "" : ", ") + one_line(*fault.node);
  }
  if (count < faults.size()) overrides.push_back("faults=[" + kept + "]");
}

/// A time that is none, in whatever unit.
bool is_zero(const std::string& text) { return text.find_first_of("123456789") == text.npos; }

Result<Overrides> no_stragglers(const SaidKeys& keys) {
  Overrides overrides;
  for (const SaidKey& key : keys.find({"jobs[].stragglers", "jobs[].noise"})) {
    if (!key.node->items.empty()) overrides.push_back(key.path + "=[]");
  }
  for (const SaidKey& key : keys.find({"jobs[].jitter"})) {
    const bool is_map = key.node->kind == language::Node::Kind::kMap;
    if (is_map && key.word() != "none") overrides.push_back(key.path + "={type: none}");
    if (!is_map && !is_zero(key.word())) overrides.push_back(key.path + "=0ns");
  }
  return overrides;
}

/// Where it stands how a job's messages are sent, and how switches choose paths for them: in the
/// job, in its class, or for all.
struct JobPlaces {
  std::string transport = "transport";
  std::string balancing = "fabric.load_balancing";
};

JobPlaces places_of(const SaidKeys& keys, const Scenario& scenario, std::size_t place) {
  const JobSpec& job = scenario.jobs[place];
  const std::string of_class = language::element_path("fabric.classes", job.traffic_class.value());
  const std::string own = language::element_path("jobs", collectives::number_of(job, place));
  JobPlaces places;
  if (keys.has(of_class)) places.balancing = of_class + ".load_balancing";
  for (const std::string& owner : {of_class, own}) {
    if (keys.has(owner + ".transport")) places.transport = owner + ".transport";
  }
  return places;
}

Result<Overrides> no_congestion_control(const SaidKeys& keys, const Scenario& scenario) {
  std::set<std::string> overrides;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const std::string path = places_of(keys, scenario, j).transport + ".congestion_control";
    if (keys.has(path) && keys.word(path) != "none") overrides.insert(path + "=none");
  }
  return Overrides(overrides.begin(), overrides.end());
}

/// Without flow control what does not fit is dropped: all buffers hold everything.
Result<Overrides> no_pauses(const SaidKeys& keys, const Scenario& scenario) {
  constexpr const char* kEndless = "=1000GB";
  Overrides overrides;
  if (!scenario.switches.any_pfc()) return overrides;
  for (const SaidKey& key : keys.find({"fabric.flow_control", "fabric.classes[].flow_control"})) {
    if (key.word() == "pfc") overrides.push_back(key.path + "=none");
  }
  if (overrides.empty()) return overrides;
  for (const SaidKey& key :
       keys.find({"fabric.switch.buffer", "fabric.*.switch.buffer", "fabric.nodes[].switch.buffer",
                  "racks[].server.nic.receive_buffer", "fabric.nic.receive_buffer"})) {
    overrides.push_back(key.path + kEndless);
  }
  take_out_faults(keys, {"nic-pause"}, overrides);
  return overrides;
}

/// The ports of NICs and the links of hosts that are slower than the fastest of their kind.
void speed_up(const std::vector<SaidKey>& rates, Overrides& overrides) {
  const auto value = [](const SaidKey& key) {
    const auto parsed = parse_quantity(key.word(), dimension_of<BitsPerSecond>());
    const auto* rate = std::get_if<std::int64_t>(&parsed);
    return rate == nullptr ? std::int64_t{0} : *rate;
  };
  const auto fastest = std::ranges::max_element(rates, {}, value);
  for (const SaidKey& key : rates) {
    if (value(key) < value(*fastest)) overrides.push_back(key.path + "=" + fastest->word());
  }
}

/// Of links that a scenario lists, those of hosts.
std::vector<SaidKey> host_link_rates(const SaidKeys& keys) {
  std::set<std::string> hosts;
  for (const SaidKey& node : keys.find({"fabric.nodes[]"})) {
    const language::Node* kind = node.node->find("kind");
    const language::Node* name = node.node->find("name");
    if (kind != nullptr && name != nullptr && kind->text == "host") hosts.insert(name->text);
  }
  std::vector<SaidKey> rates;
  for (const SaidKey& link : keys.find({"fabric.links[]"})) {
    const language::Node* rate = link.node->find("rate");
    const auto joins_host = [&](const char* end) {
      const language::Node* name = link.node->find(end);
      return name != nullptr && hosts.contains(name->text);
    };
    if (rate != nullptr && (joins_host("from") || joins_host("to"))) {
      rates.push_back({link.path + ".rate", rate});
    }
  }
  return rates;
}

Result<Overrides> no_slow_links(const SaidKeys& keys) {
  Overrides overrides;
  for (const SaidKey& key : keys.find({"links.changes"})) {
    if (!key.node->items.empty()) overrides.push_back(key.path + "=[]");
  }
  speed_up(keys.find({"racks[].server.nic.rate"}), overrides);
  speed_up(host_link_rates(keys), overrides);
  take_out_faults(keys, {"link-rate", "link-latency"}, overrides);
  return overrides;
}

Result<Overrides> no_link_failures(const SaidKeys& keys) {
  Overrides overrides;
  take_out_faults(keys, {"link-down", "switch-down"}, overrides);
  return overrides;
}

/// Lets a transport take packets in any order. False: it has no way to.
bool take_any_order(const SaidKeys& keys, const std::string& transport, Overrides& overrides) {
  if (!keys.has(transport + ".recovery")) return false;
  if (keys.word(transport + ".receiver") != "any-order")
    overrides.push_back(transport + ".receiver=any-order");
  // Which takes what is overtaken for lost, and has no such receiver.
  if (keys.word(transport + ".recovery") == "selective-repeat") {
    overrides.push_back(transport + ".recovery=go-back-n");
  }
  return true;
}

Result<Overrides> no_collisions(const SaidKeys& keys, const Scenario& scenario) {
  Overrides overrides;
  std::set<std::string> balancings;
  std::set<std::string> transports;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    if (scenario.switches.balancing(scenario.jobs[j].traffic_class).sprays()) continue;
    JobPlaces places = places_of(keys, scenario, j);
    balancings.insert(std::move(places.balancing));
    transports.insert(std::move(places.transport));
  }
  for (const std::string& path : balancings) overrides.push_back(path + "=spray");
  for (const std::string& path : transports) {
    if (take_any_order(keys, path, overrides)) continue;
    return refusal(
        fmt::format("`{}` is {}, which takes packets in their order only: they cannot be sprayed",
                    path, keys.word(path)));
  }
  return overrides;
}

Result<Overrides> find_overrides(std::string_view what, const LoadedScenario& scenario) {
  const SaidKeys keys(scenario);
  if (what == "stragglers") return no_stragglers(keys);
  if (what == "congestion-control") return no_congestion_control(keys, scenario.scenario);
  if (what == "pauses") return no_pauses(keys, scenario.scenario);
  if (what == "slow-links") return no_slow_links(keys);
  if (what == "collisions") return no_collisions(keys, scenario.scenario);
  return no_link_failures(keys);
}

constexpr std::string_view kJob = "job:";

Result<Overrides> no_job(std::string_view name, const Scenario& scenario) {
  std::vector<std::string> names;
  names.reserve(scenario.jobs.size());
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const JobSpec& job = scenario.jobs[j];
    if (job.name == name) {
      return Overrides{fmt::format("jobs[{}].skip=true", collectives::number_of(job, j))};
    }
    names.push_back(job.name);
  }
  return refusal(fmt::format("`{}` is no job; expected one of {}{}", name, listing(names),
                             did_you_mean(std::string(name), names)));
}

}  // namespace

Result<std::vector<std::string>> overrides_without(const std::string& what,
                                                   const LoadedScenario& scenario) {
  if (what.starts_with(kJob)) {
    return no_job(std::string_view(what).substr(kJob.size()), scenario.scenario);
  }
  if (std::ranges::find(kRemovable, std::string_view(what)) == kRemovable.end()) {
    std::vector<std::string> names(kRemovable.begin(), kRemovable.end());
    names.emplace_back("job:NAME");
    return refusal(fmt::format("`{}` cannot be taken out of a scenario; expected one of {}{}", what,
                               listing(names), did_you_mean(what, names)));
  }
  auto overrides = find_overrides(what, scenario);
  if (overrides.ok() && overrides.value().empty()) {
    return refusal(fmt::format("the scenario has no {}: a run without would be the same", what));
  }
  return overrides;
}

bool has_removable(const std::string& what, const LoadedScenario& scenario) {
  if (what.starts_with(kJob)) {
    return no_job(std::string_view(what).substr(kJob.size()), scenario.scenario).ok();
  }
  const auto overrides = find_overrides(what, scenario);
  return !overrides.ok() || !overrides.value().empty();
}

std::optional<std::string> removable_for(const BlameEntry& blame) {
  constexpr std::pair<const char*, const char*> kAgainst[] = {
      {"straggler", "stragglers"},
      {"congestion control", "congestion-control"},
      {"pause", "pauses"},
      {"queueing", "collisions"},
      {"link failure", "link-failures"},
      {"time-out", "link-failures"},
      {"retransmission", "link-failures"}};
  if (blame.cause == "queueing" && blame.culprit_kind == "job" && blame.culprit != blame.job) {
    return std::string(kJob) + blame.culprit;
  }
  for (const auto& [of, removable] : kAgainst) {
    if (blame.cause == of) return removable;
  }
  return {};
}

}  // namespace weft::scenarios
