#include "tools/sweep/store/store_schema.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "scenarios/text/json_text.hpp"
#include "tools/sweep/language/axes.hpp"
#include "tools/sweep/store/sqlite.hpp"
#include "tools/sweep/store/store.hpp"

namespace weft::sweep {
namespace {

/// A name or a text of SQL between `quote`s.
std::string quoted(const std::string& text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

/// A map as YAML, one line per key.
std::string lines_text(const language::Node& map) {
  std::string text;
  for (const language::Node::Entry& entry : map.entries) {
    text += entry.key + ": " + flow_text(entry.value) + "\n";
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Since version 2.
constexpr const char* kWarningTable = R"sql(
CREATE TABLE warning (
  point INTEGER NOT NULL REFERENCES point (id),
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (point, position)) WITHOUT ROWID;
)sql";

/// Since version 3 points may be estimated only.
constexpr std::string_view kPointTable = R"sql(
CREATE TABLE point (
  id INTEGER PRIMARY KEY,
  configuration INTEGER NOT NULL,
  search INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN
    ('waiting', 'done', 'error', 'crash', 'killed', 'time limit', 'memory limit', 'estimated',
     'over memory', 'refused')),
  outcome TEXT NOT NULL DEFAULT '',
  message TEXT NOT NULL DEFAULT '',
  results_sha256 TEXT NOT NULL DEFAULT '',
  scenario_sha256 TEXT NOT NULL DEFAULT '',
  holds INTEGER,
  wall_seconds REAL,
  peak_memory INTEGER,
  session INTEGER REFERENCES session (id));
CREATE INDEX point_status ON point (status);
CREATE TRIGGER results_are_final BEFORE UPDATE ON point WHEN OLD.status = 'done'
  BEGIN SELECT RAISE(ABORT, 'a recorded result cannot be changed'); END;
)sql";

/// SQLite cannot change what a column may hold. The view is made again with the names of the sweep.
std::string point_migration_sql() {
  return std::string(
             "DROP VIEW IF EXISTS result;\nDROP TRIGGER results_are_final;\n"
             "DROP INDEX point_status;\nPRAGMA legacy_alter_table = ON;\n"
             "ALTER TABLE point RENAME TO old_point;\nPRAGMA legacy_alter_table = OFF;") +
         std::string(kPointTable) +
         "INSERT INTO point SELECT * FROM old_point;\nDROP TABLE old_point;\n";
}

/// All whose rows are read.
std::vector<std::string> table_names() {
  return {"warning", "point", "sweep", "session", "parameter", "objective", "value", "metric"};
}

/// Of how many messages percentiles of the run are, if it was cut off.
constexpr const char* kCutOffSql = R"sql((SELECT iif(
    point.outcome <> 'finished' OR completed.value < count.value,
    'of ' || cast(completed.value AS INTEGER) || ' of ' || cast(count.value AS INTEGER) ||
    ' messages', NULL) FROM metric AS count JOIN metric AS completed ON
    completed.point = count.point AND completed.name = 'messages.completed' WHERE
    count.point = point.id AND count.name = 'messages.count') AS cut_off)sql";

std::string version_sql() {
  return "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";\n";
}

}  // namespace

std::string migration_sql(std::int64_t version) {
  return (version < 2 ? kWarningTable : "") + point_migration_sql() + version_sql();
}

std::string schema_sql() {
  return "PRAGMA application_id = " + std::to_string(kApplicationId) + ";\n" + version_sql() +
         kWarningTable + std::string(kPointTable) + R"sql(
CREATE TABLE sweep (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session (id INTEGER PRIMARY KEY, started TEXT NOT NULL, program TEXT NOT NULL);
CREATE TABLE parameter (
  position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE,
  unit TEXT NOT NULL, is_seed INTEGER NOT NULL);
CREATE TABLE objective (
  position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, metric TEXT NOT NULL,
  goal TEXT NOT NULL CHECK (goal IN ('min', 'max')));
CREATE TABLE value (
  point INTEGER NOT NULL REFERENCES point (id),
  parameter INTEGER NOT NULL,
  text TEXT NOT NULL,
  number REAL,
  PRIMARY KEY (point, parameter)) WITHOUT ROWID;
CREATE TABLE metric (
  point INTEGER NOT NULL REFERENCES point (id),
  name TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (point, name)) WITHOUT ROWID;
)sql";
}

