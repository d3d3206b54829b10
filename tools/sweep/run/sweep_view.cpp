#include "tools/sweep/run/sweep_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "scenarios/text/format.hpp"
#include "tools/sweep/language/conditions.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/report/summarize.hpp"

namespace weft::sweep {
namespace {

using live::Line;
using live::Tone;

constexpr std::size_t kMaxKept = 100;
constexpr std::size_t kNameColumns = 22;
constexpr std::size_t kValueColumns = 14;
constexpr std::size_t kBarColumns = 30;

std::optional<double> value_of(const Report& report, const std::string& metric) {
  const bool is_over = report.outcome == "finished" || report.outcome == "horizon";
  if (!is_over && !is_estimate(metric)) return std::nullopt;
  for (const auto& [name, value] : report.metrics) {
    if (name == metric) return value;
  }
  return std::nullopt;
}

/// The description of some parameters.
std::string some_of(const std::vector<Parameter>& parameters, const std::vector<Value>& values,
                    const std::vector<std::size_t>& some) {
  std::vector<Parameter> names;
  std::vector<Value> texts;
  for (const std::size_t p : some) {
    names.push_back(parameters[p]);
    texts.push_back(values[p]);
  }
  return description(names, texts);
}

}  // namespace

SweepView::SweepView(const Sweep& sweep)
    : sweep_(sweep),
      value_columns_(kValueColumns),
      bests_(sweep.objectives.size()),
      by_condition_(sweep.objectives.size()) {
  for (const Axis& axis : sweep.axes) {
    if (axis.rows.size() < 2 && !axis.range) continue;
    const bool is_given = std::ranges::all_of(axis.parameters, [&sweep](std::size_t p) {
      return is_condition(sweep.parameters[p].path);
    });
    auto& kind = is_given ? conditions_ : choices_;
    kind.insert(kind.end(), axis.parameters.begin(), axis.parameters.end());
  }
  for (const Objective& objective : sweep.objectives) {
    value_columns_ = std::max(value_columns_, std::min(objective.name.size() + 2, kNameColumns));
  }
}

void SweepView::show(live::Display& display, const Progress& progress) {
  for (const Ended& ended : progress.fresh) note(ended);
  const bool is_last = !is_over_ && progress.running == 0 && progress.recorded == progress.total;
  is_over_ |= is_last;
  display.update({.picture =
                      [&](int columns, int rows) {
                        return picture(progress, static_cast<std::size_t>(std::max(columns, 1)),
                                       static_cast<std::size_t>(std::max(rows, 1)));
                      },
                  .sentence = [&] { return sentence(progress); }},
                 is_last);
}

void SweepView::note_value(std::size_t objective, const Ended& ended, const Last& last) {
  const Goal goal = sweep_.objectives[objective].goal;
  const double value = *last.values[objective];
  const auto take = [&](Best& best, const std::string& point) {
    const bool is_first = best.count++ == 0;
    const auto is_better = [goal](double a, double b) {
      return goal == Goal::kMin ? a < b : a > b;
    };
    if (is_first || is_better(value, best.value)) {
      best.value = value;
      best.point = point;
      best.values = last.values;
    }
    if (is_first || is_better(best.worst, value)) {
      best.worst = value;
      best.worst_point = point;
    }
  };
  if (!bests_[objective]) bests_[objective].emplace();
  take(*bests_[objective], last.point);
  if (conditions_.empty()) return;
  const auto text_of = [&](const std::vector<std::size_t>& parameters) {
    return some_of(sweep_.parameters, ended.point.values, parameters);
  };
  take(by_condition_[objective][text_of(conditions_)], text_of(choices_));
}

void SweepView::note(const Ended& ended) {
  ++noted_;
  Last last{.point = description(sweep_.parameters, ended.point.values),
            .outcome = ended.report.status == Status::kDone ? ended.report.outcome
                                                            : status_name(ended.report.status),
            .has_failed = is_failure(ended.report.status),
            .values = {}};
  std::string remarks;
  for (const Objective& objective : sweep_.objectives) {
    last.values.push_back(value_of(ended.report, objective.metric));
  }
  for (std::size_t i = 0; i < sweep_.objectives.size(); ++i) {
    const Objective& objective = sweep_.objectives[i];
    if (!last.values[i]) continue;
    if (const auto cut_off = cut_off_of(ended.report, objective.metric)) {
      remarks += fmt::format(" ({} {})", objective.name, cut_off->text());
      continue;
    }
    note_value(i, ended, last);
  }
  if (const auto* bisection = std::get_if<Bisection>(&sweep_.strategy)) {
    for (const std::string& name : bisection->condition.names()) {
      const auto cut_off = cut_off_of(ended.report, name);
      const bool is_said = std::ranges::count(sweep_.objectives, name, &Objective::metric) > 0;
      if (cut_off && !is_said) {
        remarks += fmt::format(" ({} {})", name, cut_off->text());
      }
    }
  }
  last.point += remarks;
  last_.push_front(std::move(last));
  if (last_.size() > kMaxKept) last_.pop_back();
}

std::string SweepView::progress_text(const Progress& p) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double rate = static_cast<double>(p.ran) / std::max(seconds, 1e-9);
  std::string text =
      fmt::format("{} of {} points, {} running, {:.3g}/s",
                  scenarios::format_count(static_cast<std::int64_t>(p.recorded)),
                  scenarios::format_count(static_cast<std::int64_t>(p.total)), p.running, rate);
  if (p.failed > 0) text += fmt::format(", {} failed", p.failed);
  if (p.ran > 0 && p.total > p.recorded) {
    text += ", " + live::duration_text(static_cast<double>(p.total - p.recorded) / rate) + " left";
  }
  return text;
}

