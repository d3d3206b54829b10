#include "tools/report/data/series_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::report {
namespace {

constexpr std::size_t kSteps = 800;
/// Moments of the fabric, each of some steps, and the numbers that a value there is rounded to.
constexpr std::size_t kMoments = 100;
constexpr std::size_t kStepsOfMoment = kSteps / kMoments;
constexpr double kShades = 250;
/// Series that are read, and those of them that are shown: the ones with most in them.
constexpr std::size_t kMaxRead = 8'192;
constexpr std::size_t kMaxShown = 64;

class Clock {
 public:
  explicit Clock(double seconds) : width_(std::max(seconds, 1e-12) / kSteps) {}
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] std::size_t step_of(double time) const {
    const double step = std::floor(std::max(0.0, time) / width_);
    return static_cast<std::size_t>(std::min(step, static_cast<double>(kSteps - 1)));
  }

 private:
  double width_;
};

struct Series {
  std::vector<double> values = std::vector<double>(kSteps, 0.0);
  std::vector<std::uint32_t> samples = std::vector<std::uint32_t>(kSteps, 0);
  double weight = 0;
  double last = 0;
  std::size_t until = 0;  ///< steps before this one are filled
};

class Bundle {
 public:
  Series* find(const std::string& name) {
    if (!series_.contains(name) && series_.size() >= kMaxRead) {
      ++left_out_;
      return nullptr;
    }
    return &series_[name];
  }

  Json json(const Clock& clock, const char* unit) const {
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [name, series] : series_) order.emplace_back(-series.weight, name);
    std::ranges::sort(order);
    const std::size_t shown = std::min(order.size(), kMaxShown);
    Json list = Json::array();
    for (std::size_t i = 0; i < shown; ++i) {
      Json values = Json::array();
      for (const double v : series_.at(order[i].second).values) values.push_back(short_number(v));
      list.push_back({{"name", order[i].second}, {"values", std::move(values)}});
    }
    return {{"step", clock.width()},
            {"unit", unit},
            {"series", std::move(list)},
            {"left_out", order.size() - shown + (left_out_ > 0 ? 1 : 0)}};
  }

  /// By port, all classes together, at some moments: of each the greatest sum. For the snapshot of
  /// the fabric, which has many ports: rounded to a few hundred numbers, as runs of equal ones.
  [[nodiscard]] Json moments() const {
    std::map<std::string, std::vector<double>> ports;
    double max = 0;
    for (const auto& [name, series] : series_) {
      std::vector<double>& sum = ports[name.substr(0, name.rfind(' '))];
      sum.resize(kSteps);
      for (std::size_t i = 0; i < kSteps; ++i) max = std::max(max, sum[i] += series.values[i]);
    }
    Json names = Json::array();
    Json values = Json::array();
    for (const auto& [name, steps] : ports) {
      names.push_back(name);
      values.push_back(runs_of(steps, max));
    }
    return {{"count", kMoments},
            {"most", max},
            {"shades", kShades},
            {"ports", std::move(names)},
            {"values", std::move(values)}};
  }

  std::map<std::string, Series>& all() { return series_; }

 private:
  /// Value and length of each run of equal values.
  static Json runs_of(const std::vector<double>& steps, double max) {
    Json runs = Json::array();
    std::int64_t before = -1;
    std::int64_t length = 0;
    for (std::size_t m = 0; m < kMoments; ++m) {
      const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(m * kStepsOfMoment);
      const double value = *std::max_element(begin, begin + kStepsOfMoment);
      // What is there at all is seen.
      const auto shade =
          static_cast<std::int64_t>(std::ceil(value / std::max(max, 1e-300) * kShades));
      if (shade != before && length > 0) {
        runs.push_back(before);
        runs.push_back(length);
        length = 0;
      }
      before = shade;
      ++length;
    }
    runs.push_back(before);
    runs.push_back(length);
    return runs;
  }

  std::map<std::string, Series> series_;
  std::size_t left_out_ = 0;
};

/// Of series of ports also what the snapshot of the fabric shows of them.
Json of_ports(const Bundle& bundle, const Clock& clock, const char* unit) {
  Json json = bundle.json(clock, unit);
  json["moments"] = bundle.moments();
  return json;
}

/// What is so until it changes: the greatest value of each step.
void hold(Series& series, std::size_t step) {
  for (; series.until <= step; ++series.until) series.values[series.until] = series.last;
}

void change(Series& series, std::size_t step, double value) {
  hold(series, step);
  series.values[step] = std::max(series.values[step], value);
  series.last = value;
  series.weight = std::max(series.weight, value);
}

