#include "scenarios/memo/part_fabric.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "collectives/memo/rails.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// Numbers of a part's nodes and ports here and in the whole.
class Extraction {
 public:
  /// `nodes`: hosts, then switches of that network, ascending.
  Extraction(const Fabric& whole, std::vector<NodeId> nodes, NetworkKind network)
      : whole_(whole),
        network_(network),
        nodes_(std::move(nodes)),
        node_here_(whole.nodes.size(), kNone),
        port_here_(whole.ports.size(), kNone) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) node_here_[nodes_[i].value()] = i;
    number_ports();
  }

  [[nodiscard]] PartFabric make(const Routes& routes) const {
    PartFabric made = make_without_routes();
    make_routes(routes, made);
    return made;
  }

  [[nodiscard]] PartFabric make_without_routes() const {
    PartFabric made;
    make_nodes(made);
    for (const PortId id : ports_) {
      Port port = whole_.port(id);
      port.node = NodeId(node_here_[port.node.value()]);
      port.peer = PortId(port_here_[port.peer.value()]);
      made.fabric.ports.push_back(port);
    }
    if (network_ == NetworkKind::kScaleUp) made.fabric.group_of_domain = {0};
    made.ports = ports_;
    return made;
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  void number_ports() {
    for (const NodeId id : nodes_) {
      const Node& node = whole_.node(id);
      first_port_.push_back(static_cast<std::uint32_t>(ports_.size()));
      for (std::uint32_t p = 0; p < node.port_count; ++p) {
        const PortId port(node.first_port.value() + p);
        if (whole_.network_of(port) != network_) continue;
        if (node_here_[whole_.peer_node(port).value()] == kNone) continue;
        port_here_[port.value()] = static_cast<std::uint32_t>(ports_.size());
        ports_.push_back(port);
      }
    }
    first_port_.push_back(static_cast<std::uint32_t>(ports_.size()));
  }

  void make_nodes(PartFabric& made) const {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      Node node = whole_.node(nodes_[i]);
      node.domain = network_ == NetworkKind::kScaleUp ? 0 : -1;
      node.first_port = PortId(first_port_[i]);
      node.port_count = first_port_[i + 1] - first_port_[i];
      if (node.kind == NodeKind::kHost) {
        node.index = static_cast<std::uint32_t>(made.fabric.hosts.size());
        made.hosts.emplace_back(whole_.node(nodes_[i]).index);
        made.fabric.hosts.emplace_back(i);
      } else {
        node.index = static_cast<std::uint32_t>(made.fabric.switches.size());
        made.fabric.switches.emplace_back(i);
      }
      made.fabric.nodes.push_back(std::move(node));
    }
  }

  /// Every host is a group of destinations by itself.
  void make_routes(const Routes& routes, PartFabric& made) const {
    Routes& here = made.routes;
    here.hash = routes.hash;
    const std::size_t hosts = made.hosts.size();
    const auto network = static_cast<std::size_t>(network_);
    for (std::vector<std::uint32_t>& groups : here.groups) groups.assign(hosts, 0);
    for (std::uint32_t h = 0; h < hosts; ++h) here.groups[network][h] = h + 1;
    here.rows.assign(1, {});  // into the other network there is no path
    for (std::uint32_t h = 0; h < hosts; ++h) {
      Routes::HostEntry entry;
      entry.row[network] = static_cast<std::uint32_t>(here.rows.size());
      entry.domain = network_ == NetworkKind::kScaleUp ? 0 : -1;
      here.hosts.push_back(entry);
      // Also to itself: what scale-up switches reduce for it.
      const bool has_path_to_itself = network_ == NetworkKind::kScaleUp;
      add_row(made, made.fabric.hosts[h], [&](HostId to) {
        const bool is_path = has_path_to_itself || to != made.hosts[h];
        return is_path ? routes.host_ports(made.hosts[h], to) : std::span<const std::uint16_t>();
      });
    }
    for (const NodeId at : made.fabric.switches) {
      Routes::SwitchEntry entry;
      entry.row = static_cast<std::uint32_t>(here.rows.size());
      entry.network = network_;
      here.switches.push_back(entry);
      const SwitchId in_whole(whole_.node(nodes_[at.value()]).index);
      add_row(made, at, [&](HostId to) { return routes.next_hops(in_whole, to); });
    }
  }

  template <class PathsTo>
  void add_row(PartFabric& made, NodeId at, PathsTo paths_to) const {
    made.routes.rows.push_back({});  // of group 0
    for (const HostId to : made.hosts) {
      made.routes.rows.push_back(add_set(made, at, paths_to(to)));
    }
  }

  [[nodiscard]] Routes::NextHops add_set(PartFabric& made, NodeId at,
                                         std::span<const std::uint16_t> ways) const {
    Routes& here = made.routes;
    const Node& node = whole_.node(nodes_[at.value()]);
    const Routes::NextHops set{static_cast<std::uint32_t>(here.local_ports.size()),
                               static_cast<std::uint32_t>(ways.size())};
    for (const std::uint16_t local : ways) {
      const std::uint32_t port = port_here_[node.first_port.value() + local];
      WEFT_CHECK(port != kNone, "paths inside a domain take its links");
      here.local_ports.push_back(static_cast<std::uint16_t>(port - first_port_[at.value()]));
    }
    return set;
  }

  const Fabric& whole_;
  const NetworkKind network_;
  std::vector<NodeId> nodes_;  ///< by node here: that of the whole
  std::vector<std::uint32_t> node_here_;
  std::vector<std::uint32_t> port_here_;
  std::vector<PortId> ports_;
  std::vector<std::uint32_t> first_port_;  ///< by node here, and the end
};

