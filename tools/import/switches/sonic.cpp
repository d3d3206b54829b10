#include "tools/import/switches/sonic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/switches/config_db.hpp"

namespace weft::import {
namespace {

/// Tables that no other JSON has as keys of its outermost object.
constexpr std::array kSigns = std::to_array<std::string_view>(
    {"DEVICE_METADATA", "PORT_QOS_MAP", "DSCP_TO_TC_MAP", "BUFFER_PROFILE", "BUFFER_PG",
     "DEVICE_NEIGHBOR", "CABLE_LENGTH", "WRED_PROFILE", "PFC_WD"});

/// Also of files that are cut or malformed, so that these are refused as what they are.
std::optional<std::string_view> recognise_sonic(const InputFile& file) {
  const std::string_view text = file.text();
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos || text[first] != '{') return std::nullopt;
  for (const std::string_view sign : kSigns) {
    const std::string key = fmt::format("\"{}\"", sign);
    const std::size_t found = text.find(key);
    if (found == std::string_view::npos) continue;
    const std::size_t next = text.find_first_not_of(" \t\n", found + key.size());
    if (next != std::string_view::npos && text[next] == ':') return sign;
  }
  return std::nullopt;
}

std::size_t lossless_profiles(const SwitchSettings& settings) {
  std::set<std::string> keys;
  for (const auto& [name, port] : settings.ports) {
    for (const ClassSettings& one : port.classes) {
      if (one.ingress && one.ingress->headroom) keys.insert(one.ingress->headroom->where.key);
    }
  }
  return keys.size();
}

void read_sonic(const InputFile& file, Description& description) {
  const Result<DataNode> root = parse_json_text(file);
  if (!root) {
    for (const Error& error : root.errors()) {
      add_error(description.remarks, error.where, error.message);
    }
    return;
  }
  Description found;
  ConfigDb db(file, root.value(), found.remarks);
  db.warn_unknown_tables();
  SwitchSettings settings{.where = {.file = file.name()}};
  read_ports(db, settings);
  read_neighbours(db, settings, found);
  read_neighbour_roles(db, found);
  read_cable_lengths(db, settings);
  DbBuffers buffers = read_buffers(db, settings);
  read_queues(db, settings, buffers);
  read_classes(db, settings, buffers);
  read_watchdogs(db, settings);
  if (settings.ports.empty() && !has_errors(found.remarks)) {
    db.error({.file = file.name()},
             "names no port: expected the tables PORT or PORT_QOS_MAP; is it a part of the file?");
  }
  description.remarks.insert(description.remarks.end(), found.remarks.begin(), found.remarks.end());
  if (has_errors(found.remarks)) return;
  const auto up =
      std::ranges::count_if(settings.ports, [](const auto& p) { return p.second.is_up; });
  description.recognised.push_back(fmt::format(
      "{}: SONiC config_db of {}: {} ports ({} up), {} neighbours, {} lossless profiles",
      escaped(file.name()), settings.name ? escaped(*settings.name) : "a switch without a name",
      settings.ports.size(), up, found.cables.size(), lossless_profiles(settings)));
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(description.cables, found.cables);
  append(description.devices, found.devices);
  if (settings.name) {
    description.devices.push_back({.name = *settings.name,
                                   .kind = DeviceKind::kSwitch,
                                   .tier = settings.tier,
                                   .part = settings.part,
                                   .where = settings.where});
  }
  description.switches.push_back(std::move(settings));
}

}  // namespace

Format sonic_format() {
  return {.name = "sonic-config-db",
          .about = "SONiC config_db.json",
          .command = "/etc/sonic/config_db.json, or `sonic-cfggen -d --print-data`",
          .recognise = recognise_sonic,
          .read = read_sonic};
}

}  // namespace weft::import
