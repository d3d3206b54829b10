#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "protocols/config/scale_up_config.hpp"
#include "protocols/config/switch_config.hpp"
#include "protocols/config/transports/list.hpp"
#include "scenarios/build/changed_links.hpp"
#include "scenarios/build/fabric_names.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::scenarios {
namespace {

using protocols::PortSettings;
using protocols::SettingsByPort;
using protocols::TrafficClass;

/// More lines tell nobody anything; looking for the nearest name takes time on a large fabric.
constexpr std::size_t kMaxChangeLines = 20;
constexpr std::size_t kMaxChangeErrors = 50;

/// What an entry of `fabric.changes` means on a fabric.
struct ChangedNode {
  std::vector<NodeId> nodes;
  std::vector<PortId> ports;  ///< between servers, towards `to`
};

std::string path_of_change(std::size_t index) { return fmt::format("fabric.changes[{}]", index); }

class ChangeFinder {
 public:
  explicit ChangeFinder(const Fabric& fabric) : fabric_(fabric), names_(fabric) {}

  ChangedNode find(const SettingsChange& change, const std::string& path) {
    ChangedNode found;
    found.nodes = nodes(change.node, path + ".node");
    if (found.nodes.empty()) return found;
    if (!change.to.empty() && nodes(change.to, path + ".to").empty()) return found;
    for (const NodeId node : found.nodes) {
      check_host(change, node, path);
      add_ports(node, change.to, found.ports);
    }
    if (found.ports.empty()) {
      fail(path + (change.to.empty() ? ".node" : ".to"),
           change.to.empty() ? "`" + change.node + "` has no link between servers"
                             : "no link joins `" + change.node + "` and `" + change.to + "`");
    }
    return found;
  }

  Errors errors;

 private:
  void fail(std::string key, std::string message) {
    errors.push_back({std::move(message), {{}, 0, 0, std::move(key)}});
  }

  std::vector<NodeId> nodes(const std::string& pattern, const std::string& key) {
    if (pattern.find('*') == std::string::npos) {
      const NodeId node = names_.find(pattern);
      if (node.is_none()) fail(key, names_.unknown(pattern));
      return node.is_none() ? std::vector<NodeId>() : std::vector<NodeId>{node};
    }
    std::vector<NodeId> found;
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) {
      if (matches_pattern(pattern, fabric_.nodes[i].name)) found.emplace_back(i);
    }
    if (found.empty()) {
      std::string bare = pattern;
      std::erase(bare, '*');
      fail(key, names_.unknown(bare) + "; `" + pattern + "` matches none");
    }
    return found;
  }

  /// A NIC pauses and obeys, or does not; the rest belongs to switches.
  void check_host(const SettingsChange& change, NodeId node, const std::string& path) {
    if (fabric_.node(node).kind != NodeKind::kHost) {
      if (!change.congestion_control) return;
      return fail(path + ".congestion_control",
                  "belongs to hosts, and `" + fabric_.node(node).name + "` is a switch");
    }
    const std::string of_switches = "belongs to switches, and `" + fabric_.node(node).name +
                                    "` is a host; its NIC can have honours_pause, mtu, "
                                    "congestion_control and the flow_control of classes";
    if (change.buffer) fail(path + ".buffer", of_switches);
    if (change.headroom_pool) fail(path + ".headroom_pool", of_switches);
    if (change.watchdog) fail(path + ".pfc_watchdog", of_switches);
    for (std::size_t i = 0; i < change.classes.size(); ++i) {
      if (change.classes[i].is_only_flow_control()) continue;
      fail(fmt::format("{}.classes[{}]", path, i), of_switches);
    }
  }

  void add_ports(NodeId node, const std::string& to, std::vector<PortId>& ports) const {
    for (const PortId port : names_.ports(node, NodeId::none())) {
      if (fabric_.network_of(port) != NetworkKind::kScaleOut) continue;
      const std::string& peer = fabric_.node(fabric_.peer_node(port)).name;
      if (to.empty() || matches_pattern(to, peer)) ports.push_back(port);
    }
  }

  const Fabric& fabric_;
  FabricNames names_;
};

