#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simcore/hash.hpp"
#include "topologies/assembler.hpp"
#include "topologies/build_fabric.hpp"
#include "topologies/custom.hpp"

namespace weft::topologies {
namespace {

/// Entries of the next-hop table: 1 GiB.
constexpr std::uint64_t kMaxTableEntries = std::uint64_t{1} << 28U;

/// Distinct sets of local ports, numbered in the order they are first seen. Set 0 is empty.
class NextHopSets {
 public:
  explicit NextHopSets(Routes& routes) : routes_(routes) { id_of({}); }

  std::uint32_t id_of(std::span<const std::uint16_t> ports) {
    std::uint64_t hash = mix64(ports.size());
    for (const std::uint16_t port : ports) hash = mix64(hash ^ port) + port;
    std::vector<std::uint32_t>& alike = by_hash_[hash];
    for (const std::uint32_t id : alike) {
      if (holds(id, ports)) return id;
    }
    const auto id = static_cast<std::uint32_t>(routes_.sets.size());
    routes_.sets.push_back({static_cast<std::uint32_t>(routes_.local_ports.size()),
                            static_cast<std::uint32_t>(ports.size())});
    routes_.local_ports.insert(routes_.local_ports.end(), ports.begin(), ports.end());
    alike.push_back(id);
    return id;
  }
  [[nodiscard]] bool holds(std::uint32_t id, std::span<const std::uint16_t> ports) const {
    const Routes::NextHops& set = routes_.sets[id];
    return set.count == ports.size() &&
           std::equal(ports.begin(), ports.end(), routes_.local_ports.begin() + set.first);
  }

 private:
  Routes& routes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

/// The links between switches in flat arrays, in the order of ports.
struct SwitchGraph {
  struct Link {
    std::uint32_t peer;  ///< SwitchId
    std::uint16_t local_port;
  };
  explicit SwitchGraph(const Fabric& fabric) {
    first.reserve(fabric.switches.size() + 1);
    for (const NodeId id : fabric.switches) {
      first.push_back(links.size());
      const Node& node = fabric.node(id);
      for (std::uint32_t local = 0; local < node.port_count; ++local) {
        const Node& peer = fabric.node(fabric.peer_node(PortId(node.first_port.value() + local)));
        if (peer.kind != NodeKind::kSwitch) continue;
        links.push_back({peer.index, static_cast<std::uint16_t>(local)});
      }
    }
    first.push_back(links.size());
  }
  [[nodiscard]] std::span<const Link> links_of(std::uint32_t at) const {
    return {links.data() + first[at], links.data() + first[at + 1]};
  }

  std::vector<std::size_t> first;  ///< by SwitchId, and the end
  std::vector<Link> links;
};

class RouteBuilder {
 public:
  RouteBuilder(const Fabric& fabric, std::span<const StaticNextHops> static_next_hops)
      : fabric_(fabric), static_(static_next_hops) {}

  Result<Routes> build() {
    assign_groups();
    const std::uint64_t entries = std::uint64_t{routes_.group_count} * fabric_.switches.size();
    if (entries > kMaxTableEntries) {
      return error_at("fabric", "the routing tables would have " + std::to_string(entries) +
                                    " entries (switches x edge switches); at most " +
                                    std::to_string(kMaxTableEntries) + " are supported");
    }
    routes_.table.assign(entries, 0);
    fill_shortest_paths();
    apply_static();
    return std::move(routes_);
  }

