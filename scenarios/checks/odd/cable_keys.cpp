#include "scenarios/checks/odd/cable_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "scenarios/build/fabric_names.hpp"
#include "topologies/list.hpp"

namespace weft::scenarios {

CableKeys::CableKeys(const Scenario& scenario, const Fabric& fabric)
    : scenario_(scenario), fabric_(fabric) {
  if (const auto* cabled = std::get_if<topologies::CabledSpec>(&scenario.topology)) {
    add_entries(cabled->cables, "fabric.cables");
  }
  if (const auto* custom = std::get_if<topologies::CustomSpec>(&scenario.topology)) {
    add_entries(custom->links, "fabric.links");
  }
  if (scenario.link_changes.empty()) return;
  const FabricNames names(fabric);
  for (std::size_t i = 0; i < scenario.link_changes.size(); ++i) {
    Errors ignored;
    const std::string key = fmt::format("links.changes[{}]", i);
    for (const PortId port : names.ports(scenario.link_changes[i].links, key, ignored)) {
      changes_[port] = key;
      changes_[fabric.port(port).peer] = key;
    }
  }
}

template <class Entries>
void CableKeys::add_entries(const Entries& cables, const char* list) {
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const auto pair = std::minmax(cables[i].from, cables[i].to);
    entries_[{pair.first, pair.second}].push_back(
        {fmt::format("{}[{}]", list, i), cables[i].link.rate, cables[i].count});
  }
}

std::uint32_t CableKeys::index_of(PortId port) const {
  const NodeId node = fabric_.port(port).node;
  const NodeId peer = fabric_.peer_node(port);
  std::uint32_t before = 0;
  for (PortId p = fabric_.node(node).first_port; p != port; p = PortId(p.value() + 1)) {
    before += fabric_.peer_node(p) == peer ? 1 : 0;
  }
  return before;
}

std::string CableKeys::of(PortId port) const {
  if (const auto change = changes_.find(port); change != changes_.end()) return change->second;
  const std::string& a = fabric_.node(fabric_.port(port).node).name;
  const std::string& b = fabric_.node(fabric_.peer_node(port)).name;
  const auto found = entries_.find(std::minmax(a, b));
  if (found == entries_.end()) return "fabric";
  const BitsPerSecond rate = fabric_.port(port).rate;
  std::uint32_t index = index_of(port);
  for (const Entry& entry : found->second) {
    if (index < entry.count && entry.rate == rate) return entry.key;
    index -= std::min(index, entry.count);
  }
  const auto same = std::ranges::find(found->second, rate, &Entry::rate);
  return same == found->second.end() ? found->second.front().key : same->key;
}

std::string CableKeys::of_node(const std::string& name) const {
  const auto* cabled = std::get_if<topologies::CabledSpec>(&scenario_.topology);
  if (cabled == nullptr) return "fabric";
  for (std::size_t i = 0; i < cabled->switches.size(); ++i) {
    if (cabled->switches[i].name == name) return fmt::format("fabric.switches[{}]", i);
  }
  for (std::size_t i = 0; i < cabled->servers.size(); ++i) {
    if (name.starts_with(cabled->servers[i].name + "/"))
      return fmt::format("fabric.servers[{}]", i);
  }
  return "fabric";
}

}  // namespace weft::scenarios
