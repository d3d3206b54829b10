#include "scenarios/run/build_experiment.hpp"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "protocols/config/credit_loop.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "scenarios/build/changed_links.hpp"
#include "scenarios/build/rail_forwarding.hpp"
#include "scenarios/build/rank_layouts.hpp"
#include "scenarios/build/resolve_faults.hpp"
#include "scenarios/build/resolve_observation.hpp"
#include "scenarios/build/resolve_timeline.hpp"
#include "scenarios/checks/given_key_checks.hpp"
#include "scenarios/checks/limits/limits.hpp"
#include "scenarios/checks/limits/spread_traffic.hpp"
#include "scenarios/checks/limits/traffic.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/language/given_keys.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

/// Classes that jobs use are lanes of data.
void fill_credits(Scenario& scenario, const Fabric& fabric) {
  std::uint8_t lanes = 0;
  for (const JobSpec& job : scenario.jobs) lanes |= protocols::class_bit(job.traffic_class);
  protocols::fill_credit_buffers(fabric, scenario.switches, scenario.transports(), lanes);
}

}  // namespace

Result<Experiment> build_experiment(Scenario scenario) {
  auto fabric = build_scenario_fabric(scenario);
  if (!fabric) return fabric.errors();
  auto routes = topologies::build_routes(fabric.value(), scenario.topology);
  if (!routes) return routes.errors();

  const std::vector<BitsPerSecond> access_rates = scenarios::access_rates(fabric.value());
  fill_credits(scenario, fabric.value());
  scenario.switches.by_port = settings_by_port(scenario, fabric.value());
  fill_layouts(scenario, fabric.value(), routes.value());
  if (Errors errors = check_limits(scenario, access_rates); !errors.empty()) return errors;
  auto faults = resolve_faults(scenario, fabric.value());
  if (!faults) return faults.errors();
  auto route_changes = build_route_changes(scenario, fabric.value(), faults.value());
  if (!route_changes) return route_changes.errors();
  auto workload = collectives::build_workload(
      scenario.jobs,
      {.seed = scenario.seed, .access_rates = access_rates, .has_relays = scenario.pxn.enabled});
  if (!workload) return workload.errors();
  if (Errors errors = forward_by_rail(scenario, fabric.value(), workload.value());
      !errors.empty()) {
    return errors;
  }
  if (Errors errors = change_controls(fabric.value(), scenario, workload.value());
      !errors.empty()) {
    return errors;
  }
  std::optional<Traffic> traffic;
  if (!workload.value().relays().empty() || !are_packets_few(scenario, access_rates)) {
    const auto counted = survey_traffic(scenario, fabric.value(), routes.value(), workload.value());
    if (!counted) return counted.errors();
    if (Errors errors = check_forwarded(workload.value(), counted.value()); !errors.empty()) {
      return errors;
    }
    traffic = counted.value();
  }
  auto observation = resolve_observation(scenario, fabric.value(), workload.value());
  if (!observation) return observation.errors();
  auto timeline = resolve_timeline(scenario, workload.value());
  if (!timeline) return timeline.errors();
  Experiment experiment{std::move(scenario),
                        std::move(fabric).value(),
                        std::move(routes).value(),
                        std::move(workload).value(),
                        std::move(faults).value(),
                        std::move(route_changes).value(),
                        std::move(observation).value(),
                        {}};
  experiment.traffic = traffic;
  experiment.timeline = std::move(timeline).value();
  StaticFindings findings = check_statically(experiment);
  if (!findings.errors.empty()) return std::move(findings.errors);
  experiment.warnings = std::move(findings.warnings);
  return experiment;
}

Result<Experiment> build_experiment(const LoadedScenario& loaded) {
  Result<Experiment> experiment = build_experiment(loaded.scenario);
  if (!experiment.ok()) return experiment;
  const GivenKeys& given = given_keys(loaded);
  std::vector<std::string>& warnings = experiment.value().warnings;
  warnings.insert(warnings.begin(), given.remarks.begin(), given.remarks.end());
  check_given_keys(experiment.value(), given, warnings);
  return experiment;
}

}  // namespace weft::scenarios
