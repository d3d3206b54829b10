#include "tools/sweep/report/export.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/text/csv.hpp"
#include "scenarios/text/json_text.hpp"
#include "tools/sweep/language/number.hpp"
#include "tools/sweep/report/choice_report.hpp"

namespace weft::sweep {
namespace {

using Json = nlohmann::ordered_json;
using scenarios::csv::field;

Json value_json(const Value& value) {
  return value.number ? Json(*value.number) : Json(value.text);
}

Json row_json(const Table& table, const Table::Row& row) {
  Json json{{"point", row.id}, {"configuration", row.configuration}, {"status", row.status}};
  json["outcome"] = row.outcome;
  Json parameters = Json::object();
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    parameters[table.parameters[i].name] = value_json(row.values[i]);
  }
  json["parameters"] = std::move(parameters);
  if (row.holds) json["condition_holds"] = *row.holds;
  Json metrics = Json::object();
  // Which are in order, and none twice: an object that is asked for each key takes time by the
  // square of their number.
  Json::object_t::Container& members = metrics.get_ref<Json::object_t&>();
  for (const auto& [name, value] : row.metrics) members.emplace_back(name, value);
  json["metrics"] = std::move(metrics);
  Json cut_off = Json::object();
  for (const std::string& name : table.metrics) {
    const auto text = row.metric(name) ? scenarios::cut_off_text(row.cut_off(name)) : std::nullopt;
    if (text) cut_off[name] = *text;
  }
  if (!cut_off.empty()) json[scenarios::kCutOff] = std::move(cut_off);
  json["results_sha256"] = row.results_sha256;
  if (!row.message.empty()) json["message"] = row.message;
  if (!row.warnings.empty()) json["warnings"] = row.warnings;
  return json;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

/// What percentiles of the run are of, if it was cut off: of all messages, and of jobs and their
/// like where these differ from that.
std::string cut_off_cell(const Table& table, const Table::Row& row) {
  std::vector<std::string> sentences;
  const auto all = scenarios::cut_off_text(row.cut_off());
  if (all) sentences.push_back(*all);
  std::string last;
  for (const std::string& name : table.metrics) {
    const auto text = row.metric(name) ? scenarios::cut_off_text(row.cut_off(name)) : std::nullopt;
    if (!text || text == all) continue;
    std::string sentence = name.substr(0, name.rfind('.', name.rfind('.') - 1)) + " " + *text;
    if (sentence != last) sentences.push_back(sentence);
    last = std::move(sentence);
  }
  std::ranges::sort(sentences.begin() + (all ? 1 : 0), sentences.end());
  // Not of std::ranges: clang 14 cannot compile what that returns.
  sentences.erase(std::unique(sentences.begin(), sentences.end()), sentences.end());
  return joined(sentences);
}

constexpr const char* kChoiceColumns = "estimate,slice_estimate,simulated,ratio,state";

/// What is said of the points of a sweep that chooses, by point.
std::map<std::int64_t, ChoicePoint> choice_by_point(const Table& table) {
  std::map<std::int64_t, ChoicePoint> points;
  for (const ChoicePoint& point : choice_points(table)) points[point.row->id] = point;
  return points;
}

std::string choice_cells(const ChoicePoint& point) {
  std::string text;
  for (const auto& value : {point.estimate, point.slice_estimate, point.simulated, point.ratio()}) {
    text += "," + (value ? number_text(*value) : std::string());
  }
  return text + "," + field(state_of(*point.row));
}

}  // namespace

std::string export_csv(const Table& table) {
  std::string text = "point,configuration,status,outcome";
  for (const Parameter& p : table.parameters) text += "," + field(p.name);
  if (!table.bisected.empty()) text += ",condition_holds";
  if (table.choice) text += std::string(",") + kChoiceColumns;
  const auto choice = choice_by_point(table);
  for (const std::string& name : table.metrics) text += "," + field(name);
  text += std::string(",results_sha256,message,warnings,") + scenarios::kCutOff + "\n";
  for (const Table::Row& row : table.rows) {
    text += std::to_string(row.id) + "," + std::to_string(row.configuration) + "," +
            field(row.status) + "," + field(row.outcome);
    for (const Value& value : row.values) text += "," + field(value.text);
    if (!table.bisected.empty()) {
      text += "," + (row.holds ? std::string(*row.holds ? "1" : "0") : std::string());
    }
    if (table.choice) text += choice_cells(choice.at(row.id));
    for (const std::string& name : table.metrics) {
      const auto value = row.metric(name);
      text += "," + (value ? number_text(*value) : std::string());
    }
    text += "," + field(row.results_sha256) + "," + field(row.message) + "," +
            field(joined(row.warnings)) + "," + field(cut_off_cell(table, row)) + "\n";
  }
  return text;
}

std::string export_json(const Table& table) {
  Json json{{"sweep", table.name}, {"program", table.program}};
  json["parameters"] = Json::array();
  for (const Parameter& p : table.parameters) {
    json["parameters"].push_back({{"name", p.name}, {"path", p.path}, {"unit", p.unit}});
  }
  json["objectives"] = Json::array();
  for (const Objective& o : table.objectives) {
    json["objectives"].push_back(
        {{"name", o.name}, {"metric", o.metric}, {"goal", o.goal == Goal::kMin ? "min" : "max"}});
  }
  if (table.choice) json["choice"] = choice_json(table);
  json["points"] = Json::array();
  for (const Table::Row& row : table.rows) json["points"].push_back(row_json(table, row));
  json["results_sha256"] = table.digest();
  return scenarios::json_text(json) + "\n";
}

}  // namespace weft::sweep
