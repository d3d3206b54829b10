#include "tools/import/switches/config_db.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/units.hpp"

namespace weft::import {
namespace {

/// Tables that say nothing of links, buffers and classes, or whose content needs no model here.
/// SONiC's Configuration.md and yang models (sonic-buildimage 086b03bd).
constexpr std::array kUnusedTables =
    std::to_array<std::string_view>({"AAA",
                                     "ACL_RULE",
                                     "ACL_TABLE",
                                     "ACL_TABLE_TYPE",
                                     "AUTO_TECHSUPPORT",
                                     "AUTO_TECHSUPPORT_FEATURE",
                                     "BANNER_MESSAGE",
                                     "BGP_ALLOWED_PREFIXES",
                                     "BGP_DEVICE_GLOBAL",
                                     "BGP_GLOBALS",
                                     "BGP_GLOBALS_AF",
                                     "BGP_MONITORS",
                                     "BGP_NEIGHBOR",
                                     "BGP_NEIGHBOR_AF",
                                     "BGP_PEER_GROUP",
                                     "BGP_PEER_RANGE",
                                     "BREAKOUT_CFG",
                                     "CLASSIFIER_TABLE",
                                     "CONSOLE_PORT",
                                     "CONSOLE_SWITCH",
                                     "COPP_GROUP",
                                     "COPP_TRAP",
                                     "CRM",
                                     "DEBUG_COUNTER",
                                     "DHCP_RELAY",
                                     "DHCP_SERVER",
                                     "DNS_NAMESERVER",
                                     "DOT1P_TO_TC_MAP",
                                     "FEATURE",
                                     "FLEX_COUNTER_TABLE",
                                     "FLOW_COUNTER_ROUTE_PATTERN",
                                     "GNMI",
                                     "HEARTBEAT",
                                     "INTERFACE",
                                     "KDUMP",
                                     "LLDP",
                                     "LLDP_PORT",
                                     "LOGGER",
                                     "LOOPBACK_INTERFACE",
                                     "LOSSLESS_TRAFFIC_PATTERN",
                                     "MGMT_INTERFACE",
                                     "MGMT_PORT",
                                     "MGMT_VRF_CONFIG",
                                     "MID_PLANE_BRIDGE",
                                     "MIRROR_SESSION",
                                     "NEIGH",
                                     "NTP",
                                     "NTP_SERVER",
                                     "PASSW_HARDENING",
                                     "PORTCHANNEL",
                                     "PORTCHANNEL_INTERFACE",
                                     "PORTCHANNEL_MEMBER",
                                     "PORT_STORM_CONTROL",
                                     "RADIUS",
                                     "RESTAPI",
                                     "SCHEDULER_GROUP",
                                     "SERIAL_CONSOLE",
                                     "SFLOW",
                                     "SNMP",
                                     "SNMP_COMMUNITY",
                                     "SNMP_USER",
                                     "SSH_SERVER",
                                     "STATIC_ROUTE",
                                     "STP",
                                     "SYSLOG_CONFIG",
                                     "SYSLOG_CONFIG_FEATURE",
                                     "SYSLOG_SERVER",
                                     "SYSTEM_DEFAULTS",
                                     "TACPLUS",
                                     "TACPLUS_SERVER",
                                     "TELEMETRY",
                                     "TC_TO_DOT1P_MAP",
                                     "TC_TO_DSCP_MAP",
                                     "VERSIONS",
                                     "VLAN",
                                     "VLAN_INTERFACE",
                                     "VLAN_MEMBER",
                                     "VLAN_SUB_INTERFACE",
                                     "VRF",
                                     "VXLAN_TUNNEL",
                                     "VXLAN_TUNNEL_MAP",
                                     "VXLAN_EVPN_NVO",
                                     "WATERMARK_TABLE",
                                     "ZTP",
                                     "TRIMMING",
                                     "SWITCH_TRIMMING",
                                     "BUFFER_PORT_INGRESS_PROFILE_LIST",
                                     "BUFFER_PORT_EGRESS_PROFILE_LIST",
                                     "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
                                     "CABLE_LENGTH_LIST",
                                     "PREFIX_LIST",
                                     "ROUTE_MAP"});

constexpr std::array kUsedTables = std::to_array<std::string_view>(
    {"DEVICE_METADATA", "PORT", "DEVICE_NEIGHBOR", "DEVICE_NEIGHBOR_METADATA", "CABLE_LENGTH",
     "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "BUFFER_QUEUE", "WRED_PROFILE", "SCHEDULER",
     "QUEUE", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP",
     "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PORT_QOS_MAP", "PFC_WD"});

}  // namespace

ConfigDb::ConfigDb(const InputFile& file, const DataNode& root, Remarks& remarks)
    : file_(file), root_(root), remarks_(remarks) {}

bool ConfigDb::has(std::string_view table) const { return root_.find(table) != nullptr; }

void ConfigDb::error(SourceLocation where, std::string text) {
  if (remarks_.size() < kMaxFaults) add_error(remarks_, std::move(where), std::move(text));
  refuse_if_full();
}

void ConfigDb::warning(SourceLocation where, std::string text) {
  if (remarks_.size() < kMaxFaults) add_warning(remarks_, std::move(where), std::move(text));
  refuse_if_full();
}

void ConfigDb::refuse_if_full() {
  if (remarks_.size() != kMaxFaults) return;
  add_error(remarks_, {.file = file_.name()},
            "has more faults than are listed: is it of a switch?");
}

std::vector<ConfigDb::Row> ConfigDb::rows(std::string_view table) {
  std::vector<Row> rows;
  const DataNode* value = root_.find(table);
  if (value == nullptr) return rows;
  if (!value->is_map()) {
    error(value->where(file_, std::string(table)), "is no table: an object of rows is expected");
    return rows;
  }
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const DataNode& fields = value->items[i];
    const std::string& key = value->keys[i];
    SourceLocation where = fields.where(file_, fmt::format("{}|{}", table, escaped(key)));
    if (!fields.is_map()) {
      error(std::move(where), "is no row: an object of fields is expected");
      continue;
    }
    rows.push_back({std::string(table), key, &fields, std::move(where)});
  }
  return rows;
}

