#include "scenarios/blame/counterfactual/counterfactual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "scenarios/blame/counterfactual/candidates.hpp"
#include "scenarios/blame/counterfactual/said_keys.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::scenarios {
namespace {

using Overrides = std::vector<std::string>;

Error refusal(std::string message) { return {.message = std::move(message), .where = {}}; }

/// What takes something out of a scenario.
struct Removal {
  Overrides overrides;
  std::vector<std::string> parts;  ///< what that is, by where it stands: `faults[0] (link-down)`

  /// The key at `path` is what is taken out.
  void set(const std::string& path, std::string_view value) {
    set_also(path, value);
    parts.push_back(path);
  }
  /// It has to change with what is taken out.
  void set_also(const std::string& path, std::string_view value) {
    overrides.push_back(fmt::format("{}={}", path, value));
  }
};

using Types = std::initializer_list<std::string_view>;

/// Replaces a list by what `kept` leaves of its elements, each as YAML in one line: empty where it
/// leaves nothing, absent where it leaves all.
template <class Kept>
void thin_out(const std::vector<SaidKey>& elements, const std::string& list, Kept kept,
              Removal& removal) {
  std::string rest;
  std::size_t changed = 0;
  for (const SaidKey& element : elements) {
    const std::optional<std::string> left = kept(element);
    changed += left ? 1 : 0;
    const std::string text = left ? *left : one_line(*element.node);
    if (!text.empty()) rest += (rest.empty() ? "" : ", ") + text;
  }
  if (changed > 0) removal.set_also(list, "[" + rest + "]");
}

/// Takes out the faults of some types; those of others stay.
void take_out_faults(const SaidKeys& keys, Types types, Removal& removal) {
  const auto kept = [&](const SaidKey& fault) -> std::optional<std::string> {
    if (std::ranges::find(types, fault.word()) == types.end()) return {};
    removal.parts.push_back(fmt::format("{} ({})", fault.path, fault.word()));
    return "";
  };
  thin_out(keys.find({"faults[]"}), "faults", kept, removal);
}

/// A number, or a time in whatever unit, that is none.
bool is_zero(std::string_view text) {
  return text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == text.npos;
}

using Keys = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kErrorKeys{"bit_error_rate", "code_word",
                                                     "frame_loss_rate"};
constexpr std::array<std::string_view, 4> kSpeedKeys{"rate", "latency", "length", "cable"};
constexpr std::array<std::string_view, 3> kSlowKeys{"factor", "pause", "throttles"};

/// Takes some keys out of the changes of links. A change that says nothing else goes.
void take_out_of_changes(const SaidKeys& keys, Keys taken, Keys others, Removal& removal) {
  const auto has_any = [](const SaidKey& change, Keys names) {
    return std::ranges::any_of(names,
                               [&](std::string_view n) { return change.node->find(n) != nullptr; });
  };
  const auto kept = [&](const SaidKey& change) -> std::optional<std::string> {
    if (!has_any(change, taken)) return {};
    removal.parts.push_back(change.path);
    return has_any(change, others) ? one_line(*change.node, taken) : std::string();
  };
  thin_out(keys.find({"links.changes[]"}), "links.changes", kept, removal);
}

/// Whether it makes ranks slow at times that are known: what is random is jitter.
bool is_slow(const language::Node& noise) {
  const language::Node* factor = noise.find("factor");
  const language::Node* throttles = noise.find("throttles");
  return (factor != nullptr && factor->text != "1") || noise.find("pause") != nullptr ||
         (throttles != nullptr && !throttles->items.empty());
}

/// Late and slow ranks.
Result<Removal> no_stragglers(const SaidKeys& keys) {
  Removal removal;
  for (const SaidKey& key : keys.find({"jobs[].stragglers"})) {
    if (!key.node->items.empty()) removal.set(key.path, "[]");
  }
  for (const SaidKey& list : keys.find({"jobs[].noise"})) {
    std::vector<SaidKey> elements;
    for (std::size_t i = 0; i < list.node->items.size(); ++i) {
      elements.push_back({language::element_path(list.path, i), &list.node->items[i]});
    }
    const auto kept = [&](const SaidKey& noise) -> std::optional<std::string> {
      if (!is_slow(*noise.node)) return {};
      removal.parts.push_back(noise.path);
      const bool is_random = noise.node->find("jitter") != nullptr;
      return is_random ? one_line(*noise.node, kSlowKeys) : std::string();
    };
    thin_out(elements, list.path, kept, removal);
  }
  return removal;
}

Result<Removal> no_jitter(const SaidKeys& keys) {
  Removal removal;
  for (const SaidKey& key : keys.find({"jobs[].jitter", "jobs[].noise[].jitter"})) {
    const bool is_map = key.node->kind == language::Node::Kind::kMap;
    if (is_map && key.word() != "none") removal.set(key.path, "{type: none}");
    if (!is_map && !is_zero(key.word())) removal.set(key.path, "0ns");
  }
  return removal;
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

Result<Removal> no_congestion_control(const SaidKeys& keys, const Scenario& scenario) {
  std::set<std::string> paths;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const std::string path = places_of(keys, scenario, j).transport + ".congestion_control";
    if (keys.has(path) && keys.word(path) != "none") paths.insert(path);
  }
  Removal removal;
  for (const std::string& path : paths) removal.set(path, "none");
  return removal;
}

/// Without flow control what does not fit is dropped: all buffers hold everything.
Result<Removal> no_pauses(const SaidKeys& keys, const Scenario& scenario) {
  Removal removal;
  if (!scenario.switches.any_pfc()) return removal;
  for (const SaidKey& key : keys.find({"fabric.flow_control", "fabric.classes[].flow_control",
                                       "fabric.changes[].classes[].flow_control"})) {
    if (key.word() == "pfc") removal.set(key.path, "none");
  }
  if (removal.overrides.empty()) return removal;
  for (const SaidKey& key : keys.find({"fabric.pfc_watchdog", "fabric.changes[].pfc_watchdog"})) {
    removal.set_also(key.path, "none");
  }
  for (const SaidKey& key :
       keys.find({"fabric.switch.buffer", "fabric.changes[].buffer", "fabric.*.switch.buffer",
                  "fabric.nodes[].switch.buffer", "racks[].server.nic.receive_buffer",
                  "fabric.nic.receive_buffer"})) {
    removal.set_also(key.path, "1000GB");
  }
  take_out_faults(keys, {"nic-pause"}, removal);
  return removal;
}

std::int64_t rate_of(const SaidKey& key) {
  const auto parsed = parse_quantity(key.word(), dimension_of<BitsPerSecond>());
  const auto* rate = std::get_if<std::int64_t>(&parsed);
  return rate == nullptr ? std::int64_t{0} : *rate;
}

/// The links of hosts that are slower than the fastest of their kind.
void speed_up(const std::vector<SaidKey>& rates, Removal& removal) {
  const auto fastest = std::ranges::max_element(rates, {}, rate_of);
  for (const SaidKey& key : rates) {
    if (rate_of(key) < rate_of(*fastest)) removal.set(key.path, fastest->word());
  }
}

/// The ports of NICs that are slower than the fastest, or than the part that they were made of.
/// Links that follow the rate of such a NIC, as they do where nothing else is said, go with it.
void speed_up_nics(const SaidKeys& keys, Removal& removal) {
  const std::vector<SaidKey> rates = keys.find({"racks[].server.nic.rate"});
  const std::vector<SaidKey> nominal_rates = keys.find({"racks[].server.nic.nominal_rate"});
  std::vector<SaidKey> all = rates;
  all.insert(all.end(), nominal_rates.begin(), nominal_rates.end());
  const auto fastest = std::ranges::max_element(all, {}, rate_of);
  std::set<std::int64_t> slow;
  for (const SaidKey& key : rates) {
    if (rate_of(key) >= rate_of(*fastest)) continue;
    removal.set(key.path, fastest->word());
    slow.insert(rate_of(key));
  }
  if (nominal_rates.empty()) return;
  for (const SaidKey& link : keys.find({"links.*.rate"})) {
    const bool follows = keys.is_default(link) && slow.contains(rate_of(link));
    if (follows) removal.set_also(link.path, fastest->word());
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
  // Of cables, NICs are at those ends that name them as SERVER/NIC.
  for (const SaidKey& cable : keys.find({"fabric.cables[]"})) {
    const language::Node* rate = cable.node->find("rate");
    const auto is_nic = [&](const char* end) {
      const language::Node* name = cable.node->find(end);
      return name != nullptr && name->text.find('/') != std::string::npos;
    };
    if (rate != nullptr && (is_nic("from") || is_nic("to"))) {
      rates.push_back({cable.path + ".rate", rate});
    }
  }
  return rates;
}

/// NICs that take in less than the fastest link of a host brings take in as much. They are alike.
void speed_up_receivers(const SaidKeys& keys, Removal& removal) {
  std::vector<SaidKey> rates = host_link_rates(keys);
  for (const SaidKey& key : keys.find({"racks[].server.nic.rate", "links.access.rate"})) {
    rates.push_back(key);
  }
  const auto fastest = std::ranges::max_element(rates, {}, rate_of);
  if (fastest == rates.end()) return;
  for (const SaidKey& key :
       keys.find({"racks[].server.nic.receive_rate", "fabric.nic.receive_rate"})) {
    const bool is_limited = rate_of(key) > 0;  // or `unlimited`
    if (is_limited && rate_of(key) < rate_of(*fastest)) removal.set(key.path, fastest->word());
  }
}

Result<Removal> no_slow_links(const SaidKeys& keys) {
  Removal removal;
  take_out_of_changes(keys, kSpeedKeys, kErrorKeys, removal);
  speed_up_nics(keys, removal);
  speed_up(host_link_rates(keys), removal);
  speed_up_receivers(keys, removal);
  take_out_faults(keys, {"link-rate", "link-latency"}, removal);
  return removal;
}

Result<Removal> no_faults(const SaidKeys& keys, Types types) {
  Removal removal;
  take_out_faults(keys, types, removal);
  return removal;
}

/// Links corrupt no frames: all of a role, those that are changed or listed, and by faults.
Result<Removal> no_bit_errors(const SaidKeys& keys) {
  Removal removal;
  for (const char* key : {"bit_error_rate", "frame_loss_rate"}) {
    const std::string of_role = fmt::format("links.*.{}", key);
    const std::string of_link = fmt::format("fabric.links[].{}", key);
    for (const SaidKey& rate : keys.find({of_role, of_link})) {
      if (!is_zero(rate.word())) removal.set(rate.path, "0");
    }
  }
  take_out_of_changes(keys, kErrorKeys, kSpeedKeys, removal);
  take_out_faults(keys, {"bit-errors"}, removal);
  return removal;
}

/// All switches, ports and NICs are set as the fabric says.
Result<Removal> no_changed_settings(const SaidKeys& keys) {
  Removal removal;
  const std::vector<SaidKey> changes = keys.find({"fabric.changes[]"});
  for (const SaidKey& change : changes) removal.parts.push_back(change.path);
  if (!changes.empty()) removal.set_also("fabric.changes", "[]");
  return removal;
}

/// Lets a transport take packets in any order. False: it has no way to.
bool take_any_order(const SaidKeys& keys, const std::string& transport, Removal& removal) {
  // Contexts of Ultra Ethernet take packets in any order, unless they are to keep it.
  if (keys.word(transport + ".type") == "mrc") return true;
  if (keys.word(transport + ".type") == "uec") {
    if (keys.word(transport + ".delivery") == "rod")
      removal.set_also(transport + ".delivery", "rud");
    return true;
  }
  if (!keys.has(transport + ".recovery")) return false;
  if (keys.word(transport + ".receiver") != "any-order")
    removal.set_also(transport + ".receiver", "any-order");
  // Which takes what is overtaken for lost, and has no such receiver.
  if (keys.word(transport + ".recovery") == "selective-repeat") {
    removal.set_also(transport + ".recovery", "go-back-n");
  }
  return true;
}

Result<Removal> no_collisions(const SaidKeys& keys, const Scenario& scenario) {
  Removal removal;
  std::set<std::string> balancings;
  std::set<std::string> transports;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    if (scenario.switches.balancing(scenario.jobs[j].traffic_class).sprays()) continue;
    JobPlaces places = places_of(keys, scenario, j);
    balancings.insert(std::move(places.balancing));
    transports.insert(std::move(places.transport));
  }
  for (const std::string& path : balancings) removal.set(path, "spray");
  for (const std::string& path : transports) {
    if (take_any_order(keys, path, removal)) {
      // The plane of a queue pair is a path, too.
      if (keys.word(path + ".plane_choice") == "qp") {
        removal.set_also(path + ".plane_choice", "packet");
      }
      continue;
    }
    return refusal(
        fmt::format("`{}` is {}, which takes packets in their order only: they cannot be sprayed",
                    path, keys.word(path)));
  }
  return removal;
}

Result<Removal> removal_of(std::string_view what, const LoadedScenario& scenario) {
  const SaidKeys keys(scenario);
  if (what == "slow-links") return no_slow_links(keys);
  if (what == "link-failures") return no_faults(keys, {"link-down", "switch-down", "flapping"});
  if (what == "bit-errors") return no_bit_errors(keys);
  if (what == "nic-pauses") return no_faults(keys, {"nic-pause"});
  if (what == "stragglers") return no_stragglers(keys);
  if (what == "jitter") return no_jitter(keys);
  if (what == "changed-settings") return no_changed_settings(keys);
  if (what == "congestion-control") return no_congestion_control(keys, scenario.scenario);
  if (what == "pauses") return no_pauses(keys, scenario.scenario);
  return no_collisions(keys, scenario.scenario);
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

Result<Overrides> overrides_without_one(const std::string& what, const LoadedScenario& scenario) {
  if (what.starts_with(kJob)) {
    return no_job(std::string_view(what).substr(kJob.size()), scenario.scenario);
  }
  if (std::ranges::find(kRemovable, std::string_view(what)) == kRemovable.end()) {
    std::vector<std::string> names(kRemovable.begin(), kRemovable.end());
    names.emplace_back("job:NAME");
    return refusal(fmt::format("`{}` cannot be taken out of a scenario; expected one of {}{}", what,
                               listing(names), did_you_mean(what, names)));
  }
  auto removal = removal_of(what, scenario);
  if (!removal) return removal.errors();
  if (removal.value().overrides.empty()) {
    return refusal(fmt::format("the scenario has no {}: a run without would be the same", what));
  }
  return std::move(removal.value().overrides);
}

bool has_one(const std::string& what, const LoadedScenario& scenario) {
  if (what.starts_with(kJob)) {
    return no_job(std::string_view(what).substr(kJob.size()), scenario.scenario).ok();
  }
  const auto removal = removal_of(what, scenario);
  return !removal || !removal.value().overrides.empty();
}

}  // namespace

std::vector<std::string> causes_in(std::string_view list) {
  std::vector<std::string> causes;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string one(list.substr(begin, end - begin));
    if (std::ranges::find(causes, one) == causes.end()) causes.push_back(std::move(one));
    begin = end + 1;
  }
  return causes;
}

