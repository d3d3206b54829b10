#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/config_db.hpp"
#include "tools/import/switches/units.hpp"

namespace weft::import {
namespace {

constexpr std::uint32_t kMaxPriorityGroup = 7;
constexpr std::uint32_t kMaxQueue = 19;  // unicast and multicast queues of SONiC's platforms

constexpr std::array kPoolFields =
    std::to_array<std::string_view>({"size", "type", "mode", "xoff", "percentage"});
constexpr std::array kProfileFields =
    std::to_array<std::string_view>({"pool", "size", "xon", "xoff", "xon_offset", "dynamic_th",
                                     "static_th", "packet_discard_action", "headroom_type"});
constexpr std::array kProfileField = std::to_array<std::string_view>({"profile"});
constexpr std::array kSchedulerFields = std::to_array<std::string_view>(
    {"type", "weight", "priority", "meter_type", "cir", "cbs", "pir", "pbs"});
constexpr std::array kQueueFields = std::to_array<std::string_view>({"scheduler", "wred_profile"});
constexpr std::array kWredFields = std::to_array<std::string_view>(
    {"ecn", "wred_green_enable", "wred_yellow_enable", "wred_red_enable", "green_min_threshold",
     "green_max_threshold", "green_drop_probability", "yellow_min_threshold",
     "yellow_max_threshold", "yellow_drop_probability", "red_min_threshold", "red_max_threshold",
     "red_drop_probability"});

struct Profile {
  BufferSettings settings;
  std::string pool;
};

template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& named) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : named) names.push_back(name);
  return names;
}

/// Pools by name: whether they are of ingress.
std::map<std::string, bool> read_pools(ConfigDb& db, SwitchSettings& settings) {
  std::map<std::string, bool> pools;
  for (const ConfigDb::Row& row : db.rows("BUFFER_POOL")) {
    db.warn_unknown_fields(row, kPoolFields);
    const auto type = db.field(row, "type");
    if (!type || (type->text != "ingress" && type->text != "egress" && type->text != "both")) {
      db.error(type ? type->where : row.where, "expected a `type` of ingress or egress");
      continue;
    }
    const bool is_ingress = type->text != "egress";
    pools.emplace(row.key, is_ingress);
    const auto size = db.bytes(row, "size");
    if (size && size->value == Bytes()) {
      db.error(size->where, "a pool of 0 bytes holds no packet");
    }
    // Lossy pools besides the lossless one are of other classes.
    const bool is_lossless = row.key.find("lossy") == std::string::npos;
    if (size && is_lossless) (is_ingress ? settings.buffer : settings.egress_buffer) = size;
    if (size && !is_lossless) {
      db.warning(row.where, fmt::format("{} of {} is left out: one shared buffer is modelled",
                                        backquoted(row.key), text_of(size->value)));
    }
    // 0: no pool, and each group has its headroom to itself.
    const auto xoff = db.bytes(row, "xoff");
    if (xoff && is_ingress && xoff->value > Bytes()) settings.headroom_pool = xoff;
  }
  return pools;
}

void read_threshold(ConfigDb& db, const ConfigDb::Row& row, BufferSettings& buffer) {
  const auto dynamic = db.field(row, "dynamic_th");
  if (dynamic) {
    const auto power =
        db.number(*dynamic, -8, 7, "a power of two from -8 to 7: alpha is 2^dynamic_th");
    if (power) {
      buffer.alpha = Stated<double>{std::ldexp(1.0, static_cast<int>(*power)), dynamic->where};
    }
  }
  buffer.threshold = db.bytes(row, "static_th");
  if (dynamic && buffer.threshold) {
    db.error(buffer.threshold->where, "dynamic_th and static_th: which of them counts?");
  }
}

std::map<std::string, Profile> read_profiles(ConfigDb& db, SwitchSettings& settings) {
  const std::map<std::string, bool> pools = read_pools(db, settings);
  std::map<std::string, Profile> profiles;
  for (const ConfigDb::Row& row : db.rows("BUFFER_PROFILE")) {
    db.warn_unknown_fields(row, kProfileFields);
    Profile profile;
    BufferSettings& buffer = profile.settings;
    buffer.where = row.where;
    if (const auto pool = db.field(row, "pool")) {
      profile.pool = db.referred(*pool, "BUFFER_POOL");
      if (db.has("BUFFER_POOL") && !pools.contains(profile.pool)) {
        db.unknown_name(*pool, "BUFFER_POOL", names_of(pools));
      }
    }
    read_threshold(db, row, buffer);
    if (const auto size = db.bytes(row, "size")) buffer.reserved = *size;
    buffer.headroom = db.bytes(row, "xoff");
    if (buffer.headroom && buffer.headroom->value == Bytes()) buffer.headroom.reset();
    buffer.xon = db.bytes(row, "xon");
    buffer.xon_offset = db.bytes(row, "xon_offset");
    if (const auto action = db.field(row, "packet_discard_action")) {
      buffer.trims = action->text == "trim";
      if (action->text != "trim" && action->text != "drop") {
        db.error(action->where,
                 fmt::format("{} found, expected drop or trim", backquoted(action->text)));
      }
    }
    profiles.emplace(row.key, std::move(profile));
  }
  return profiles;
}

