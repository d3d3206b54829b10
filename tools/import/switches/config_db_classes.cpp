#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/config_db.hpp"
#include "tools/import/switches/units.hpp"

namespace weft::import {
namespace {

constexpr std::array kQosFields = std::to_array<std::string_view>(
    {"dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map", "pfc_to_pg_map",
     "pfc_enable", "pfcwd_sw_enable", "dot1p_to_tc_map", "tc_to_dscp_map", "tc_to_dot1p_map",
     "scheduler", "dscp_to_fc_map", "exp_to_fc_map"});

using NumberMap = CodePoints;
/// Shared: the classes of all ports that use a map refer to it.
using NumberMaps = std::map<std::string, std::shared_ptr<NumberMap>>;

/// A map of numbers to numbers; keys and values beyond their largest are errors.
NumberMaps read_maps(ConfigDb& db, std::string_view table, std::int64_t max_key,
                     std::int64_t max_value) {
  NumberMaps maps;
  for (const ConfigDb::Row& row : db.rows(table)) {
    auto made = std::make_shared<NumberMap>();
    NumberMap& map = *made;
    maps.emplace(row.key, std::move(made));
    for (const auto& [key, field] : db.fields(row)) {
      const auto from = db.number({.text = key, .where = field.where}, 0, max_key,
                                  fmt::format("a key of 0 to {}", max_key));
      const auto to = db.number(field, 0, max_value, fmt::format("a value of 0 to {}", max_value));
      if (!from || !to) continue;
      const auto [it, is_new] =
          map.emplace(static_cast<std::uint32_t>(*from),
                      Stated<std::uint32_t>{static_cast<std::uint32_t>(*to), field.where});
      if (!is_new) db.error(field.where, fmt::format("{} stands twice in the map", *from));
    }
  }
  return maps;
}

struct AllMaps {
  NumberMaps dscps;
  NumberMaps queues;
  NumberMaps groups;
  NumberMaps paused;
  NumberMaps priorities;  ///< by priority: its group
};

constexpr std::string_view kDscps = "DSCP_TO_TC_MAP";
constexpr std::string_view kQueues = "TC_TO_QUEUE_MAP";
constexpr std::string_view kGroups = "TC_TO_PRIORITY_GROUP_MAP";
constexpr std::string_view kPaused = "MAP_PFC_PRIORITY_TO_QUEUE";
constexpr std::string_view kPriorities = "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP";

/// What one row of PORT_QOS_MAP, or the row `global`, names.
struct QosRow {
  std::shared_ptr<const NumberMap> dscps{};
  std::shared_ptr<const NumberMap> queues{};
  std::shared_ptr<const NumberMap> groups{};
  std::shared_ptr<const NumberMap> paused{};
  std::shared_ptr<const NumberMap> priorities{};
  std::optional<Stated<std::set<std::uint32_t>>> pfc{};
  std::optional<Stated<std::set<std::uint32_t>>> watched{};
  SourceLocation where{};
};

class QosRows {
 public:
  explicit QosRows(ConfigDb& db)
      : db_(db),
        maps_{.dscps = read_maps(db, kDscps, 63, 15),
              .queues = read_maps(db, kQueues, 15, 15),
              .groups = read_maps(db, kGroups, 15, 7),
              .paused = read_maps(db, kPaused, 7, 15),
              .priorities = read_maps(db, kPriorities, 7, 7)} {}

  QosRow read(const ConfigDb::Row& row) {
    db_.warn_unknown_fields(row, kQosFields);
    QosRow qos{.where = row.where};
    qos.dscps = map_of(row, "dscp_to_tc_map", kDscps, maps_.dscps);
    qos.queues = map_of(row, "tc_to_queue_map", kQueues, maps_.queues);
    qos.groups = map_of(row, "tc_to_pg_map", kGroups, maps_.groups);
    qos.paused = map_of(row, "pfc_to_queue_map", kPaused, maps_.paused);
    qos.priorities = map_of(row, "pfc_to_pg_map", kPriorities, maps_.priorities);
    qos.pfc = priorities_of(row, "pfc_enable");
    qos.watched = priorities_of(row, "pfcwd_sw_enable");
    return qos;
  }

 private:
  std::shared_ptr<const NumberMap> map_of(const ConfigDb::Row& row, std::string_view name,
                                          std::string_view table, const NumberMaps& maps) {
    const auto field = db_.field(row, name);
    if (!field) return nullptr;
    const auto found = maps.find(db_.referred(*field, table));
    if (found != maps.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [map, unused] : maps) known.push_back(map);
    db_.unknown_name(*field, table, known);
    return nullptr;
  }

  std::optional<Stated<std::set<std::uint32_t>>> priorities_of(const ConfigDb::Row& row,
                                                               std::string_view name) {
    const auto field = db_.field(row, name);
    if (!field) return std::nullopt;
    if (field->text.empty()) return Stated<std::set<std::uint32_t>>{{}, field->where};
    auto priorities = number_set(field->text, 7);
    if (!priorities) {
      db_.error(field->where, fmt::format("{} found, expected priorities of 0 to 7, such as 3,4",
                                          backquoted(field->text)));
      return std::nullopt;
    }
    return Stated<std::set<std::uint32_t>>{*std::move(priorities), field->where};
  }

