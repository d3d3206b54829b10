#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/text/nearest.hpp"
#include "tools/import/facts/description.hpp"
#include "tools/import/parse/data_node.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::import {

/// A value of a table, as text, with its place.
struct DbField {
  std::string text;
  SourceLocation where{};
};

/// Reads the tables of one SONiC configuration. Whatever is wrong is added to the remarks, and
/// reading continues, so that all errors are known after one run.
class ConfigDb {
 public:
  ConfigDb(const InputFile& file, const DataNode& root, Remarks& remarks);

  struct Row {
    std::string table;
    std::string key;
    const DataNode* value;  ///< an object
    SourceLocation where{};
  };

  [[nodiscard]] bool has(std::string_view table) const;
  [[nodiscard]] std::vector<Row> rows(std::string_view table);
  /// Nothing: the row has no such field, or it is no text and no number, which is an error.
  [[nodiscard]] std::optional<DbField> field(const Row& row, std::string_view name);
  /// All fields of a row, where their names are data: ports, code points.
  [[nodiscard]] std::vector<std::pair<std::string, DbField>> fields(const Row& row);
  /// Warns of fields that are neither `taken` nor known to say nothing of use: once for each name.
  void warn_unknown_fields(const Row& row, std::span<const std::string_view> known);
  void warn_unknown_tables();

  /// Whole numbers without sign of at most `max`; else an error, which says what is `expected`.
  [[nodiscard]] std::optional<std::int64_t> number(const DbField& field, std::int64_t min,
                                                   std::int64_t max, std::string_view expected);
  [[nodiscard]] std::optional<Stated<Bytes>> bytes(const Row& row, std::string_view name);
  /// The name that a field refers to: `name`, `TABLE|name` or, in old files, `[TABLE|name]`.
  [[nodiscard]] std::string referred(const DbField& field, std::string_view table);
  /// Whether the nearest name is still looked for: not of the many errors of a wrong file.
  [[nodiscard]] bool may_suggest() const { return suggestions_ < kMaxSuggestions; }
  /// A name that a table does not have.
  void unknown_name(const DbField& field, std::string_view table,
                    const std::vector<std::string>& known);

  void error(SourceLocation where, std::string text);
  void warning(SourceLocation where, std::string text);
  [[nodiscard]] const InputFile& file() const { return file_; }

 private:
  void refuse_if_full();

  const InputFile& file_;
  const DataNode& root_;
  Remarks& remarks_;
  std::set<std::string> warned_fields_;
  std::uint32_t suggestions_ = 0;
};

/// Scheduling and buffers of queues and priority groups.
struct DbQueue {
  bool is_strict = false;
  std::optional<Stated<std::uint32_t>> weight;
  std::optional<EcnSettings> ecn;
  std::optional<BufferSettings> buffer;
};

using PortIndex = std::pair<std::string, std::uint32_t>;  ///< port and queue or group

struct DbBuffers {
  std::map<PortIndex, BufferSettings> groups;
  std::set<PortIndex> on_switch_only;  ///< groups whose values the switch computes
  std::map<PortIndex, DbQueue> queues;
};

/// Reads DEVICE_METADATA, PORT, CABLE_LENGTH and PFC_WD into the switch; DEVICE_NEIGHBOR into
/// cables.
void read_ports(ConfigDb& db, SwitchSettings& settings);
void read_neighbours(ConfigDb& db, const SwitchSettings& settings, Description& description);
void read_neighbour_roles(ConfigDb& db, Description& description);
void read_cable_lengths(ConfigDb& db, SwitchSettings& settings);
void read_watchdogs(ConfigDb& db, SwitchSettings& settings);

/// The ports that a key names, such as `Ethernet0,Ethernet4`; a port that PORT does not have is an
/// error.
[[nodiscard]] std::vector<std::string> ports_of_key(ConfigDb& db, SwitchSettings& settings,
                                                    std::string_view names,
                                                    const SourceLocation& where);

/// Reads pools, profiles, and what they are assigned to.
[[nodiscard]] DbBuffers read_buffers(ConfigDb& db, SwitchSettings& settings);
/// Reads SCHEDULER, WRED_PROFILE and QUEUE.
void read_queues(ConfigDb& db, SwitchSettings& settings, DbBuffers& buffers);
/// Follows every code point of every port from PORT_QOS_MAP to its queue.
void read_classes(ConfigDb& db, SwitchSettings& settings, const DbBuffers& buffers);

}  // namespace weft::import
