#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "topologies/build_fabric.hpp"

/// Small fabrics whose ports tests name by their two ends.
namespace weft::testing {

/// Links between nodes of 400 Gbps; names that begin with `s` are switches, in this order.
inline topologies::TopologySpec named_links(
    std::initializer_list<std::pair<const char*, const char*>> links) {
  topologies::CustomSpec spec;
  const auto add_node = [&spec](const std::string& name) {
    for (const auto& node : spec.nodes) {
      if (node.name == name) return;
    }
    spec.nodes.push_back({.name = name, .is_switch = name.front() == 's'});
  };
  for (const auto& [from, to] : links) {
    add_node(from);
    add_node(to);
    spec.links.push_back({.from = from, .to = to, .link = {400_Gbps, 500_ns}});
  }
  return spec;
}

/// The port of node `from` that leads to node `to`.
inline PortId port_between(const Fabric& fabric, const std::string& from, const std::string& to) {
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    const PortId port(p);
    if (fabric.node(fabric.port(port).node).name == from &&
        fabric.node(fabric.peer_node(port)).name == to) {
      return port;
    }
  }
  throw std::invalid_argument("no link from " + from + " to " + to);
}

}  // namespace weft::testing
