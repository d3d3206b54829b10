#include "tools/sweep/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "tools/sweep/language/axis_scale.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/report/statistics.hpp"

namespace weft::sweep {
namespace {

/// Above this many values of x, points are drawn instead of lines, and tics are gnuplot's.
constexpr std::size_t kMaxLinePoints = 60;
constexpr std::size_t kMaxTics = 12;
/// A logarithmic y axis where values span more than this.
constexpr double kWideSpan = 30;
constexpr std::size_t kMaxSeries = 16;
constexpr std::size_t kMaxHeatmapLabels = 150;
/// Share of a heat map's scale from which on white is told apart better than black.
constexpr double kWhiteInkFrom = 0.5;
/// Names of lines that would take too much of the width.
constexpr std::size_t kLongName = 18;

/// M. Okabe, K. Ito, "Color Universal Design", 2008: told apart by colour-blind readers as well.
constexpr const char* kStyles =
    "set linetype 1 lc rgb '#0072B2' pt 7 lw 2 dt 1\n"
    "set linetype 2 lc rgb '#D55E00' pt 5 lw 2 dt 1\n"
    "set linetype 3 lc rgb '#009E73' pt 9 lw 2 dt 1\n"
    "set linetype 4 lc rgb '#CC79A7' pt 11 lw 2 dt 1\n"
    "set linetype 5 lc rgb '#E69F00' pt 13 lw 2 dt 1\n"
    "set linetype 6 lc rgb '#56B4E9' pt 15 lw 2 dt 1\n"
    "set linetype 7 lc rgb '#000000' pt 6 lw 2 dt 1\n"
    "set linetype 8 lc rgb '#882255' pt 4 lw 2 dt 1\n"
    "set linetype cycle 8\n";

/// A name or value between gnuplot's single quotes, where nothing but the quote is special. It
/// takes a doubled one for a quote, but not two at the beginning or several together. So a text
/// with quotes stands between double quotes, and all in it but letters and blanks by octal numbers:
/// there, backquotes as such would run commands, and a digit would be one of the number before it.
std::string literal(const std::string& text) {
  const std::string shown = escaped(text);
  if (shown.find('\'') == std::string::npos) return "'" + shown + "'";
  std::string result = "\"";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = c == ' ' || byte >= 0x80 || std::isalpha(byte) != 0;
    result += is_plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return result + "\"";
}

/// The label of a tic, in which gnuplot looks for formats of the number.
std::string tic(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '%') result += '%';
    result += c;
  }
  return literal(result);
}

/// A parameter as an axis: where each of its values lies and what stands there.
struct PlotAxis {
  std::size_t parameter = 0;
  std::vector<Value> values;
  bool is_numeric = true;
  AxisScale scale;

  [[nodiscard]] double position(const Value& value) const {
    if (is_numeric) return *value.number / scale.divisor;
    const auto found = std::ranges::find(values, value.text, &Value::text);
    return static_cast<double>(found - values.begin());
  }
  [[nodiscard]] std::string text(const Value& value) const {
    return is_numeric ? scale.text(*value.number) : value.text;
  }
};

class Plotter {
 public:
  Plotter(const Table& table, const PlotOptions& options, Objective objective)
      : table_(table), options_(options), objective_(std::move(objective)) {}

  Result<std::string> commands() {
    x_ = dimension(options_.x, "--x");
    if (!options_.by.empty()) by_ = dimension(options_.by, "--by");
    if (errors_.empty() && by_ && by_->parameter == x_->parameter) fail("--by is the same as --x");
    if (options_.is_heatmap && options_.by.empty()) {
      fail("--heatmap needs --by, the parameter of its vertical axis");
    }
    if (!errors_.empty()) return errors_;
    collect();
    if (cells_.empty()) {
      fail("no point has `" + objective_.name + "`: there is nothing to draw");
      return errors_;
    }
    if (!options_.is_heatmap && by_ && by_->values.size() > kMaxSeries) {
      fail(fmt::format("{} lines are too many to tell apart; add --heatmap", by_->values.size()));
      return errors_;
    }
    find_scale();
    return head() + (options_.is_heatmap ? heatmap() : lines());
  }

 private:
  using Key = std::pair<std::size_t, std::size_t>;  ///< indices of the values of x and by

  void fail(std::string message) { errors_.push_back({std::move(message), {}}); }

