#include "simcore/path.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "simcore/hash.hpp"

namespace weft {
namespace {

PathHop hop_of(const Fabric& fabric, PortId port) {
  return {.rate = fabric.port(port).rate, .latency = fabric.data_latency(port)};
}

/// A node that some packets pass at one step, and the smallest latency on the way to it.
struct Reached {
  NodeId node;
  Picoseconds latency;
  auto operator<=>(const Reached&) const = default;
};

/// What packets cross between one step's nodes and the next one's.
struct Step {
  std::vector<Reached> nodes;  ///< at its end, ascending, each once
  PathHop hop;                 ///< latency is not set
  bool is_dead_end = false;    ///< some packets find no next hop
};

/// Local ports at `node` by any of the routes, ascending, each once.
std::vector<std::uint16_t> all_ports(std::span<const Routes* const> tables, const Node& node,
                                     HostId source, HostId destination) {
  std::vector<std::uint16_t> ports;
  for (const Routes* routes : tables) {
    const auto next_hops = ports_towards(*routes, node, source, destination);
    ports.insert(ports.end(), next_hops.begin(), next_hops.end());
  }
  std::ranges::sort(ports);
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  return ports;
}

Step advance(const Fabric& fabric, std::span<const Routes* const> tables,
             const std::vector<Reached>& from, HostId source, HostId destination) {
  Step step;
  std::size_t links = 0;
  for (const Reached& at : from) {
    const Node& node = fabric.node(at.node);
    const std::vector<std::uint16_t> next_hops = all_ports(tables, node, source, destination);
    step.is_dead_end = step.is_dead_end || next_hops.empty();
    for (const std::uint16_t local : next_hops) {
      const PortId port(node.first_port.value() + local);
      step.nodes.push_back({fabric.peer_node(port), at.latency + fabric.data_latency(port)});
      step.hop.rate = std::max(step.hop.rate, fabric.port(port).rate);
      ++links;
    }
  }
  step.hop.is_shared = links == 1;
  std::ranges::sort(step.nodes);
  const auto is_same = [](const Reached& a, const Reached& b) { return a.node == b.node; };
  step.nodes.erase(std::unique(step.nodes.begin(), step.nodes.end(), is_same), step.nodes.end());
  return step;
}

Picoseconds smallest_latency(const std::vector<Reached>& nodes) {
  return std::ranges::min(nodes, {}, &Reached::latency).latency;
}

}  // namespace

std::span<const std::uint16_t> ports_towards(const Routes& routes, const Node& node, HostId source,
                                             HostId destination) {
  if (node.kind == NodeKind::kSwitch) return routes.next_hops(SwitchId(node.index), destination);
  if (HostId(node.index) != source) return {};
  return routes.host_ports(source, destination);
}

std::vector<PortId> flow_path(const Fabric& fabric, const Routes& routes, std::uint64_t run_seed,
                              HostId source, HostId destination, std::uint32_t entropy) {
  std::vector<PortId> path;
  if (source == destination) return path;
  const NodeId goal = fabric.hosts[destination.value()];
  NodeId at = fabric.hosts[source.value()];
  while (at != goal) {
    if (path.size() == kMaxPathLinks) return {};
    const Node& node = fabric.node(at);
    const auto next_hops = ports_towards(routes, node, source, destination);
    if (next_hops.empty()) return {};
    const std::uint32_t choice = routes.hash.choose(routes.hash.seed_of(run_seed, at), entropy,
                                                    static_cast<std::uint32_t>(next_hops.size()));
    path.emplace_back(node.first_port.value() + next_hops[choice]);
    at = fabric.peer_node(path.back());
  }
  return path;
}

std::vector<PathHop> hops_of(const Fabric& fabric, std::span<const PortId> path) {
  std::vector<PathHop> hops;
  hops.reserve(path.size());
  for (const PortId port : path) hops.push_back(hop_of(fabric, port));
  return hops;
}

std::vector<PathHop> sprayed_hops(const Fabric& fabric, const Routes& routes, HostId source,
                                  HostId destination) {
  if (source == destination) return {};
  const std::array tables{&routes};
  const NodeId goal = fabric.hosts[destination.value()];
  std::vector<PathHop> hops;
  std::vector<Reached> nodes{{fabric.hosts[source.value()], Picoseconds(0)}};
  const auto is_at_goal = [goal](const Reached& reached) { return reached.node == goal; };
  while (std::ranges::none_of(nodes, is_at_goal)) {
    if (hops.size() == kMaxPathLinks) return {};
    Step step = advance(fabric, tables, nodes, source, destination);
    if (step.is_dead_end) return {};
    // Differences of the smallest latency to each step add up to the smallest of the whole way, and
    // are exact at nodes that all packets pass.
    step.hop.latency = smallest_latency(step.nodes) - smallest_latency(nodes);
    hops.push_back(step.hop);
    nodes = std::move(step.nodes);
  }
  if (nodes.size() > 1) {
    const auto back = routes.host_ports(destination, source);
    const PortId own(fabric.host(destination).first_port.value() + back.front());
    PathHop last = hop_of(fabric, fabric.port(own).peer);
    last.is_shared = back.front() == back.back();
    return {hops.front(), last};
  }
  return hops;
}

std::vector<std::vector<PathHop>> rerouted_hops(const Fabric& fabric,
                                                std::span<const Routes* const> tables,
                                                HostId source, HostId destination) {
  if (source == destination) return {{}};
  const NodeId goal = fabric.hosts[destination.value()];
  std::vector<std::vector<PathHop>> paths;
  std::vector<PathHop> hops;
  std::vector<Reached> nodes{{fabric.hosts[source.value()], Picoseconds(0)}};
  while (!nodes.empty() && hops.size() < kMaxPathLinks) {
    Step step = advance(fabric, tables, nodes, source, destination);
    if (step.nodes.empty()) break;
    const Picoseconds before = smallest_latency(nodes);
    const auto arrived = std::ranges::find(step.nodes, goal, &Reached::node);
    if (arrived != step.nodes.end()) {
      paths.push_back(hops);
      paths.back().push_back(step.hop);
      paths.back().back().latency = arrived->latency - before;
      step.nodes.erase(arrived);
    }
    if (step.nodes.empty()) break;
    step.hop.latency = smallest_latency(step.nodes) - before;
    hops.push_back(step.hop);
    nodes = std::move(step.nodes);
  }
  return paths;
}

}  // namespace weft
