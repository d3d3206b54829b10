#include "tools/import/cluster/join_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/names/spelling.hpp"
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
  if (!pattern.ends_with('*')) return is_same_name(pattern, name);
  return is_same_name(name.substr(0, pattern.size() - 1), pattern.substr(0, pattern.size() - 1));
}

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// An alias that no settings resolve: where another file has the same near port on the same far
/// device, it has the name of the far port. Returns the devices of which that was taken.
std::set<std::string, NaturalOrder> take_ports_of_likes(Description& description) {
  std::set<std::string, NaturalOrder> devices;
  std::map<std::pair<std::string, std::string>, const PortName*> far_ends;
  for (const Cable& cable : description.cables) {
    if (cable.a.may_be_alias || cable.b.may_be_alias) continue;
    far_ends.emplace(std::pair(cable.a.to_string(), cable.b.device), &cable.b);
    far_ends.emplace(std::pair(cable.b.to_string(), cable.a.device), &cable.a);
  }
  for (Cable& cable : description.cables) {
    for (auto [near, far] : {std::pair(&cable.a, &cable.b), std::pair(&cable.b, &cable.a)}) {
      if (!far->may_be_alias) continue;
      const auto like = far_ends.find(std::pair(near->to_string(), far->device));
      if (like == far_ends.end()) continue;
      if (far->port != like->second->port) devices.insert(far->device);
      far->port = like->second->port;
    }
  }
  return devices;
}

/// Finds the devices that files were taken from and do not name.
class DeviceNamer {
 public:
  explicit DeviceNamer(Description& description) : description_(description) {
    for (const Cable& cable : description.cables) {
      for (const PortName& end : {cable.a, cable.b}) known_.insert(end.device);
    }
    for (const Server& server : description.servers) {
      if (server.host) known_.insert(*server.host);
    }
    for (const SwitchSettings& settings : description.switches) {
      if (settings.name) known_.insert(*settings.name);
    }
    for (const Placement& placement : description.placements) known_.insert(placement.node);
    known_.erase("");
  }

  void run() {
    for (const Cable& cable : description_.cables) vote(cable);
    for (Cable& cable : description_.cables) {
      for (PortName* end : {&cable.a, &cable.b}) {
        if (end->device.empty()) end->device = name_of(cable.where.file);
      }
    }
    for (SwitchSettings& settings : description_.switches) {
      if (settings.name) continue;
      if (const std::string* name = named_after(settings.where.file, known_)) settings.name = *name;
    }
  }

 private:
  /// The device at the other end of a cable, as other files and the port's description have it.
  void vote(const Cable& cable) {
    if (peers_.empty()) {
      for (const Cable& other : description_.cables) {
        if (!other.a.device.empty()) peers_.emplace(other.b, other.a.device);
        if (!other.b.device.empty()) peers_.emplace(other.a, other.b.device);
      }
    }
    if (!cable.a.device.empty() && !cable.b.device.empty()) return;
    const PortName& far = cable.a.device.empty() ? cable.b : cable.a;
    std::map<std::string, std::size_t>& votes = votes_[cable.where.file];
    if (const auto peer = peers_.find(far); peer != peers_.end()) ++votes[peer->second];
    if (!cable.note) return;
    const std::string described = cable.note->substr(0, cable.note->find(':'));
    const std::string* const known = name_in_any_case(known_, described);
    if (known != nullptr && *known != far.device) ++votes[*known];
  }

  /// Of a file: the device among those that others name, else what its name says beside the tool.
  const std::string& name_of(const std::string& file) {
    const auto [found, is_new] = names_.try_emplace(file);
    if (!is_new) return found->second;
    if (const std::string* known = named_after(file, known_)) return found->second = *known;
    const auto votes = votes_.find(file);
    if (votes != votes_.end() && !votes->second.empty()) {
      return found->second = std::ranges::max_element(votes->second, {}, [](const auto& vote) {
                               return vote.second;
                             })->first;
    }
    std::string stem = std::filesystem::path(file).stem().string();
    for (const std::string_view tool : {"lldpctl", "lldp", "table", "show", "json"}) {
      const std::size_t at = stem.find(tool);
      if (at != std::string::npos) stem.erase(at, tool.size());
    }
    const auto is_separator = [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; };
    while (!stem.empty() && is_separator(stem.front())) stem.erase(0, 1);
    while (!stem.empty() && is_separator(stem.back())) stem.pop_back();
    if (stem.empty()) {
      add_error(description_.remarks, {.file = file},
                "does not say which device it was taken from: name the file after it, such as "
                "lldpctl-gpu01.json");
    }
    return found->second = stem;
  }

  Description& description_;
  std::set<std::string, NaturalOrder> known_;
  std::map<std::string, std::string> names_;
  std::map<PortName, std::string> peers_;  ///< the device at the other end of a port
  std::map<std::string, std::map<std::string, std::size_t>> votes_;  ///< by file
};

/// By switch: its ports by alias.
using Aliases = std::map<std::string, std::map<std::string, std::string>>;

void resolve(const Aliases& aliases, PortName& port) {
  const auto device = aliases.find(port.device);
  if (device == aliases.end()) return;
  port.may_be_alias = false;  // its settings say all of its ports
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

const std::string* name_in_any_case(const std::set<std::string, NaturalOrder>& names,
                                    std::string_view name) {
  // Names that differ in case alone are side by side, and capitals come first.
  std::string first(name);
  for (char& c : first) {
    if ('a' <= c && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  const auto found = names.lower_bound(first);
  return found != names.end() && is_same_name(*found, name) ? &*found : nullptr;
}

const std::string* named_after(const std::string& file,
                               const std::set<std::string, NaturalOrder>& names) {
  const std::string stem = std::filesystem::path(file).stem().string();
  const std::string* longest = nullptr;
  for (std::size_t begin = 0; begin < stem.size(); ++begin) {
    if (begin > 0 && is_word_letter(stem[begin - 1])) continue;
    for (std::size_t end = begin + 1; end <= stem.size(); ++end) {
      if (end < stem.size() && is_word_letter(stem[end])) continue;
      const std::string* const found =
          name_in_any_case(names, std::string_view(stem).substr(begin, end - begin));
      if (found == nullptr) continue;
      if (longest == nullptr || found->size() > longest->size()) longest = found;
    }
  }
  return longest;
}

std::set<std::string, NaturalOrder> resolve_names(Description& description) {
  spell_alike(description);
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
  DeviceNamer(description).run();
  std::set<std::string, NaturalOrder> devices = take_ports_of_likes(description);
  // From here on equal names are equal ports.
  for (Cable& cable : description.cables) cable.a.may_be_alias = cable.b.may_be_alias = false;
  return devices;
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

}  // namespace weft::import
