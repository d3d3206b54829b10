#include "tools/import/names/leave_out.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "scenarios/build/fabric_names.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/parse/reading.hpp"
#include "tools/import/parse/text_parts.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {
namespace {

using DeviceNames = std::set<std::string, NaturalOrder>;

DeviceNames devices_of(const Description& description) {
  DeviceNames names;
  for (const Cable& cable : description.cables) {
    names.insert(cable.a.device);
    names.insert(cable.b.device);
  }
  for (const Server& server : description.servers) {
    if (server.host) names.insert(*server.host);
  }
  for (const SwitchSettings& settings : description.switches) {
    if (settings.name) names.insert(*settings.name);
  }
  for (const Device& device : description.devices) names.insert(device.name);
  for (const Placement& placement : description.placements) {
    names.insert(placement.node);
    names.insert(placement.group);
  }
  for (const SwitchParent& parent : description.parents) {
    names.insert(parent.child);
    names.insert(parent.parent);
  }
  return names;
}

/// One pattern at work.
class Exclusion {
 public:
  explicit Exclusion(std::string_view pattern) : pattern_(lower_case(pattern)) {}

  void apply(Description& description) {
    count(std::erase_if(description.cables,
                        [this](const Cable& cable) {
                          return is_port(cable.a.device, cable.a.port) ||
                                 is_port(cable.b.device, cable.b.port);
                        }),
          "cable");
    count(std::erase_if(description.switches,
                        [this](const SwitchSettings& settings) {
                          return settings.name && is_named(*settings.name);
                        }),
          "file of a switch");
    count(std::erase_if(
              description.servers,
              [this](const Server& server) { return server.host && is_named(*server.host); }),
          "file of a server");
    std::size_t nics = 0;
    for (Server& server : description.servers) nics += take_nics(server);
    count(nics, "NIC");
    count(std::erase_if(description.devices,
                        [this](const Device& device) { return is_named(device.name); }),
          "device");
    count(std::erase_if(description.placements,
                        [this](const Placement& placement) {
                          return is_named(placement.node) || is_named(placement.group);
                        }),
          "placement");
    count(std::erase_if(description.parents,
                        [this](const SwitchParent& parent) {
                          return is_named(parent.child) || is_named(parent.parent);
                        }),
          "link of switches");
  }

  [[nodiscard]] const std::vector<std::string>& counts() const { return counts_; }

 private:
  void count(std::size_t removed, std::string_view what) {
    if (removed == 0) return;
    const std::size_t of = what.find(" of ");
    counts_.push_back(of == std::string_view::npos
                          ? counted(removed, what)
                          : counted(removed, what.substr(0, of)) + std::string(what.substr(of)));
  }

  [[nodiscard]] bool is_named(std::string_view name) const {
    return scenarios::matches_pattern(pattern_, lower_case(name));
  }
  [[nodiscard]] bool is_port(const std::string& device, const std::string& port) const {
    return is_named(device) || is_named(port) || is_named(device + "/" + port);
  }

  [[nodiscard]] bool is_nic(const Server& server, const ServerNic& nic) const {
    const std::string host = server.host.value_or("");
    return is_named(nic.name) || is_named(host + "/" + nic.name) ||
           (nic.interface && (is_named(*nic.interface) || is_named(host + "/" + *nic.interface)));
  }

  /// GPUs know their NICs by index.
  [[nodiscard]] std::size_t take_nics(Server& server) const {
    std::vector<ServerNic> kept;
    std::vector<std::optional<std::size_t>> places;
    for (ServerNic& nic : server.nics) {
      const bool is_out = is_nic(server, nic);
      places.push_back(is_out ? std::nullopt : std::optional(kept.size()));
      if (!is_out) kept.push_back(std::move(nic));
    }
    const std::size_t removed = server.nics.size() - kept.size();
    server.nics = std::move(kept);
    if (removed == 0) return 0;
    for (ServerGpu& gpu : server.gpus) {
      std::map<std::size_t, PciePath> paths;
      for (const auto& [nic, path] : gpu.nics) {
        if (nic < places.size() && places[nic]) paths.emplace(*places[nic], path);
      }
      gpu.nics = std::move(paths);
    }
    return removed;
  }

  std::string pattern_;
  std::vector<std::string> counts_;
};

/// Names that a pattern may have meant.
std::vector<std::string> names_in(const Description& description) {
  const DeviceNames devices = devices_of(description);
  DeviceNames names(devices);
  for (const Cable& cable : description.cables) {
    names.insert(cable.a.port);
    names.insert(cable.b.port);
  }
  for (const Server& server : description.servers) {
    for (const ServerNic& nic : server.nics) names.insert(nic.name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> leave_out(Description& description,
                                   const std::vector<std::string>& patterns) {
  if (patterns.empty()) return {};
  const DeviceNames before = devices_of(description);
  const std::vector<std::string> names = names_in(description);
  for (const std::string& pattern : patterns) {
    Exclusion excluded(pattern);
    excluded.apply(description);
    if (excluded.counts().empty()) {
      add_error(description.remarks, {},
                fmt::format("--without {}: no device, port or NIC of these files is called so{}",
                            backquoted(pattern), did_you_mean(pattern, names)));
    } else {
      add_warning(description.remarks, {},
                  fmt::format("--without {} leaves out {}", backquoted(pattern),
                              fmt::join(excluded.counts(), ", ")));
    }
  }
  const DeviceNames after = devices_of(description);
  std::vector<std::string> gone;
  std::ranges::set_difference(before, after, std::back_inserter(gone), NaturalOrder());
  return gone;
}

}  // namespace weft::import
