#include "scenarios/language/lowering/topology.hpp"

#include <utility>
#include <variant>

namespace weft::scenarios::language {

using topologies::LinkRoles;
using topologies::RackSpec;

namespace {

template <class Ask>
auto ask(const Document& document, Ask of_topology) {
  return std::visit(of_topology, document.fabric.topology);
}

/// Without a rate, access links have that of each server's NIC.
BitsPerSecond access_rate(const Document& document, const RackSpec& rack) {
  return document.links.access.rate.value_or(rack.server.nic.rate);
}

}  // namespace

std::string topology_name(const Document& document) {
  return ask(document, []<class T>(const T&) { return std::string(T::kName); });
}

const char* why_no_racks(const Document& document) {
  return ask(document, []<class T>(const T&) -> const char* {
    if constexpr (requires { T::kWhyNoRacks; }) {
      return T::kWhyNoRacks;
    } else {
      return nullptr;
    }
  });
}

LinkRoles link_roles_of(const Document& document) {
  return ask(document, []<class T>(const T&) { return T::kRoles; });
}

std::vector<RackSpec> racks_of(const Document& document) {
  return ask(document, [&](const auto& topology) -> std::vector<RackSpec> {
    if constexpr (requires { topology.own_racks(); }) {
      return topology.own_racks();
    } else {
      return document.racks;
    }
  });
}

std::vector<std::string> host_names_of(const Document& document) {
  return ask(document, [&](const auto& topology) -> std::vector<std::string> {
    if constexpr (requires { topology.host_names(); }) {
      return topology.host_names();
    } else if constexpr (requires { topology.host_names(document.racks); }) {
      std::vector<RackSpec> racks = document.racks;
      for (RackSpec& rack : racks) rack.access.rate = access_rate(document, rack);
      return topology.host_names(racks);
    } else {
      return {};
    }
  });
}

topologies::NicPart nic_of(const Document& document) {
  return ask(document, [&](const auto& topology) -> topologies::NicPart {
    if constexpr (requires { topology.host_names(); }) {
      return topology.nic;
    } else {
      return racks_of(document).front().server.nic;
    }
  });
}

std::vector<topologies::SwitchUse> switch_uses_of(const Document& document) {
  return ask(document, [](const auto& topology) { return topology.switch_uses(); });
}

topologies::TopologySpec lower_topology(const Document& document) {
  topologies::FabricParts parts;
  parts.racks = racks_of(document);
  const LinkRoles roles = link_roles_of(document);
  if (roles == LinkRoles::kTwoTiers || roles == LinkRoles::kThreeTiers) {
    for (RackSpec& rack : parts.racks) {
      topologies::LinkPart access = document.links.access;
      access.rate = access_rate(document, rack);
      rack.access = link_spec(access);
    }
    parts.uplink = link_spec(document.links.uplink);
  }
  if (roles == LinkRoles::kThreeTiers) parts.super_uplink = link_spec(document.links.super_uplink);
  // Buffers are those of the configuration of all switches.
  parts.switches = document.fabric.switch_part;
  parts.switches.buffer = parts.switches.cell = parts.switches.headroom_pool = 0_B;
  parts.routing = document.fabric.routing;
  return ask(document, [&](const auto& topology) -> topologies::TopologySpec {
    return topology.specification(parts);
  });
}

}  // namespace weft::scenarios::language
