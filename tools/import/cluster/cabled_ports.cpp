#include "tools/import/cluster/cabled_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tools/import/cluster/join_names.hpp"

namespace weft::import {
namespace {

std::string node_name(const Cluster& cluster, const ClusterEnd& end) {
  if (!end.is_server) return cluster.switches[end.device].name;
  const ClusterServer& server = cluster.servers[end.device];
  return server.name + "/" + server.nics[end.nic].name;
}

const SwitchPort* port_of(const SwitchSettings& settings, const std::string& name) {
  const auto found = settings.ports.find(name);
  if (found != settings.ports.end()) return &found->second;
  for (const auto& [own, port] : settings.ports) {
    if (port.alias == name) return &port;
  }
  return nullptr;
}

/// The class with PFC that a code point comes to; null: there is none.
const ClassSettings* lossless_class(const CabledPort& port, std::uint32_t dscp) {
  const auto found = std::ranges::find_if(*port.classes, [dscp](const ClassSettings& one) {
    return one.pfc && one.dscps.contains(dscp);
  });
  return found == port.classes->end() ? nullptr : &*found;
}

}  // namespace

std::vector<CabledPort> cabled_ports(const Cluster& cluster) {
  std::vector<CabledPort> ports;
  for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
    const ClusterSwitch& at = cluster.switches[i];
    if (at.settings == nullptr) continue;
    const auto add = [&](const ClusterEnd& own, const ClusterEnd& other, std::size_t cable) {
      if (own.is_server || own.device != i) return;
      const SwitchPort* port = port_of(*at.settings, own.port);
      const auto* classes =
          port != nullptr && !port->classes.empty() ? &port->classes : &at.settings->classes;
      ports.push_back({&at, port, classes, node_name(cluster, other), cable});
    };
    for (std::size_t c = 0; c < cluster.cables.size(); ++c) {
      add(cluster.cables[c].a, cluster.cables[c].b, c);
      add(cluster.cables[c].b, cluster.cables[c].a, c);
    }
  }
  return ports;
}

std::string mtu_changes(const Cluster& cluster) {
  std::map<const ClusterSwitch*, std::map<Bytes, std::size_t>> votes;
  std::set<Bytes> all;
  const std::vector<CabledPort> ports = cabled_ports(cluster);
  for (const CabledPort& one : ports) {
    if (one.port == nullptr || !one.port->mtu) continue;
    ++votes[one.at][one.port->mtu->value];
    all.insert(one.port->mtu->value);
  }
  std::string text;
  if (all.size() < 2) return text;
  std::set<std::string> said;
  const auto add = [&](const CabledPort& one, const std::string& to) {
    const std::string entry = fmt::format("    - {{node: \"{}\"{}, mtu: {}B}}", one.at->name, to,
                                          one.port->mtu->value.count());
    if (said.insert(entry).second)
      text += fmt::format("{}  # {}\n", entry, short_place(one.port->mtu->where));
  };
  // What most ports of a switch have comes before what some have.
  for (const bool is_usual : {true, false}) {
    for (const CabledPort& one : ports) {
      if (one.port == nullptr || !one.port->mtu) continue;
      const bool has_usual = one.port->mtu->value == *usual_of(votes.at(one.at));
      if (has_usual != is_usual) continue;
      add(one, is_usual ? "" : fmt::format(", to: \"{}\"", one.peer));
    }
  }
  return text;
}

std::string priority_changes(const Cluster& cluster, std::uint32_t dscp) {
  std::map<std::uint32_t, std::size_t> votes;
  std::map<std::size_t, std::vector<const CabledPort*>> ends;
  const std::vector<CabledPort> ports = cabled_ports(cluster);
  for (const CabledPort& one : ports) {
    const ClassSettings* own = lossless_class(one, dscp);
    if (own != nullptr) ++votes[own->priority];
    ends[one.cable].push_back(&one);
  }
  std::string text;
  const std::uint32_t* usual = usual_of(votes);
  if (votes.size() < 2) return text;
  std::set<std::string> said;
  for (const auto& [cable, both] : ends) {
    const ClassSettings* own = lossless_class(*both.front(), dscp);
    const ClassSettings* other = both.size() > 1 ? lossless_class(*both.back(), dscp) : nullptr;
    if (own == nullptr || (both.size() > 1 && other == nullptr)) continue;
    if (own->priority == (other == nullptr ? *usual : other->priority)) continue;
    const bool own_is_odd = own->priority != *usual;
    const std::string place = short_place((own_is_odd || other == nullptr ? own : other)->where);
    const std::string& here = both.front()->at->name;
    for (const auto& [node, to] :
         {std::pair(here, both.front()->peer), std::pair(both.front()->peer, here)}) {
      const std::string entry =
          fmt::format("    - {{node: \"{}\", to: \"{}\", honours_pause: false}}", node, to);
      if (said.insert(entry).second) text += fmt::format("{}  # {}\n", entry, place);
    }
  }
  return text;
}

}  // namespace weft::import
