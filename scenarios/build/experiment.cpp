#include "scenarios/build/experiment.hpp"

#include <algorithm>

#include "protocols/network/lp_cut.hpp"

namespace weft::scenarios {

IdVector<ClassId, std::string> class_names(const protocols::SwitchConfig& switches) {
  IdVector<ClassId, std::string> names;
  for (const protocols::TrafficClass& traffic_class : switches.classes) {
    names.push_back(traffic_class.name.empty() ? std::to_string(names.size()) : traffic_class.name);
  }
  return names;
}

bool drops_early(const protocols::SwitchConfig& switches) {
  return switches.watchdog.enabled ||
         switches.any_class([](const protocols::TrafficClass& c) { return c.wred.enabled; }) ||
         std::ranges::any_of(switches.by_port.others, [](const protocols::PortSettings& some) {
           return some.watchdog.enabled;
         });
}

LpPlan plan_of(const Experiment& e, const protocols::Parallelism& parallelism) {
  return protocols::cut_fabric(
      e.fabric, e.scenario.switches, e.scenario.run.control_latency, e.scenario.run.partition,
      protocols::expected_load(e.fabric, e.scenario.transport, e.scenario.scale_up,
                               e.workload.process_hosts(), e.workload.connections(), parallelism));
}

}  // namespace weft::scenarios
