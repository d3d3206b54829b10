#include "tools/import/infiniband/link_ends.hpp"

#include <fmt/format.h>

#include <set>

#include "simcore/text/quoted.hpp"
#include "tools/import/infiniband/lanes.hpp"
#include "tools/import/parse/quantities.hpp"

namespace weft::import {
namespace {

/// MLNX-OS and NVOS describe a switch as `MF0;leaf01:MQM9700/U1`.
std::string_view managed_name(std::string_view description) {
  const std::size_t begin = description.find(';');
  const std::size_t end = description.rfind(':');
  if (!description.starts_with("MF0") || begin == std::string_view::npos ||
      end == std::string_view::npos || end <= begin + 1) {
    return description;
  }
  return description.substr(begin + 1, end - begin - 1);
}

}  // namespace

void LinkEnds::add_node(const std::string& id, std::string_view description, bool is_switch,
                        Node node) {
  if (const auto known = nodes_.find(id); known != nodes_.end()) {
    reading_.error(node.where,
                   fmt::format("node {} stands twice, in lines {} and {}", backquoted(id),
                               known->second.where.line, node.where.line));
    return;
  }
  if (!reading_.name(description, is_switch ? "a switch" : "a host", node.where)) return;
  node.is_left_out = description.find("Aggregation Node") != std::string_view::npos;
  if (is_switch) {
    node.name = managed_name(description);
  } else if (node.is_left_out) {
    reading_.warning(node.where, "an aggregation node of SHARP is left out: no cable leads to it");
  } else {
    const auto [device, nic] = split_node_name(description);
    if (nic.empty() || is_generic_description(description)) {
      reading_.error(node.where,
                     fmt::format("{} names no host and NIC such as `gpu01 mlx5_0`: set node "
                                 "descriptions, or run the tool with --node-name-map",
                                 backquoted(description)));
    }
    node.name = device;
    node.nic = nic;
  }
  nodes_.emplace(id, std::move(node));
}

void LinkEnds::add_end(const Port& port, End end) {
  const SourceLocation where = end.where;
  const auto [at, is_new] = ends_.try_emplace(port, std::move(end));
  if (is_new) return;
  reading_.error(where, fmt::format("port {} of {} stands twice, in lines {} and {}", port.second,
                                    backquoted(port.first), at->second.where.line, where.line));
}

PortName LinkEnds::port_name(const Port& port) const {
  const Node& node = nodes_.at(port.first);
  if (node.nic.empty()) return {node.name, std::to_string(port.second)};
  if (node.ports == 1 && port.second == 1) return {node.name, node.nic};
  return {node.name, fmt::format("{}/{}", node.nic, port.second)};
}

std::string LinkEnds::shown(const Port& port) const {
  const auto node = nodes_.find(port.first);
  if (node == nodes_.end()) return fmt::format("{}[{}]", backquoted(port.first), port.second);
  const std::string nic = node->second.nic.empty() ? "" : " " + node->second.nic;
  return fmt::format("{}{}[{}]", node->second.name, nic, port.second);
}

/// Switches of one name are told apart by their ids: firmware calls all of a model alike.
void LinkEnds::name_switches() {
  std::map<std::string, std::size_t> count;
  for (const auto& [id, node] : nodes_) count[node.name] += node.nic.empty() ? 1 : 0;
  bool is_said = false;
  for (auto& [id, node] : nodes_) {
    if (!node.nic.empty() || count[node.name] < 2) continue;
    if (!is_said) {
      reading_.warning(node.where, fmt::format("{} switches are called {}: their GUIDs name them",
                                               count[node.name], backquoted(node.name)));
    }
    is_said = true;
    node.name = id;
  }
}

void LinkEnds::add_devices() {
  std::set<std::string> leaves;
  for (const auto& [port, end] : ends_) {
    const auto node = nodes_.find(port.first);
    const auto peer = nodes_.find(end.peer.first);
    if (node == nodes_.end() || peer == nodes_.end()) continue;
    if (!node->second.nic.empty() && peer->second.nic.empty()) leaves.insert(peer->first);
    if (!peer->second.nic.empty() && node->second.nic.empty()) leaves.insert(node->first);
  }
  std::map<std::string, Device> devices;
  for (const auto& [id, node] : nodes_) {
    if (node.is_left_out) continue;
    const bool is_switch = node.nic.empty();
    Device device{.name = node.name,
                  .kind = is_switch ? DeviceKind::kSwitch : DeviceKind::kServer,
                  .tier = {},
                  .part = is_switch ? node.part : std::nullopt,
                  .where = node.where};
    if (leaves.contains(id)) device.tier = 1;
    const auto [at, is_new] = devices.try_emplace(node.name, device);
    if (is_new || at->second.kind == device.kind) continue;
    reading_.error(node.where, fmt::format("{} is a switch and a host", backquoted(node.name)));
  }
  for (auto& [name, device] : devices) reading_.found.devices.push_back(std::move(device));
}

bool LinkEnds::agree(const Port& port, const End& end) {
  const auto other = ends_.find(end.peer);
  if (other == ends_.end()) {
    if (one_sided_++ == 0) first_one_sided_ = end.where;
    if (says_both_) {
      reading_.warning(end.where, fmt::format("{} - {} is seen from one end only; it is used",
                                              shown(port), shown(end.peer)));
    }
    return true;
  }
  if (other->second.peer != port) {
    reading_.error(end.where, fmt::format("{} leads to {}, but that leads to {} in line {}",
                                          shown(port), shown(end.peer), shown(other->second.peer),
                                          other->second.where.line));
    return false;
  }
  if (other->second.rate != end.rate) {
    reading_.error(end.where, fmt::format("{} runs at {} here and at {} in line {}", shown(port),
                                          rate_text(end.rate), rate_text(other->second.rate),
                                          other->second.where.line));
  }
  return true;
}

void LinkEnds::add_cable(const Port& port, const End& end, CableList& cables) {
  for (const Port& side : {port, end.peer}) {
    const auto node = nodes_.find(side.first);
    if (node == nodes_.end()) {
      reading_.error(end.where, fmt::format("leads to {}, which the file does not describe",
                                            backquoted(side.first)));
      return;
    }
    if (node->second.is_left_out) return;
  }
  // Told once, at the end that comes first.
  if (const auto other = ends_.find(end.peer);
      other != ends_.end() && other->second.peer == port && end.peer < port) {
    return;
  }
  if (!agree(port, end)) return;
  Cable cable;
  cable.a = port_name(port);
  cable.b = port_name(end.peer);
  cable.rate = Stated<BitsPerSecond>{end.rate, end.where};
  cable.known_by = Knowledge::kSeen;
  cable.where = end.where;
  if (end.full_rate && *end.full_rate > end.rate) {
    cable.full_rate = Stated<BitsPerSecond>{*end.full_rate, end.where};
    reading_.finding(end.where,
                     fmt::format("{} - {} {}: {} of {}", shown(port), shown(end.peer), end.degraded,
                                 rate_text(end.rate), rate_text(*end.full_rate)));
  }
  cables.add(std::move(cable));
}

void LinkEnds::join(bool says_both) {
  says_both_ = says_both;
  name_switches();
  add_devices();
  CableList cables(reading_, "line");
  for (const auto& [port, end] : ends_) add_cable(port, end, cables);
  if (!says_both && one_sided_ > 0) {
    reading_.warning(first_one_sided_,
                     fmt::format("{} seen from one end only; used", counted(one_sided_, "cable")));
  }
  if (nodes_.empty()) reading_.error({}, "holds no node");
}

std::string LinkEnds::contents() const {
  std::size_t switches = 0;
  for (const auto& [id, node] : nodes_) switches += node.nic.empty() && !node.is_left_out ? 1 : 0;
  return fmt::format("{}, {}, {}", counted(switches, "switch"),
                     counted(nodes_.size() - switches, "NIC"),
                     counted(reading_.found.cables.size(), "cable"));
}

}  // namespace weft::import
