#include "tools/sweep/report/summarize.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"
#include "simcore/base/escape.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/report/by_condition.hpp"
#include "tools/sweep/report/choice_report.hpp"
#include "tools/sweep/report/point_warnings.hpp"
#include "tools/sweep/report/statistics.hpp"

namespace weft::sweep {
namespace {

using Json = nlohmann::ordered_json;
using scenarios::TextTable;

constexpr std::size_t kMaxWarnings = 5;

struct Chosen {
  std::vector<Objective> objectives;
  std::vector<Objective> pareto;  ///< none or two
};

Result<Chosen> choose(const Table& table, const SummaryOptions& options) {
  Chosen chosen;
  Errors errors;
  const auto add = [&](const std::string& name, std::vector<Objective>& to) {
    Result<Objective> objective = table.objective(name);
    if (objective.ok()) {
      to.push_back(objective.value());
    } else {
      errors.push_back(objective.errors().front());
    }
  };
  for (const std::string& name : options.objectives) add(name, chosen.objectives);
  for (const std::string& name : options.pareto) add(name, chosen.pareto);
  if (!errors.empty()) return errors;
  if (chosen.objectives.empty()) chosen.objectives = table.objectives;
  if (chosen.pareto.empty() && chosen.objectives.size() >= 2) {
    chosen.pareto.assign(chosen.objectives.begin(), chosen.objectives.begin() + 2);
  }
  return chosen;
}

/// Names and values of a row, without the seed and, if wanted, without one parameter.
std::vector<std::pair<std::string, std::string>> values_of(const Table& table,
                                                           const Table::Row& row,
                                                           const std::string& without = {}) {
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    const Parameter& p = table.parameters[i];
    if (p.is_seed || p.path == without) continue;
    values.emplace_back(p.name, row.values[i].text);
  }
  return values;
}

std::string estimate_text(const std::string& metric, const Estimate& e) {
  std::string text = metric_text(metric, e.mean);
  if (e.half_width) text += " +- " + metric_text(metric, *e.half_width);
  return scenarios::with_coverage(std::move(text), e.cut_off);
}

/// A line of the table of configurations, by its rank.
std::vector<std::string> ranking_line(const Table& table, const Objective& objective,
                                      std::string rank, const Configuration& c) {
  std::vector<std::string> line{std::move(rank)};
  for (auto& [name, value] : values_of(table, *c.first)) line.push_back(std::move(value));
  line.push_back(estimate_text(objective.metric, c.result));
  line.push_back(std::to_string(c.result.count));
  return line;
}

std::string ranking_text(const Table& table, const Objective& objective, std::size_t shown) {
  const std::vector<Configuration> all = ranking(table, objective);
  const std::vector<Configuration> others = unranked(table, objective);
  if (all.empty() && others.empty()) return "  no point has this result\n";
  const Configuration& any = all.empty() ? others.front() : all.front();
  std::vector<std::string> header{"rank"};
  for (const auto& [name, value] : values_of(table, *any.first)) header.push_back(name);
  const auto has_interval = [](const Configuration& c) { return c.result.half_width.has_value(); };
  const bool has_seeds =
      std::ranges::any_of(all, has_interval) || std::ranges::any_of(others, has_interval);
  header.emplace_back(has_seeds ? "mean +- 95 % interval" : "one seed");
  header.emplace_back("runs");
  const std::size_t columns = header.size();
  TextTable lines(std::move(header));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= shown && i + shown < all.size()) {
      if (i == shown) lines.add(std::vector<std::string>(columns, "..."));
      continue;
    }
    lines.add(ranking_line(table, objective, std::to_string(i + 1), all[i]));
  }
  for (std::size_t i = 0; i < std::min(shown, others.size()); ++i) {
    lines.add(ranking_line(table, objective, "-", others[i]));
  }
  std::string text = lines.to_string("  ");
  if (others.size() > shown) text += fmt::format("  and {} more -\n", others.size() - shown);
  if (!others.empty()) {
    text +=
        "  -: not ranked, for runs were cut off, and what takes longest is not in their "
        "percentiles; --cut-off ranks them, too\n";
  }
  if (has_seeds) {
    text += "  +-: the mean over the seeds lies within it with 95 % confidence (Student's t)\n";
  }
  return text;
}

