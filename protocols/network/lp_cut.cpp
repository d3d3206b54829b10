#include "protocols/network/lp_cut.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weft::protocols {

Picoseconds pause_latency(const PauseConfig& pause, const Port& port) {
  const Picoseconds wire = pause.propagates ? port.wire_latency : Picoseconds(0);
  return wire + pause.response_at(port.rate);
}

LpPlan cut_fabric(const Fabric& fabric, const SwitchConfig& switches, Picoseconds control_latency,
                  LpPlan::Cut cut, bool keeps_domains_whole) {
  std::vector<Picoseconds> crossing(fabric.ports.size());
  for (std::size_t p = 0; p < crossing.size(); ++p) {
    const PortId id(p);
    const Port& port = fabric.port(id);
    if (keeps_domains_whole && fabric.network_of(id) == NetworkKind::kScaleUp) continue;
    crossing[p] = fabric.data_latency(id);
    for (const TrafficClass& c : switches.classes) {
      if (c.network != fabric.network_of(id)) continue;
      if (c.is_pfc()) crossing[p] = std::min(crossing[p], pause_latency(switches.pause, port));
      if (c.is_credit()) {
        crossing[p] = std::min(crossing[p], port.wire_latency + c.credit().processing);
      }
    }
  }
  return plan_lps(fabric, crossing, control_latency, cut);
}

}  // namespace weft::protocols
