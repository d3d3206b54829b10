#include "tools/sweep/report/table.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "scenarios/results/summary/former_names.hpp"
#include "simcore/base/digest.hpp"
#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/language/number.hpp"
#include "tools/sweep/store/report.hpp"
#include "tools/sweep/store/sqlite.hpp"
#include "tools/sweep/store/store.hpp"
#include "tools/sweep/store/store_schema.hpp"

namespace weft::sweep {
namespace {

namespace fs = std::filesystem;

Error table_error(const fs::path& path, std::string message) {
  return {std::move(message), {path.string(), 0, 0, {}}};
}

/// The database file that `path` means.
Result<fs::path> find_database(const fs::path& path) {
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? path / kDatabaseName : path;
  if (fs::is_regular_file(file, error)) return file;
  if (fs::exists(file, error)) return table_error(file, "is not a regular file");
  return table_error(file,
                     "does not exist; expected the database of a sweep or its folder, such as "
                     "results/NAME");
}

Error read_error(const fs::path& path, const Database& database) {
  const int code = database.failure_code();
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
    return table_error(path, "is damaged or no database (" + database.failure() + ")");
  }
  return table_error(path, "cannot be read: " + database.failure());
}

Errors check_kind(const fs::path& path, Database& database) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (database.has_failed()) return {read_error(path, database)};
  if (application != kApplicationId) return {table_error(path, "is not the database of a sweep")};
  if (version < 1 || version > kSchemaVersion) {
    return {table_error(path, "has schema version " + std::to_string(version) +
                                  "; this program reads versions up to " +
                                  std::to_string(kSchemaVersion))};
  }
  if (const std::string foreign = foreign_entry(database, false); !foreign.empty()) {
    return {table_error(path, "is no database that weft wrote: " + foreign)};
  }
  // Pages that lead to each other in a circle would be read forever.
  Statement check(database, "PRAGMA quick_check(1)");
  const std::string answer = check.step() ? check.text(0) : "ok";
  if (database.has_failed()) return {read_error(path, database)};
  if (answer != "ok") return {table_error(path, "is damaged (" + answer + ")")};
  return {};
}

/// What is shown of the database.
std::string shown(const Statement& statement, int column) {
  return escaped(statement.text(column));
}

/// The name of a result that is shown.
std::string current(const Statement& statement, int column) {
  return scenarios::current_result_name(shown(statement, column));
}

std::string description_value(Database& database, const std::string& key) {
  Statement get(database, "SELECT value FROM sweep WHERE key = ?");
  get.bind(key);
  return get.step() ? get.text(0) : std::string();
}

std::vector<std::string> description_list(Database& database, const std::string& key) {
  std::vector<std::string> texts;
  const auto stored = nlohmann::json::parse(description_value(database, key), nullptr, false);
  if (stored.is_array()) {
    for (const auto& text : stored) texts.push_back(text.is_string() ? text : "");
  }
  return texts;
}

std::optional<Choice> read_choice(Database& database) {
  const std::string metric = description_value(database, "chosen_by");
  if (metric.empty()) return std::nullopt;
  const Goal goal = description_value(database, "chosen_goal") == "max" ? Goal::kMax : Goal::kMin;
  const auto best = parse_number(description_value(database, "chosen_best"));
  return Choice{metric, goal, static_cast<std::uint32_t>(best ? best->value : 0),
                description_list(database, "slice")};
}

void read_names(Database& database, Table& table) {
  table.name = escaped(description_value(database, "name"));
  table.program = escaped(description_value(database, "program"));
  table.bisected = escaped(description_value(database, "bisected"));
  table.condition = escaped(description_value(database, "condition"));
  table.choice = read_choice(database);
  Statement parameters(database,
                       "SELECT path, name, unit, is_seed FROM parameter ORDER BY position");
  while (parameters.step()) {
    table.parameters.push_back({shown(parameters, 0), shown(parameters, 1), shown(parameters, 2),
                                parameters.integer(3) != 0});
  }
  Statement objectives(database, "SELECT name, metric, goal FROM objective ORDER BY position");
  while (objectives.step()) {
    table.objectives.push_back({shown(objectives, 0), current(objectives, 1),
                                objectives.text(2) == "max" ? Goal::kMax : Goal::kMin});
  }
  Statement metrics(database, "SELECT DISTINCT name FROM metric ORDER BY name");
  std::set<std::string> names;  // an older weft may have written some of the points
  while (metrics.step()) names.insert(current(metrics, 0));
  table.metrics.assign(names.begin(), names.end());
}

void read_rows(Database& database, Table& table) {
  std::map<std::int64_t, std::size_t> index;
  Statement points(database,
                   "SELECT id, configuration, search, status, outcome, message, results_sha256, "
                   "holds, wall_seconds FROM point ORDER BY id");
  while (points.step()) {
    Table::Row row;
    row.id = points.integer(0);
    row.configuration = points.integer(1);
    row.search = points.integer(2);
    row.status = shown(points, 3);
    row.outcome = shown(points, 4);
    row.message = escaped_lines(points.text(5));
    row.results_sha256 = shown(points, 6);
    if (!points.is_null(7)) row.holds = points.integer(7) != 0;
    if (!points.is_null(8)) row.wall_seconds = points.real(8);
    row.values.resize(table.parameters.size());
    index[row.id] = table.rows.size();
    table.rows.push_back(std::move(row));
  }
  Statement values(database, "SELECT point, parameter, text, number FROM value");
  while (values.step()) {
    const auto row = index.find(values.integer(0));
    const auto parameter = static_cast<std::size_t>(values.integer(1));
    if (row == index.end() || parameter >= table.parameters.size()) continue;
    Value& value = table.rows[row->second].values[parameter];
    value.text = shown(values, 2);
    if (!values.is_null(3) && std::isfinite(values.real(3))) value.number = values.real(3);
  }
  Statement metrics(database, "SELECT point, name, value FROM metric");
  while (metrics.step()) {
    const auto row = index.find(metrics.integer(0));
    if (row == index.end() || !std::isfinite(metrics.real(2))) continue;
    table.rows[row->second].metrics[current(metrics, 1)] = metrics.real(2);
  }
  if (database.integer("PRAGMA user_version") < 2) return;  // before there were warnings
  Statement warnings(database, "SELECT point, text FROM warning ORDER BY point, position");
  while (warnings.step()) {
    const auto row = index.find(warnings.integer(0));
    if (row != index.end()) table.rows[row->second].warnings.push_back(shown(warnings, 1));
  }
}

}  // namespace

