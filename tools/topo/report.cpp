#include "tools/topo/report.hpp"

#include <utility>

#include "scenarios/text/json_text.hpp"
#include "tools/topo/sections/list.hpp"

namespace weft::topo {
namespace {

using scenarios::json_text;

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

Report report_on(const Fabric& fabric, const Routes& routes, std::string name,
                 std::optional<topologies::Hashing> hashing,
                 std::vector<scenarios::OddOne> odd_ones) {
  const Subject subject{fabric, routes, topologies::survey_paths(fabric), hashing,
                        std::move(odd_ones)};
  Report report{std::move(name), {}};
  report.sections.reserve(kSections.size());
  for (const auto section : kSections) report.sections.push_back(section(subject));
  return report;
}

std::string report_text(const Report& report) {
  std::string text = report.name + "\n";
  for (const Section& section : report.sections) text += section.headline;
  for (const Section& section : report.sections) text += section.body;
  return text;
}

std::string report_json(const Fabric& fabric, const Report& report) {
  Json summary{{"name", report.name}};
  for (const Section& section : report.sections) summary.update(section.members);
  std::string text = json_text(summary);
  text.erase(text.size() - 2);  // the closing brace and its line
  return text + ",\n  " + graph_text(fabric) + "\n}\n";
}

}  // namespace weft::topo
