#include "scenarios/fabric_names.hpp"

#include <cstddef>
#include <cstdint>

#include "simcore/nearest.hpp"

namespace weft::scenarios {

FabricNames::FabricNames(const Fabric& fabric) : fabric_(fabric) {
  nodes_.reserve(fabric.nodes.size());
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    nodes_.emplace(fabric.nodes[i].name, NodeId(i));
  }
}

NodeId FabricNames::find(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? NodeId::none() : found->second;
}

std::string FabricNames::unknown(const std::string& name) const {
  std::vector<std::string> names;
  names.reserve(fabric_.nodes.size());
  for (const Node& node : fabric_.nodes) names.push_back(node.name);
  return "`" + name + "` is no node of the fabric" + did_you_mean(name, names);
}

std::vector<PortId> FabricNames::ports(NodeId from, NodeId to) const {
  std::vector<PortId> ports;
  const Node& node = fabric_.node(from);
  for (std::uint32_t i = 0; i < node.port_count; ++i) {
    const PortId port(node.first_port.value() + i);
    if (to.is_none() || fabric_.peer_node(port) == to) ports.push_back(port);
  }
  return ports;
}

}  // namespace weft::scenarios