void change_class(const ClassChange& change, TrafficClass& c) {
  c.flow_control = change.flow_control.value_or(c.flow_control);
  c.ecn = change.ecn.value_or(c.ecn);
  c.wred = change.wred.value_or(c.wred);
  c.egress_limit = change.egress_limit.value_or(c.egress_limit);
  c.egress_reserved = change.egress_reserved.value_or(c.egress_reserved);
  if (!change.egress_alpha) return;
  c.egress_alpha.reset();
  if (*change.egress_alpha > 0) c.egress_alpha = change.egress_alpha;
}

PortSettings settings_of(const Scenario& scenario, const std::vector<std::size_t>& changes) {
  PortSettings settings{.classes = scenario.switches.classes,
                        .watchdog = scenario.switches.watchdog};
  for (const std::size_t i : changes) {
    const SettingsChange& change = scenario.settings_changes[i];
    settings.honours_pause = change.honours_pause.value_or(settings.honours_pause);
    settings.watchdog = change.watchdog.value_or(settings.watchdog);
    for (const ClassChange& c : change.classes) {
      const auto found = std::ranges::find(settings.classes, c.name, &TrafficClass::name);
      if (found != settings.classes.end()) change_class(c, *found);
    }
  }
  return settings;
}

/// Makes transports of those that jobs have, with other congestion controls.
class ControlChanger {
 public:
  explicit ControlChanger(Scenario& scenario) : scenario_(scenario) {}

  /// The number of transport `number` with the control of `fabric.changes[change]`.
  std::uint8_t transport(std::uint8_t number, std::size_t change) {
    const auto [place, is_new] = made_.try_emplace({number, change}, number);
    if (is_new) place->second = make(number, change);
    return place->second;
  }

  Errors errors;

 private:
  std::uint8_t make(std::uint8_t number, std::size_t change) {
    protocols::TransportConfig transport = scenario_.transport_of(number);
    auto* roce = std::get_if<protocols::RoceConfig>(&transport);
    if (roce == nullptr) {
      return refuse(number, change, "is of what is sent by RoCE, and these hosts send otherwise");
    }
    roce->congestion_control = *scenario_.settings_changes[change].congestion_control;
    std::vector<schema::Problem> problems;
    const auto roce_schema = protocols::RoceConfig::schema(LinkLayer::kEthernet);
    for (const auto& check : roce_schema.any().checks) check(roce, problems);
    if (!problems.empty()) {
      return refuse(number, change,
                    "does not go with the transport: " + problems.front().key + " " +
                        problems.front().message);
    }
    const std::vector<protocols::TransportConfig> all = scenario_.transports();
    const auto known = static_cast<std::size_t>(std::ranges::find(all, transport) - all.begin());
    if (known < all.size()) return static_cast<std::uint8_t>(known);
    if (all.size() == protocols::kMaxScaleOutTransports) {
      return refuse(number, change,
                    fmt::format("is one more than the {} different transports that a scenario can "
                                "have",
                                all.size()));
    }
    scenario_.more_transports.push_back(transport);
    return static_cast<std::uint8_t>(all.size());
  }
  std::uint8_t refuse(std::uint8_t number, std::size_t change, std::string message) {
    errors.push_back(
        {std::move(message), {{}, 0, 0, path_of_change(change) + ".congestion_control"}});
    return number;
  }

  Scenario& scenario_;
  std::map<std::pair<std::uint8_t, std::size_t>, std::uint8_t> made_;
};

/// Of every entry; errors where one means no node or no port.
Result<std::vector<ChangedNode>> find_changed_nodes(const Scenario& scenario,
                                                    const Fabric& fabric) {
  std::vector<ChangedNode> found;
  if (scenario.settings_changes.empty()) return found;
  ChangeFinder finder(fabric);
  for (std::size_t i = 0; i < scenario.settings_changes.size(); ++i) {
    if (finder.errors.size() >= kMaxChangeErrors) break;
    found.push_back(finder.find(scenario.settings_changes[i], path_of_change(i)));
  }
  if (!finder.errors.empty()) return finder.errors;
  return found;
}

}  // namespace

