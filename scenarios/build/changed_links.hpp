#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "protocols/config/switch_config.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// What every entry of `links.changes`, `faults` and `fabric.changes` means on the fabric of the
/// scenario, a line each: "links.changes[0] (gpu13): 2 directions of the scale-out network". Of
/// very many the first.
[[nodiscard]] std::vector<std::string> describe_changed_links(const Scenario& scenario,
                                                              const Fabric& fabric);

// Of `fabric.changes`: settings_by_port.cpp.

/// Gives switches the buffers that they say, and checks what they name.
[[nodiscard]] Errors change_buffers(const Scenario& scenario, Fabric& fabric);
/// What ports have in place of what the switches of the scenario have everywhere. What they name
/// has been checked.
[[nodiscard]] protocols::SettingsByPort settings_by_port(const Scenario& scenario,
                                                         const Fabric& fabric);
/// Entries of `fabric.changes` by what they are about, in their order.
struct ChangesByPlace {
  std::map<PortId, std::vector<std::size_t>> of_port;
  std::map<NodeId, std::vector<std::size_t>> of_node;
};
[[nodiscard]] ChangesByPlace changes_by_place(const Scenario& scenario, const Fabric& fabric);
/// Gives what hosts send the congestion controls that they say: each makes a transport of its own.
[[nodiscard]] Errors change_controls(const Fabric& fabric, Scenario& scenario,
                                     collectives::Workload& workload);
/// A line for each: "fabric.changes[0] (leaf1): 1 node, 6 ports".
[[nodiscard]] std::vector<std::string> describe_changed_settings(const Scenario& scenario,
                                                                 const Fabric& fabric);

}  // namespace weft::scenarios