std::optional<DbField> ConfigDb::field(const Row& row, std::string_view name) {
  const DataNode* value = row.value->find(name);
  if (value == nullptr) return std::nullopt;
  DbField field{.text = value->text,
                .where = value->where(file_, fmt::format("{}.{}", row.where.key, name))};
  if (value->is_list()) {  // of a leaf list
    for (const DataNode& item : value->items) {
      if (item.kind != DataNode::Kind::kText && item.kind != DataNode::Kind::kNumber) {
        error(field.where, "a list of texts or numbers is expected");
        return std::nullopt;
      }
      field.text += (field.text.empty() ? "" : ",") + item.text;
    }
    return field;
  }
  if (!value->is_scalar()) {
    error(field.where, "a text or a number is expected");
    return std::nullopt;
  }
  return field;
}

std::vector<std::pair<std::string, DbField>> ConfigDb::fields(const Row& row) {
  std::vector<std::pair<std::string, DbField>> all;
  for (std::size_t i = 0; i < row.value->items.size(); ++i) {
    const DataNode& value = row.value->items[i];
    const std::string& key = row.value->keys[i];
    DbField field{.text = value.text,
                  .where = value.where(file_, fmt::format("{}.{}", row.where.key, escaped(key)))};
    if (value.kind != DataNode::Kind::kText && value.kind != DataNode::Kind::kNumber) {
      error(field.where, "a text or a number is expected");
      continue;
    }
    all.emplace_back(key, std::move(field));
  }
  return all;
}

void ConfigDb::warn_unknown_fields(const Row& row, std::span<const std::string_view> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (std::size_t i = 0; i < row.value->items.size(); ++i) {
    const std::string& key = row.value->keys[i];
    if (std::ranges::find(known, std::string_view(key)) != known.end()) continue;
    if (!warned_fields_.insert(row.table + "." + key).second) continue;
    std::string text = fmt::format("{} is not known, ignored", backquoted(key));
    if (suggestions_++ < kMaxSuggestions) text += did_you_mean(key, names);
    warning(row.value->items[i].where(file_, row.where.key), std::move(text));
  }
}

void ConfigDb::warn_unknown_tables() {
  const std::vector<std::string> used(kUsedTables.begin(), kUsedTables.end());
  for (std::size_t i = 0; i < root_.keys.size(); ++i) {
    const std::string_view name = root_.keys[i];
    if (std::ranges::find(kUsedTables, name) != kUsedTables.end()) continue;
    if (std::ranges::find(kUnusedTables, name) != kUnusedTables.end()) continue;
    std::string text = fmt::format("the table {} is not known, ignored", backquoted(name));
    if (suggestions_++ < kMaxSuggestions) text += did_you_mean(name, used);
    warning(root_.items[i].where(file_), std::move(text));
  }
}

std::optional<std::int64_t> ConfigDb::number(const DbField& field, std::int64_t min,
                                             std::int64_t max, std::string_view expected) {
  std::string_view digits = field.text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const auto value = parse_unsigned(digits);
  if (value && *value <= std::uint64_t{1} << 62U) {
    const std::int64_t signed_value = static_cast<std::int64_t>(*value) * (negative ? -1 : 1);
    if (min <= signed_value && signed_value <= max) return signed_value;
  }
  error(field.where, fmt::format("{} found, expected {}", backquoted(field.text), expected));
  return std::nullopt;
}

std::optional<Stated<Bytes>> ConfigDb::bytes(const Row& row, std::string_view name) {
  const std::optional<DbField> found = field(row, name);
  if (!found) return std::nullopt;
  constexpr std::int64_t kMaxValue = 1'000'000'000'000;
  const auto value = number(*found, 0, kMaxValue, "a whole number of bytes, at most 10^12");
  if (!value) return std::nullopt;
  return Stated<Bytes>{Bytes(*value), found->where};
}

std::string ConfigDb::referred(const DbField& field, std::string_view table) {
  std::string_view text = field.text;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (const std::size_t bar = text.find('|'); bar != std::string_view::npos) {
    if (text.substr(0, bar) != table) {
      error(field.where,
            fmt::format("{} found, expected a name of {}", backquoted(field.text), table));
    }
    text.remove_prefix(bar + 1);
  }
  return std::string(text);
}

void ConfigDb::unknown_name(const DbField& field, std::string_view table,
                            const std::vector<std::string>& known) {
  std::string text = fmt::format("names {}, which {} does not have", backquoted(field.text), table);
  if (suggestions_++ < kMaxSuggestions) text += did_you_mean(field.text, known);
  error(field.where, std::move(text));
}

}  // namespace weft::import