std::string foreign_entry(Database& database, bool is_to_be_written) {
  // A table of ours is stored rows and nothing else: a view, a virtual table or a generated column
  // is computed when it is read, forever if its maker wants that. The one trigger is known.
  Statement entries(database,
                    "SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY rowid");
  const std::vector<std::string> tables = table_names();
  while (entries.step()) {
    const std::string type = entries.text(0);
    const std::string name = entries.text(1);
    const bool is_ours = std::ranges::find(tables, name) != tables.end();
    if (is_ours && type != "table") return "`" + name + "` is a " + type + " and no table";
    if (is_ours && !entries.text(2).starts_with("CREATE TABLE")) {
      return "the rows of `" + name + "` are not in the file";
    }
    if (is_to_be_written && type == "trigger" &&
        kPointTable.find(entries.text(2)) == std::string_view::npos) {
      return "it has a trigger `" + name + "`";
    }
  }
  for (const std::string& table : tables) {
    Statement columns(database, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 0");
    columns.bind(table);
    if (columns.step()) return "column `" + columns.text(0) + "` of `" + table + "` is computed";
  }
  return {};
}

std::string view_sql(const Sweep& sweep) {
  std::string sql =
      "DROP VIEW IF EXISTS result;\nCREATE VIEW result AS SELECT id, configuration, status, "
      "outcome";
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
    sql +=
        ",\n  (SELECT coalesce(number, text) FROM value WHERE point = point.id AND parameter = " +
        std::to_string(i) + ") AS " + quoted(sweep.parameters[i].name, '"');
  }
  for (const Objective& objective : sweep.objectives) {
    sql += ",\n  (SELECT value FROM metric WHERE point = point.id AND name = " +
           quoted(objective.metric, '\'') + ") AS " + quoted(objective.name, '"');
  }
  return sql + ",\n  " + kCutOffSql + "\nFROM point ORDER BY id;\n";
}

std::vector<std::pair<std::string, std::string>> description_rows(const Sweep& sweep) {
  std::vector<std::pair<std::string, std::string>> rows{
      {"name", sweep.name},
      {"program", "weft " WEFT_VERSION},
      {"file", sweep.file},
      {"definition", sweep.definition()},
      {"base_scenario", lines_text(sweep.base.root())},
      {"base_file", std::filesystem::absolute(sweep.base.filename()).string()}};
  rows.emplace_back("overrides", scenarios::json_text(nlohmann::json(sweep.overrides), -1));
  if (const auto* bisect = std::get_if<Bisection>(&sweep.strategy)) {
    rows.emplace_back("bisected", sweep.parameters[bisect->parameter].path);
    rows.emplace_back("condition", bisect->condition.text());
    rows.emplace_back("tolerance", number_text(bisect->tolerance));
  }
  if (sweep.choice) {
    rows.emplace_back("chosen_by", sweep.choice->metric);
    rows.emplace_back("chosen_goal", sweep.choice->goal == Goal::kMin ? "min" : "max");
    rows.emplace_back("chosen_best", std::to_string(sweep.choice->best));
    rows.emplace_back("slice", scenarios::json_text(nlohmann::json(sweep.choice->slice), -1));
  }
  return rows;
}

std::string difference(const std::string& before, const std::string& after, std::size_t limit) {
  const std::vector<std::string> a = lines_of(before);
  const std::vector<std::string> b = lines_of(after);
  // Longest common subsequence of the ends; definitions have a few hundred lines.
  std::vector<std::vector<std::uint32_t>> common(a.size() + 1,
                                                 std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::string text;
  std::size_t shown = 0;
  const auto show = [&](char sign, const std::string& line) {
    if (shown++ < limit) text += std::string("  ") + sign + " " + line.substr(0, 200) + "\n";
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      show('-', a[i++]);
    } else {
      show('+', b[j++]);
    }
  }
  if (shown > limit) text += "  ... and " + std::to_string(shown - limit) + " more lines\n";
  return text;
}

}  // namespace weft::sweep
