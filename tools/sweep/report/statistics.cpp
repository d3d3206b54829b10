#include "tools/sweep/report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <variant>

#include "tools/sweep/language/expression.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/store/report.hpp"

namespace weft::sweep {
namespace {

/// More values than this are grouped.
constexpr std::size_t kMaxLevels = 12;
constexpr std::size_t kQuarters = 4;

using Numbers = std::vector<double>;

bool is_better(Goal goal, double a, double b) { return goal == Goal::kMin ? a < b : a > b; }

bool comes_before(const Value& a, const Value& b) {
  if (a.number && b.number) return *a.number < *b.number;
  return a.number.has_value() && !b.number.has_value();
}

using Rows = std::vector<const Table::Row*>;

/// Ranked rows with the result, by configuration; none of a configuration of which another row was
/// cut off: those that were fast enough would stand for all.
std::map<std::int64_t, Rows> by_configuration(const Table& table, const std::string& metric) {
  std::map<std::int64_t, Rows> groups;
  std::set<std::int64_t> cut_off;
  for (const Table::Row& row : table.rows) {
    if (ranked_metric(table, row, metric)) {
      groups[row.configuration].push_back(&row);
    } else if (usable_metric(row, metric)) {
      cut_off.insert(row.configuration);
    }
  }
  for (const std::int64_t configuration : cut_off) groups.erase(configuration);
  return groups;
}

struct RankedRow {
  const Value* value;
  const Table::Row* row;
  std::string others;  ///< values of all other parameters but the seed
};

/// Parameters that have several values, and only one for each of this one's.
std::vector<std::size_t> changing_with(const Table& table, std::size_t parameter) {
  std::vector<std::size_t> found;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    if (p == parameter || table.parameters[p].is_seed) continue;
    std::map<std::string, std::set<std::string>> values;
    std::set<std::string> all;
    for (const Table::Row& row : table.rows) {
      values[row.values[parameter].text].insert(row.values[p].text);
      all.insert(row.values[p].text);
    }
    const bool is_one =
        std::ranges::all_of(values, [](const auto& level) { return level.second.size() == 1; });
    if (is_one && all.size() > 1 && all.size() == values.size()) found.push_back(p);
  }
  return found;
}

std::string others_of(const Table& table, const Table::Row& row, std::size_t parameter,
                      const std::vector<std::size_t>& together) {
  std::string text;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    if (p == parameter || table.parameters[p].is_seed) continue;
    if (std::ranges::find(together, p) == together.end()) text += row.values[p].text + '\n';
  }
  return text;
}

/// Leaves the samples whose other parameters every one of `levels` values has, where there are any.
void keep_common(std::vector<RankedRow>& samples, std::size_t levels, Effect& effect) {
  std::map<std::string, std::set<std::string>> values;
  for (const RankedRow& s : samples) values[s.others].insert(s.value->text);
  const auto is_common = [&](const RankedRow& s) { return values.at(s.others).size() == levels; };
  effect.others = values.size();
  effect.common = static_cast<std::size_t>(std::ranges::count_if(
      values, [levels](const auto& entry) { return entry.second.size() == levels; }));
  if (effect.common > 0) std::erase_if(samples, [&](const RankedRow& s) { return !is_common(s); });
}

std::vector<Level> levels_of(const std::vector<RankedRow>& samples,
                             const std::vector<Value>& distinct, const std::string& metric) {
  std::map<std::string, Rows> groups;
  for (const RankedRow& s : samples) groups[s.value->text].push_back(s.row);
  std::vector<Level> levels;
  for (const Value& value : distinct) {
    const auto found = groups.find(value.text);
    if (found == groups.end()) continue;
    levels.push_back({value.text, value.number, estimate(found->second, metric)});
  }
  return levels;
}

/// Four groups of nearly equal size by value: the first ones take what is left over, as SQL's
/// `ntile` does.
std::vector<Level> quarters_of(std::vector<RankedRow> samples, const std::string& metric) {
  std::ranges::stable_sort(samples, {}, [](const RankedRow& s) { return *s.value->number; });
  std::vector<Level> levels;
  std::size_t begin = 0;
  for (std::size_t q = 0; q < kQuarters; ++q) {
    const std::size_t size = samples.size() / kQuarters + (q < samples.size() % kQuarters ? 1 : 0);
    if (size == 0) continue;
    Rows rows;
    for (std::size_t i = begin; i < begin + size; ++i) rows.push_back(samples[i].row);
    levels.push_back({samples[begin].value->text + " .. " + samples[begin + size - 1].value->text,
                      samples[begin].value->number, estimate(rows, metric)});
    begin += size;
  }
  return levels;
}

}  // namespace

