#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/config_db.hpp"
#include "tools/import/switches/units.hpp"

namespace weft::import {
namespace {

using namespace literals;

struct HardwareName {
  std::string_view contains;  ///< of `hwsku`, in lower case
  std::string_view part;      ///< of the catalogue
};
// The platforms that the catalogue's entries name.
constexpr std::array kHardware =
    std::to_array<HardwareName>({{"7060x6", "tomahawk-5"}, {"sn5600", "spectrum-4"}});

constexpr std::array kMetadataFields =
    std::to_array<std::string_view>({"hostname",
                                     "hwsku",
                                     "platform",
                                     "type",
                                     "buffer_model",
                                     "mac",
                                     "bgp_asn",
                                     "region",
                                     "cloudtype",
                                     "deployment_id",
                                     "peer_switch",
                                     "default_bgp_status",
                                     "default_pfcwd_status",
                                     "docker_routing_config_mode",
                                     "synchronous_mode",
                                     "asic_id",
                                     "asic_name",
                                     "sub_role",
                                     "switch_id",
                                     "switch_type",
                                     "max_cores",
                                     "timezone",
                                     "subtype",
                                     "slice_type",
                                     "yang_config_validation",
                                     "frr_mgmt_framework_config",
                                     "create_only_config_db_buffers",
                                     "qos_recommended_profile",
                                     "storage_device",
                                     "macsec_profile",
                                     "cluster",
                                     "rack_mgmt_map",
                                     "suppress-fib-pending",
                                     "ip_addr"});
constexpr std::array kPortFields = std::to_array<std::string_view>({"alias",
                                                                    "lanes",
                                                                    "index",
                                                                    "speed",
                                                                    "mtu",
                                                                    "admin_status",
                                                                    "fec",
                                                                    "description",
                                                                    "autoneg",
                                                                    "adv_speeds",
                                                                    "adv_interface_types",
                                                                    "interface_type",
                                                                    "link_training",
                                                                    "tpid",
                                                                    "role",
                                                                    "asic_port_name",
                                                                    "pfc_asym",
                                                                    "core_id",
                                                                    "core_port_id",
                                                                    "num_voq",
                                                                    "subport",
                                                                    "dom_polling",
                                                                    "macsec",
                                                                    "mode",
                                                                    "tx_power",
                                                                    "laser_freq",
                                                                    "override_unreliable_los"});
constexpr std::array kWatchdogFields = std::to_array<std::string_view>(
    {"action", "detection_time", "restoration_time", "pfc_stat_history"});

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// SONiC's names of roles. ToR switches have servers below.
std::optional<std::uint32_t> tier_of_type(std::string_view type) {
  if (type == "ToRRouter" || type == "BackEndToRRouter") return 1;
  if (type == "LeafRouter" || type == "BackEndLeafRouter") return 2;
  if (type == "SpineRouter" || type == "UpperSpineRouter" || type == "LowerSpineRouter") return 3;
  return std::nullopt;
}

void read_metadata(ConfigDb& db, SwitchSettings& settings) {
  for (const ConfigDb::Row& row : db.rows("DEVICE_METADATA")) {
    if (row.key != "localhost") continue;
    settings.where = row.where;
    db.warn_unknown_fields(row, kMetadataFields);
    if (const auto name = db.field(row, "hostname"); name && !name->text.empty()) {
      settings.name = name->text;
      settings.where = name->where;
    }
    if (const auto hardware = db.field(row, "hwsku")) {
      settings.hardware = Stated<std::string>{hardware->text, hardware->where};
      const std::string text = lower(hardware->text);
      for (const HardwareName& known : kHardware) {
        if (text.find(known.contains) != std::string::npos) settings.part = known.part;
      }
    }
    if (const auto type = db.field(row, "type")) {
      settings.tier = tier_of_type(type->text);
      if (!settings.tier) {
        db.warning(type->where,
                   fmt::format("role {} is not known (ToRRouter, LeafRouter, SpineRouter): the "
                               "cables decide the tier",
                               backquoted(type->text)));
      }
    }
    if (const auto model = db.field(row, "buffer_model"); model && model->text == "dynamic") {
      db.warning(model->where,
                 "with `dynamic` the switch computes its buffer profiles, they stand in no file: "
                 "`show buffer information` prints them; the default preset is used instead");
    }
  }
}

void read_speed(ConfigDb& db, const ConfigDb::Row& row, SwitchPort& port) {
  const auto speed = db.field(row, "speed");
  if (!speed) return;
  const auto value = parse_unsigned(speed->text);
  if (!value) {
    db.error(speed->where, fmt::format("{} found, expected a whole number of Mb/s, such as 400000",
                                       backquoted(speed->text)));
  } else if (const auto rate = ethernet_rate(*value)) {
    port.rate = Stated<BitsPerSecond>{*rate, speed->where};
  } else {
    db.error(speed->where, no_ethernet_rate(*value));
  }
}

void read_port_words(ConfigDb& db, const ConfigDb::Row& row, SwitchPort& port) {
  // SONiC keeps a port down whose row does not say (yang: default down).
  const auto status = db.field(row, "admin_status");
  port.is_up = status && status->text == "up";
  if (status && status->text != "up" && status->text != "down") {
    db.error(status->where, fmt::format("{} found, expected up or down", backquoted(status->text)));
  }
  if (const auto fec = db.field(row, "fec")) {
    static const std::vector<std::string> known{"rs", "fc", "none", "auto"};
    if (std::ranges::find(known, fec->text) == known.end()) {
      db.error(fec->where, fmt::format("{} found, expected rs, fc, none or auto{}",
                                       backquoted(fec->text), did_you_mean(fec->text, known)));
    } else {
      port.fec = Stated<std::string>{fec->text, fec->where};
    }
  }
}

std::string port_of(const std::map<std::string, std::string>& taken, const std::string& name) {
  const auto found = taken.find(name);
  return found == taken.end() ? std::string() : found->second;
}

std::optional<Picoseconds> milliseconds(ConfigDb& db, const ConfigDb::Row& row,
                                        std::string_view name) {
  const auto field = db.field(row, name);
  if (!field) return std::nullopt;
  const auto value = db.number(*field, 1, 3'600'000, "milliseconds, 1 to 3,600,000");
  if (!value) return std::nullopt;
  return *value * 1_ms;
}

void unknown_port(ConfigDb& db, const SwitchSettings& settings, std::string_view name,
                  const SourceLocation& where) {
  std::vector<std::string> known;
  if (db.may_suggest()) {
    for (const auto& [port, unused] : settings.ports) known.push_back(port);
  }
  db.unknown_name({.text = std::string(name), .where = where}, "PORT", known);
}

}  // namespace

void read_ports(ConfigDb& db, SwitchSettings& settings) {
  read_metadata(db, settings);
  std::map<std::string, std::string> aliases;
  for (const ConfigDb::Row& row : db.rows("PORT")) {
    db.warn_unknown_fields(row, kPortFields);
    SwitchPort port{.where = row.where};
    if (const auto alias = db.field(row, "alias"); alias && !alias->text.empty()) {
      port.alias = alias->text;
      if (const auto [it, is_new] = aliases.emplace(alias->text, row.key); !is_new) {
        db.error(alias->where, fmt::format("the alias {} stands at {} too", backquoted(alias->text),
                                           backquoted(it->second)));
      }
    }
    read_speed(db, row, port);
    if (const auto mtu = db.field(row, "mtu")) {
      if (const auto value = db.number(*mtu, 68, 9216, "an MTU of 68 to 9216 bytes")) {
        port.mtu = Stated<Bytes>{Bytes(*value), mtu->where};
      }
    }
    read_port_words(db, row, port);
    settings.ports.emplace(row.key, std::move(port));
  }
}

std::vector<std::string> ports_of_key(ConfigDb& db, SwitchSettings& settings,
                                      std::string_view names, const SourceLocation& where) {
  std::vector<std::string> ports;
  const std::vector<std::string_view> listed = split(names, ',');
  if (listed.size() > kMaxPorts || settings.ports.size() > kMaxPorts) {
    db.error({.file = db.file().name()},
             fmt::format("names more than {} ports, which no switch has", kMaxPorts));
    return ports;
  }
  for (const std::string_view name : listed) {
    if (name.empty()) {
      db.error(where, "a port is named with no letters: two commas, or one at an end?");
      continue;
    }
    if (!settings.ports.contains(name)) {
      if (db.has("PORT")) {
        unknown_port(db, settings, name, where);
        continue;
      }
      settings.ports.emplace(std::string(name), SwitchPort{.where = where});
    }
    ports.emplace_back(name);
  }
  return ports;
}

void read_neighbours(ConfigDb& db, const SwitchSettings& settings, Description& description) {
  static constexpr std::array kFields = std::to_array<std::string_view>({"name", "port"});
  std::map<std::string, std::string> taken;  // far end -> port here
  for (const ConfigDb::Row& row : db.rows("DEVICE_NEIGHBOR")) {
    db.warn_unknown_fields(row, kFields);
    const auto name = db.field(row, "name");
    const auto far_port = db.field(row, "port");
    const auto port = settings.ports.find(row.key);
    if (port == settings.ports.end() && db.has("PORT")) {
      if (row.key.starts_with("eth")) continue;  // of management
      unknown_port(db, settings, row.key, row.where);
      continue;
    }
    if (!name || name->text.empty() || !far_port || far_port->text.empty()) {
      db.error(row.where, "expected `name` and `port` of the neighbour");
      continue;
    }
    const PortName far{name->text, far_port->text};
    if (settings.name && far.device == *settings.name && far.port == row.key) {
      db.error(row.where, "the port is its own neighbour");
      continue;
    }
    if (const std::string first = port_of(taken, far.to_string()); !first.empty()) {
      db.error(row.where,
               fmt::format("{} is the neighbour of {} and of {}: one cable has two ends",
                           backquoted(far.to_string()), backquoted(first), backquoted(row.key)));
      continue;
    }
    taken.emplace(far.to_string(), row.key);
    if (!settings.name) continue;  // is said once
    Cable cable;
    cable.a = {*settings.name, row.key};
    cable.b = far;
    if (port != settings.ports.end()) cable.rate = port->second.rate;
    cable.known_by = Knowledge::kConfigured;
    cable.where = row.where;
    description.cables.push_back(std::move(cable));
  }
  if (!settings.name && !taken.empty()) {
    db.error(db.file().key("DEVICE_METADATA|localhost.hostname"),
             "is missing: whose neighbours are in DEVICE_NEIGHBOR?");
  }
}

void read_cable_lengths(ConfigDb& db, SwitchSettings& settings) {
  for (const ConfigDb::Row& row : db.rows("CABLE_LENGTH")) {
    for (const auto& [key, field] : db.fields(row)) {
      std::string_view digits = field.text;
      const bool has_unit = digits.ends_with('m');
      if (has_unit) digits.remove_suffix(1);
      const auto metres = parse_unsigned(digits);
      if (!has_unit || !metres || *metres > 100'000) {
        db.error(field.where, fmt::format("{} found, expected a whole number with `m`, such as 5m",
                                          backquoted(field.text)));
        continue;
      }
      for (const std::string& port : ports_of_key(db, settings, key, field.where)) {
        if (*metres == 0) continue;  // SONiC's mark of a port without a cable
        settings.ports.find(port)->second.cable_length = Stated<Millimetres>{
            Millimetres(static_cast<std::int64_t>(*metres) * 1000), field.where};
      }
    }
  }
}

void read_watchdogs(ConfigDb& db, SwitchSettings& settings) {
  std::optional<Picoseconds> poll;
  for (const ConfigDb::Row& row : db.rows("PFC_WD")) {
    if (row.key == "GLOBAL") poll = milliseconds(db, row, "POLL_INTERVAL");
  }
  for (const ConfigDb::Row& row : db.rows("PFC_WD")) {
    if (row.key == "GLOBAL") continue;
    db.warn_unknown_fields(row, kWatchdogFields);
    PfcWatchdog watchdog{.poll = poll, .where = row.where};
    const auto detection = milliseconds(db, row, "detection_time");
    if (!detection) continue;
    watchdog.detection_time = *detection;
    watchdog.restoration_time = milliseconds(db, row, "restoration_time").value_or(Picoseconds());
    const auto action = db.field(row, "action");
    watchdog.action = action ? action->text : "drop";
    if (watchdog.action != "drop" && watchdog.action != "forward" && watchdog.action != "alert") {
      db.error(action->where,
               fmt::format("{} found, expected drop, forward or alert", backquoted(action->text)));
    }
    for (const std::string& port : ports_of_key(db, settings, row.key, row.where)) {
      settings.ports.find(port)->second.watchdog = watchdog;
    }
    if (!settings.watchdog) settings.watchdog = watchdog;
  }
}

void read_neighbour_roles(ConfigDb& db, Description& description) {
  for (const ConfigDb::Row& row : db.rows("DEVICE_NEIGHBOR_METADATA")) {
    const auto type = db.field(row, "type");
    if (!type) continue;
    Device device;
    device.name = row.key;
    device.where = row.where;
    device.tier = tier_of_type(type->text);
    if (device.tier) device.kind = DeviceKind::kSwitch;
    if (type->text == "Server") device.kind = DeviceKind::kServer;
    if (const auto hardware = db.field(row, "hwsku")) {
      const std::string text = lower(hardware->text);
      for (const HardwareName& known : kHardware) {
        if (text.find(known.contains) != std::string::npos) device.part = known.part;
      }
    }
    description.devices.push_back(std::move(device));
  }
}

}  // namespace weft::import