std::vector<Line> SweepView::picture(const Progress& p, std::size_t columns,
                                     std::size_t rows) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const std::string right_text = live::duration_text(seconds) + ", Ctrl-C ends the sweep";
  const std::size_t width = columns > right_text.size() ? columns - right_text.size() : 0;
  const double done =
      static_cast<double>(p.recorded) / static_cast<double>(std::max<std::size_t>(p.total, 1));
  std::vector<Line> lines;
  lines.push_back({{live::left("weft sweep  " + sweep_.name, width), Tone::kStrong},
                   {right_text, Tone::kFaint}});
  lines.push_back({{live::bar(done, kBarColumns) + " " + progress_text(p),
                    p.failed > 0 ? Tone::kAlarm : Tone::kPlain}});
  add_bests(columns, lines);
  const std::size_t used = lines.size() + 2;
  add_last(columns, rows > used ? rows - used : 0, lines);
  return lines;
}

void SweepView::add_bests(std::size_t columns, std::vector<Line>& lines) const {
  if (bests_.empty()) return;
  lines.emplace_back();
  lines.push_back(
      {{live::left("best so far", kNameColumns) + live::right("", kValueColumns) + "  at",
        Tone::kFaint}});
  const std::size_t fixed = kNameColumns + kValueColumns + 2;
  for (std::size_t i = 0; i < bests_.size(); ++i) {
    const auto& best = bests_[i];
    const Objective& objective = sweep_.objectives[i];
    if (best && !conditions_.empty()) {
      if (choices_.empty()) continue;
      lines.push_back({{live::left(objective.name, kNameColumns), Tone::kStrong},
                       {live::left(winner_text(i), columns - std::min(columns, kNameColumns))}});
      continue;
    }
    const std::string value = best ? metric_text(objective.metric, best->value) : "-";
    lines.push_back({{live::left(objective.name, kNameColumns), Tone::kStrong},
                     {live::right(value, kValueColumns) + "  ", Tone::kCalm},
                     {live::left(best ? best->point : "", columns > fixed ? columns - fixed : 0)}});
  }
}

