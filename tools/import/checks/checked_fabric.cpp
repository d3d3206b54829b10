#include "tools/import/checks/checked_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simcore/base/escape.hpp"

namespace weft::import {
namespace {

constexpr std::size_t kMaxListed = 3;

}  // namespace

CheckedFabric::CheckedFabric(const Description& description, const CheckedTraffic& traffic)
    : description_(description), traffic_(traffic) {
  for (std::size_t i = 0; i < description.switches.size(); ++i) {
    const SwitchSettings& settings = description.switches[i];
    if (settings.name && !settings.ports.empty()) switches_.emplace(*settings.name, i);
    for (const auto& [name, port] : settings.ports) {
      if (port.is_up) ports_.push_back({i, name});
      if (port.alias) aliases_.emplace(std::pair{i, *port.alias}, name);
    }
    if (settings.name && settings.tier)
      roles_[*settings.name] = fmt::format("tier {}", *settings.tier);
  }
  for (const Device& device : description.devices) {
    if (device.kind == DeviceKind::kServer) roles_.emplace(device.name, "servers");
    if (device.tier) roles_.emplace(device.name, fmt::format("tier {}", *device.tier));
  }
  for (const Cable& cable : description.cables) join(cable);
  std::ranges::sort(cables_);
  cables_.erase(std::unique(cables_.begin(), cables_.end()), cables_.end());
}

std::optional<PortAt> CheckedFabric::port_of(const PortName& name) const {
  const auto found = switches_.find(name.device);
  if (found == switches_.end()) return std::nullopt;
  if (description_.switches[found->second].ports.contains(name.port)) {
    return PortAt{found->second, name.port};
  }
  const auto alias = aliases_.find({found->second, name.port});
  if (alias == aliases_.end()) return std::nullopt;
  return PortAt{found->second, alias->second};
}

void CheckedFabric::join(const Cable& cable) {
  const auto a = port_of(cable.a);
  const auto b = port_of(cable.b);
  const auto face = [this, &cable](const std::optional<PortAt>& at, const PortName& other) {
    if (!at) return;
    peers_.emplace(*at, other);
    const auto role = roles_.find(other.device);
    facing_.emplace(*at, role == roles_.end() ? "others" : role->second);
    if (!cable.length) return;
    auto& longest = lengths_[*at];
    if (cable.length->value > longest.value) longest = *cable.length;
  };
  face(a, cable.b);
  face(b, cable.a);
  if (a && b && *a != *b) cables_.emplace_back(std::min(*a, *b), std::max(*a, *b));
}

std::string CheckedFabric::switch_name(std::size_t index) const {
  const SwitchSettings& settings = description_.switches[index];
  return settings.name ? escaped(*settings.name) : "the switch of " + escaped(settings.where.file);
}

std::string CheckedFabric::name(const PortAt& at) const {
  return switch_name(at.switch_index) + " " + escaped(at.port);
}

std::string CheckedFabric::facing(const PortAt& at) const {
  const auto found = facing_.find(at);
  return found == facing_.end() ? "others" : found->second;
}

std::optional<Stated<Millimetres>> CheckedFabric::cable_length(const PortAt& at) const {
  std::optional<Stated<Millimetres>> longest = port(at).cable_length;
  const auto found = lengths_.find(at);
  if (found != lengths_.end() && (!longest || found->second.value > longest->value)) {
    longest = found->second;
  }
  return longest;
}

void CheckedFabric::find(SourceLocation where, std::string text) {
  add_finding(remarks_, std::move(where), std::move(text));
}

std::string port_list(const CheckedFabric& fabric, const std::vector<PortAt>& ports) {
  std::string text;
  for (std::size_t i = 0; i < std::min(ports.size(), kMaxListed); ++i) {
    const bool is_same_switch = i > 0 && ports[i].switch_index == ports[i - 1].switch_index;
    text += i == 0 ? "" : ", ";
    text += is_same_switch ? escaped(ports[i].port) : fabric.name(ports[i]);
  }
  if (ports.size() > kMaxListed) text += fmt::format(" and {} more", ports.size() - kMaxListed);
  return text;
}

const ClassSettings* class_of_dscp(const std::vector<ClassSettings>& classes, std::uint32_t dscp) {
  const auto found = std::ranges::find_if(
      classes, [dscp](const ClassSettings& one) { return one.dscps.contains(dscp); });
  return found == classes.end() ? nullptr : &*found;
}

SourceLocation place_of_dscp(const ClassSettings& one, std::uint32_t dscp) {
  if (one.code_points == nullptr) return one.where;
  const auto found = one.code_points->find(dscp);
  return found == one.code_points->end() ? one.where : found->second.where;
}

std::string place_text(const SourceLocation& where) {
  std::string text = escaped(where.file);
  if (where.line > 0) text += fmt::format(":{}", where.line);
  if (!where.key.empty()) text += ": " + where.key;
  return text;
}

Remarks check_settings(const Description& description, const CheckedTraffic& traffic) {
  CheckedFabric fabric(description, traffic);
  check_roce_is_lossless(fabric);
  check_headroom(fabric);
  check_marking(fabric);
  check_cable_ends(fabric);
  check_odd_ones(fabric);
  return fabric.take();
}

}  // namespace weft::import