  std::optional<PlotAxis> dimension(const std::string& name, const char* option) {
    const auto parameter = table_.parameter(name);
    if (!parameter) {
      std::vector<std::string> names;
      for (const Parameter& p : table_.parameters) names.push_back(p.name);
      fail(fmt::format("{}: `{}` is not an axis of this sweep; there are {}{}", option, name,
                       listing(names), did_you_mean(name, names)));
      return std::nullopt;
    }
    PlotAxis d{*parameter, distinct_values(table_, *parameter, objective_.metric), true, {}};
    std::vector<double> numbers;
    for (const Value& value : d.values) {
      if (value.number) numbers.push_back(*value.number);
    }
    d.is_numeric = numbers.size() == d.values.size();
    if (d.is_numeric) {
      d.scale = scale_of(numbers, table_.parameters[*parameter].unit);
      d.scale.is_log = is_geometric(numbers);
    }
    return d;
  }

  static std::size_t index_of(const std::optional<PlotAxis>& d, const Table::Row& row) {
    if (!d) return 0;
    const auto found = std::ranges::find(d->values, row.values[d->parameter].text, &Value::text);
    return static_cast<std::size_t>(found - d->values.begin());
  }

  void collect() {
    std::map<Key, std::vector<const Table::Row*>> rows;
    for (const Table::Row& row : table_.rows) {
      if (!usable_metric(row, objective_.metric)) continue;
      rows[{index_of(x_, row), index_of(by_, row)}].push_back(&row);
    }
    for (const auto& [key, those] : rows) cells_[key] = estimate(those, objective_.metric);
    for (const auto& [key, cell] : cells_) {
      min_points_ = std::min(min_points_, cell.count);
      max_points_ = std::max(max_points_, cell.count);
      has_cut_off_ = has_cut_off_ || cell.cut_off;
    }
    for (std::size_t p = 0; p < table_.parameters.size(); ++p) {
      const bool is_shown = p == x_->parameter || (by_ && p == by_->parameter);
      const std::size_t count = distinct_values(table_, p, objective_.metric).size();
      if (is_shown || count < 2) continue;
      if (table_.parameters[p].is_seed) {
        seeds_ = count;
      } else {
        averaged_ += (averaged_.empty() ? "" : ", ") + table_.parameters[p].name;
      }
    }
  }

  void find_scale() {
    std::vector<double> results;
    for (const auto& [key, cell] : cells_) results.push_back(cell.mean);
    y_scale_ = scale_of(results, metric_unit(objective_.metric));
    const auto [low, high] = std::ranges::minmax_element(results);
    lowest_ = *low;
    highest_ = *high;
    y_scale_.is_log = lowest_ > 0 && highest_ / lowest_ > kWideSpan;
  }

  [[nodiscard]] bool has_intervals() const { return seeds_ > 1 && averaged_.empty(); }

  [[nodiscard]] std::string title() const {
    std::string text = table_.name;
    if (!averaged_.empty()) text += ": mean over " + averaged_;
    if (!averaged_.empty() && seeds_ > 1) text += fmt::format(" and {} seeds", seeds_);
    if (!averaged_.empty() && min_points_ < max_points_) {
      text += fmt::format(" (unequal: {} to {} points each)", min_points_, max_points_);
    }
    if (has_intervals()) {
      text += fmt::format(": mean of {} seeds", seeds_);
      if (!options_.is_heatmap) text += ", bars: 95 % confidence";
    }
    if (averaged_.empty() && seeds_ == 1) text += ": one seed";
    if (has_cut_off_) text += "; runs were cut off where it says of how many";
    if (!table_.where.empty()) text += ", where " + table_.where;
    return text;
  }

  [[nodiscard]] std::string head() const {
    return std::string(kStyles) + "set encoding utf8\nset title " + literal(title()) +
           "\nset xlabel " + literal(label(*x_)) +
           "\nset border lw 1\nset grid lc rgb '#dddddd' lt 1 lw 0.5\n";
  }

  [[nodiscard]] std::string label(const PlotAxis& d) const {
    return d.scale.label(table_.parameters[d.parameter].name);
  }

  /// Tics at the values themselves, where they are few enough and do not crowd.
  [[nodiscard]] std::string tics(const char* axis, const PlotAxis& d) const {
    if (d.is_numeric && !d.scale.is_log) return {};
    if (d.values.size() > kMaxTics) return d.is_numeric ? decade_tics(axis, d) : std::string();
    std::string text = fmt::format("set {}tics (", axis);
    for (std::size_t i = 0; i < d.values.size(); ++i) {
      text += fmt::format("{}{} {:.9g}", i == 0 ? "" : ", ", tic(d.text(d.values[i])),
                          d.position(d.values[i]));
    }
    return text + ")\n";
  }

