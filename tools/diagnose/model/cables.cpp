#include "tools/diagnose/model/cables.hpp"

#include <fmt/format.h>

#include "scenarios/checks/odd/cable_keys.hpp"

namespace weft::diagnose {
namespace {

/// What `weft import` writes behind a cable begins with where the cable itself is from.
std::string first_clause(const std::string& comment) {
  std::string clause = comment.substr(0, comment.find(';'));
  while (!clause.empty() && clause.back() == ' ') clause.pop_back();
  return clause;
}

/// `, cluster.yaml:52; enp168s0np0 to Ethernet20, cables.csv:24`. Empty: no line is of this cable
/// alone.
std::string said_of(const scenarios::LoadedScenario& loaded, const std::string& key) {
  if (key.find('[') == std::string::npos) return {};
  const SourceLocation where = loaded.located({Error{{}, {.key = key}}}).front().where;
  if (where.line <= 0) return {};
  const std::string clause = first_clause(loaded.comment_at(where.line));
  return fmt::format(", {}:{}{}{}", where.file, where.line, clause.empty() ? "" : "; ", clause);
}

}  // namespace

Cables::Cables(const scenarios::LoadedScenario& loaded, const Fabric& fabric,
               const Places& places) {
  const scenarios::CableKeys keys(loaded.scenario, fabric);
  std::vector<const NicPlace*> nic_of(places.resources.size());
  for (const NicPlace& nic : places.nics) nic_of[nic.resource] = &nic;
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    const PortId port(p);
    const auto& resource = places.of_port()[p];
    const NicPlace* nic = resource ? nic_of[*resource] : nullptr;
    // Of the two directions the one that leaves the NIC.
    if (nic == nullptr || fabric.node(fabric.port(port).node).name != nic->node) continue;
    const std::string name = fabric.port_name(fabric.port(port).peer);
    std::string& text = by_nic_[nic->name];
    text += fmt::format("{}to {}{}", text.empty() ? "" : ", and ", name.substr(0, name.find("->")),
                        said_of(loaded, keys.of(port)));
  }
}

std::string Cables::of(std::string_view nic) const {
  const auto found = by_nic_.find(nic);
  return found == by_nic_.end() ? std::string() : found->second;
}

}  // namespace weft::diagnose
