#include "scenarios/blame/counterfactual/changed_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "scenarios/blame/counterfactual/slow_links.hpp"
#include "scenarios/build/fabric_names.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// What of it bears on marks, pauses, drops and what hosts send.
ChangedPlace effects_of(const SettingsChange& change) {
  ChangedPlace place;
  place.has_control = change.congestion_control.has_value();
  place.has_pauses =
      change.buffer || change.headroom_pool || change.honours_pause || change.watchdog;
  place.has_drops = place.has_pauses;
  for (const ClassChange& c : change.classes) {
    const bool is_of_egress = c.egress_limit || c.egress_reserved || c.egress_alpha;
    place.has_marks = place.has_marks || c.ecn;
    place.has_pauses = place.has_pauses || c.flow_control;
    place.has_drops = place.has_drops || c.flow_control || c.wred || is_of_egress;
  }
  const std::pair<bool, const char*> words[] = {{place.has_marks, "marks"},
                                                {place.has_pauses, "pauses"},
                                                {place.has_drops, "drops"},
                                                {place.has_control, "congestion control"}};
  for (const auto& [is_there, word] : words) {
    if (is_there) place.what += (place.what.empty() ? "" : ", ") + std::string(word);
  }
  return place;
}

/// The hosts at the other ends of a node's ports; of a host itself.
void add_hosts(const Fabric& fabric, const Node& node, std::vector<std::string>& hosts) {
  if (node.kind == NodeKind::kHost) {
    hosts.push_back(node.name);
    return;
  }
  for (std::uint32_t i = 0; i < node.port_count; ++i) {
    const Node& peer = fabric.node(fabric.peer_node(PortId(node.first_port.value() + i)));
    if (peer.kind == NodeKind::kHost && !contains(hosts, peer.name)) hosts.push_back(peer.name);
    if (peer.is_nic && !node.is_nic) add_hosts(fabric, peer, hosts);
  }
}

/// Whether some node of its kind is as the fabric says. A change of all is what the fabric has.
bool has_others(const Fabric& fabric, const std::vector<NodeId>& changed) {
  const Node& first = fabric.node(changed.front());
  const auto alike = std::ranges::count_if(fabric.nodes, [&first](const Node& node) {
    return node.kind == first.kind && node.tier == first.tier;
  });
  return alike > std::ssize(changed);
}

}  // namespace

bool ChangedPlace::is_behind(std::string_view cause, std::string_view culprit) const {
  if (cause == "pause") {
    const auto is_root = [culprit](const std::string& node) {
      return culprit.starts_with(node + "[") || culprit == "NIC of " + node;
    };
    return has_pauses && std::ranges::any_of(nodes, is_root);
  }
  const auto [from, to] = ends_of_connection(culprit);
  const bool ends_there = hosts.empty() || contains(hosts, from) || contains(hosts, to);
  if (cause == "congestion control") {
    return (has_control && contains(hosts, from)) || (has_marks && ends_there);
  }
  return has_drops && ends_there && (cause == "retransmission" || cause == "time-out");
}

std::vector<ChangedPlace> changed_places(const LoadedScenario& scenario) {
  const std::vector<SettingsChange>& changes = scenario.scenario.settings_changes;
  std::vector<ChangedPlace> places;
  if (changes.empty()) return places;
  const auto built = build_scenario_fabric(scenario.scenario);
  if (!built) return places;
  const Fabric& fabric = built.value();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].is_mtu_alone()) continue;  // no packet of a run meets it
    ChangedPlace place = effects_of(changes[i]);
    const std::string to = changes[i].to.empty() ? "" : " to " + escaped(changes[i].to);
    place.name = escaped(changes[i].node) + to;
    place.path = fmt::format("fabric.changes[{}]", i);
    std::vector<NodeId> changed;
    for (std::uint32_t n = 0; n < fabric.nodes.size(); ++n) {
      const Node& node = fabric.node(NodeId(n));
      if (!matches_pattern(changes[i].node, node.name)) continue;
      changed.push_back(NodeId(n));
      place.nodes.push_back(node.name);
      add_hosts(fabric, node, place.hosts);
    }
    if (!changed.empty() && has_others(fabric, changed)) places.push_back(std::move(place));
  }
  return places;
}

}  // namespace weft::scenarios