Errors change_buffers(const Scenario& scenario, Fabric& fabric) {
  const Result<std::vector<ChangedNode>> found = find_changed_nodes(scenario, fabric);
  if (!found.ok()) return found.errors();
  for (std::size_t i = 0; i < found.value().size(); ++i) {
    const SettingsChange& change = scenario.settings_changes[i];
    if (!change.buffer && !change.headroom_pool) continue;
    for (const NodeId id : found.value()[i].nodes) {
      Node& node = fabric.nodes[id.value()];
      const Bytes buffer = scenario.switches.buffer_of(node);
      const Bytes pool = scenario.switches.headroom_pool_of(node);
      node.buffer = change.buffer.value_or(buffer);
      node.headroom_pool = change.headroom_pool.value_or(pool);
    }
  }
  return {};
}

ChangesByPlace changes_by_place(const Scenario& scenario, const Fabric& fabric) {
  ChangesByPlace changes;
  const Result<std::vector<ChangedNode>> found = find_changed_nodes(scenario, fabric);
  for (std::size_t i = 0; found.ok() && i < found.value().size(); ++i) {
    for (const PortId port : found.value()[i].ports) changes.of_port[port].push_back(i);
    for (const NodeId node : found.value()[i].nodes) changes.of_node[node].push_back(i);
  }
  return changes;
}

SettingsByPort settings_by_port(const Scenario& scenario, const Fabric& fabric) {
  SettingsByPort settings;
  std::map<PortId, std::vector<std::size_t>> changes_of_port;
  for (const auto& [port, changes] : changes_by_place(scenario, fabric).of_port) {
    for (const std::size_t i : changes) {
      if (scenario.settings_changes[i].is_of_ports()) changes_of_port[port].push_back(i);
    }
  }
  std::map<std::vector<std::size_t>, std::uint16_t> numbers;
  for (const auto& [port, changes] : changes_of_port) {
    const auto [place, is_new] = numbers.try_emplace(changes);
    if (is_new) {
      settings.others.push_back(settings_of(scenario, changes));
      place->second = static_cast<std::uint16_t>(settings.others.size());
    }
    settings.of_port.resize(fabric.ports.size());
    settings.of_port[port.value()] = place->second;
  }
  return settings;
}

Errors change_controls(const Fabric& fabric, Scenario& scenario, collectives::Workload& workload) {
  const Result<std::vector<ChangedNode>> found = find_changed_nodes(scenario, fabric);
  std::map<HostId, std::size_t> change_of_host;
  for (std::size_t i = 0; found.ok() && i < found.value().size(); ++i) {
    if (!scenario.settings_changes[i].congestion_control) continue;
    for (const NodeId node : found.value()[i].nodes) {
      change_of_host[HostId(fabric.node(node).index)] = i;
    }
  }
  if (change_of_host.empty()) return {};
  ControlChanger changer(scenario);
  for (std::size_t c = 0; c < workload.connections().size(); ++c) {
    const Connection& connection = workload.connections()[c];
    const HostId from = workload.process_hosts()[connection.source.value()];
    const HostId to = workload.process_hosts()[connection.destination.value()];
    const auto change = change_of_host.find(from);
    const bool is_inside = from == to || fabric.network_between(from, to) == NetworkKind::kScaleUp;
    if (change == change_of_host.end() || is_inside) continue;
    workload.set_transport(ConnectionId(c),
                           changer.transport(connection.transport, change->second));
  }
  return changer.errors;
}

std::vector<std::string> describe_changed_settings(const Scenario& scenario, const Fabric& fabric) {
  std::vector<std::string> lines;
  const Result<std::vector<ChangedNode>> found = find_changed_nodes(scenario, fabric);
  if (!found.ok()) return lines;
  for (std::size_t i = 0; i < std::min(found.value().size(), kMaxChangeLines); ++i) {
    const SettingsChange& change = scenario.settings_changes[i];
    const std::size_t nodes = found.value()[i].nodes.size();
    const std::size_t ports = found.value()[i].ports.size();
    lines.push_back(fmt::format("{} ({}{}): {} {}, {} {}", path_of_change(i), change.node,
                                change.to.empty() ? "" : " to " + change.to, nodes,
                                nodes == 1 ? "node" : "nodes", ports,
                                ports == 1 ? "port" : "ports"));
  }
  const std::size_t all = found.value().size();
  if (all > lines.size()) lines.push_back(fmt::format("and {} more", all - lines.size()));
  return lines;
}

}  // namespace weft::scenarios