 private:
  void assign_groups() {
    constexpr std::uint32_t kUnset = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> group_of_switch(fabric_.switches.size(), kUnset);
    for (const NodeId id : fabric_.hosts) {
      group_of_switch[edge_of(fabric_.node(id)).index] = 0;
    }
    for (std::size_t i = 0; i < group_of_switch.size(); ++i) {
      if (group_of_switch[i] == kUnset) continue;
      group_of_switch[i] = static_cast<std::uint32_t>(routes_.edge_of_group.size());
      routes_.edge_of_group.emplace_back(i);
    }
    shared_groups_ = routes_.edge_of_group.size();
    std::vector<bool> has_static(fabric_.hosts.size());
    for (const StaticNextHops& entry : static_) has_static[entry.to.value()] = true;
    for (std::size_t i = 0; i < fabric_.hosts.size(); ++i) {
      const Node& host = fabric_.host(HostId(i));
      const Node& edge = edge_of(host);
      const PortId towards_host = fabric_.port(host.first_port).peer;
      routes_.host_port.push_back(
          static_cast<std::uint16_t>(towards_host.value() - edge.first_port.value()));
      std::uint32_t group = group_of_switch[edge.index];
      if (has_static[i]) {
        group = static_cast<std::uint32_t>(routes_.edge_of_group.size());
        routes_.edge_of_group.emplace_back(edge.index);
      }
      routes_.group_of_host.push_back(group);
    }
    routes_.group_count = static_cast<std::uint32_t>(routes_.edge_of_group.size());
  }

  [[nodiscard]] const Node& edge_of(const Node& host) const {
    const Node& edge = fabric_.node(fabric_.peer_node(host.first_port));
    assert(edge.kind == NodeKind::kSwitch && "hosts hang on switches");
    return edge;
  }

  [[nodiscard]] std::uint32_t& entry(std::size_t at, std::uint32_t group) {
    return routes_.table[at * routes_.group_count + group];
  }

  /// One breadth-first search per edge switch, from the destination outwards.
  void fill_shortest_paths() {
    constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max() - 1;
    const SwitchGraph graph(fabric_);
    std::vector<std::uint32_t> distance(fabric_.switches.size());
    std::vector<std::uint32_t> queue;
    std::vector<std::uint32_t> latest(fabric_.switches.size(),
                                      0);  // set that each switch used last
    std::vector<std::uint16_t> ports;
    for (std::uint32_t group = 0; group < shared_groups_; ++group) {
      std::ranges::fill(distance, kFar);
      const std::uint32_t edge = routes_.edge_of_group[group].value();
      distance[edge] = 0;
      queue.assign(1, edge);
      for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::uint32_t at = queue[i];
        ports.clear();
        for (const SwitchGraph::Link& link : graph.links_of(at)) {
          if (distance[link.peer] == kFar) {
            distance[link.peer] = distance[at] + 1;
            queue.push_back(link.peer);
          } else if (distance[link.peer] + 1 == distance[at]) {
            ports.push_back(link.local_port);
          }
        }
        if (!sets_.holds(latest[at], ports)) latest[at] = sets_.id_of(ports);
        entry(at, group) = latest[at];
      }
    }
  }

  void apply_static() {
    std::unordered_map<std::uint32_t, std::uint32_t> shared_group_of_edge;
    for (std::uint32_t group = 0; group < shared_groups_; ++group) {
      shared_group_of_edge.emplace(routes_.edge_of_group[group].value(), group);
    }
    for (auto group = static_cast<std::uint32_t>(shared_groups_); group < routes_.group_count;
         ++group) {
      const std::uint32_t shared = shared_group_of_edge.at(routes_.edge_of_group[group].value());
      for (std::size_t at = 0; at < fabric_.switches.size(); ++at) {
        entry(at, group) = entry(at, shared);
      }
    }
    for (const StaticNextHops& hops : static_) {
      entry(hops.at.value(), routes_.group_of_host[hops.to.value()]) =
          sets_.id_of(hops.local_ports);
    }
  }

  const Fabric& fabric_;
  std::span<const StaticNextHops> static_;
  Routes routes_;
  NextHopSets sets_{routes_};
  std::size_t shared_groups_ = 0;  ///< the others are of single hosts with static next hops
};

}  // namespace

Result<Routes> build_routes(const Fabric& fabric, const TopologySpec& spec) {
  std::vector<StaticNextHops> static_next_hops;
  if (const auto* custom = std::get_if<CustomSpec>(&spec)) {
    auto resolved = resolve_next_hops(fabric, *custom);
    if (!resolved) return resolved.errors();
    static_next_hops = std::move(resolved).value();
  }
  return RouteBuilder(fabric, static_next_hops).build();
}

}  // namespace weft::topologies
