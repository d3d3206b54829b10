#include "scenarios/measure/tables/collect_ports.hpp"

#include <utility>

namespace weft::scenarios {

void collect_ports(const EndedRun& run, Results& results) {
  const Fabric& fabric = run.experiment.fabric;
  const double seconds = to_seconds(results.counted_time());
  results.ports.reserve(fabric.ports.size());
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    PortResult port;
    port.port = PortId(p);
    port.name = fabric.port_name(port.port);
    port.node = fabric.node(fabric.port(port.port).node).name;
    port.peer_node = fabric.node(fabric.peer_node(port.port)).name;
    port.rate = fabric.port(port.port).rate;
    port.counters = run.ports[p];
    if (seconds > 0) {
      port.utilisation = static_cast<double>(port.counters.bytes.count()) * 8 /
                         static_cast<double>(port.rate.count()) / seconds;
      port.mean_queue_bytes = static_cast<double>(port.counters.queue_integral) * 1e-12 / seconds;
    }
    results.ports.push_back(std::move(port));
  }
}

}  // namespace weft::scenarios