bool is_usable(const Table::Row& row) { return row.is_done() && row.is_success(); }

std::optional<double> ranked_metric(const Table& table, const Table::Row& row,
                                    const std::string& metric) {
  if (table.ranks_cut_off && row.cut_off(metric)) return row.metric(metric);
  return row.cut_off(metric) ? std::nullopt : usable_metric(row, metric);
}

std::optional<double> usable_metric(const Table::Row& row, const std::string& metric) {
  const bool is_runnable = row.is_done() || row.status == status_name(Status::kEstimated);
  if (!is_usable(row) && !(is_runnable && is_estimate(metric))) return std::nullopt;
  return row.metric(metric);
}

Estimate estimate(const std::vector<double>& values) {
  Estimate result;
  result.count = values.size();
  if (values.empty()) return result;
  double sum = 0;
  for (const double v : values) sum += v;
  const auto n = static_cast<double>(values.size());
  result.mean = sum / n;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double v : values) squares += (v - result.mean) * (v - result.mean);
  result.half_width = student_factor(values.size()) * std::sqrt(squares / (n - 1) / n);
  return result;
}

Estimate estimate(const Rows& rows, const std::string& metric) {
  Numbers values;
  std::optional<scenarios::Coverage> all;
  bool is_cut = false;
  for (const Table::Row* row : rows) {
    const auto value = row->metric(metric);
    if (!value) continue;
    values.push_back(*value);
    const auto coverage = row->coverage(metric);
    if (!coverage) continue;
    is_cut = is_cut || coverage->is_partial();
    if (all) {
      *all += *coverage;
    } else {
      all = coverage;
    }
  }
  Estimate result = estimate(values);
  if (is_cut) result.cut_off = all;
  return result;
}

std::vector<Configuration> ranking(const Table& table, const Objective& objective) {
  std::vector<Configuration> configurations;
  for (const auto& [number, group] : by_configuration(table, objective.metric)) {
    configurations.push_back({number, group.front(), estimate(group, objective.metric)});
  }
  std::ranges::stable_sort(configurations, [&](const Configuration& a, const Configuration& b) {
    return is_better(objective.goal, a.result.mean, b.result.mean);
  });
  return configurations;
}

std::vector<Configuration> unranked(const Table& table, const Objective& objective) {
  const auto ranked = by_configuration(table, objective.metric);
  std::map<std::int64_t, Rows> groups;
  std::set<std::int64_t> cut_off;
  for (const Table::Row& row : table.rows) {
    if (ranked.contains(row.configuration) || !row.metric(objective.metric)) continue;
    if (row.cut_off(objective.metric)) cut_off.insert(row.configuration);
    if (row.is_done()) groups[row.configuration].push_back(&row);
  }
  std::vector<Configuration> configurations;
  for (const std::int64_t number : cut_off) {
    const Rows& group = groups.at(number);
    configurations.push_back({number, group.front(), estimate(group, objective.metric)});
  }
  return configurations;
}

namespace {

template <class Counts>
std::vector<Value> values_in(const Table& table, std::size_t parameter, const Counts& counts) {
  std::vector<Value> distinct;
  std::map<std::string, bool> seen;
  for (const Table::Row& row : table.rows) {
    if (!counts(row)) continue;
    const Value& value = row.values[parameter];
    if (seen.emplace(value.text, true).second) distinct.push_back(value);
  }
  std::ranges::stable_sort(distinct, comes_before);
  return distinct;
}

}  // namespace

std::vector<Value> distinct_values(const Table& table, std::size_t parameter,
                                   const std::string& metric) {
  return values_in(table, parameter, [&](const Table::Row& row) {
    return is_usable(row) || usable_metric(row, metric);
  });
}

