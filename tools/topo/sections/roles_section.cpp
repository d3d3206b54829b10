#include <fmt/format.h>

#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"
#include "tools/topo/sections/list.hpp"
#include "topologies/analysis/roles.hpp"

namespace weft::topo {
namespace {

using scenarios::TextTable;
using topologies::LinkKind;
using topologies::Role;
using topologies::RoleTable;

std::string counts_text(const RoleTable& table) {
  std::string text = "  ";
  for (const Role& role : table.roles) {
    if (&role != &table.roles.front()) text += ", ";
    text += topologies::counted(role.nodes, role.name);
  }
  std::uint64_t links = 0;
  for (const LinkKind& kind : table.links) links += kind.links;
  return text + ", " + topologies::counted(links, "link") + "\n";
}

std::string tiers_text(const RoleTable& roles) {
  TextTable table({"tier", "network", "nodes", "ports", "down", "across", "up", "oversubscribed"});
  for (const Role& role : roles.roles) {
    if (role.kind == NodeKind::kHost) continue;
    const auto rate = [](BitsPerSecond r) { return r.count() == 0 ? "-" : rate_text(r); };
    table.add({fmt::format("{} {}", role.tier, role.name), network_name(role.network),
               count_text(role.nodes), range_text(role.fewest_ports, role.max_ports),
               rate(role.down), rate(role.across), rate(role.up),
               role.oversubscription > 0 ? scenarios::plain_number(role.oversubscription, 4) + ":1"
                                         : "-"});
  }
  return "\n" + table.to_string("  ") +
         "  down, across, up: of all switches of the tier together, per direction\n";
}

std::string links_text(const RoleTable& roles) {
  TextTable table({"links", "number", "rate", "wire latency", "all together"});
  for (std::size_t i = 0; i < roles.links.size() && i < kMaxRows; ++i) {
    const LinkKind& kind = roles.links[i];
    table.add({roles.roles[kind.lower].name + " - " + roles.roles[kind.upper].name,
               count_text(kind.links), rate_text(kind.rate),
               scenarios::format_time(kind.wire_latency),
               rate_text(kind.rate * static_cast<std::int64_t>(kind.links))});
  }
  std::string text = "\n" + table.to_string("  ");
  if (roles.links.size() > kMaxRows) {
    text +=
        fmt::format("  and {}\n", topologies::counted(roles.links.size() - kMaxRows, "more kind"));
  }
  return text;
}

Json tiers_json(const RoleTable& table) {
  Json tiers = Json::array();
  for (const Role& role : table.roles) {
    if (role.kind == NodeKind::kHost) continue;
    tiers.push_back({{"tier", role.tier},
                     {"name", role.name},
                     {"network", network_name(role.network)},
                     {"switches", role.nodes},
                     {"ports", {role.fewest_ports, role.max_ports}},
                     {"down_bits_per_second", role.down.count()},
                     {"across_bits_per_second", role.across.count()},
                     {"up_bits_per_second", role.up.count()},
                     {"oversubscription",
                      role.oversubscription > 0 ? Json(role.oversubscription) : Json(nullptr)}});
  }
  return tiers;
}

Json links_json(const RoleTable& table) {
  Json links = Json::array();
  for (const LinkKind& kind : table.links) {
    links.push_back({{"lower", table.roles[kind.lower].name},
                     {"upper", table.roles[kind.upper].name},
                     {"links", kind.links},
                     {"bits_per_second", kind.rate.count()},
                     {"wire_latency_ps", kind.wire_latency.count()}});
  }
  return links;
}

}  // namespace

Section roles_section(const Subject& subject) {
  const RoleTable roles = topologies::find_roles(subject.fabric);
  return {.headline = counts_text(roles),
          .body = tiers_text(roles) + links_text(roles),
          .members = {{"hosts", subject.fabric.hosts.size()},
                      {"switches", subject.fabric.switches.size()},
                      {"cables", subject.fabric.ports.size() / 2},
                      {"tiers", tiers_json(roles)},
                      {"links", links_json(roles)}}};
}

}  // namespace weft::topo
