#include <nlohmann/json.hpp>

#include "scenarios/text/json_text.hpp"
#include "tools/topo/report.hpp"

namespace weft::topo {
namespace {

using Json = nlohmann::ordered_json;
using scenarios::json_text;

Json bisection_json(const std::optional<topologies::Bisection>& bisection) {
  if (!bisection) return nullptr;
  const bool is_flow = bisection->method == topologies::Bisection::Method::kMaxFlow;
  return {{"bits_per_second", bisection->rate.count()},
          {"hosts_bits_per_second", bisection->hosts.count()},
          {"method", is_flow ? "max-flow" : "closed-form"}};
}

Json tiers_json(const topologies::RoleTable& table) {
  Json tiers = Json::array();
  for (const topologies::Role& role : table.roles) {
    if (role.kind == NodeKind::kHost) continue;
    tiers.push_back({{"tier", role.tier},
                     {"name", role.name},
                     {"network", network_name(role.network)},
                     {"switches", role.nodes},
                     {"ports", {role.fewest_ports, role.most_ports}},
                     {"down_bits_per_second", role.down.count()},
                     {"across_bits_per_second", role.across.count()},
                     {"up_bits_per_second", role.up.count()},
                     {"oversubscription",
                      role.oversubscription > 0 ? Json(role.oversubscription) : Json(nullptr)}});
  }
  return tiers;
}

Json links_json(const topologies::RoleTable& table) {
  Json links = Json::array();
  for (const topologies::LinkKind& kind : table.links) {
    links.push_back({{"lower", table.roles[kind.lower].name},
                     {"upper", table.roles[kind.upper].name},
                     {"links", kind.links},
                     {"bits_per_second", kind.rate.count()},
                     {"wire_latency_ps", kind.wire_latency.count()}});
  }
  return links;
}

Json domains_json(const std::vector<topologies::DomainKind>& kinds) {
  Json domains = Json::array();
  for (const topologies::DomainKind& kind : kinds) {
    domains.push_back(
        {{"domains", kind.domains},
         {"gpus", kind.hosts},
         {"chips", kind.chips},
         {"links", kind.links},
         {"trunks", kind.trunks},
         {"links_per_gpu", {kind.fewest_links_per_host, kind.most_links_per_host}},
         {"link_bits_per_second", {kind.slowest_link.count(), kind.fastest_link.count()}},
         {"links_bits_per_second", kind.host_links.count()},
         {"bisection", bisection_json(kind.bisection)}});
  }
  return domains;
}

Json paths_json(const Fabric& fabric, const topologies::PathSurvey& survey) {
  Json classes = Json::array();
  for (const topologies::PathClass& entry : survey.classes) {
    classes.push_back({{"network", network_name(entry.network)},
                       {"links", entry.links},
                       {"pairs", entry.pairs},
                       {"paths", {entry.fewest_paths, entry.most_paths}},
                       {"example", {fabric.host(entry.from).name, fabric.host(entry.to).name}}});
  }
  return {{"classes", std::move(classes)},
          {"unconnected_pairs", survey.unconnected_pairs},
          {"is_complete", survey.is_complete}};
}

Json cycles_json(const Fabric& fabric, const topologies::BufferDependencies& dependencies) {
  Json cycles = Json::array();
  for (const topologies::BufferCycle& cycle : dependencies.cycles) {
    Json ports = Json::array();
    for (const PortId port : cycle.ports) ports.push_back(fabric.port_name(port));
    cycles.push_back(std::move(ports));
  }
  return {{"cycles", std::move(cycles)}, {"is_complete", dependencies.is_complete}};
}

Json summary_json(const Fabric& fabric, const Report& report) {
  Json rails = nullptr;
  if (report.rails) {
    rails = {{"rails", report.rails->rails},
             {"hosts", {report.rails->fewest_hosts, report.rails->most_hosts}},
             {"edge_switches", report.rails->most_edge_switches}};
  }
  return {{"name", report.name},
          {"hosts", fabric.hosts.size()},
          {"switches", fabric.switches.size()},
          {"cables", fabric.ports.size() / 2},
          {"tiers", tiers_json(report.roles)},
          {"links", links_json(report.roles)},
          {"domains", domains_json(report.domains)},
          {"rails", std::move(rails)},
          {"paths", paths_json(fabric, report.paths)},
          {"diameter",
           {{"scale_up", report.paths.diameter(NetworkKind::kScaleUp)},
            {"scale_out", report.paths.diameter(NetworkKind::kScaleOut)}}},
          {"bisection", bisection_json(report.scale_out_bisection)},
          {"buffer_dependencies", cycles_json(fabric, report.dependencies)}};
}

Json node_json(const Node& node) {
  Json json{{"name", node.name},
            {"kind", node.kind == NodeKind::kHost ? "host" : "switch"},
            {"tier", node.tier}};
  if (node.kind == NodeKind::kSwitch) json["network"] = network_name(node.network);
  if (node.group >= 0) json["group"] = node.group;
  if (node.domain >= 0) json["domain"] = node.domain;
  if (node.rail >= 0) json["rail"] = node.rail;
  return json;
}

/// One line per node and per bundle of links, as text: large fabrics have a million of them.
std::string graph_text(const Fabric& fabric) {
  std::string text = "\"nodes\": [";
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + json_text(node_json(fabric.nodes[i]), -1);
  }
  text += "\n  ],\n  \"graph\": [";
  bool is_first = true;
  for (std::size_t i = 0; i < fabric.ports.size();) {
    const Port& port = fabric.ports[i];
    const NodeId to = fabric.port(port.peer).node;
    std::size_t end = i + 1;
    const auto is_parallel = [&](const Port& other) {
      return other.node == port.node && fabric.port(other.peer).node == to &&
             other.rate == port.rate && other.wire_latency == port.wire_latency;
    };
    while (end < fabric.ports.size() && is_parallel(fabric.ports[end])) ++end;
    if (port.node < to) {
      const Json entry{port.node.value(), to.value(), end - i, port.rate.count(),
                       port.wire_latency.count()};
      text += (is_first ? "\n    " : ",\n    ") + entry.dump();
      is_first = false;
    }
    i = end;
  }
  return text + "\n  ]";
}

}  // namespace

std::string report_json(const Fabric& fabric, const Report& report) {
  std::string text = json_text(summary_json(fabric, report));
  text.erase(text.size() - 2);  // the closing brace and its line
  return text + ",\n  " + graph_text(fabric) + "\n}\n";
}

}  // namespace weft::topo
