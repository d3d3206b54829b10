#include "tools/sweep/report/by_condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "scenarios/text/format.hpp"
#include "tools/sweep/language/conditions.hpp"
#include "tools/sweep/report/statistics.hpp"
#include "tools/sweep/report/summarize.hpp"

namespace weft::sweep {
namespace {

/// More lines are what `weft export` is for.
constexpr std::size_t kMaxConditions = 12;

/// Parameters that differ, by index in ascending order.
struct Kinds {
  std::vector<std::size_t> conditions;
  std::vector<std::size_t> choices;
};

/// What changes together with a choice is no condition.
Kinds kinds_of(const Table& table, const Objective& objective) {
  Kinds kinds;
  const auto is_given = [&table](std::size_t p) { return is_condition(table.parameters[p].path); };
  for (const Effect& effect : main_effects(table, objective)) {
    if (effect.levels.size() < 2) continue;
    const bool is_one =
        is_given(effect.parameter) && std::ranges::all_of(effect.together, is_given);
    (is_one ? kinds.conditions : kinds.choices).push_back(effect.parameter);
  }
  std::ranges::sort(kinds.conditions);
  std::ranges::sort(kinds.choices);
  return kinds;
}

std::string names_of(const Table& table, const std::vector<std::size_t>& parameters) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const std::size_t p : parameters) names.push_back(table.parameters[p].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

using Group = std::vector<const Configuration*>;

/// By the values of all conditions, in the order of points; each from best to worst. `ranked` must
/// outlive them.
std::vector<Group> groups_of(const std::vector<Configuration>& ranked, const Kinds& kinds) {
  std::map<std::vector<std::string>, Group> groups;
  for (const Configuration& c : ranked) {
    std::vector<std::string> key;
    for (const std::size_t p : kinds.conditions) key.push_back(c.first->values[p].text);
    groups[key].push_back(&c);
  }
  std::vector<Group> all;
  all.reserve(groups.size());
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  std::ranges::sort(all, {}, [](const Group& group) {
    return (*std::ranges::min_element(group, {}, &Configuration::number))->number;
  });
  return all;
}

std::vector<std::string> line_of(const Objective& objective, const Kinds& kinds,
                                 const Group& group) {
  const Configuration& best = *group.front();
  std::vector<std::string> line;
  for (const std::size_t p : kinds.conditions) line.push_back(best.first->values[p].text);
  for (const std::size_t p : kinds.choices) line.push_back(best.first->values[p].text);
  line.push_back(metric_text(objective.metric, best.result.mean));
  line.push_back(metric_text(objective.metric, group.back()->result.mean));
  line.push_back(std::to_string(group.size()));
  return line;
}

}  // namespace

std::string by_condition_text(const Table& table, const Objective& objective) {
  const Kinds kinds = kinds_of(table, objective);
  if (kinds.conditions.empty()) return {};
  const std::string what = names_of(table, kinds.conditions);
  if (kinds.choices.empty()) {
    return fmt::format(
        "  nothing but {} differs, which nobody chooses: the first is not the best\n", what);
  }
  const std::vector<Configuration> ranked = ranking(table, objective);
  const std::vector<Group> groups = groups_of(ranked, kinds);
  std::vector<std::string> header;
  for (const std::size_t p : kinds.conditions) header.push_back(table.parameters[p].name);
  for (const std::size_t p : kinds.choices) header.push_back("best " + table.parameters[p].name);
  for (const char* column : {"mean", "the worst has", "of"}) header.emplace_back(column);
  scenarios::TextTable lines(std::move(header));
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxConditions); ++i) {
    lines.add(line_of(objective, kinds, groups[i]));
  }
  std::string text = fmt::format("  for each {}, which nobody chooses:\n", what);
  text += lines.to_string("  ");
  if (groups.size() > kMaxConditions) {
    text += fmt::format("  and {} more; `weft export` has all\n", groups.size() - kMaxConditions);
  }
  return text;
}

}  // namespace weft::sweep
