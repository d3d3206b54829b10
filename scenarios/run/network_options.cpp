#include "scenarios/run/network_options.hpp"

#include "scenarios/zero_load/connection_transports.hpp"

namespace weft::scenarios {

using protocols::PacketNetwork;

PacketNetwork::Options network_options(const Experiment& e, const RunMode& mode) {
  const Scenario& scenario = e.scenario;
  PacketNetwork::Options options;
  options.nic = scenario.nic;
  options.faults = e.faults;
  options.route_changes = e.route_changes.resolve(e.routes);
  options.switches = scenario.switches;
  options.transport = scenario.transport;
  options.more_transports = scenario.more_transports;
  options.scale_up = scenario.scale_up;
  options.scale_up_of_domain = scale_up_kinds(scenario, e.fabric);
  options.seed = scenario.seed;
  options.control_latency = scenario.run.control_latency;
  options.cut = scenario.run.partition;
  options.extra_features = mode.extra_features;
  options.many_messages = mode.many_messages;
  return options;
}

}  // namespace weft::scenarios