  ConfigDb& db_;
  AllMaps maps_;
};

std::uint32_t value_or(const std::shared_ptr<const NumberMap>& map, std::uint32_t key,
                       std::uint32_t missing) {
  if (map == nullptr) return missing;
  const auto found = map->find(key);
  return found == map->end() ? missing : found->second.value;
}

/// The priority whose pauses a group sends: that of its number, unless a map says otherwise.
std::uint32_t priority_of_group(const std::shared_ptr<const NumberMap>& priorities,
                                std::uint32_t group) {
  if (priorities == nullptr) return group;
  for (const auto& [priority, mapped] : *priorities) {
    if (mapped.value == group) return priority;
  }
  return group;
}

/// One class for each traffic class that a code point reaches.
std::vector<ClassSettings> classes_of(const QosRow& qos) {
  std::map<std::uint32_t, ClassSettings> by_traffic_class;
  if (qos.dscps != nullptr) {
    for (const auto& [dscp, mapped] : *qos.dscps) {
      ClassSettings& made = by_traffic_class[mapped.value];
      made.dscps.insert(dscp);
    }
  }
  std::vector<ClassSettings> classes;
  for (auto& [traffic_class, made] : by_traffic_class) {
    made.traffic_class = traffic_class;
    made.code_points = qos.dscps;
    made.queue = value_or(qos.queues, traffic_class, traffic_class);
    made.priority =
        priority_of_group(qos.priorities, value_or(qos.groups, traffic_class, traffic_class));
    if (qos.paused != nullptr) {
      if (const auto found = qos.paused->find(made.priority); found != qos.paused->end()) {
        made.paused_queue = found->second.value;
      }
    }
    made.pfc = qos.pfc && qos.pfc->value.contains(made.priority);
    made.where = qos.where;
    classes.push_back(std::move(made));
  }
  std::ranges::stable_sort(classes, {}, &ClassSettings::queue);
  return classes;
}

/// Fills in what the tables of buffers and queues say of a class of a port.
void add_buffers(const ConfigDb& db, const std::string& port, std::uint32_t group,
                 const DbBuffers& buffers, ClassSettings& made) {
  if (const auto found = buffers.groups.find({port, group}); found != buffers.groups.end()) {
    made.ingress = found->second;
  } else if (db.has("BUFFER_PG") && !buffers.on_switch_only.contains({port, group})) {
    // No row: the group has nothing of its own, headroom least of all.
    made.ingress =
        BufferSettings{.where = db.file().key(fmt::format("BUFFER_PG|{}|{}", port, group))};
  }
  const auto queue = buffers.queues.find({port, made.queue});
  if (queue == buffers.queues.end()) return;
  made.is_strict = queue->second.is_strict;
  made.weight = queue->second.weight;
  made.ecn = queue->second.ecn;
  if (const auto& buffer = queue->second.buffer) {
    made.egress_reserved = buffer->reserved;
    made.egress_alpha = buffer->alpha;
    made.egress_threshold = buffer->threshold;
  }
}

void merge(QosRow& into, const QosRow& from) {
  if (into.dscps == nullptr) into.dscps = from.dscps;
  if (into.queues == nullptr) into.queues = from.queues;
  if (into.groups == nullptr) into.groups = from.groups;
  if (into.paused == nullptr) into.paused = from.paused;
  if (into.priorities == nullptr) into.priorities = from.priorities;
}

/// Where a map is missing, the switch has a default that its vendor chose: taken as the number
/// itself, and said once.
void warn_of_missing_maps(ConfigDb& db, const QosRow& qos, std::set<std::string>& warned) {
  const auto warn = [&](bool is_missing, std::string_view name) {
    if (!is_missing || !warned.insert(std::string(name)).second) return;
    db.warning(qos.where, fmt::format("names no {}: taken as each number to itself", name));
  };
  warn(qos.queues == nullptr, "tc_to_queue_map");
  warn(qos.groups == nullptr, "tc_to_pg_map");
  if (qos.dscps == nullptr) return;
  const auto warn_of_gaps = [&](const std::shared_ptr<const NumberMap>& map,
                                std::string_view name) {
    for (const auto& [dscp, mapped] : *qos.dscps) {
      if (map == nullptr || map->contains(mapped.value)) continue;
      if (!warned.insert(fmt::format("{} {}", name, mapped.value)).second) continue;
      db.warning(qos.where, fmt::format("its {} has no row for traffic class {}, which DSCP {} "
                                        "reaches: {} is taken",
                                        name, mapped.value, dscp, mapped.value));
    }
  };
  warn_of_gaps(qos.queues, "tc_to_queue_map");
  warn_of_gaps(qos.groups, "tc_to_pg_map");
}

}  // namespace

void read_classes(ConfigDb& db, SwitchSettings& settings, const DbBuffers& buffers) {
  QosRows reader(db);
  QosRow global;
  std::map<std::string, QosRow> by_port;
  for (const ConfigDb::Row& row : db.rows("PORT_QOS_MAP")) {
    QosRow qos = reader.read(row);
    if (row.key == "global") {
      global = std::move(qos);
      continue;
    }
    for (const std::string& port : ports_of_key(db, settings, row.key, row.where)) {
      if (!by_port.emplace(port, qos).second) {
        db.error(row.where, fmt::format("{} has a row already", backquoted(port)));
      }
    }
  }
  settings.has_port_classes = !by_port.empty();
  std::set<std::string> warned;
  for (auto& [name, port] : settings.ports) {
    auto found = by_port.find(name);
    if (found == by_port.end() && global.dscps == nullptr) continue;
    QosRow qos = found == by_port.end() ? global : found->second;
    merge(qos, global);
    if (found != by_port.end()) {
      port.pfc = qos.pfc ? qos.pfc : Stated<std::set<std::uint32_t>>{{}, qos.where};
      port.watched = qos.watched;
      warn_of_missing_maps(db, qos, warned);
    }
    port.classes = classes_of(qos);
    for (ClassSettings& made : port.classes) {
      add_buffers(db, name, value_or(qos.groups, made.traffic_class, made.traffic_class), buffers,
                  made);
    }
  }
}

}  // namespace weft::import
