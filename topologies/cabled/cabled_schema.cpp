#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "topologies/cabled/cabled_spec.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::topologies {
namespace {

schema::Object<ServerNames> server_schema() {
  return schema::describe<ServerNames>("server", "what a server of the racks is called")
      .field("name", &ServerNames::name, "of the server")
      .changes_output()
      .required()
      .words("nics", &ServerNames::nics, "names of its NICs, in order")
      .source("nic0, nic1 ...")
      .changes_output();
}

schema::Object<Cabled::SwitchNode> switch_schema() {
  using Switch = Cabled::SwitchNode;
  return schema::describe<Switch>("switch", "a switch by name")
      .field("name", &Switch::name, "by which cables refer to it")
      .changes_output()
      .required()
      .field("tier", &Switch::tier, "1 if servers are attached to it, and so on upwards")
      .source("as the cables have it")
      .changes_output()
      .range(1, 16)
      .object("switch", &Switch::part, switch_part_schema(), "what it is, if not fabric.switch")
      .source("fabric.switch");
}

schema::Object<Cabled::CableEntry> cable_schema() {
  using Cable = Cabled::CableEntry;
  return schema::describe<Cable>("cable", "a cable between a NIC and a switch, or two switches")
      .field("from", &Cable::from, "a NIC as SERVER/NIC, or a switch")
      .required()
      .field("to", &Cable::to, "the other end")
      .required()
      .include(&Cable::link, link_part_schema())
      .field("count", &Cable::count, "parallel cables")
      .source("one cable")
      .range(1, kMaxParallelLinks);
}

}  // namespace

schema::Object<Cabled> Cabled::schema() {
  return schema::describe<Cabled>("cabled", "servers of racks, switches and cables by name")
      .objects("servers", &Cabled::servers, server_schema(),
               "names of the servers, in the order of the racks")
      .required()
      .not_empty()
      .objects("switches", &Cabled::switches, switch_schema(), "all switches")
      .required()
      .not_empty()
      .objects("cables", &Cabled::cables, cable_schema(), "all cables")
      .required()
      .not_empty();
}

std::vector<SwitchUse> Cabled::switch_uses() const {
  std::vector<SwitchUse> uses;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    uses.push_back({"switches[" + std::to_string(i) + "].switch",
                    switches[i].part ? &*switches[i].part : nullptr});
  }
  return uses;
}

std::vector<std::string> Cabled::host_names(const std::vector<RackSpec>& racks) const {
  return Servers(racks, servers).host_names();
}

bool Cabled::is_access(const CableEntry& cable) const {
  const auto is_switch = [this](const std::string& name) {
    return std::ranges::find(switches, name, &SwitchNode::name) != switches.end();
  };
  return !is_switch(cable.from) || !is_switch(cable.to);
}

CabledSpec Cabled::specification(const FabricParts& parts) const {
  CabledSpec spec;
  spec.racks = parts.racks;
  spec.servers = servers;
  spec.routing = parts.routing;
  for (const SwitchNode& node : switches) {
    spec.switches.push_back({node.name, node.tier, node.part.value_or(parts.switches)});
  }
  for (const CableEntry& cable : cables) {
    spec.cables.push_back({cable.from, cable.to, link_spec(cable.link), cable.count});
  }
  return spec;
}

}  // namespace weft::topologies
