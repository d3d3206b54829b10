#include "tools/sweep/language/sweep.hpp"

#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "scenarios/language/yaml/overrides.hpp"
#include "simcore/base/result.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::sweep {
namespace {

/// Samples and steps are rounded to as many digits: enough for any plot, short enough to read.
constexpr int kDigits = 9;

std::string strategy_lines(const Sweep& sweep) {
  if (const auto* sampling = std::get_if<Sampling>(&sweep.strategy)) {
    return "strategy: random, " + std::to_string(sampling->samples) + " samples, seed " +
           std::to_string(sampling->seed) + "\n";
  }
  if (const auto* bisect = std::get_if<Bisection>(&sweep.strategy)) {
    return "strategy: bisect " + sweep.parameters[bisect->parameter].path + " from " +
           number_text(bisect->low.value) + " to " + number_text(bisect->high.value) + " within " +
           number_text(bisect->tolerance) + ", " + bisect->condition.text() +
           (bisect->counts_cut_off ? ", also of runs that were cut off" : "") + "\n";
  }
  return "strategy: grid\n";
}

std::string choice_lines(const Choice& choice) {
  std::string text = "choose: best " + std::to_string(choice.best) + " by " + choice.metric +
                     (choice.goal == Goal::kMin ? " (min)\n" : " (max)\n");
  for (const std::string& line : choice.slice) text += "slice: " + line + "\n";
  return text;
}

std::string axis_line(const Sweep& sweep, const Axis& axis) {
  std::string text = "axis";
  for (const std::size_t p : axis.parameters) text += " " + sweep.parameters[p].path;
  text += ":";
  if (axis.range && axis.rows.empty()) {
    return text + " from " + axis.range->at(0) + " to " + axis.range->at(1) +
           (axis.range->is_log ? ", log\n" : "\n");
  }
  for (const std::vector<Value>& row : axis.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? " " : "/") + row[i].text;
  }
  return text + "\n";
}

}  // namespace

Value Value::of(std::string text, language::Mark mark) {
  Value value;
  std::string_view bare = text;
  if (bare.size() > 1 && bare.front() == '"') bare = bare.substr(1, bare.size() - 2);
  if (const auto number = parse_number(bare)) value.number = number->value;
  value.text = std::move(text);
  value.mark = mark;
  return value;
}

std::string Range::at(double fraction) const {
  const auto between = [&](double a, double b) {
    if (fraction <= 0) return a;
    if (fraction >= 1) return b;
    return is_log ? a * std::pow(b / a, fraction) : a + (b - a) * fraction;
  };
  if (from.dimension == nullptr) {
    const double value = between(from.value, to.value);
    return number_text(is_integer ? std::round(value) : round_to(value, kDigits));
  }
  const double count = between(static_cast<double>(from.count), static_cast<double>(to.count));
  return quantity_text(std::llround(round_to(count, kDigits)), *from.dimension);
}

std::string Sweep::definition() const {
  std::string text = "program: weft " WEFT_VERSION "\nname: " + name + "\n";
  for (const Axis& axis : axes) text += axis_line(*this, axis);
  if (!seeds.empty()) {
    text += "seeds:";
    for (const std::uint64_t seed : seeds) text += " " + std::to_string(seed);
    text += "\n";
  }
  for (const Constraint& c : constraints) text += "constraint: " + c.expression.text() + "\n";
  if (choice) text += choice_lines(*choice);
  if (is_isolated) text += "isolated: each job runs alone, too\n";
  return text + strategy_lines(*this) + "scenario:\n" + base_text;
}

SourceLocation Sweep::location(const language::Mark& mark, std::string key) const {
  if (mark.override_index < 0) return {file, mark.line, mark.column, std::move(key)};
  const auto index = static_cast<std::size_t>(mark.override_index);
  return {language::override_name(own_overrides[index]), 0, 0, std::move(key)};
}

Errors Sweep::located(Errors errors, const Point& point) const {
  for (Error& error : errors) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string text = parameters[i].path + "=" + point.values[i].text;
      if (error.where.file != language::override_name(text)) continue;
      error.where = location(point.values[i].mark, error.where.key);
      break;
    }
  }
  return errors;
}

std::vector<std::string> overrides_of(const Sweep& sweep, const Point& point) {
  std::vector<std::string> overrides = sweep.overrides;
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
    overrides.push_back(sweep.parameters[i].path + "=" + point.values[i].text);
  }
  return overrides;
}

std::vector<std::string> simulated_overrides_of(const Sweep& sweep, const Point& point) {
  std::vector<std::string> overrides = overrides_of(sweep, point);
  if (sweep.choice) {
    overrides.insert(overrides.end(), sweep.choice->slice.begin(), sweep.choice->slice.end());
  }
  return overrides;
}

std::string description(const std::vector<Parameter>& parameters,
                        const std::vector<Value>& values) {
  std::string text;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    text += (i == 0 ? "" : " ") + parameters[i].name + "=" + values[i].text;
  }
  return text;
}

}  // namespace weft::sweep
