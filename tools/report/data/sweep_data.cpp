#include "tools/report/data/sweep_data.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/io/result_name.hpp"
#include "tools/sweep/language/conditions.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/report/choice_report.hpp"
#include "tools/sweep/report/statistics.hpp"
#include "tools/sweep/report/summarize.hpp"
#include "tools/sweep/report/table.hpp"
#include "tools/sweep/store/report.hpp"

namespace weft::report {
namespace {

/// Numbers on the page, points times metrics: some 5 MB.
constexpr std::size_t kMaxNumbers = 400'000;
constexpr std::size_t kMaxChoices = 20;

/// Objectives first, then what differs between points; of very many as much as there is room for.
std::vector<std::string> metrics_of(const sweep::Table& table) {
  std::vector<std::string> names;
  for (const auto& objective : table.objectives) {
    if (std::ranges::find(names, objective.metric) == names.end()) {
      names.push_back(objective.metric);
    }
  }
  const std::size_t max = std::max<std::size_t>(
      names.size(), kMaxNumbers / std::max<std::size_t>(1, table.rows.size()));
  for (const std::string& name : table.metrics) {
    if (names.size() >= max) break;
    if (std::ranges::find(names, name) != names.end()) continue;
    std::optional<double> first;
    const bool differs = std::ranges::any_of(table.rows, [&](const sweep::Table::Row& row) {
      const auto value = row.metric(name);
      if (!first) first = value;
      return value && value != first;
    });
    if (differs) names.push_back(name);
  }
  return names;
}

Json parameters_json(const sweep::Table& table) {
  Json list = Json::array();
  for (const auto& p : table.parameters) {
    list.push_back({{"name", p.name}, {"path", p.path}, {"unit", p.unit}, {"seed", p.is_seed}});
    if (sweep::is_condition(p.path)) list.back()["condition"] = true;
  }
  return list;
}

Json objectives_json(const sweep::Table& table) {
  Json list = Json::array();
  for (const auto& o : table.objectives) {
    list.push_back({{"name", o.name},
                    {"metric", o.metric},
                    {"goal", o.goal == sweep::Goal::kMin ? "min" : "max"}});
  }
  return list;
}

Json point_json(const sweep::Table::Row& row, const std::vector<std::string>& metrics) {
  Json values = Json::array();
  for (const auto& value : row.values) {
    values.push_back(value.number ? short_number(*value.number) : Json(value.text));
  }
  Json texts = Json::array();
  for (const auto& value : row.values) texts.push_back(value.text);
  Json numbers = Json::array();
  for (const std::string& name : metrics) numbers.push_back(short_number(row.metric(name)));
  Json json{{"id", row.id},         {"configuration", row.configuration},
            {"status", row.status}, {"outcome", row.outcome},
            {"values", values},     {"texts", texts},
            {"metrics", numbers},   {"counts", sweep::is_usable(row)}};
  Json cut_off = Json::object();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto text =
        row.metric(metrics[i]) ? scenarios::cut_off_text(row.cut_off(metrics[i])) : std::nullopt;
    if (text) cut_off[std::to_string(i)] = *text;
  }
  if (!cut_off.empty()) json[scenarios::kCutOff] = std::move(cut_off);
  if (row.status == sweep::status_name(sweep::Status::kEstimated)) json["estimated"] = true;
  if (row.wall_seconds) json["wall"] = short_number(*row.wall_seconds);
  if (!row.message.empty()) json["message"] = row.message;
  if (!row.warnings.empty()) json["warnings"] = row.warnings;
  return json;
}

/// What statistics are made of: names, units, and which are estimates, which count without a run.
Json metrics_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) {
    Json one{{"name", name}, {"unit", sweep::metric_unit(name)}};
    if (sweep::is_estimate(name)) one["estimate"] = true;
    list.push_back(std::move(one));
  }
  return list;
}

/// Half widths of 95 % intervals are these, by the number of seeds, times the standard error.
Json student_json(const sweep::Table& table) {
  std::map<std::int64_t, std::size_t> seeds;
  for (const auto& row : table.rows) ++seeds[row.configuration];
  std::size_t max = 0;
  for (const auto& [configuration, count] : seeds) max = std::max(max, count);
  Json list = Json::array({nullptr, nullptr});
  for (std::size_t n = 2; n <= max; ++n) list.push_back(short_number(sweep::student_factor(n)));
  return list;
}

/// What a bisection found: of each search its other parameters, by index, and where the condition
/// holds from.
Json bisection_json(const sweep::Table& table) {
  const std::size_t bisected = *table.parameter(table.bisected);
  Json found = Json::array();
  for (const sweep::Threshold& t : sweep::thresholds(table)) {
    Json texts = Json::array();
    for (const auto& value : t.first->values) texts.push_back(value.text);
    found.push_back({{"texts", std::move(texts)},
                     {"holds_at", t.holds_at ? Json(t.holds_at->text) : Json(nullptr)},
                     {"number", t.holds_at ? short_number(t.holds_at->number) : Json(nullptr)},
                     {"has_failures", t.has_failures}});
  }
  return {{"parameter", bisected}, {"condition", table.condition}, {"found", std::move(found)}};
}

}  // namespace

Result<Json> sweep_json(const std::filesystem::path& folder) {
  const auto read = sweep::read_table(folder);
  if (!read) return read.errors();
  const sweep::Table& table = read.value();
  const std::vector<std::string> metrics = metrics_of(table);
  Json points = Json::array();
  for (const auto& row : table.rows) points.push_back(point_json(row, metrics));
  Json json{
      {"name", table.name},
      {"folder", folder.string()},
      {"quoted_folder", shell_text({folder.string()})},
      {"program", table.program},
      {"parameters", parameters_json(table)},
      {"objectives", objectives_json(table)},
      {"metrics", metrics_json(metrics)},
      {"student", student_json(table)},
      {"metrics_left_out", table.metrics.size() - std::min(table.metrics.size(), metrics.size())},
      {"points", std::move(points)}};
  if (table.parameter(table.bisected)) json["bisection"] = bisection_json(table);
  std::string said = sweep::choice_text(table, kMaxChoices);
  if (const auto summary = sweep::summary_text(table, {}); summary.ok()) said += summary.value();
  if (!said.empty()) json["summary"] = std::move(said);
  return json;
}

}  // namespace weft::report
