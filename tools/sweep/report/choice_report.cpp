#include "tools/sweep/report/choice_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/report/summarize.hpp"
#include "tools/sweep/store/report.hpp"

namespace weft::sweep {
namespace {

using Json = nlohmann::ordered_json;

/// The first result that stands beside the estimate and that some point has; or none.
std::string result_beside(const Table& table) {
  for (std::string& name : results_beside(table.choice->metric)) {
    if (std::ranges::find(table.metrics, name) != table.metrics.end()) return std::move(name);
  }
  return {};
}

std::string slice_metric(const Choice& choice) {
  return std::string(kSlicePrefix) + choice.metric.substr(kEstimatePrefix.size());
}

bool is_over_memory(const Table::Row& row) {
  return row.status == status_name(Status::kOverMemory);
}

std::string cell(const std::string& metric, std::optional<double> value) {
  return value ? metric_text(metric, *value) : std::string();
}

std::string ratio_text(const ChoicePoint& point) {
  const auto ratio = point.ratio();
  return ratio ? fmt::format("{:.3f}", *ratio) : std::string();
}

/// What is said of several points is said once.
std::string reasons_text(const std::vector<ChoicePoint>& points, std::size_t limit) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> reasons;
  for (const ChoicePoint& point : points) {
    if (point.row->message.empty()) continue;
    const std::string text = state_of(*point.row) + ": " + point.row->message;
    const auto known = std::ranges::find(reasons, text, [](const auto& r) { return r.first; });
    (known == reasons.end() ? reasons.emplace_back(text, std::vector<std::int64_t>{}) : *known)
        .second.push_back(point.row->id);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons.size(), limit); ++i) {
    const auto& [reason, ids] = reasons[i];
    text += fmt::format("  {} {}: {}\n", ids.size() == 1 ? "point" : "points", fmt::join(ids, ", "),
                        escaped(reason));
  }
  if (reasons.size() > limit) {
    text += fmt::format("  and {} more reasons; `weft export` has all\n", reasons.size() - limit);
  }
  return text;
}

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::optional<double> ChoicePoint::ratio() const {
  const std::optional<double> foretold = slice_estimate ? slice_estimate : estimate;
  if (!simulated || !foretold || *foretold == 0) return std::nullopt;
  return *simulated / *foretold;
}

std::vector<ChoicePoint> choice_points(const Table& table) {
  if (!table.choice) return {};
  const std::string result = result_beside(table);
  const std::string slice = slice_metric(*table.choice);
  std::vector<ChoicePoint> points;
  for (const Table::Row& row : table.rows) {
    points.push_back({&row, row.metric(table.choice->metric), row.metric(slice),
                      row.outcome == "finished" ? row.metric(result) : std::nullopt});
  }
  const auto place = [&table](const ChoicePoint& p) {
    const double sign = table.choice->goal == Goal::kMin ? 1 : -1;
    const int group = !p.estimate ? 2 : is_over_memory(*p.row) ? 1 : 0;
    return std::tuple(group, sign * p.estimate.value_or(0), p.row->id);
  };
  std::ranges::sort(points, {}, place);
  return points;
}

std::string state_of(const Table::Row& row) {
  if (!row.is_done()) return row.status;
  return row.outcome == "finished" ? "simulated" : row.outcome;
}

std::string choice_text(const Table& table, std::size_t limit) {
  if (!table.choice) return {};
  const std::vector<ChoicePoint> points = choice_points(table);
  const bool has_slice = !table.choice->slice.empty();
  const std::string& metric = table.choice->metric;
  std::vector<std::string> header{"point"};
  for (const Parameter& parameter : table.parameters) header.push_back(parameter.name);
  header.emplace_back("estimate");
  if (has_slice) header.emplace_back("of the slice");
  for (const char* column : {"simulated", "ratio", "state"}) header.emplace_back(column);
  scenarios::TextTable lines(std::move(header));
  for (std::size_t i = 0; i < std::min(points.size(), limit); ++i) {
    const ChoicePoint& point = points[i];
    std::vector<std::string> line{std::to_string(point.row->id)};
    for (const Value& value : point.row->values) line.push_back(value.text);
    line.push_back(cell(metric, point.estimate));
    if (has_slice) line.push_back(cell(metric, point.slice_estimate));
    line.push_back(cell(metric, point.simulated));
    line.push_back(ratio_text(point));
    line.push_back(state_of(*point.row));
    lines.add(std::move(line));
  }
  std::string text = fmt::format("\nthe best {} by {} are simulated", table.choice->best, metric);
  if (has_slice) text += fmt::format(", with {}", fmt::join(table.choice->slice, ", "));
  text += "\n" + lines.to_string("  ");
  if (points.size() > limit) {
    text += fmt::format("  and {} more points; `weft export` has all\n", points.size() - limit);
  }
  return text + reasons_text(points, limit);
}

std::string choice_counts_text(const Table& table) {
  if (!table.choice) return {};
  const auto count = [&table](Status status) {
    return std::ranges::count(table.rows, status_name(status), &Table::Row::status);
  };
  return fmt::format(", {} simulated, {} estimated only, {} over memory, {} refused",
                     count(Status::kDone), count(Status::kEstimated), count(Status::kOverMemory),
                     count(Status::kRefused));
}

Json choice_json(const Table& table) {
  const Choice& choice = *table.choice;
  Json json{{"by", choice.metric},
            {"goal", choice.goal == Goal::kMin ? "min" : "max"},
            {"best", choice.best},
            {"slice", choice.slice}};
  json["points"] = Json::array();
  for (const ChoicePoint& point : choice_points(table)) {
    Json parameters = Json::object();
    for (std::size_t i = 0; i < table.parameters.size(); ++i) {
      parameters[table.parameters[i].name] = point.row->values[i].text;
    }
    json["points"].push_back({{"point", point.row->id},
                              {"parameters", std::move(parameters)},
                              {"state", state_of(*point.row)},
                              {"reason", point.row->message},
                              {"estimate", number_or_null(point.estimate)},
                              {"slice_estimate", number_or_null(point.slice_estimate)},
                              {"simulated", number_or_null(point.simulated)},
                              {"ratio", number_or_null(point.ratio())}});
  }
  return json;
}

}  // namespace weft::sweep
