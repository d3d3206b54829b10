#include <fmt/format.h>

#include "scenarios/checks/odd/odd_ones.hpp"
#include "simcore/base/escape.hpp"
#include "tools/topo/sections/list.hpp"

namespace weft::topo {
namespace {

Json finding_json(const Fabric& fabric, const scenarios::OddOne& odd) {
  Json json{{"text", odd.text},
            {"file", odd.where.file},
            {"line", odd.where.line},
            {"key", odd.where.key},
            {"from", odd.from}};
  Json nodes = Json::array();
  for (const NodeId node : odd.nodes) nodes.push_back(fabric.node(node).name);
  Json ports = Json::array();
  for (const PortId port : odd.ports) ports.push_back(fabric.port_name(port));
  json["nodes"] = std::move(nodes);
  json["ports"] = std::move(ports);
  return json;
}

}  // namespace

Section findings_section(const Subject& subject) {
  std::string text;
  Json members = Json::array();
  for (const scenarios::OddOne& odd : subject.odd_ones) {
    text += "  finding: " + escaped(scenarios::odd_one_text(odd)) + "\n";
    members.push_back(finding_json(subject.fabric, odd));
  }
  return {.headline = std::move(text), .body = {}, .members = {{"findings", std::move(members)}}};
}

}  // namespace weft::topo
