#include "simcore/fabric/path.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "simcore/base/hash.hpp"

namespace weft {
namespace {

/// A node that some packets pass at one step, and the smallest latency on the way to it.
struct Reached {
  NodeId node;
  Picoseconds latency;
  auto operator<=>(const Reached&) const = default;
};

/// What packets cross between one step's nodes and the next one's.
struct Step {
  std::vector<PortId> links;
  std::vector<Reached> nodes;  ///< at its end, ascending, each once
  bool is_dead_end = false;    ///< some packets find no next hop
  bool has_choice = false;     ///< some node has several next hops
};

/// Local ports at `node` by any of the routes, ascending, each once: as one table has them, or in
/// `joined`.
std::span<const std::uint16_t> all_ports(std::span<const Routes* const> tables, const Node& node,
                                         HostId source, HostId destination,
                                         std::vector<std::uint16_t>& joined) {
  if (tables.size() == 1) {
    const auto next_hops = ports_towards(*tables.front(), node, source, destination);
    const bool is_ascending =
        std::ranges::adjacent_find(next_hops, std::ranges::greater_equal()) == next_hops.end();
    if (is_ascending) return next_hops;
  }
  joined.clear();
  for (const Routes* routes : tables) {
    const auto next_hops = ports_towards(*routes, node, source, destination);
    joined.insert(joined.end(), next_hops.begin(), next_hops.end());
  }
  std::ranges::sort(joined);
  joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
  return joined;
}

void cross(Step& step, const Fabric& fabric, const Reached& from, PortId link) {
  step.links.push_back(link);
  step.nodes.push_back({fabric.peer_node(link), from.latency + fabric.data_latency(link)});
}

/// Sorts the nodes, and keeps of each the smallest latency.
void join_nodes(Step& step) {
  std::ranges::sort(step.nodes);
  const auto is_same = [](const Reached& a, const Reached& b) { return a.node == b.node; };
  step.nodes.erase(std::unique(step.nodes.begin(), step.nodes.end(), is_same), step.nodes.end());
}

Step advance(const Fabric& fabric, std::span<const Routes* const> tables,
             const std::vector<Reached>& from, HostId source, HostId destination) {
  Step step;
  step.links.reserve(from.size());
  step.nodes.reserve(from.size());
  std::vector<std::uint16_t> joined;
  for (const Reached& at : from) {
    const Node& node = fabric.node(at.node);
    const std::span<const std::uint16_t> next_hops =
        all_ports(tables, node, source, destination, joined);
    step.is_dead_end = step.is_dead_end || next_hops.empty();
    step.has_choice = step.has_choice || next_hops.size() > 1;
    for (const std::uint16_t local : next_hops) {
      cross(step, fabric, at, PortId(node.first_port.value() + local));
    }
  }
  join_nodes(step);
  return step;
}

Picoseconds smallest_latency(const std::vector<Reached>& nodes) {
  return std::ranges::min(nodes, {}, &Reached::latency).latency;
}

/// Ports that share a link are one.
std::uint32_t count_links(const Fabric& fabric, std::span<const PortId> links) {
  std::vector<std::uint32_t> shared;
  for (const PortId link : links) {
    if (fabric.port(link).shared_link != 0) shared.push_back(fabric.port(link).shared_link);
  }
  const std::size_t sharers = shared.size();
  std::ranges::sort(shared);
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  return static_cast<std::uint32_t>(links.size() - sharers + shared.size());
}

PathHop hop_of(const Fabric& fabric, std::span<const PortId> links, Picoseconds latency) {
  PathHop hop{.rate = {}, .latency = latency, .links = count_links(fabric, links)};
  for (const PortId link : links) hop.rate = std::max(hop.rate, fabric.port(link).rate);
  return hop;
}

}  // namespace

std::span<const std::uint16_t> ports_towards(const Routes& routes, const Node& node, HostId source,
                                             HostId destination) {
  if (node.kind == NodeKind::kSwitch) return routes.next_hops(SwitchId(node.index), destination);
  if (HostId(node.index) != source) return {};
  return routes.host_ports(source, destination);
}

std::vector<PortId> first_links(const Fabric& fabric, const Routes& routes, HostId source,
                                HostId destination) {
  std::vector<PortId> links;
  if (source == destination) return links;
  const std::uint32_t first = fabric.host(source).first_port.value();
  for (const std::uint16_t local : routes.host_ports(source, destination)) {
    links.emplace_back(first + local);
  }
  return links;
}

std::optional<PortId> flow_link(const Fabric& fabric, const Routes& routes, std::uint64_t run_seed,
                                HostId source, HostId destination, std::uint32_t entropy) {
  const std::vector<PortId> links = first_links(fabric, routes, source, destination);
  if (links.empty()) return {};
  const std::uint64_t seed = routes.hash.seed_of(run_seed, fabric.hosts[source.value()]);
  return links[routes.hash.choose(seed, entropy, static_cast<std::uint32_t>(links.size()))];
}

std::vector<PortId> flow_path(const Fabric& fabric, const Routes& routes, std::uint64_t run_seed,
                              HostId source, HostId destination, std::uint32_t entropy) {
  const auto first = flow_link(fabric, routes, run_seed, source, destination, entropy);
  if (!first) return {};
  return flow_path_from(fabric, routes, run_seed, *first, destination, entropy);
}

std::vector<PortId> flow_path_from(const Fabric& fabric, const Routes& routes,
                                   std::uint64_t run_seed, PortId first, HostId destination,
                                   std::uint32_t entropy) {
  std::vector<PortId> path{first};
  const HostId source(fabric.node(fabric.port(first).node).index);
  const NodeId goal = fabric.hosts[destination.value()];
  for (NodeId at = fabric.peer_node(first); at != goal; at = fabric.peer_node(path.back())) {
    if (path.size() == kMaxPathLinks) return {};
    const Node& node = fabric.node(at);
    const auto next_hops = ports_towards(routes, node, source, destination);
    if (next_hops.empty() || node.kind == NodeKind::kHost) return {};
    const std::uint32_t choice = routes.hash.choose(routes.hash.seed_of(run_seed, at), entropy,
                                                    static_cast<std::uint32_t>(next_hops.size()));
    path.emplace_back(node.first_port.value() + next_hops[choice]);
  }
  return path;
}

std::vector<PathHop> hops_of(const Fabric& fabric, std::span<const PortId> path) {
  std::vector<PathHop> hops;
  hops.reserve(path.size());
  for (const PortId port : path) {
    hops.push_back({.rate = fabric.port(port).rate, .latency = fabric.data_latency(port)});
  }
  return hops;
}

SprayedPath sprayed_path(const Fabric& fabric, const Routes& routes, std::span<const PortId> first,
                         HostId destination) {
  const NodeId goal = fabric.hosts[destination.value()];
  if (first.empty() || fabric.port(first.front()).node == goal) return {};
  const HostId source(fabric.node(fabric.port(first.front()).node).index);
  const std::array tables{&routes};
  const auto is_at_goal = [goal](const Reached& reached) { return reached.node == goal; };
  SprayedPath path;
  Step step;
  bool is_spread = false;
  for (const PortId link : first) cross(step, fabric, {}, link);
  join_nodes(step);
  for (Picoseconds before;;) {
    // Differences of the smallest latency to each step add up to the smallest of the whole path,
    // and are exact at nodes that all packets pass.
    const Picoseconds latency = smallest_latency(step.nodes);
    path.hops.push_back(hop_of(fabric, step.links, latency - before));
    path.hops.back().turns_anew = is_spread && step.has_choice;
    is_spread = is_spread || step.links.size() > 1;
    before = latency;
    if (std::ranges::any_of(step.nodes, is_at_goal)) break;
    if (path.hops.size() == kMaxPathLinks) return {};
    step = advance(fabric, tables, step.nodes, source, destination);
    if (step.is_dead_end) return {};
  }
  if (step.nodes.size() == 1) {
    path.last = std::move(step.links);
    std::ranges::sort(path.last);
    return path;
  }
  for (const PortId link : first_links(fabric, routes, destination, source)) {
    path.last.push_back(fabric.port(link).peer);
  }
  const auto latency = [&](PortId link) { return fabric.data_latency(link); };
  const PortId nearest = *std::ranges::min_element(path.last, {}, latency);
  path.hops = {path.hops.front(), hop_of(fabric, path.last, latency(nearest))};
  return path;
}

std::vector<std::vector<PathHop>> rerouted_hops(const Fabric& fabric,
                                                std::span<const Routes* const> tables,
                                                HostId source, HostId destination) {
  if (source == destination) return {{}};
  const NodeId goal = fabric.hosts[destination.value()];
  std::vector<std::vector<PathHop>> paths;
  std::vector<PathHop> hops;
  std::vector<Reached> nodes{{fabric.hosts[source.value()], Picoseconds(0)}};
  bool is_spread = false;
  while (!nodes.empty() && hops.size() < kMaxPathLinks) {
    Step step = advance(fabric, tables, nodes, source, destination);
    if (step.nodes.empty()) break;
    const bool turns_anew = is_spread && step.has_choice;
    is_spread = is_spread || step.links.size() > 1;
    const Picoseconds before = smallest_latency(nodes);
    const auto arrived = std::ranges::find(step.nodes, goal, &Reached::node);
    if (arrived != step.nodes.end()) {
      paths.push_back(hops);
      paths.back().push_back(hop_of(fabric, step.links, arrived->latency - before));
      paths.back().back().turns_anew = turns_anew;
      step.nodes.erase(arrived);
    }
    if (step.nodes.empty()) break;
    hops.push_back(hop_of(fabric, step.links, smallest_latency(step.nodes) - before));
    hops.back().turns_anew = turns_anew;
    nodes = std::move(step.nodes);
  }
  return paths;
}

}  // namespace weft