Extraction domain_of(const Fabric& whole, std::int32_t domain) {
  std::vector<NodeId> nodes;
  for (const NodeId host : whole.hosts) {
    if (whole.node(host).domain == domain) nodes.push_back(host);
  }
  for (const NodeId at : whole.switches) {
    const Node& node = whole.node(at);
    if (node.domain == domain && node.network == NetworkKind::kScaleUp) nodes.push_back(at);
  }
  return {whole, std::move(nodes), NetworkKind::kScaleUp};
}

}  // namespace

PartFabric fabric_of_domain(const Fabric& whole, const Routes& routes, std::int32_t domain) {
  return domain_of(whole, domain).make(routes);
}

PartFabric fabric_of_rail(const Fabric& whole, const Routes& routes,
                          const std::vector<HostId>& hosts) {
  std::vector<NodeId> nodes;
  nodes.reserve(hosts.size() + 1);
  for (const HostId host : hosts) nodes.push_back(whole.hosts[host.value()]);
  std::ranges::sort(nodes);
  nodes.push_back(whole.port(collectives::rail_link(whole, hosts.front()).in).node);
  return Extraction(whole, std::move(nodes), NetworkKind::kScaleOut).make(routes);
}

bool are_domains_alike(const Fabric& fabric, std::int32_t a, std::int32_t b) {
  const auto group = [&](std::int32_t domain) {
    return fabric.group_of_domain[static_cast<std::size_t>(domain)];
  };
  if (group(a) != group(b)) return false;
  const PartFabric x = domain_of(fabric, a).make_without_routes();
  const PartFabric y = domain_of(fabric, b).make_without_routes();
  return std::ranges::equal(x.fabric.ports, y.fabric.ports, [](const Port& p, const Port& q) {
    return p.node == q.node && p.peer == q.peer && p.rate == q.rate &&
           p.wire_latency == q.wire_latency && p.edge_latency == q.edge_latency;
  });
}

collectives::GpuSets gpu_sets_inside(const Fabric& fabric, const collectives::Workload& workload) {
  // Thousands of GPU sets of two domains ask for the same.
  std::map<std::pair<std::int32_t, std::int32_t>, bool> known;
  return collectives::find_gpu_sets(workload, fabric, [&](std::int32_t a, std::int32_t b) {
    const auto [found, is_new] = known.try_emplace({a, b});
    if (is_new) found->second = are_domains_alike(fabric, a, b);
    return found->second;
  });
}

}  // namespace weft::scenarios