Result<Json> read_queues(const std::filesystem::path& folder, const Clock& clock) {
  TableReader table(folder / "queues.csv");
  if (!table.is_there()) return Json();
  const std::size_t time = table.column("time_s");
  const std::size_t port = table.column("port");
  const std::size_t queue_class = table.column("class");
  const std::size_t bytes = table.column("bytes");
  Bundle bundle;
  while (table.next()) {
    std::string name(table.text(port));
    name += " ";
    name += table.text(queue_class);
    if (Series* series = bundle.find(name)) {
      change(*series, clock.step_of(table.number_or_zero(time)), table.number_or_zero(bytes));
    }
  }
  if (!table.errors().empty()) return table.errors();
  for (auto& [name, series] : bundle.all()) hold(series, kSteps - 1);
  return of_ports(bundle, clock, "bytes");
}

Result<Json> read_rates(const std::filesystem::path& folder, const Clock& clock, const char* what) {
  TableReader table(folder / "rates.csv");
  if (!table.is_there()) return Json();
  std::vector<std::size_t> flow;
  for (const char* name : {"job", "source_rank", "destination_rank", "queue_pair"}) {
    flow.push_back(table.column(name));
  }
  const std::size_t time = table.column("time_s");
  const std::size_t rate = table.column(what);
  Bundle bundle;
  while (table.next()) {
    std::string name(table.text(flow[0]));
    name += " ";
    name += table.text(flow[1]);
    name += "->";
    name += table.text(flow[2]);
    name += " qp ";
    name += table.text(flow[3]);
    Series* series = bundle.find(name);
    const auto value = table.number(rate);
    if (series == nullptr || !value) continue;
    const std::size_t step = clock.step_of(table.number_or_zero(time));
    const auto before = static_cast<double>(series->samples[step]++);
    series->values[step] = (series->values[step] * before + *value) / (before + 1);
    series->weight += *value;
  }
  if (!table.errors().empty()) return table.errors();
  return bundle.json(clock, "bit/s");
}

/// Adds to each step the share of it that an interval covers, times `rate`; at most `max` there.
void cover(Series& series, const Clock& clock, double start, double end, double rate, double max) {
  for (std::size_t step = clock.step_of(start); step <= clock.step_of(end); ++step) {
    const double from = static_cast<double>(step) * clock.width();
    const double inside = std::min(end, from + clock.width()) - std::max(start, from);
    series.values[step] =
        std::min(max, series.values[step] + rate * std::max(0.0, inside) / clock.width());
  }
  series.weight += rate * (end - start);
}

Result<Json> read_intervals(const std::filesystem::path& folder, const Clock& clock,
                            const char* file) {
  TableReader table(folder / file);
  if (!table.is_there()) return Json();
  const std::size_t port = table.column("port");
  const std::size_t queue_class = table.column("class");
  const std::size_t start = table.column("start_s");
  const std::size_t end = table.column("end_s");
  Bundle bundle;
  while (table.next()) {
    std::string name(table.text(port));
    name += " ";
    name += table.text(queue_class);
    if (Series* series = bundle.find(name)) {
      cover(*series, clock, table.number_or_zero(start), table.number_or_zero(end), 1, 1);
    }
  }
  if (!table.errors().empty()) return table.errors();
  return of_ports(bundle, clock, "share of the time");
}

/// Packets per second: those of a period lie evenly in it.
Result<Json> read_marks(const std::filesystem::path& folder, const Clock& clock) {
  TableReader table(folder / "marks.csv");
  if (!table.is_there()) return Json();
  const std::size_t port = table.column("port");
  const std::size_t queue_class = table.column("class");
  const std::size_t start = table.column("start_s");
  const std::size_t end = table.column("end_s");
  const std::size_t packets = table.column("packets");
  Bundle bundle;
  while (table.next()) {
    std::string name(table.text(port));
    name += " ";
    name += table.text(queue_class);
    Series* series = bundle.find(name);
    if (series == nullptr) continue;
    const double from = table.number_or_zero(start);
    const double to = std::max(table.number_or_zero(end), from + 1e-12);
    cover(*series, clock, from, to, table.number_or_zero(packets) / (to - from),
          std::numeric_limits<double>::infinity());
  }
  if (!table.errors().empty()) return table.errors();
  return of_ports(bundle, clock, "marks/s");
}

}  // namespace

Result<Json> series_json(const std::filesystem::path& folder, double seconds) {
  const Clock clock(seconds);
  Json all = Json::object();
  const std::pair<const char*, Result<Json>> kinds[] = {
      {"queues", read_queues(folder, clock)},
      {"marks", read_marks(folder, clock)},
      {"rates", read_rates(folder, clock, "rate_bps")},
      {"goodput", read_rates(folder, clock, "goodput_bps")},
      {"pauses", read_intervals(folder, clock, "pauses.csv")},
      {"credits", read_intervals(folder, clock, "credits.csv")}};
  for (const auto& [name, result] : kinds) {
    if (!result) return result.errors();
    if (!result.value().is_null()) all[name] = result.value();
  }
  return all;
}

}  // namespace weft::report