/// What the means of an effect are over, where that is not all points.
std::string effect_note(const Table& table, const Effect& effect) {
  const std::string& name = table.parameters[effect.parameter].name;
  if (effect.others == 0) return {};  // quarters
  if (!effect.together.empty()) {
    std::string others;
    for (const std::size_t other : effect.together) others += " " + table.parameters[other].name;
    return fmt::format("  {}: changes together with{}; the effect is that of all\n", name, others);
  }
  if (effect.is_unequal()) {
    return fmt::format(
        "  {}: no combination of the others has all of its values; each mean is over the points "
        "that there are, and what differs may be due to them\n",
        name);
  }
  if (effect.common == effect.others) return {};
  return fmt::format(
      "  {}: over the {} of {} combinations of the others that have all of its "
      "values\n",
      name, effect.common, effect.others);
}

/// What a ranking hides: that all are alike, or that the best by it is the worst by another.
std::string remarks_text(const Table& table, const Objective& objective,
                         const std::vector<Objective>& others) {
  const std::vector<Configuration> all = ranking(table, objective);
  if (all.size() < 2) return {};
  if (is_flat(all.front().result.mean, all.back().result.mean)) {
    return fmt::format(
        "  all are within 1 %, {}: the order says little\n",
        range_text(objective.metric, all.front().result.mean, all.back().result.mean));
  }
  std::string text;
  for (const Objective& other : others) {
    const std::vector<Configuration> by = ranking(table, other);
    if (other.name == objective.name || by.size() < 2) continue;
    const double best = by.front().result.mean;
    const double worst = by.back().result.mean;
    const auto own = std::ranges::find(by, all.front().number, &Configuration::number);
    if (is_flat(best, worst) || own == by.end() || own->result.mean != worst) continue;
    text +=
        fmt::format("  the best is the worst by {}: {}, where the best by that has {}\n",
                    other.name, metric_text(other.metric, worst), metric_text(other.metric, best));
  }
  return text;
}

std::string effects_text(const Table& table, const Objective& objective) {
  TextTable lines({"main effect of", "at", "mean", "runs"});
  std::string notes;
  for (const Effect& effect : main_effects(table, objective)) {
    if (effect.levels.size() < 2) continue;
    notes += effect_note(table, effect);
    std::string name = table.parameters[effect.parameter].name;
    for (const Level& level : effect.levels) {
      lines.add({name, level.label,
                 scenarios::with_coverage(metric_text(objective.metric, level.result.mean),
                                          level.result.cut_off),
                 std::to_string(level.result.count)});
      name.clear();
    }
  }
  return lines.to_string("  ") + notes;
}

std::string pareto_text(const Table& table, const Chosen& chosen) {
  const Objective& a = chosen.pareto[0];
  const Objective& b = chosen.pareto[1];
  const std::vector<ParetoPoint> front = pareto_front(table, a, b);
  if (front.empty()) return {};
  std::vector<std::string> header{""};
  for (const auto& [name, value] : values_of(table, *front.front().first)) header.push_back(name);
  header.push_back(a.name);
  header.push_back(b.name);
  TextTable lines(std::move(header));
  for (const ParetoPoint& point : front) {
    std::vector<std::string> line{""};
    for (auto& [name, value] : values_of(table, *point.first)) line.push_back(std::move(value));
    line.push_back(scenarios::with_coverage(metric_text(a.metric, point.a), point.cut_off_a));
    line.push_back(scenarios::with_coverage(metric_text(b.metric, point.b), point.cut_off_b));
    lines.add(std::move(line));
  }
  return fmt::format(
             "\nPareto front of {} and {}: no other point is better in one without being "
             "worse in the other\n",
             a.name, b.name) +
         lines.to_string("  ");
}

