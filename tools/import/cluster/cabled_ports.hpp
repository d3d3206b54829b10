#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/import/cluster/cluster.hpp"

namespace weft::import {

/// A port of a switch whose settings are known, at one end of a cable.
struct CabledPort {
  const ClusterSwitch* at = nullptr;
  const SwitchPort* port = nullptr;                     ///< null: the file says nothing of it
  const std::vector<ClassSettings>* classes = nullptr;  ///< its own, or those of all ports
  std::string peer;       ///< node at the other end, as the scenario names it
  std::size_t cable = 0;  ///< index into the cables of the cluster
};

/// By switch.
[[nodiscard]] std::vector<CabledPort> cabled_ports(const Cluster& cluster);

/// The value that most have; of equally many the first in order; null: there is none.
template <class T>
[[nodiscard]] const T* usual_of(const std::map<T, std::size_t>& votes) {
  const T* usual = nullptr;
  std::size_t highest = 0;
  for (const auto& [value, count] : votes) {
    if (count > highest) usual = &value;
    highest = std::max(highest, count);
  }
  return usual;
}

/// Entries of `fabric.changes` that say the MTU of ports; none where all have the same.
[[nodiscard]] std::string mtu_changes(const Cluster& cluster);

/// Entries for the cables whose ends pause in different priorities: neither stops the class of the
/// other. A server is taken to pause in the priority that most switches have.
[[nodiscard]] std::string priority_changes(const Cluster& cluster, std::uint32_t dscp);

}  // namespace weft::import
