#include "topologies/analysis/scale_up_survey.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "topologies/analysis/network_view.hpp"

namespace weft::topologies {
namespace {

/// Of more kinds than these the bisection is not asked for: each is a maximum flow or several.
constexpr std::size_t kMaxBisections = 16;

struct Domain {
  std::vector<HostId> hosts;
  DomainKind measures{.fewest_links_per_host = std::numeric_limits<std::uint32_t>::max(),
                      .slowest_link = BitsPerSecond::max()};
};

void add_host(const Fabric& fabric, HostId host, Domain& domain) {
  DomainKind& sum = domain.measures;
  domain.hosts.push_back(host);
  ++sum.hosts;
  std::uint32_t links = 0;
  for (const Port& port : fabric.ports_of(fabric.hosts[host.value()])) {
    const Node& node = fabric.node(fabric.port(port.peer).node);
    if (node.network != NetworkKind::kScaleUp) continue;
    ++links;
    sum.slowest_link = std::min(sum.slowest_link, port.rate);
    sum.fastest_link = std::max(sum.fastest_link, port.rate);
    sum.host_links += port.rate;
  }
  sum.links += links;
  sum.fewest_links_per_host = std::min(sum.fewest_links_per_host, links);
  sum.max_links_per_host = std::max(sum.max_links_per_host, links);
}

std::map<std::int32_t, Domain> collect_domains(const Fabric& fabric) {
  std::map<std::int32_t, Domain> domains;
  for (std::size_t h = 0; h < fabric.hosts.size(); ++h) {
    const std::int32_t domain = fabric.host(HostId(h)).domain;
    if (domain >= 0) add_host(fabric, HostId(h), domains[domain]);
  }
  for (const NodeId id : fabric.switches) {
    const Node& node = fabric.node(id);
    if (node.network != NetworkKind::kScaleUp || !domains.contains(node.domain)) continue;
    DomainKind& sum = domains[node.domain].measures;
    ++sum.switches;
    for (const Port& port : fabric.ports_of(id)) {
      const NodeId peer = fabric.port(port.peer).node;
      if (fabric.node(peer).kind == NodeKind::kSwitch && peer > id) ++sum.trunks;
    }
  }
  return domains;
}

/// Switches of the scale-out network that a host is attached to, by itself or behind NIC nodes.
std::set<std::uint32_t> edges_of(const Fabric& fabric, NodeId id) {
  std::set<std::uint32_t> edges;
  for (const Port& port : fabric.ports_of(id)) {
    const NodeId at = fabric.port(port.peer).node;
    const Node& edge = fabric.node(at);
    if (edge.kind != NodeKind::kSwitch || edge.network != NetworkKind::kScaleOut) continue;
    if (!edge.is_nic) {
      edges.insert(edge.index);
    } else if (fabric.node(id).kind == NodeKind::kHost) {
      edges.merge(edges_of(fabric, at));
    }
  }
  return edges;
}

}  // namespace

std::vector<DomainKind> survey_domains(const Fabric& fabric) {
  std::vector<DomainKind> kinds;
  const auto domains = collect_domains(fabric);
  if (domains.empty()) return kinds;
  const NetworkView view(fabric, NetworkKind::kScaleUp);
  const auto key = [](const DomainKind& d) {
    return std::tuple(d.hosts, d.switches, d.links, d.trunks, d.fewest_links_per_host,
                      d.max_links_per_host, d.slowest_link, d.fastest_link, d.host_links);
  };
  std::map<decltype(key(DomainKind{})), std::size_t> kind_of;
  for (const auto& [id, domain] : domains) {
    const auto [place, is_new] = kind_of.try_emplace(key(domain.measures), kinds.size());
    if (is_new) {
      kinds.push_back(domain.measures);
      kinds.back().first_domain = id;
      if (domain.measures.links == 0) kinds.back().slowest_link = {};
      if (kinds.size() <= kMaxBisections) {
        kinds.back().bisection = find_bisection(fabric, view, domain.hosts);
      }
    }
    ++kinds[place->second].domains;
  }
  return kinds;
}

std::optional<RailSummary> survey_rails(const Fabric& fabric) {
  std::map<std::int32_t, std::uint32_t> hosts;
  std::map<std::int32_t, std::set<std::uint32_t>> switches;
  std::map<std::uint32_t, std::int32_t> rail_of_switch;
  RailSummary summary;
  for (const NodeId id : fabric.hosts) {
    const Node& host = fabric.node(id);
    if (host.rail < 0) continue;
    ++hosts[host.rail];
    for (const std::uint32_t edge : edges_of(fabric, id)) {
      switches[host.rail].insert(edge);
      const auto [place, is_new] = rail_of_switch.try_emplace(edge, host.rail);
      summary.is_separate = summary.is_separate && place->second == host.rail;
    }
  }
  if (hosts.empty()) return std::nullopt;
  summary.rails = static_cast<std::uint32_t>(hosts.size());
  summary.fewest_hosts = hosts.begin()->second;
  for (const auto& [rail, count] : hosts) {
    summary.fewest_hosts = std::min(summary.fewest_hosts, count);
    summary.max_hosts = std::max(summary.max_hosts, count);
    summary.max_edge_switches =
        std::max(summary.max_edge_switches, static_cast<std::uint32_t>(switches[rail].size()));
  }
  return summary;
}

std::vector<SharedHostLinks> survey_shared_host_links(const Fabric& fabric) {
  struct Members {
    BitsPerSecond rate;
    std::set<NodeId> hosts;
    std::set<NodeId> nics;
    bool leads_to_nics = false;
    bool leads_to_hosts = false;
  };
  std::map<std::uint32_t, Members> by_link;
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    const Port& port = fabric.ports[p];
    if (port.shared_link == 0) continue;
    const NodeId peer = fabric.peer_node(PortId(p));
    const bool is_of_host = fabric.node(port.node).kind == NodeKind::kHost;
    Members& members = by_link[port.shared_link];
    members.rate = port.rate;
    members.hosts.insert(is_of_host ? port.node : peer);
    members.nics.insert(is_of_host ? peer : port.node);
    (is_of_host ? members.leads_to_nics : members.leads_to_hosts) = true;
  }
  std::vector<SharedHostLinks> kinds;
  for (const auto& [link, members] : by_link) {
    // Of the two directions of a link one is counted.
    if (!members.leads_to_nics) continue;
    const SharedHostLinks kind{members.rate, static_cast<std::uint32_t>(members.hosts.size()),
                               static_cast<std::uint32_t>(members.nics.size()),
                               members.leads_to_hosts, 0};
    const auto known = std::ranges::find_if(kinds, [&](SharedHostLinks other) {
      other.links = 0;
      return other == kind;
    });
    SharedHostLinks& found = known == kinds.end() ? kinds.emplace_back(kind) : *known;
    ++found.links;
  }
  return kinds;
}

}  // namespace weft::topologies
