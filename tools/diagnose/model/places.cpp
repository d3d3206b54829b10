#include "tools/diagnose/model/places.hpp"

#include <algorithm>
#include <map>

#include "tools/import/source/natural_order.hpp"

namespace weft::diagnose {
namespace {

/// `gpu03` of `gpu03/mlx5_5`; empty: the name holds no server.
std::string server_in(const std::string& host) {
  const std::size_t slash = host.find('/');
  return slash == std::string::npos ? std::string() : host.substr(0, slash);
}

std::string server_name(const Node& host) {
  if (std::string name = server_in(host.name); !name.empty()) return name;
  return host.domain < 0 ? host.name : "server" + std::to_string(host.domain);
}

bool is_fabric_switch(const Node& node) {
  return node.kind == NodeKind::kSwitch && node.network == NetworkKind::kScaleOut && !node.is_nic;
}

}  // namespace

Places::Places(const Fabric& fabric)
    : of_port_(fabric.ports.size()), of_leaf_(fabric.nodes.size()) {
  add_servers(fabric);
  add_nics(fabric);
  add_uplinks(fabric);
}

void Places::add_servers(const Fabric& fabric) {
  std::map<std::string, std::uint32_t, import::NaturalOrder> numbers;
  server_of_host_.resize(fabric.hosts.size());
  for (std::uint32_t h = 0; h < fabric.hosts.size(); ++h) {
    const std::string name = server_name(fabric.host(HostId(h)));
    const auto [at, is_new] = numbers.emplace(name, static_cast<std::uint32_t>(servers.size()));
    if (is_new) {
      servers.push_back({.name = name,
                         .hosts = {},
                         .nics = {},
                         .scale_up = static_cast<std::uint32_t>(resources.size())});
      resources.push_back({ResourceKind::kScaleUp, name});
    }
    servers[at->second].hosts.push_back(h);
    server_of_host_[h] = at->second;
  }
}

std::uint32_t Places::uplinks_of(const Fabric& fabric, NodeId leaf) {
  auto& resource = of_leaf_[leaf.value()];
  if (!resource) {
    resource = static_cast<std::uint32_t>(resources.size());
    resources.push_back({ResourceKind::kUplinks, fabric.node(leaf).name});
    leaves.push_back(*resource);
  }
  return *resource;
}

/// `port` is that of the host or the NIC node, towards the fabric.
void Places::add_nic(const Fabric& fabric, PortId port, const std::string& name,
                     std::uint32_t server) {
  const Port& out = fabric.port(port);
  const NodeId leaf = fabric.peer_node(port);
  const std::string& node = fabric.node(out.node).name;
  const auto known = std::ranges::find(nics, node, &NicPlace::node);
  if (known != nics.end()) {
    known->rate = known->rate + out.rate;
    of_port_[port.value()] = of_port_[out.peer.value()] = known->resource;
    return;
  }
  const std::uint32_t up = uplinks_of(fabric, leaf);
  const auto resource = static_cast<std::uint32_t>(resources.size());
  resources.push_back({ResourceKind::kNic, name});
  of_port_[port.value()] = of_port_[out.peer.value()] = resource;
  servers[server].nics.push_back(static_cast<std::uint32_t>(nics.size()));
  nics.push_back({name, node, server, resource, up, out.rate, leaf});
}

void Places::add_nics(const Fabric& fabric) {
  for (std::uint32_t h = 0; h < fabric.hosts.size(); ++h) {
    const Node& host = fabric.host(HostId(h));
    for (std::uint32_t i = 0; i < host.port_count; ++i) {
      const PortId port(host.first_port.value() + i);
      const Node& peer = fabric.node(fabric.peer_node(port));
      if (fabric.network_of(port) == NetworkKind::kScaleUp) {
        const std::uint32_t up = servers[server_of_host_[h]].scale_up;
        of_port_[port.value()] = of_port_[fabric.port(port).peer.value()] = up;
      } else if (is_fabric_switch(peer)) {
        add_nic(fabric, port, host.name, server_of_host_[h]);
      } else if (peer.is_nic) {
        for (std::uint32_t k = 0; k < peer.port_count; ++k) {
          const PortId out(peer.first_port.value() + k);
          if (!is_fabric_switch(fabric.node(fabric.peer_node(out)))) continue;
          if (of_port_[out.value()]) continue;
          add_nic(fabric, out, peer.name, server_of_host_[h]);
        }
      }
    }
  }
}

void Places::add_uplinks(const Fabric& fabric) {
  above_.resize(resources.size());
  for (std::uint32_t n = 0; n < fabric.nodes.size(); ++n) {
    if (!of_leaf_[n]) continue;
    const Node& leaf = fabric.nodes[n];
    for (std::uint32_t i = 0; i < leaf.port_count; ++i) {
      const PortId port(leaf.first_port.value() + i);
      const NodeId peer = fabric.peer_node(port);
      if (!is_fabric_switch(fabric.node(peer))) continue;
      of_port_[port.value()] = of_port_[fabric.port(port).peer.value()] = *of_leaf_[n];
      above_[*of_leaf_[n]].push_back(peer.value());
      resources[*of_leaf_[n]].rate = resources[*of_leaf_[n]].rate + fabric.port(port).rate;
    }
  }
  for (auto& nodes : above_) std::ranges::sort(nodes);
}

std::optional<std::uint32_t> Places::server_named(std::string_view name) const {
  auto found = std::ranges::find(servers, name, &ServerPlace::name);
  if (found == servers.end()) {
    found = std::ranges::find_if(servers, [name](const ServerPlace& server) {
      return import::is_same_name(server.name, name);
    });
  }
  if (found == servers.end()) return {};
  return static_cast<std::uint32_t>(found - servers.begin());
}

std::string Places::whereabouts(std::string_view nic) const {
  const auto found = std::ranges::find(nics, nic, &NicPlace::name);
  if (found == nics.end()) return {};
  const ServerPlace& server = servers[found->server];
  if (nic == server.name || server_in(found->name) == server.name) return {};
  const auto place =
      std::ranges::find(server.nics, static_cast<std::uint32_t>(found - nics.begin()));
  return "NIC " + std::to_string(place - server.nics.begin()) + " of " + server.name;
}

std::optional<std::uint32_t> Places::nic_of(std::uint32_t server, std::string_view name,
                                            std::optional<std::uint32_t> rail) const {
  const std::vector<std::uint32_t>& own = servers[server].nics;
  const std::string full = servers[server].name + "/" + std::string(name);
  for (const std::uint32_t nic : own) {
    if (nics[nic].name == name || nics[nic].name == full) return nic;
  }
  if (rail && *rail < own.size()) return own[*rail];
  // `mlx5_5` of a fabric that has no such names: its number.
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 >= name.size()) return {};
  std::uint32_t number = 0;
  for (const char c : name.substr(digits + 1)) {
    if (number > own.size()) return {};
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (number >= own.size()) return {};
  return own[number];
}

std::string Places::relation(std::uint32_t a, std::uint32_t b) const {
  const auto& x = servers[a].nics;
  const auto& y = servers[b].nics;
  std::string text =
      std::to_string(servers[a].hosts.size()) + "," + std::to_string(servers[b].hosts.size()) + ":";
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const std::uint32_t p = nics[x[i]].leaf;
    const std::uint32_t q = nics[y[i]].leaf;
    if (p == q) {
      text += 'l';
    } else {
      const bool is_near = std::ranges::find_first_of(above_[p], above_[q]) != above_[p].end();
      text += is_near ? 's' : 'f';
    }
  }
  return text;
}

bool Places::crosses_uplinks(std::uint32_t a, std::uint32_t b) const {
  return relation(a, b).find_first_of("sf") != std::string::npos;
}

}  // namespace weft::diagnose