  /// 1, 2, 5, 10, 20 ... on a logarithmic axis.
  [[nodiscard]] static std::string decade_tics(const char* axis, const PlotAxis& d) {
    const double low = d.position(d.values.front());
    const double high = d.position(d.values.back());
    std::string tics;
    for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        if (step * decade < low / 1.1 || step * decade > high * 1.1) continue;
        tics += fmt::format("{}{:.9g}", tics.empty() ? "" : ", ", step * decade);
      }
    }
    return fmt::format("set {}tics ({})\n", axis, tics);
  }

  /// Room at both ends, so that no point lies on the frame.
  [[nodiscard]] std::string range(const char* axis, const PlotAxis& d) const {
    double low = d.position(d.values.front());
    double high = d.position(d.values.back());
    if (d.is_numeric && d.scale.is_log) {
      const double factor = std::pow(high / low, 0.04);
      return fmt::format("set logscale {0}\nset {0}range [{1:.9g}:{2:.9g}]\n", axis, low / factor,
                         high * factor);
    }
    const double margin = high > low ? (high - low) * (d.is_numeric ? 0.03 : 0.1) : 0.5;
    return fmt::format("set {}range [{:.9g}:{:.9g}]\n", axis, low - margin, high + margin);
  }

  /// From zero, unless that would hide what differs.
  [[nodiscard]] bool is_cut() const {
    return !y_scale_.is_log && lowest_ > 0 && lowest_ >= 0.5 * highest_;
  }

  [[nodiscard]] std::string y_range() const {
    if (y_scale_.is_log) return "set logscale y\n";
    if (lowest_ >= 0 && !is_cut()) return "set yrange [0:*]\n";
    return "set offsets graph 0, 0, 0.05, 0.05\n";
  }

  [[nodiscard]] std::string y_label() const {
    return y_scale_.label(objective_.name) + (is_cut()          ? ", not from 0"
                                              : y_scale_.is_log ? ", logarithmic"
                                                                : "");
  }

  [[nodiscard]] std::string data(std::size_t by) const {
    std::string text;
    for (std::size_t i = 0; i < x_->values.size(); ++i) {
      const auto cell = cells_.find({i, by});
      if (cell == cells_.end()) continue;
      const double mean = cell->second.mean / y_scale_.divisor;
      const double half = cell->second.half_width.value_or(0) / y_scale_.divisor;
      text += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", x_->position(x_->values[i]), mean,
                          y_scale_.is_log ? std::max(mean - half, mean / 100) : mean - half,
                          mean + half);
    }
    return text;
  }

  [[nodiscard]] std::string lines() const {
    std::string text =
        "set ylabel " + literal(y_label()) + "\n" + tics("x", *x_) + range("x", *x_) + y_range();
    const std::size_t series = by_ ? by_->values.size() : 1;
    text += key();
    std::string plot;
    for (std::size_t s = 0; s < series; ++s) {
      const std::string points = data(s);
      if (points.empty()) continue;
      text += fmt::format("$series{} << EOD\n{}EOD\n", s, points);
      const std::string name = by_ ? by_->values[s].text : std::string();
      const char* style = x_->values.size() > kMaxLinePoints ? "points" : "linespoints";
      if (has_intervals()) {
        plot += fmt::format("{}$series{} using 1:2:3:4 with yerrorbars lt {} notitle",
                            plot.empty() ? "" : ", ", s, s + 1);
      }
      plot += fmt::format("{}$series{} using 1:2 with {} lt {} ps 1.1 title {}",
                          plot.empty() ? "" : ", ", s, style, s + 1, literal(name));
    }
    if (has_cut_off_) {
      text += "$cut_off << EOD\n" + cut_off_places() + "EOD\n";
      plot += ", $cut_off using 1:2:3 with labels left offset 0.7,0.7 font ',11' notitle";
    }
    return text + "plot " + plot + "\n";
  }

  /// Points of runs that were cut off, and what these are of.
  [[nodiscard]] std::string cut_off_places() const {
    std::string text;
    for (const auto& [key, cell] : cells_) {
      const auto words = scenarios::cut_off_text(cell.cut_off);
      if (!words) continue;
      text += fmt::format("{:.9g} {:.9g} \"{}\"\n", x_->position(x_->values[key.first]),
                          cell.mean / y_scale_.divisor, *words);
    }
    return text;
  }

  /// Beside the plot, or below it where the names are long.
  [[nodiscard]] std::string key() const {
    if (!by_) return "set key off\n";
    std::size_t longest = 0;
    for (const Value& value : by_->values) longest = std::max(longest, value.text.size());
    const char* place = longest > kLongName ? "below left vertical maxcols 1" : "outside right top";
    return fmt::format("set key {} Left reverse spacing 1.2 title {} left\n", place,
                       literal(table_.parameters[by_->parameter].name));
  }

  /// Tics of a heat map: cells are equally wide whatever their values.
  [[nodiscard]] static std::string cell_tics(const char* axis, const PlotAxis& d) {
    const std::size_t every = (d.values.size() + kMaxTics - 1) / kMaxTics;
    std::string text = fmt::format("set {}tics (", axis);
    for (std::size_t i = 0; i < d.values.size(); i += every) {
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", tic(d.text(d.values[i])), i);
    }
    return text + fmt::format(") scale 0\nset {}range [-0.5:{}.5]\n", axis, d.values.size() - 1);
  }

  [[nodiscard]] std::string heatmap() const {
    std::string text = "set ylabel " + literal(label(*by_)) + "\nset cblabel " +
                       literal(y_scale_.label(objective_.name)) + " offset 2\n" +
                       cell_tics("x", *x_) + cell_tics("y", *by_) + "unset grid\nset key off\n" +
                       // Light is little, dark is much; readable in grey as well. The same as in
                       // pages (report/page/src/colour.js).
                       "set palette defined (0 '#d6be78', 0.2 '#eca03e', 0.4 '#de6828', 0.6 "
                       "'#ba2c30', 0.8 '#7a0e34', 1 '#3e042c')\n";
    if (y_scale_.is_log) text += "set logscale cb\n";
    // From the least to the greatest cell, as in pages; by itself gnuplot rounds the ends.
    if (highest_ > lowest_) {
      text += fmt::format("set cbrange [{:.9g}:{:.9g}]\n", lowest_ / y_scale_.divisor,
                          highest_ / y_scale_.divisor);
    }
    text += "$cells << EOD\n";
    for (const auto& [key, cell] : cells_) {
      text += fmt::format("{} {} {:.9g}\n", key.first, key.second, cell.mean / y_scale_.divisor);
    }
    text += "EOD\n$labels << EOD\n";
    for (const auto& [key, cell] : cells_) {
      const auto words = scenarios::cut_off_text(cell.cut_off);
      const std::string label = y_scale_.text(cell.mean) + (words ? "\\n" + *words : "");
      text += fmt::format("{} {} {} {}\n", key.first, key.second, words ? '"' + label + '"' : label,
                          is_dark(cell.mean) ? 16777215 : 0);
    }
    if (cells_.size() <= kMaxHeatmapLabels) text += empty_cells();
    // Boxes instead of `with image`: cells that were not run stay empty.
    text +=
        "EOD\nset style fill solid 1.0 noborder\nplot $cells using 1:2:(0.5):(0.5):3 with "
        "boxxyerror lc palette";
    if (cells_.size() <= kMaxHeatmapLabels) {
      text += ", $labels using 1:2:3:4 with labels tc rgb variable";
    }
    return text + "\n";
  }

  /// Why there is no colour: constraints dropped the point, or it has no result.
  [[nodiscard]] std::string empty_cells() const {
    std::map<Key, bool> has_point;
    for (const Table::Row& row : table_.rows)
      has_point[{index_of(x_, row), index_of(by_, row)}] = true;
    constexpr int kGrey = 0x777777;
    std::string text;
    for (std::size_t x = 0; x < x_->values.size(); ++x) {
      for (std::size_t y = 0; y < by_->values.size(); ++y) {
        if (cells_.contains({x, y})) continue;
        text += fmt::format("{} {} {} {}\n", x, y,
                            has_point.contains({x, y}) ? "\"no result\"" : "dropped", kGrey);
      }
    }
    return text;
  }

  [[nodiscard]] bool is_dark(double value) const {
    if (highest_ <= lowest_) return false;
    const double at = y_scale_.is_log ? std::log(value / lowest_) / std::log(highest_ / lowest_)
                                      : (value - lowest_) / (highest_ - lowest_);
    return at > kWhiteInkFrom;
  }

  const Table& table_;
  const PlotOptions& options_;
  Objective objective_;
  std::optional<PlotAxis> x_;
  std::optional<PlotAxis> by_;
  std::map<Key, Estimate> cells_;
  AxisScale y_scale_;
  double lowest_ = 0;
  double highest_ = 0;
  std::size_t seeds_ = 1;
  std::size_t min_points_ = std::numeric_limits<std::size_t>::max();  ///< in a cell
  std::size_t max_points_ = 0;
  std::string averaged_;
  bool has_cut_off_ = false;
  Errors errors_;
};

}  // namespace

Result<std::string> plot_commands(const Table& table, const PlotOptions& options) {
  Result<Objective> objective = table.objective(options.y);
  if (!objective.ok()) {
    return Error{"--y: " + objective.errors().front().message, {}};
  }
  return Plotter(table, options, objective.value()).commands();
}

}  // namespace weft::sweep
