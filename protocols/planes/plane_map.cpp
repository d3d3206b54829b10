#include "protocols/planes/plane_map.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace weft::protocols {
namespace {

bool is_of_planes(const Node& node) {
  return node.kind == NodeKind::kSwitch && node.network == NetworkKind::kScaleOut && !node.is_nic;
}

/// Switches that links join, by union and find.
class Components {
 public:
  explicit Components(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t at) {
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  /// The lower one is the root.
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// By NodeId: its plane.
std::vector<std::uint8_t> planes_of_nodes(const Fabric& fabric, std::uint32_t& count) {
  Components components(fabric.nodes.size());
  for (const Port& port : fabric.ports) {
    const NodeId peer = fabric.port(port.peer).node;
    if (is_of_planes(fabric.node(port.node)) && is_of_planes(fabric.node(peer))) {
      components.join(port.node.value(), peer.value());
    }
  }
  std::vector<std::uint8_t> planes(fabric.nodes.size(), PlaneMap::kNone);
  for (std::uint32_t i = 0; i < planes.size(); ++i) {
    if (!is_of_planes(fabric.nodes[i])) continue;
    const std::uint32_t root = components.find(i);
    planes[i] = root == i ? static_cast<std::uint8_t>(std::min(count, 254U)) : planes[root];
    if (root == i) ++count;
  }
  return planes;
}

std::string problem_of(const Fabric& fabric, const PlaneMap& map) {
  bool has_choice = false;
  for (const NodeId host : fabric.hosts) {
    const Node& node = fabric.node(host);
    std::uint32_t seen = 0;
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      const PortId port(node.first_port.value() + i);
      const Node& peer = fabric.node(fabric.peer_node(port));
      if (peer.is_nic) {
        return peer.name +
               " serves several GPUs, or outruns their link, so that it is a node of "
               "its own, which selects by load_balancing";
      }
      const std::uint8_t plane = map.of_port[port.value()];
      if (plane == PlaneMap::kNone || plane >= kMaxPlanes) continue;
      if ((seen >> plane & 1U) != 0) return node.name + " has two ports in one plane";
      seen |= 1U << plane;
    }
    has_choice = has_choice || (seen & (seen - 1)) != 0;
  }
  if (!has_choice) {
    return "no NIC has ports in two planes; set fabric.planes, and nic.ports to as many";
  }
  if (map.planes > kMaxPlanes) {
    return "the fabric has " + std::to_string(map.planes) + " planes; at most " +
           std::to_string(kMaxPlanes) + " can be selected from";
  }
  return {};
}

}  // namespace

PlaneMap planes_of(const Fabric& fabric) {
  PlaneMap map;
  const std::vector<std::uint8_t> planes = planes_of_nodes(fabric, map.planes);
  std::size_t host_ports = 0;
  for (const NodeId host : fabric.hosts) host_ports += fabric.node(host).port_count;
  map.of_port.assign(host_ports, PlaneMap::kNone);
  for (const NodeId host : fabric.hosts) {
    const Node& node = fabric.node(host);
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      const PortId port(node.first_port.value() + i);
      map.of_port[port.value()] = planes[fabric.peer_node(port).value()];
    }
  }
  map.problem = problem_of(fabric, map);
  return map;
}

std::vector<std::uint8_t> plane_rotation(const std::vector<std::uint32_t>& weights) {
  const auto sum =
      static_cast<std::int64_t>(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  std::vector<std::int64_t> due(weights.size());
  std::vector<std::uint8_t> rotation;
  for (std::int64_t turn = 0; turn < sum; ++turn) {
    for (std::size_t i = 0; i < due.size(); ++i) due[i] += weights[i];
    const auto next = std::ranges::max_element(due);
    *next -= sum;
    rotation.push_back(static_cast<std::uint8_t>(next - due.begin()));
  }
  return rotation;
}

}  // namespace weft::protocols