void SweepView::add_last(std::size_t columns, std::size_t max, std::vector<Line>& lines) const {
  lines.emplace_back();
  std::string titles = live::left("ended last", 14);
  for (const Objective& objective : sweep_.objectives) {
    titles += live::right(objective.name, value_columns_ - 1) + " ";
  }
  lines.push_back({{titles + " point", Tone::kFaint}});
  const std::size_t fixed = 14 + sweep_.objectives.size() * value_columns_ + 1;
  for (std::size_t i = 0; i < std::min(max, last_.size()); ++i) {
    const Last& last = last_[i];
    std::string values;
    for (std::size_t o = 0; o < last.values.size(); ++o) {
      const auto& value = last.values[o];
      values += live::right(value ? metric_text(sweep_.objectives[o].metric, *value) : "-",
                            value_columns_ - 1) +
                " ";
    }
    lines.push_back({{live::left(last.outcome, 14), last.has_failed ? Tone::kAlarm : Tone::kCalm},
                     {values + " "},
                     {live::left(last.point, columns > fixed ? columns - fixed : 0)}});
  }
}

/// What the best point is worst in, where that differs.
std::string SweepView::price_text(std::size_t objective) const {
  const Best& best = *bests_[objective];
  std::string text;
  for (std::size_t i = 0; i < bests_.size(); ++i) {
    if (i == objective || !bests_[i] || !best.values[i]) continue;
    const bool is_worst = is_flat(*best.values[i], bests_[i]->worst);
    if (!is_worst || is_flat(bests_[i]->value, bests_[i]->worst)) continue;
    text += fmt::format(", with the worst {} of all", sweep_.objectives[i].name);
  }
  return text;
}

/// Nobody chooses a small size because it takes less time: the best choice is said for each.
std::string SweepView::by_condition_text(std::size_t objective) const {
  const Objective& o = sweep_.objectives[objective];
  const Best& all = *bests_[objective];
  const auto value_at = [&o](double value, const std::string& point) {
    return metric_text(o.metric, value) + " at " + point;
  };
  if (choices_.empty()) {
    return fmt::format("; {}: {} to {}", o.name, value_at(all.value, all.point),
                       value_at(all.worst, all.worst_point));
  }
  return "; best " + o.name + " " + winner_text(objective);
}

/// `for each size: control=dcqcn 3 times of 5`.
std::string SweepView::winner_text(std::size_t objective) const {
  std::map<std::string, std::size_t> wins;
  for (const auto& [condition, best] : by_condition_[objective]) ++wins[best.point];
  const auto winner =
      std::ranges::max_element(wins, {}, [](const auto& one) { return one.second; });
  std::string names;
  for (const std::size_t p : conditions_) {
    names += (names.empty() ? "" : ", ") + sweep_.parameters[p].name;
  }
  const std::size_t count = by_condition_[objective].size();
  const std::string often =
      winner->second == count ? "always" : fmt::format("{} times of {}", winner->second, count);
  return fmt::format("for each {}: {} {}", names, winner->first, often);
}

std::string SweepView::best_text(std::size_t objective) const {
  const Objective& o = sweep_.objectives[objective];
  if (!bests_[objective]) {
    return noted_ > 0 ? fmt::format("; {}: no point can be judged", o.name) : std::string();
  }
  const Best& best = *bests_[objective];
  if (best.count > 1 && is_flat(best.value, best.worst)) {
    const std::string low = metric_text(o.metric, std::min(best.value, best.worst));
    const std::string high = metric_text(o.metric, std::max(best.value, best.worst));
    const std::string where = best.count < noted_
                                  ? fmt::format("the {} points that can be judged", best.count)
                                  : std::string("all points");
    return fmt::format("; {}: {}{} at {}, within 1 %", o.name, low,
                       low == high ? "" : " to " + high, where);
  }
  if (!conditions_.empty() && best.count > 1) return by_condition_text(objective);
  return fmt::format("; best {}: {} at {}{}", o.name, metric_text(o.metric, best.value), best.point,
                     price_text(objective));
}

std::string SweepView::sentence(const Progress& progress) const {
  std::string text = progress_text(progress);
  for (std::size_t i = 0; i < bests_.size(); ++i) text += best_text(i);
  return text;
}

}  // namespace weft::sweep