std::string thresholds_text(const Table& table) {
  const std::vector<Threshold> all = thresholds(table);
  if (all.empty()) return {};
  const std::string name = table.parameters[*table.parameter(table.bisected)].name;
  std::vector<std::string> header{""};
  for (const auto& [key, value] : values_of(table, *all.front().first, table.bisected)) {
    header.push_back(key);
  }
  for (const char* column : {"fails at", "holds from", "runs"}) header.emplace_back(column);
  TextTable lines(std::move(header));
  for (const Threshold& t : all) {
    std::vector<std::string> line{""};
    for (auto& [key, value] : values_of(table, *t.first, table.bisected)) {
      line.push_back(std::move(value));
    }
    line.push_back(
        scenarios::with_coverage(t.fails_at ? t.fails_at->text : "never", t.cut_off_fails));
    line.push_back(scenarios::with_coverage(t.has_failures ? "a run failed"
                                            : t.holds_at   ? t.holds_at->text
                                                           : "never",
                                            t.cut_off_holds));
    line.push_back(std::to_string(t.runs));
    lines.add(std::move(line));
  }
  return fmt::format("\nthe smallest {} with {}\n", name, table.condition) + lines.to_string("  ");
}

struct Counts {
  std::size_t usable = 0;
  std::size_t unfinished = 0;
  std::size_t failed = 0;
  std::size_t waiting = 0;
  std::size_t cut_off = 0;  ///< of the usable
};

Counts counts_of(const Table& table) {
  Counts c;
  for (const Table::Row& row : table.rows) {
    if (is_usable(row)) {
      ++c.usable;
      if (row.cut_off()) ++c.cut_off;
    } else if (row.is_done()) {
      ++c.unfinished;
    } else if (row.has_failed()) {
      ++c.failed;
    } else if (row.status == "waiting") {
      ++c.waiting;
    }
  }
  return c;
}

void add_cut_off(const std::optional<scenarios::Coverage>& coverage, Json& json,
                 const char* key = scenarios::kCutOff) {
  if (const auto text = scenarios::cut_off_text(coverage)) json[key] = *text;
}

Json estimate_json(const Estimate& e) {
  Json json{{"mean", e.mean},
            {"half_width_95", e.half_width ? Json(*e.half_width) : Json(nullptr)},
            {"runs", e.count}};
  add_cut_off(e.cut_off, json);
  return json;
}

Json values_json(const Table& table, const Table::Row& row, const std::string& without = {}) {
  Json json = Json::object();
  for (const auto& [name, value] : values_of(table, row, without)) json[name] = value;
  return json;
}

Json objective_json(const Table& table, const Objective& objective) {
  Json json{{"name", objective.name},
            {"metric", objective.metric},
            {"goal", objective.goal == Goal::kMin ? "min" : "max"}};
  const auto list = [&](const std::vector<Configuration>& configurations) {
    Json lines = Json::array();
    for (const Configuration& c : configurations) {
      Json line = estimate_json(c.result);
      line["configuration"] = c.number;
      line["parameters"] = values_json(table, *c.first);
      lines.push_back(std::move(line));
    }
    return lines;
  };
  json["configurations"] = list(ranking(table, objective));
  json["not_ranked"] = list(unranked(table, objective));
  json["effects"] = Json::array();
  for (const Effect& effect : main_effects(table, objective)) {
    Json levels = Json::array();
    for (const Level& level : effect.levels) {
      levels.push_back(
          {{"at", level.label}, {"mean", level.result.mean}, {"runs", level.result.count}});
      add_cut_off(level.result.cut_off, levels.back());
    }
    json["effects"].push_back({{"parameter", table.parameters[effect.parameter].name},
                               {"range", effect.range},
                               {"combinations_of_others", effect.others},
                               {"compared_at", effect.common},
                               {"levels", std::move(levels)}});
  }
  return json;
}

}  // namespace

std::string metric_text(const std::string& metric, double value) {
  const std::string unit = metric_unit(metric);
  if (unit == "s") return scenarios::format_time(value);
  if (unit == "B") return scenarios::format_bytes(value);
  if (unit == "B/s") return scenarios::format_rate(8 * value);
  if (metric.find("tokens_per_second") != std::string::npos) return scenarios::format_tokens(value);
  if (metric.find("dollars_per_") != std::string::npos) return scenarios::format_dollars(value);
  return scenarios::plain_number(value, 4);
}

bool is_flat(double one, double other) {
  constexpr double kSame = 0.01;
  return std::abs(one - other) <= kSame * std::max(std::abs(one), std::abs(other));
}

std::string range_text(const std::string& metric, double one, double other) {
  const std::string low = metric_text(metric, std::min(one, other));
  const std::string high = metric_text(metric, std::max(one, other));
  return low == high ? low : low + " to " + high;
}

