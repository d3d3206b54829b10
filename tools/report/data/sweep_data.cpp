#include "tools/report/data/sweep_data.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tools/io/result_name.hpp"
#include "tools/sweep/report/table.hpp"

namespace weft::report {
namespace {

/// Numbers on the page, points times metrics: some 5 MB.
constexpr std::size_t kMostNumbers = 400'000;

/// Objectives first, then what differs between points; of very many as much as there is room for.
std::vector<std::string> metrics_of(const sweep::Table& table) {
  std::vector<std::string> names;
  for (const auto& objective : table.objectives) {
    if (std::ranges::find(names, objective.metric) == names.end()) {
      names.push_back(objective.metric);
    }
  }
  const std::size_t most = std::max<std::size_t>(
      names.size(), kMostNumbers / std::max<std::size_t>(1, table.rows.size()));
  for (const std::string& name : table.metrics) {
    if (names.size() >= most) break;
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
            {"metrics", numbers}};
  if (!row.message.empty()) json["message"] = row.message;
  if (!row.warnings.empty()) json["warnings"] = row.warnings;
  return json;
}

}  // namespace

Result<Json> sweep_json(const std::filesystem::path& folder) {
  const auto read = sweep::read_table(folder);
  if (!read) return read.errors();
  const sweep::Table& table = read.value();
  const std::vector<std::string> metrics = metrics_of(table);
  Json points = Json::array();
  for (const auto& row : table.rows) points.push_back(point_json(row, metrics));
  return Json{
      {"name", table.name},
      {"folder", folder.string()},
      {"quoted_folder", shell_text({folder.string()})},
      {"program", table.program},
      {"parameters", parameters_json(table)},
      {"objectives", objectives_json(table)},
      {"metrics", metrics},
      {"metrics_left_out", table.metrics.size() - std::min(table.metrics.size(), metrics.size())},
      {"points", std::move(points)}};
}

}  // namespace weft::report
