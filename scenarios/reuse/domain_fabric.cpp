#include "scenarios/reuse/domain_fabric.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// Numbers of the domain's nodes and ports here and in the whole.
class Extraction {
 public:
  Extraction(const Fabric& whole, std::int32_t domain)
      : whole_(whole),
        node_here_(whole.nodes.size(), kNone),
        port_here_(whole.ports.size(), kNone) {
    for (const NodeId host : whole.hosts) {
      if (whole.node(host).domain == domain) nodes_.push_back(host);
    }
    for (const NodeId at : whole.switches) {
      const Node& node = whole.node(at);
      if (node.domain == domain && node.network == NetworkKind::kScaleUp) nodes_.push_back(at);
    }
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) node_here_[nodes_[i].value()] = i;
    number_ports();
  }

  [[nodiscard]] DomainFabric make(const Routes& routes) const {
    DomainFabric made = make_without_routes();
    make_routes(routes, made);
    return made;
  }

  [[nodiscard]] DomainFabric make_without_routes() const {
    DomainFabric made;
    make_nodes(made);
    for (const PortId id : ports_) {
      Port port = whole_.port(id);
      port.node = NodeId(node_here_[port.node.value()]);
      port.peer = PortId(port_here_[port.peer.value()]);
      made.fabric.ports.push_back(port);
    }
    made.fabric.group_of_domain = {0};
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
        if (whole_.network_of(port) != NetworkKind::kScaleUp) continue;
        port_here_[port.value()] = static_cast<std::uint32_t>(ports_.size());
        ports_.push_back(port);
      }
    }
    first_port_.push_back(static_cast<std::uint32_t>(ports_.size()));
  }

  void make_nodes(DomainFabric& made) const {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      Node node = whole_.node(nodes_[i]);
      node.domain = 0;
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
  void make_routes(const Routes& routes, DomainFabric& made) const {
    Routes& here = made.routes;
    here.hash = routes.hash;
    const std::size_t hosts = made.hosts.size();
    here.groups[0].assign(hosts, 0);
    here.groups[1].resize(hosts);
    for (std::uint32_t h = 0; h < hosts; ++h) here.groups[1][h] = h + 1;
    here.rows.assign(1, {});  // outwards there is no way
    for (std::uint32_t h = 0; h < hosts; ++h) {
      Routes::HostEntry entry;
      entry.row = {0, static_cast<std::uint32_t>(here.rows.size())};
      entry.domain = 0;
      here.hosts.push_back(entry);
      // Also to itself: what chips add up for it.
      add_row(made, made.fabric.hosts[h],
              [&](HostId to) { return routes.host_ports(made.hosts[h], to); });
    }
    for (const NodeId at : made.fabric.switches) {
      Routes::SwitchEntry entry;
      entry.row = static_cast<std::uint32_t>(here.rows.size());
      entry.network = NetworkKind::kScaleUp;
      here.switches.push_back(entry);
      const SwitchId in_whole(whole_.node(nodes_[at.value()]).index);
      add_row(made, at, [&](HostId to) { return routes.next_hops(in_whole, to); });
    }
  }

  template <class WaysTo>
  void add_row(DomainFabric& made, NodeId at, WaysTo ways_to) const {
    made.routes.rows.push_back({});  // of group 0
    for (const HostId to : made.hosts) {
      made.routes.rows.push_back(add_set(made, at, ways_to(to)));
    }
  }

  [[nodiscard]] Routes::NextHops add_set(DomainFabric& made, NodeId at,
                                         std::span<const std::uint16_t> ways) const {
    Routes& here = made.routes;
    const Node& node = whole_.node(nodes_[at.value()]);
    const Routes::NextHops set{static_cast<std::uint32_t>(here.local_ports.size()),
                               static_cast<std::uint32_t>(ways.size())};
    for (const std::uint16_t local : ways) {
      const std::uint32_t port = port_here_[node.first_port.value() + local];
      WEFT_CHECK(port != kNone, "ways inside a domain take its links");
      here.local_ports.push_back(static_cast<std::uint16_t>(port - first_port_[at.value()]));
    }
    return set;
  }

  const Fabric& whole_;
  std::vector<NodeId> nodes_;  ///< by node here: that of the whole
  std::vector<std::uint32_t> node_here_;
  std::vector<std::uint32_t> port_here_;
  std::vector<PortId> ports_;
  std::vector<std::uint32_t> first_port_;  ///< by node here, and the end
};

}  // namespace

DomainFabric fabric_of_domain(const Fabric& whole, const Routes& routes, std::int32_t domain) {
  return Extraction(whole, domain).make(routes);
}

bool are_domains_alike(const Fabric& fabric, std::int32_t a, std::int32_t b) {
  const auto group = [&](std::int32_t domain) {
    return fabric.group_of_domain[static_cast<std::size_t>(domain)];
  };
  if (group(a) != group(b)) return false;
  const DomainFabric x = Extraction(fabric, a).make_without_routes();
  const DomainFabric y = Extraction(fabric, b).make_without_routes();
  return std::ranges::equal(x.fabric.ports, y.fabric.ports, [](const Port& p, const Port& q) {
    return p.node == q.node && p.peer == q.peer && p.rate == q.rate &&
           p.wire_latency == q.wire_latency && p.edge_latency == q.edge_latency;
  });
}

}  // namespace weft::scenarios