std::optional<double> Table::Row::metric(const std::string& metric_name) const {
  const auto found = metrics.find(metric_name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

std::optional<scenarios::Coverage> Table::Row::coverage(const std::string& metric_name) const {
  if (!is_done()) return std::nullopt;
  return scenarios::coverage_at(metric_name, outcome,
                                [this](const std::string& path) { return metric(path); });
}

std::optional<scenarios::Coverage> Table::Row::cut_off(const std::string& metric_name) const {
  const auto known = coverage(metric_name);
  return known && known->is_partial() ? known : std::nullopt;
}

std::optional<scenarios::Coverage> Table::Row::cut_off() const {
  return cut_off("messages.fct_seconds.p50");
}

bool Table::Row::has_failed() const { return is_failure(std::string_view(status)); }

std::string Table::digest() const {
  Digest sha;
  sha.add(rows.size());
  for (const Row& row : rows) {
    sha.add(row.id);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      sha.add_text(parameters[i].path);
      sha.add_text(row.values[i].text);
    }
    for (const std::string* text : {&row.status, &row.outcome, &row.results_sha256}) {
      sha.add_text(*text);
    }
  }
  return sha.hex();
}

std::optional<std::size_t> Table::parameter(const std::string& given) const {
  for (const std::string& wanted : {given, escaped(given)}) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name == wanted || parameters[i].path == wanted) return i;
    }
  }
  return std::nullopt;
}

Result<Objective> Table::objective(const std::string& given) const {
  const std::string wanted = escaped(given);
  for (const Objective& o : objectives) {
    if (o.name == wanted || o.metric == wanted || o.name == given) return o;
  }
  const std::string metric = scenarios::current_result_name(wanted);
  if (std::ranges::find(metrics, metric) != metrics.end()) {
    return Objective{metric, metric, Goal::kMin};
  }
  std::vector<std::string> known;
  for (const Objective& o : objectives) known.push_back(o.name);
  known.insert(known.end(), metrics.begin(), metrics.end());
  return Error{"`" + wanted + "` is not a result of this sweep; there are " + listing(known) +
                   did_you_mean(wanted, known),
               {}};
}

std::string Table::former_name_warning(const std::string& given) const {
  const auto is_called = [&given](const Objective& o) { return o.name == given; };
  if (parameter(given) || std::ranges::any_of(objectives, is_called)) return {};
  return scenarios::former_result_warning(given);
}

Result<Table> read_table(const fs::path& path) {
  const Result<fs::path> file = find_database(path);
  if (!file.ok()) return file.errors();
  Database database(file.value(), Database::Mode::kRead);
  if (Errors errors = check_kind(file.value(), database); !errors.empty()) return errors;
  // One snapshot, whatever a running sweep writes meanwhile.
  database.execute("BEGIN");
  Table table;
  read_names(database, table);
  if (!table.bisected.empty() && !table.parameter(table.bisected)) {
    return table_error(file.value(), "is damaged: `" + table.bisected + "` is not one of its axes");
  }
  read_rows(database, table);
  if (database.has_failed()) return read_error(file.value(), database);
  return table;
}

Result<std::string> point_scenario(const fs::path& path, std::int64_t id) {
  const Result<fs::path> file = find_database(path);
  if (!file.ok()) return file.errors();
  Database database(file.value(), Database::Mode::kRead);
  if (Errors errors = check_kind(file.value(), database); !errors.empty()) return errors;
  std::vector<std::string> overrides = description_list(database, "overrides");
  Statement values(database,
                   "SELECT parameter.path, value.text FROM value JOIN parameter ON "
                   "parameter.position = value.parameter WHERE value.point = ? ORDER BY "
                   "parameter.position");
  values.bind(id);
  while (values.step()) overrides.push_back(values.text(0) + "=" + values.text(1));
  for (std::string& text : description_list(database, "slice")) {
    overrides.push_back(std::move(text));
  }
  Statement known(database, "SELECT count(*) FROM point WHERE id = ?");
  known.bind(id);
  const bool exists = known.step() && known.integer(0) == 1;
  const std::string base = description_value(database, "base_scenario");
  const std::string base_file = description_value(database, "base_file");
  if (database.has_failed()) return read_error(file.value(), database);
  if (!exists) return table_error(file.value(), "has no point " + std::to_string(id));
  // A name of its own, so that its results do not meet those of the sweep.
  overrides.push_back("name=" + description_value(database, "name") + "-" + std::to_string(id));
  const auto loaded = scenarios::load_scenario_text(base, base_file, overrides);
  if (!loaded.ok()) return loaded.errors();
  return loaded.value().resolved_yaml(WEFT_VERSION);
}

}  // namespace weft::sweep
