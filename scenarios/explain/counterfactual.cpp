#include "scenarios/explain/counterfactual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "simcore/text/nearest.hpp"

namespace weft::scenarios {
namespace {

using Overrides = std::vector<std::string>;

Error refusal(std::string message) { return {.message = std::move(message), .where = {}}; }

/// Takes out all faults, if `is_it` holds for each of them; false: there are others as well.
template <class IsIt>
bool take_out_faults(const Scenario& scenario, IsIt is_it, Overrides& overrides) {
  const auto count = std::ranges::count_if(scenario.faults, is_it);
  if (count == 0) return true;
  overrides.emplace_back("faults=[]");
  return count == std::ssize(scenario.faults);
}

template <class... Kinds>
bool is_any_of(const FaultSpec& fault) {
  return (std::holds_alternative<Kinds>(fault.what) || ...);
}

Error other_faults() {
  return refusal(
      "the scenario has faults of other kinds as well; say with --set faults=[...] which of them "
      "stay");
}

void add_delays(const collectives::JobKind& kind, const std::string& job, Overrides& overrides) {
  std::visit(
      [&](const auto& spec) {
        if constexpr (requires { spec.stragglers; }) {
          if (!spec.stragglers.empty()) overrides.push_back(job + ".stragglers=[]");
          if (spec.jitter) {
            overrides.push_back(job + ".jitter={type: exponential, mean: 0ns}");
          }
        }
        if constexpr (requires { spec.noise; }) {
          if (!spec.noise.empty()) overrides.push_back(job + ".noise=[]");
        }
      },
      kind);
}

Overrides stragglers_of(const Scenario& scenario) {
  Overrides overrides;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const std::uint32_t number = collectives::number_of(scenario.jobs[j], j);
    add_delays(scenario.jobs[j].kind, fmt::format("jobs[{}]", number), overrides);
  }
  return overrides;
}

Result<Overrides> no_congestion_control(const Scenario& scenario) {
  if (!scenario.more_transports.empty()) {
    return refusal(
        "jobs or classes have transports of their own; say with --set which of them go without "
        "congestion control");
  }
  return Overrides{"transport.congestion_control=none"};
}

Result<Overrides> no_pauses(const Scenario& scenario) {
  const auto is_pfc = [](const protocols::TrafficClass& c) {
    return c.network == NetworkKind::kScaleOut && c.is_pfc();
  };
  if (std::ranges::none_of(scenario.switches.classes, is_pfc)) return Overrides{};
  if (std::ranges::count(scenario.switches.classes, NetworkKind::kScaleOut,
                         &protocols::TrafficClass::network) > 2) {
    return refusal(
        "the fabric has classes of its own; say with --set which of them go without PFC");
  }
  Overrides overrides{"fabric.flow_control=none", "fabric.switch.buffer=1000GB"};
  if (!take_out_faults(scenario, is_any_of<NicPause>, overrides)) return other_faults();
  return overrides;
}

Result<Overrides> no_slow_links(const Scenario& scenario) {
  Overrides overrides;
  if (!scenario.link_changes.empty()) overrides.emplace_back("links.changes=[]");
  if (!take_out_faults(scenario, is_any_of<LinkRate, LinkLatency>, overrides)) {
    return other_faults();
  }
  return overrides;
}

Result<Overrides> no_link_failures(const Scenario& scenario) {
  Overrides overrides;
  if (!take_out_faults(scenario, is_any_of<LinkDown, SwitchDown>, overrides)) {
    return other_faults();
  }
  return overrides;
}

Overrides no_collisions(const Scenario& scenario) {
  if (scenario.switches.load_balancing.sprays()) return {};
  Overrides overrides{"fabric.load_balancing=spray", "transport.receiver=any-order"};
  // Which takes what is overtaken for lost, and has no such receiver.
  if (protocols::traits_of(scenario.transport).selective) {
    overrides.emplace_back("transport.recovery=go-back-n");
  }
  return overrides;
}

Result<Overrides> find_overrides(std::string_view what, const Scenario& scenario) {
  if (what == "stragglers") return stragglers_of(scenario);
  if (what == "congestion-control") return no_congestion_control(scenario);
  if (what == "pauses") return no_pauses(scenario);
  if (what == "slow-links") return no_slow_links(scenario);
  if (what == "collisions") return no_collisions(scenario);
  return no_link_failures(scenario);
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
                                                   const Scenario& scenario) {
  if (what.starts_with(kJob)) return no_job(std::string_view(what).substr(kJob.size()), scenario);
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