std::string list_of_causes(std::span<const std::string> causes) {
  std::string list;
  for (const std::string& one : causes) list += (list.empty() ? "" : ",") + one;
  return list;
}

Result<std::vector<std::string>> overrides_without(const std::string& what,
                                                   const LoadedScenario& scenario) {
  const std::vector<std::string> causes = causes_in(what);
  if (causes.size() == 1) return overrides_without_one(causes.front(), scenario);
  // Two may thin out the same list: each is taken out of what the ones before leave.
  Overrides all;
  LoadedScenario rest = scenario;
  for (const std::string& one : causes) {
    if (has_one(one, scenario) && !has_one(one, rest)) continue;  // it went with one before
    const auto more = overrides_without_one(one, rest);
    if (!more) return more.errors();
    auto next = load_scenario_text(rest.canonical_yaml(), scenario.scenario.name, more.value());
    if (!next) return next.errors();
    rest = std::move(next).value();
    all.insert(all.end(), more.value().begin(), more.value().end());
  }
  return all;
}

bool has_removable(const std::string& what, const LoadedScenario& scenario) {
  return std::ranges::any_of(
      causes_in(what), [&scenario](const std::string& one) { return has_one(one, scenario); });
}

std::vector<std::string> removable_parts(const std::string& what, const LoadedScenario& scenario) {
  if (what.starts_with(kJob)) return {};
  auto removal = removal_of(what, scenario);
  return removal ? std::move(removal.value().parts) : std::vector<std::string>();
}