Result<std::string> summary_text(const Table& table, const SummaryOptions& options) {
  const Result<Chosen> chosen = choose(table, options);
  if (!chosen.ok()) return chosen.errors();
  const Counts c = counts_of(table);
  std::string text =
      fmt::format("{}  ({})  {} points", table.name, table.program, table.rows.size());
  if (c.waiting > 0) text += fmt::format(", {} not run yet", c.waiting);
  text += choice_counts_text(table);
  if (c.failed > 0) text += fmt::format(", {} failed", c.failed);
  if (c.unfinished > 0)
    text += fmt::format(", {} whose jobs did not finish (left out)", c.unfinished);
  if (c.cut_off > 0) text += fmt::format(", {} cut off", c.cut_off);
  const PointWarnings warnings = warnings_of(table);
  if (warnings.points > 0) text += fmt::format(", {} with warnings", warnings.points);
  if (!table.where.empty()) text += ", those where " + table.where;
  text += "\n";
  for (const std::string& line : warning_lines(table, warnings, kMaxWarnings)) {
    text += "  warning: " + escaped(line) + "\n";
  }
  text += thresholds_text(table) + choice_text(table, kMaxChoicePoints);
  for (const Objective& objective : chosen.value().objectives) {
    text += fmt::format(
        "\n{} ({})\n", objective.name,
        objective.goal == Goal::kMin ? "the smaller the better" : "the larger the better");
    text += ranking_text(table, objective, options.shown) +
            remarks_text(table, objective, chosen.value().objectives) +
            by_condition_text(table, objective) + "\n" + effects_text(table, objective);
  }
  if (chosen.value().pareto.size() == 2) text += pareto_text(table, chosen.value());
  return text;
}

Result<Json> summary_json(const Table& table, const SummaryOptions& options) {
  const Result<Chosen> chosen = choose(table, options);
  if (!chosen.ok()) return chosen.errors();
  const Counts c = counts_of(table);
  Json json{
      {"sweep", table.name}, {"program", table.program},   {"points", table.rows.size()},
      {"usable", c.usable},  {"unfinished", c.unfinished}, {"cut_off", c.cut_off},
      {"failed", c.failed},  {"waiting", c.waiting},       {"warned", warnings_of(table).points}};
  if (table.choice) json["choice"] = choice_json(table);
  json["objectives"] = Json::array();
  for (const Objective& objective : chosen.value().objectives) {
    json["objectives"].push_back(objective_json(table, objective));
  }
  if (chosen.value().pareto.size() == 2) {
    const Objective& a = chosen.value().pareto[0];
    const Objective& b = chosen.value().pareto[1];
    Json front = Json::array();
    for (const ParetoPoint& p : pareto_front(table, a, b)) {
      front.push_back({{"parameters", values_json(table, *p.first)}, {a.name, p.a}, {b.name, p.b}});
      Json cut_off = Json::object();
      add_cut_off(p.cut_off_a, cut_off, a.name.c_str());
      add_cut_off(p.cut_off_b, cut_off, b.name.c_str());
      if (!cut_off.empty()) front.back()[scenarios::kCutOff] = std::move(cut_off);
    }
    json["pareto"] = {{"objectives", {a.name, b.name}}, {"front", std::move(front)}};
  }
  if (!table.bisected.empty()) {
    json["thresholds"] = Json::array();
    for (const Threshold& t : thresholds(table)) {
      json["thresholds"].push_back(
          {{"parameters", values_json(table, *t.first, table.bisected)},
           {"fails_at", t.fails_at ? Json(t.fails_at->text) : Json(nullptr)},
           {"holds_at", t.holds_at ? Json(t.holds_at->text) : Json(nullptr)},
           {"has_failures", t.has_failures},
           {"runs", t.runs}});
      Json cut_off = Json::object();
      add_cut_off(t.cut_off_fails, cut_off, "fails_at");
      add_cut_off(t.cut_off_holds, cut_off, "holds_at");
      if (!cut_off.empty()) json["thresholds"].back()[scenarios::kCutOff] = std::move(cut_off);
    }
  }
  return json;
}

}  // namespace weft::sweep