/// `Ethernet0,Ethernet4|3-4`: which ports, and which of their queues or groups.
std::vector<PortIndex> indices_of_key(ConfigDb& db, SwitchSettings& settings,
                                      const ConfigDb::Row& row, std::uint32_t max) {
  std::vector<PortIndex> all;
  const std::size_t bar = row.key.rfind('|');
  const auto numbers = bar == std::string::npos
                           ? std::nullopt
                           : number_set(std::string_view(row.key).substr(bar + 1), max);
  if (!numbers) {
    db.error(row.where,
             fmt::format("expected a port and numbers of 0 to {}, such as `Ethernet0|3-4`", max));
    return all;
  }
  const auto ports =
      ports_of_key(db, settings, std::string_view(row.key).substr(0, bar), row.where);
  for (const std::string& port : ports) {
    for (const std::uint32_t number : *numbers) all.emplace_back(port, number);
  }
  return all;
}

/// The profile that a row names; null: none, or the switch computes it.
const Profile* profile_of(ConfigDb& db, const ConfigDb::Row& row,
                          const std::map<std::string, Profile>& profiles, bool& on_switch_only) {
  db.warn_unknown_fields(row, kProfileField);
  const auto field = db.field(row, "profile");
  if (!field) {
    db.error(row.where, "expected a `profile`");
    return nullptr;
  }
  on_switch_only = field->text == "NULL";
  if (on_switch_only) return nullptr;
  const auto found = profiles.find(db.referred(*field, "BUFFER_PROFILE"));
  if (found == profiles.end()) {
    db.unknown_name(*field, "BUFFER_PROFILE", names_of(profiles));
    return nullptr;
  }
  return &found->second;
}

void said_twice(ConfigDb& db, const ConfigDb::Row& row, const PortIndex& index) {
  db.error(row.where, fmt::format("{}|{} has a row already", index.first, index.second));
}

bool is_marking(std::string_view ecn) {
  return ecn == "ecn_all" || ecn.find("green") != std::string_view::npos;
}

std::optional<EcnSettings> wred_of(ConfigDb& db, const ConfigDb::Row& row) {
  const auto mode = db.field(row, "ecn");
  const std::string ecn = mode ? mode->text : "ecn_none";
  if (!ecn.starts_with("ecn_")) {
    db.error(mode->where,
             fmt::format("{} found, expected ecn_none, ecn_green ... or ecn_all", backquoted(ecn)));
    return std::nullopt;
  }
  const auto enable = db.field(row, "wred_green_enable");
  const bool drops = enable && enable->text == "true" && !is_marking(ecn);
  const auto min = db.bytes(row, "green_min_threshold");
  const auto max = db.bytes(row, "green_max_threshold");
  double pmax = 1;
  SourceLocation pmax_at = row.where;
  if (const auto percent = db.field(row, "green_drop_probability")) {
    pmax_at = percent->where;
    if (const auto value = db.number(*percent, 0, 100, "a percentage, 0 to 100")) {
      pmax = static_cast<double>(*value) / 100;
    }
  }
  if (!is_marking(ecn) && !drops) return std::nullopt;
  if (!min || !max) {
    db.error(row.where, "expected green_min_threshold and green_max_threshold");
    return std::nullopt;
  }
  if (min->value > max->value) {
    db.error(min->where, fmt::format("green_min_threshold {} > green_max_threshold {}: are they "
                                     "swapped?",
                                     min->value.count(), max->value.count()));
  }
  return EcnSettings{.kmin = *min, .kmax = *max, .pmax = {pmax, pmax_at}, .drops = drops};
}

/// Packets are green unless a policer colours them; the other colours are told when they differ.
void compare_colours(ConfigDb& db, const ConfigDb::Row& row) {
  for (const std::string_view colour : {"yellow", "red"}) {
    for (const std::string_view name : {"min_threshold", "max_threshold", "drop_probability"}) {
      const auto green = db.field(row, fmt::format("green_{}", name));
      const auto other = db.field(row, fmt::format("{}_{}", colour, name));
      if (!green || !other || green->text == other->text) continue;
      if (!db.number(*other, 0, 1'000'000'000'000, "a whole number")) continue;
      db.warning(other->where,
                 fmt::format("{} differs from green, {}; only green packets are modelled",
                             other->text, green->text));
    }
  }
}