std::vector<Effect> main_effects(const Table& table, const Objective& objective) {
  std::vector<Effect> effects;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    if (table.parameters[p].is_seed) continue;
    Effect effect;
    effect.together = changing_with(table, p);
    std::vector<RankedRow> samples;
    bool has_texts = false;
    for (const Table::Row& row : table.rows) {
      if (!ranked_metric(table, row, objective.metric)) continue;
      samples.push_back({&row.values[p], &row, others_of(table, row, p, effect.together)});
      has_texts |= !row.values[p].number.has_value();
    }
    const std::vector<Value> distinct = values_in(table, p, [&](const Table::Row& row) {
      const bool is_left_out = !table.ranks_cut_off && row.cut_off(objective.metric);
      return (is_usable(row) && !is_left_out) || ranked_metric(table, row, objective.metric);
    });
    effect.parameter = p;
    if (distinct.size() > kMaxLevels && !has_texts) {
      effect.levels = quarters_of(std::move(samples), objective.metric);
    } else {
      keep_common(samples, distinct.size(), effect);
      effect.levels = levels_of(samples, distinct, objective.metric);
    }
    if (effect.levels.empty()) continue;
    const auto [low, high] = std::ranges::minmax_element(
        effect.levels, {}, [](const Level& level) { return level.result.mean; });
    effect.range = high->result.mean - low->result.mean;
    effects.push_back(std::move(effect));
  }
  std::ranges::stable_sort(effects, std::ranges::greater{}, &Effect::range);
  return effects;
}

std::vector<ParetoPoint> pareto_front(const Table& table, const Objective& a, const Objective& b) {
  const auto others = by_configuration(table, b.metric);
  std::vector<ParetoPoint> points;
  for (const auto& [number, group] : by_configuration(table, a.metric)) {
    const auto other = others.find(number);
    if (other == others.end()) continue;
    const Estimate first = estimate(group, a.metric);
    const Estimate second = estimate(other->second, b.metric);
    points.push_back({group.front(), first.mean, second.mean, first.cut_off, second.cut_off});
  }
  std::ranges::stable_sort(points, [&](const ParetoPoint& x, const ParetoPoint& y) {
    if (x.a != y.a) return is_better(a.goal, x.a, y.a);
    return is_better(b.goal, x.b, y.b);
  });
  std::vector<ParetoPoint> front;
  for (const ParetoPoint& point : points) {
    if (front.empty() || is_better(b.goal, point.b, front.back().b)) front.push_back(point);
  }
  return front;
}

namespace {

/// What the percentiles are of by which a search decided at a value, if runs were cut off there.
std::optional<scenarios::Coverage> deciding_coverage(const Table& table, std::size_t bisected,
                                                     std::int64_t search,
                                                     const std::optional<Value>& end) {
  const auto parsed = Expression::parse(table.condition);
  const auto* condition = std::get_if<Expression>(&parsed);
  if (condition == nullptr || !end) return std::nullopt;
  Rows rows;
  for (const Table::Row& row : table.rows) {
    if (row.search == search && row.values[bisected].text == end->text) rows.push_back(&row);
  }
  for (const std::string& name : condition->names()) {
    if (const Estimate found = estimate(rows, name); found.cut_off) return found.cut_off;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Threshold> thresholds(const Table& table) {
  const auto bisected = table.parameter(table.bisected);
  if (!bisected) return {};
  // The condition holds at a value if it does for all seeds.
  std::map<std::int64_t, std::map<double, std::pair<bool, const Value*>>> answers;
  std::map<std::int64_t, Threshold> found;
  for (const Table::Row& row : table.rows) {
    Threshold& threshold = found[row.search];
    if (threshold.first == nullptr) threshold.first = &row;
    if (row.status == "waiting") continue;
    ++threshold.runs;
    const Value& value = row.values[*bisected];
    if (!row.holds || !value.number) {
      threshold.has_failures = true;
      continue;
    }
    auto& answer = answers[row.search].try_emplace(*value.number, true, &value).first->second;
    answer.first = answer.first && *row.holds;
  }
  std::vector<Threshold> result;
  for (auto& [search, threshold] : found) {
    for (const auto& [number, answer] : answers[search]) {
      if (answer.first && !threshold.holds_at) threshold.holds_at = *answer.second;
      if (!answer.first) threshold.fails_at = *answer.second;
    }
    threshold.cut_off_fails = deciding_coverage(table, *bisected, search, threshold.fails_at);
    threshold.cut_off_holds = deciding_coverage(table, *bisected, search, threshold.holds_at);
    result.push_back(threshold);
  }
  return result;
}

}  // namespace weft::sweep