bool is_blamed(const std::string& what, const BlameEntry& blame,
               const std::vector<SlowLink>& slow_links) {
  constexpr std::pair<const char*, const char*> kAgainst[] = {
      {"stragglers", "straggler"},
      {"jitter", "straggler"},
      {"link-failures", "time-out"},
      {"link-failures", "retransmission"},
      {"link-failures", "link failure"},
      {"changed-settings", "time-out"},
      {"changed-settings", "retransmission"},
      {"changed-settings", "pause"},
      {"changed-settings", "congestion control"},
      {"bit-errors", "time-out"},
      {"bit-errors", "retransmission"},
      {"bit-errors", "link retry"},
      {"pauses", "pause"},
      {"congestion-control", "congestion control"}};
  const bool is_of_job = blame.cause == "queueing" && blame.culprit_kind == "job";
  const bool is_of_other = is_of_job && blame.culprit != blame.job;
  if (what.starts_with(kJob)) return is_of_other && blame.culprit == what.substr(kJob.size());
  // What waits for a slow link shows as a pause, as queueing or as congestion control.
  if (what == "slow-links") return slow_link_of(slow_links, blame) != nullptr;
  // Before and behind hosts there is one way, and nothing to choose.
  if (what == "collisions") {
    return blame.cause == "queueing" && !is_of_other && joins_switches(blame.port);
  }
  if (what == "nic-pauses") return blame.cause == "pause" && blame.culprit.starts_with("NIC of ");
  return std::ranges::any_of(
      kAgainst, [&](const auto& pair) { return what == pair.first && blame.cause == pair.second; });
}

}  // namespace weft::scenarios