struct Scheduler {
  bool is_strict = false;
  std::optional<Stated<std::uint32_t>> weight;
};

std::map<std::string, Scheduler> read_schedulers(ConfigDb& db) {
  std::map<std::string, Scheduler> schedulers;
  for (const ConfigDb::Row& row : db.rows("SCHEDULER")) {
    db.warn_unknown_fields(row, kSchedulerFields);
    Scheduler scheduler;
    const auto type = db.field(row, "type");
    scheduler.is_strict = type && type->text == "STRICT";
    if (type && type->text != "STRICT" && type->text != "DWRR" && type->text != "WRR") {
      db.error(type->where,
               fmt::format("{} found, expected STRICT, DWRR or WRR", backquoted(type->text)));
    }
    if (const auto weight = db.field(row, "weight")) {
      if (const auto value = db.number(*weight, 1, 100, "a weight of 1 to 100")) {
        scheduler.weight = Stated<std::uint32_t>{static_cast<std::uint32_t>(*value), weight->where};
      }
    }
    if (const auto limit = db.field(row, "pir"); limit && limit->text != "0") {
      db.warning(limit->where, fmt::format("the rate limit {} is not modelled, ignored",
                                           backquoted(limit->text)));
    }
    schedulers.emplace(row.key, scheduler);
  }
  return schedulers;
}

}  // namespace

DbBuffers read_buffers(ConfigDb& db, SwitchSettings& settings) {
  DbBuffers buffers;
  const std::map<std::string, Profile> profiles = read_profiles(db, settings);
  std::set<PortIndex> seen;
  for (const ConfigDb::Row& row : db.rows("BUFFER_PG")) {
    bool on_switch_only = false;
    const Profile* profile = profile_of(db, row, profiles, on_switch_only);
    for (const PortIndex& index : indices_of_key(db, settings, row, kMaxPriorityGroup)) {
      if (!seen.insert(index).second) said_twice(db, row, index);
      if (on_switch_only) buffers.on_switch_only.insert(index);
      if (profile == nullptr) continue;
      buffers.groups.emplace(index, profile->settings);
      if (!profile->settings.headroom) continue;
      settings.ports.find(index.first)->second.lossless_groups.insert(index.second);
    }
  }
  seen.clear();
  for (const ConfigDb::Row& row : db.rows("BUFFER_QUEUE")) {
    bool on_switch_only = false;
    const Profile* profile = profile_of(db, row, profiles, on_switch_only);
    for (const PortIndex& index : indices_of_key(db, settings, row, kMaxQueue)) {
      if (!seen.insert(index).second) said_twice(db, row, index);
      if (profile != nullptr) buffers.queues[index].buffer = profile->settings;
    }
  }
  return buffers;
}

void read_queues(ConfigDb& db, SwitchSettings& settings, DbBuffers& buffers) {
  const std::map<std::string, Scheduler> schedulers = read_schedulers(db);
  std::map<std::string, std::optional<EcnSettings>> wreds;
  for (const ConfigDb::Row& row : db.rows("WRED_PROFILE")) {
    db.warn_unknown_fields(row, kWredFields);
    wreds.emplace(row.key, wred_of(db, row));
    compare_colours(db, row);
  }
  std::set<PortIndex> seen;
  for (const ConfigDb::Row& row : db.rows("QUEUE")) {
    db.warn_unknown_fields(row, kQueueFields);
    const auto scheduler = db.field(row, "scheduler");
    const auto wred = db.field(row, "wred_profile");
    const auto found =
        scheduler ? schedulers.find(db.referred(*scheduler, "SCHEDULER")) : schedulers.end();
    if (scheduler && found == schedulers.end()) {
      db.unknown_name(*scheduler, "SCHEDULER", names_of(schedulers));
    }
    const auto marking = wred ? wreds.find(db.referred(*wred, "WRED_PROFILE")) : wreds.end();
    if (wred && marking == wreds.end()) db.unknown_name(*wred, "WRED_PROFILE", names_of(wreds));
    for (const PortIndex& index : indices_of_key(db, settings, row, kMaxQueue)) {
      if (!seen.insert(index).second) said_twice(db, row, index);
      DbQueue& queue = buffers.queues[index];
      if (found != schedulers.end()) {
        queue.is_strict = found->second.is_strict;
        queue.weight = found->second.weight;
      }
      if (marking != wreds.end()) queue.ecn = marking->second;
    }
  }
}

}  // namespace weft::import
