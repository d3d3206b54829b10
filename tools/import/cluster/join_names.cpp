#include "tools/import/cluster/join_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/source/characters.hpp"

namespace weft::import {
namespace {

enum class PortForm : std::uint8_t { kUnknown, kServer, kSwitch };

/// What a port's name says of the device that it belongs to.
PortForm form_of(std::string_view port) {
  constexpr std::array<std::string_view, 8> kServers{"enp", "ens",  "eno",  "eth",
                                                     "ib",  "mlx5", "bond", "hca"};
  constexpr std::array<std::string_view, 6> kSwitches{"Ethernet", "swp", "etp",
                                                      "et-",      "xe-", "Eth"};
  const auto begins = [port](std::string_view start) { return port.starts_with(start); };
  // `eth1/2` is a port of NX-OS in lower case.
  if (port.find('/') != std::string_view::npos) return PortForm::kSwitch;
  if (std::ranges::any_of(kServers, begins)) return PortForm::kServer;
  if (std::ranges::any_of(kSwitches, begins)) return PortForm::kSwitch;
  return PortForm::kUnknown;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

/// By switch: its ports by alias.
using Aliases = std::map<std::string, std::map<std::string, std::string>>;

void resolve(const Aliases& aliases, PortName& port) {
  const auto device = aliases.find(port.device);
  if (device == aliases.end()) return;
  const auto found = device->second.find(port.port);
  if (found != device->second.end()) port.port = found->second;
}

}  // namespace

bool is_address(std::string_view name) {
  const bool is_mac = name.size() == 17 && std::ranges::count(name, ':') == 5 &&
                      std::ranges::all_of(name, [](char c) { return is_hex_digit(c) || c == ':'; });
  const bool is_ip = std::ranges::count(name, '.') == 3 &&
                     std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '.'; });
  return is_mac || is_ip;
}

void resolve_aliases(Description& description) {
  Aliases aliases;
  for (const SwitchSettings& settings : description.switches) {
    if (!settings.name) continue;
    for (const auto& [name, port] : settings.ports) {
      if (port.alias && !settings.ports.contains(*port.alias)) {
        aliases[*settings.name].emplace(*port.alias, name);
      }
    }
  }
  for (Cable& cable : description.cables) {
    resolve(aliases, cable.a);
    resolve(aliases, cable.b);
  }
}

void DeviceKinds::take_what_files_say(const Description& description) {
  for (const Server& server : description.servers) {
    if (server.host) servers_.insert(*server.host);
  }
  for (const SwitchSettings& settings : description.switches) {
    if (settings.name) switches_.insert(*settings.name);
  }
  for (const Placement& placement : description.placements) {
    servers_.insert(placement.node);
    if (!placement.is_block) switches_.insert(placement.group);
  }
  for (const Device& device : description.devices) {
    if (!device.kind) continue;
    (*device.kind == DeviceKind::kServer ? servers_ : switches_).insert(device.name);
  }
}

void DeviceKinds::take_what_ports_say(const Description& description) {
  std::map<std::string, std::array<std::uint32_t, 3>> votes;
  for (const Cable& cable : description.cables) {
    for (const PortName& end : {cable.a, cable.b}) {
      ++votes[end.device][static_cast<std::size_t>(form_of(end.port))];
    }
  }
  for (const auto& [device, count] : votes) {
    if (servers_.contains(device) || switches_.contains(device)) continue;
    const auto as_server = count[static_cast<std::size_t>(PortForm::kServer)];
    const auto as_switch = count[static_cast<std::size_t>(PortForm::kSwitch)];
    if (as_server > 0 && as_switch == 0) servers_.insert(device);
    if (as_switch > 0 && as_server == 0) switches_.insert(device);
  }
}

void DeviceKinds::complain(Description& description,
                           const std::set<std::string, NaturalOrder>& all) const {
  for (const std::string& name : all) {
    const bool is_both = servers_.contains(name) && switches_.contains(name);
    if (!is_both && (servers_.contains(name) || switches_.contains(name))) continue;
    const auto found = std::ranges::find_if(description.cables, [&name](const Cable& cable) {
      return cable.a.device == name || cable.b.device == name;
    });
    const SourceLocation where =
        found == description.cables.end() ? SourceLocation{} : found->where;
    add_error(description.remarks, where,
              is_both ? backquoted(name) + " is a server in one file and a switch in another"
                      : "is " + backquoted(name) +
                            " a server or a switch? Neither its ports nor another file say it: "
                            "`--servers` lists the servers, such as `--servers 'node*'`");
  }
}

DeviceKinds::DeviceKinds(Description& description, const JoinOptions& options) {
  std::set<std::string, NaturalOrder> all;
  for (const Cable& cable : description.cables) {
    all.insert(cable.a.device);
    all.insert(cable.b.device);
  }
  if (!options.servers.empty()) {
    // The user knows: what is no server is a switch.
    for (const std::string& name : all) {
      const bool is_server = std::ranges::any_of(
          options.servers, [&name](const std::string& pattern) { return matches(pattern, name); });
      (is_server ? servers_ : switches_).insert(name);
    }
    return;
  }
  take_what_files_say(description);
  take_what_ports_say(description);
  complain(description, all);
}

std::optional<std::uint32_t> bus_of_interface(std::string_view interface) {
  // enP1p24s0: domain 1. enp24s0f1np1: function 1.
  std::size_t at = interface.starts_with("enP") || interface.starts_with("ibP") ? 3 : 2;
  if (at == 2 && !interface.starts_with("en") && !interface.starts_with("ib")) return {};
  if (at == 3) {
    while (at < interface.size() && is_digit(interface[at])) ++at;
  }
  if (at >= interface.size() || interface[at] != 'p') return {};
  std::uint32_t bus = 0;
  const char* const end = interface.data() + interface.size();
  const auto [stop, problem] = std::from_chars(interface.data() + at + 1, end, bus);
  if (problem != std::errc() || stop == end || *stop != 's') return {};
  return bus;
}

std::optional<std::uint32_t> bus_of_address(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon < 2) return {};
  std::uint32_t bus = 0;
  const char* const end = address.data() + colon;
  const auto [stop, problem] = std::from_chars(address.data() + colon - 2, end, bus, 16);
  if (problem != std::errc() || stop != end) return {};
  return bus;
}

std::string short_place(const SourceLocation& where) {
  std::string text = escaped(std::filesystem::path(where.file).filename().string());
  if (where.line > 0) return fmt::format("{}:{}", text, where.line);
  if (!where.key.empty()) text += " " + escaped(where.key);
  return text;
}

}  // namespace weft::import
